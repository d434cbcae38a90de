/*
 * One setting or section changed in a text that is a person's: their comments, their order and their blank
 * lines stay.
 */
#include "base/config_internal.h"

/* True when this line opens the section with that title. */
static bool
opens(const char *line, const char *title)
{
    g_autofree char *copy = g_strdup(line);
    char *kind, *name;

    g_strstrip(copy);
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

static bool
is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

/* Where the value goes: the line that holds it (*ret_there) or the one to put it before; -1
 * when the section is not there. */
static int
find_spot(GPtrArray *lines, const char *section, const char *key, bool *ret_there)
{
    int spot = -1;

    *ret_there = false;
    for (guint i = 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i);
        bool title = line[strspn(line, " \t")] == '[';

        if (spot < 0) {
            if (title && opens(line, section))
                spot = (int)i + 1;
            continue;
        }
        if (title)
            break;
        if (sets(line, key)) {
            *ret_there = true;
            return (int)i;
        }
        /* Blank lines and comments behind the last entry belong to what follows them. */
        if (!is_blank(line) && line[strspn(line, " \t")] != '#')
            spot = (int)i + 1;
    }
    return spot;
}

char *
config_with(const char *text, const char *section, const char *key, const char *value)
{
    g_auto(GStrv) split = g_strsplit(text ? text : "", "\n", -1);
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    bool there;

    for (char **line = split; *line; line++)
        g_ptr_array_add(lines, g_strdup(*line));
    /* The text ends with a newline, so the last piece is not a line. */
    if (lines->len && is_blank(g_ptr_array_index(lines, lines->len - 1)))
        g_ptr_array_set_size(lines, (int)lines->len - 1);

    g_autofree char *entry = g_strdup_printf("%s = %s", key, value);
    int spot = find_spot(lines, section, key, &there);

    if (spot < 0) {
        if (lines->len)
            g_ptr_array_add(lines, g_strdup(""));
        g_ptr_array_add(lines, g_strdup_printf("[%s]", section));
        g_ptr_array_add(lines, g_steal_pointer(&entry));
    } else {
        if (there)
            g_ptr_array_remove_index(lines, (guint)spot);
        g_ptr_array_insert(lines, spot, g_steal_pointer(&entry));
    }
    g_ptr_array_add(lines, g_strdup(""));
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

/* Where the section's lines are, as bytes of the text; false: it is not there. */
static bool
find_section(const char *text, const char *section, size_t *ret_begin, size_t *ret_end)
{
    bool inside = false;
    const char *next;

    for (const char *p = text; *p; p = next) {
        size_t len = strcspn(p, "\n");
        g_autofree char *line = g_strndup(p, len);
        char first = line[strspn(line, " \t")];

        next = p + len + (p[len] == '\n');
        if (inside && first == '[')
            break;
        if (!inside && first == '[' && opens(line, section)) {
            inside = true;
            *ret_begin = (size_t)(p - text);
        }
        if (inside && !is_blank(line) && first != '#')
            *ret_end = (size_t)(next - text);
    }
    return inside;
}

char *
config_section(const char *text, const char *section)
{
    size_t begin, end;

    return find_section(text, section, &begin, &end) ? g_strndup(text + begin, end - begin)
                                                     : NULL;
}

char *
config_with_section(const char *text, const char *section, const char *lines)
{
    size_t begin = strlen(text), end = begin;
    GString *s = g_string_new(NULL);

    (void)find_section(text, section, &begin, &end);
    g_string_append_len(s, text, (gssize)begin);
    g_string_append(s, lines);
    if (s->len > 0 && s->str[s->len - 1] != '\n')
        g_string_append_c(s, '\n');
    g_string_append(s, text + end);
    return g_string_free(s, FALSE);
}
