#include "wire/sse.h"

void
sse_init(Sse *sse, const char *bytes, size_t len)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t skip = len >= 3 && memcmp(bytes, bom, 3) == 0 ? 3 : 0;

    *sse = (Sse){.next = bytes + skip,
                 .end = bytes + len,
                 .event = g_string_new(NULL),
                 .data = g_string_new(NULL)};
}

void
sse_clear(Sse *sse)
{
    if (sse->event)
        g_string_free(sse->event, TRUE);
    if (sse->data)
        g_string_free(sse->data, TRUE);
    *sse = (Sse){0};
}

/* Lines end with LF, CR or CRLF. False: no whole line is left. */
static bool
next_line(Sse *sse, const char **ret_line, size_t *ret_len)
{
    const char *p = sse->next;

    while (p < sse->end && *p != '\n' && *p != '\r')
        p++;
    if (p == sse->end)
        return false;
    *ret_line = sse->next;
    *ret_len = (size_t)(p - sse->next);
    sse->next = p + (*p == '\r' && p + 1 < sse->end && p[1] == '\n' ? 2 : 1);
    return true;
}

/* The value of a line "name: value" or "name"; NULL when it has another name. */
static const char *
value_of(const char *line, size_t len, const char *name, size_t *ret_len)
{
    size_t n = strlen(name);

    if (len < n || memcmp(line, name, n) != 0 || (len > n && line[n] != ':'))
        return NULL;
    n += len > n;
    n += len > n && line[n] == ' ';
    *ret_len = len - n;
    return line + n;
}

static void
take_line(Sse *sse, const char *line, size_t len, bool *has_data)
{
    size_t n;
    const char *value = value_of(line, len, "data", &n);

    if (value) {
        if (*has_data)
            g_string_append_c(sse->data, '\n');
        g_string_append_len(sse->data, value, (gssize)n);
        *has_data = true;
    } else if ((value = value_of(line, len, "event", &n))) {
        g_string_truncate(sse->event, 0);
        g_string_append_len(sse->event, value, (gssize)n);
    }
}

bool
sse_next(Sse *sse)
{
    bool has_data = false;
    const char *line;
    size_t len;

    g_string_truncate(sse->event, 0);
    g_string_truncate(sse->data, 0);
    while (next_line(sse, &line, &len)) {
        if (len > 0)
            take_line(sse, line, len, &has_data);
        else if (has_data)
            return true;
        else
            g_string_truncate(sse->event, 0);
    }
    return false;
}
