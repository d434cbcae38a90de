#include "base/template.h"
#include <string.h>

/* The length of the name between the braces that begin here; 0: this is no place. */
static size_t
name_at(const char *brace)
{
    const char *p = brace + 1;

    if (*brace != '{' || !g_ascii_isalpha(*p))
        return 0;
    while (g_ascii_isalnum(*p) || *p == '_' || *p == '-')
        p++;
    return *p == '}' ? (size_t)(p - brace - 1) : 0;
}

bool
template_next(const char **io_at, TemplatePiece *ret)
{
    const char *start = *io_at, *end = start;
    size_t name = name_at(start);

    if (!*start)
        return false;
    if (name) {
        *ret = (TemplatePiece){start, name + 2, start + 1, name};
        *io_at = start + name + 2;
        return true;
    }
    do
        end += 1 + strcspn(end + 1, "{");
    while (*end && !name_at(end));
    *ret = (TemplatePiece){.text = start, .len = (size_t)(end - start)};
    *io_at = end;
    return true;
}

bool
template_is(const TemplatePiece *piece, const char *name)
{
    return piece->name && strlen(name) == piece->name_len &&
           g_ascii_strncasecmp(piece->name, name, piece->name_len) == 0;
}

void
template_put(GString *out, const TemplatePiece *piece, const TemplateValue *values)
{
    for (; values->name; values++) {
        if (template_is(piece, values->name)) {
            g_string_append(out, values->value);
            return;
        }
    }
    g_string_append_len(out, piece->text, (gssize)piece->len);
}

char *
template_expand(const char *text, const TemplateValue *values)
{
    GString *out = g_string_new(NULL);
    TemplatePiece piece;

    while (template_next(&text, &piece))
        template_put(out, &piece, values);
    return g_string_free(out, FALSE);
}
