#include "steps/island.h"

typedef struct Scan {
    const char *text;
    size_t len;
    unsigned values; /* so far */
} Scan;

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A brace with nothing behind it counts: that is how an answer looks that was cut off early. */
static bool
begins_at(const Scan *s, size_t at)
{
    char open = s->text[at];
    size_t next = at + 1;

    if (open != '{' && open != '[')
        return false;
    while (next < s->len && is_blank(s->text[next]))
        next++;
    if (next == s->len)
        return open == '{';
    return open == '[' ? s->text[next] == '{' : s->text[next] == '"' || s->text[next] == '}';
}

static bool
count_value(Scan *s, GError **error)
{
    if (++s->values <= ISLAND_VALUES_MAX)
        return true;
    return err_set(error, ERR_LIMIT, "there are more than %u values in the JSON",
                   ISLAND_VALUES_MAX);
}

/* The index behind the closing bracket. Which bracket closes which is the parser's business. */
static bool
find_end(Scan *s, size_t start, size_t *ret_end, GError **error)
{
    unsigned depth = 0;
    bool quoted = false;

    for (size_t i = start; i < s->len; i++) {
        char c = s->text[i];

        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            if (++depth > ISLAND_DEPTH_MAX)
                return err_set(error, ERR_LIMIT, "the JSON is nested deeper than %u levels",
                               ISLAND_DEPTH_MAX);
            if (!count_value(s, error))
                return false;
        } else if (c == ',') {
            if (!count_value(s, error))
                return false;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            *ret_end = i + 1;
            return true;
        }
    }
    return err_set(error, ERR_NEVER,
                   "the JSON that begins at byte %zu is cut off; answer again, shorter", start);
}

/* Adds a piece of the text around, line by line, without the fences. */
static void
append_rest(GString *rest, const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        const char *line = text, *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;

        text = newline ? newline + 1 : end;
        while (line < line_end && is_blank(*line))
            line++;
        while (line < line_end && is_blank(line_end[-1]))
            line_end--;
        if (line == line_end || (line_end - line >= 3 && memcmp(line, "```", 3) == 0))
            continue;
        if (rest->len > 0)
            g_string_append_c(rest, '\n');
        g_string_append_len(rest, line, line_end - line);
    }
}

bool
island_parse_all(
    const char *text, size_t len, GPtrArray **ret_values, char **ret_rest, GError **error)
{
    Scan scan = {.text = text, .len = len};
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    g_autoptr(GString) rest = g_string_new(NULL);
    size_t behind = 0; /* the last island */

    for (size_t i = 0; i < len; i++) {
        size_t end = i;
        json_t *value;

        if (!begins_at(&scan, i))
            continue;
        if (!find_end(&scan, i, &end, error))
            return false;
        if (!json_parse(text + i, end - i, len, &value, error))
            return err_prefix(error, "malformed JSON, counted from its first bracket");
        g_ptr_array_add(values, value);
        append_rest(rest, text + behind, i - behind);
        behind = end;
        i = end - 1;
    }
    append_rest(rest, text + behind, len - behind);
    *ret_rest = g_strdup(rest->str);
    *ret_values = g_steal_pointer(&values);
    return true;
}
