#include "base/template.h"

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

/* The place in two pairs of braces that begins here. */
static bool
double_at(const char *brace, TemplatePiece *ret)
{
    size_t name = *brace == '{' ? name_at(brace + 1) : 0;

    if (!name || brace[name + 3] != '}')
        return false;
    *ret = (TemplatePiece){brace, name + 4, brace + 2, name};
    return true;
}

char *
template_expand_double(const char *text, const TemplateValue *values)
{
    GString *out = g_string_new(NULL);
    TemplatePiece piece;

    while (*text) {
        size_t plain = strcspn(text, "{");
        g_string_append_len(out, text, (gssize)plain);
        text += plain;
        if (!*text)
            break;
        if (!double_at(text, &piece))
            piece = (TemplatePiece){.text = text, .len = 1};
        template_put(out, &piece, values);
        text += piece.len;
    }
    return g_string_free(out, FALSE);
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
