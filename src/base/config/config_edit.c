/*
 * One setting or section changed in a text that is a person's: their comments, their order and their blank
 * lines stay.
 */
#include "base/config/config_internal.h"

/* True when this line opens the section with that title. */
static bool
opens(const char *line, const char *title)
{
    g_autofree char *copy = g_strdup(line);
    char *kind, *name;

    if (!conf_split_title(copy, &kind, &name))
        return false;

    g_autofree char *found = g_strconcat(kind, *name ? " " : "", name, NULL);
    return g_str_equal(found, title);
}

static bool
sets(const char *line, const char *key)
{
    line += strspn(line, " \t");
    size_t len = strlen(key);

    return strncmp(line, key, len) == 0 && line[len + strspn(line + len, " \t")] == '=';
}

/* Behind the line that begins here. */
static const char *
next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

/* The section's lines, from its title to its last entry: blank lines and comments behind that belong to what
 * follows them. False: it is not there. */
static bool
find_section(const char *text,
             const char *section,
             const char **ret_begin,
             const char **ret_end)
{
    bool inside = false;
    const char *next;

    for (const char *p = text; *p; p = next) {
        next = next_line(p);
        g_autofree char *line = g_strndup(p, (gsize)(next - p));
        char first = *g_strstrip(line);

        if (inside && first == '[')
            break;
        if (!inside && first == '[' && opens(line, section)) {
            inside = true;
            *ret_begin = p;
        }
        if (inside && first && first != '#')
            *ret_end = next;
    }
    return inside;
}

/* The text with other lines in place of those between begin and end. */
static char *
splice(const char *text, const char *begin, const char *end, const char *lines)
{
    GString *s = g_string_new_len(text, begin - text);

    for (const char *const *part = (const char *const[]){lines, end, NULL}; *part; part++) {
        if (s->len > 0 && s->str[s->len - 1] != '\n')
            g_string_append_c(s, '\n');
        g_string_append(s, *part);
    }
    return g_string_free(s, FALSE);
}

char *
config_with(const char *text, const char *section, const char *key, const char *value)
{
    const char *begin, *end;
    g_autofree char *entry = g_strdup_printf("%s = %s\n", key, value);

    text = text ? text : "";
    if (!find_section(text, section, &begin, &end)) {
        g_autofree char *lines =
            g_strdup_printf("%s[%s]\n%s", *text ? "\n" : "", section, entry);
        return splice(text, text + strlen(text), "", lines);
    }
    while (begin < end && !sets(begin, key))
        begin = next_line(begin);
    return splice(text, begin, begin < end ? next_line(begin) : end, entry);
}

char *
config_section(const char *text, const char *section)
{
    const char *begin, *end;

    return find_section(text, section, &begin, &end) ? g_strndup(begin, (gsize)(end - begin))
                                                     : NULL;
}

char *
config_with_section(const char *text, const char *section, const char *lines)
{
    const char *begin = text + strlen(text), *end = begin;

    (void)find_section(text, section, &begin, &end);
    return splice(text, begin, end, lines);
}
