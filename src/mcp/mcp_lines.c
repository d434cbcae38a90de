#include "mcp/mcp_lines.h"

void
mcp_lines_init(McpLines *lines, size_t max)
{
    *lines = (McpLines){.bytes = g_string_new(NULL), .max = max};
}

void
mcp_lines_clear(McpLines *lines)
{
    if (lines->bytes)
        g_string_free(lines->bytes, TRUE);
    *lines = (McpLines){0};
}

static void
drop(McpLines *lines, size_t n)
{
    g_string_erase(lines->bytes, 0, (gssize)n);
    lines->from = lines->looked = 0;
}

/* The part of the data that still belongs to a line that is skipped. */
static size_t
skip(McpLines *lines, const char *data, size_t len)
{
    const char *end = memchr(data, '\n', len);

    lines->skipping = !end;
    return end ? (size_t)(end - data) + 1 : len;
}

void
mcp_lines_take(McpLines *lines, const void *data, size_t len)
{
    size_t skipped = lines->skipping ? skip(lines, data, len) : 0;

    if (lines->from > 0)
        drop(lines, lines->from);
    g_string_append_len(lines->bytes, (const char *)data + skipped, (gssize)(len - skipped));
}

int
mcp_lines_next(McpLines *lines, const char **ret, size_t *ret_len)
{
    char *start = lines->bytes->str + lines->from;
    size_t left = lines->bytes->len - lines->from, looked = lines->looked;
    char *end = memchr(start + looked, '\n', left - looked);
    size_t len = end ? (size_t)(end - start) : left;

    if (len > lines->max) {
        drop(lines, lines->from + (end ? len + 1 : len));
        lines->skipping = !end;
        return -1;
    }
    lines->looked = end ? 0 : left;
    if (!end)
        return 0;
    lines->from += len + 1;
    *ret = start;
    *ret_len = len > 0 && end[-1] == '\r' ? len - 1 : len;
    start[*ret_len] = '\0';
    return 1;
}
