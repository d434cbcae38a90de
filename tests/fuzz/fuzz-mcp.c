/* Any bytes of a client of `postrider mcp`, whole and cut in two: the same lines come out, none is longer than allowed, and
 * each is a request, has an answer that says why not, or is one that nobody answers. */
#include "base/json.h"
#include "mcp/mcp_lines.h"
#include "mcp/rpc.h"
#include <stdint.h>

#define MOST 600

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
take_line(const char *line, size_t len, GString *seen)
{
    g_autoptr(Rpc) rpc = NULL;
    json_t *refusal = NULL;

    g_assert_cmpuint(len, <=, MOST);
    g_assert_cmpint(line[len], ==, '\0');
    g_string_append_printf(seen, "%zu ", len);
    if (rpc_parse(line, len, &rpc, &refusal)) {
        g_assert_true(!rpc->id || json_is_string(rpc->id) || json_is_integer(rpc->id));
        return;
    }
    g_autoptr(json_t) answer = refusal;
    g_assert_true(!answer || json_is_object(json_object_get(answer, "error")));
}

static void
read_lines(McpLines *lines, GString *seen)
{
    const char *line;
    size_t len;
    int got;

    while ((got = mcp_lines_next(lines, &line, &len)) != 0) {
        if (got > 0)
            take_line(line, len, seen);
        else
            g_string_append(seen, "long ");
    }
}

static GString *
play(const uint8_t *data, size_t size, size_t cut)
{
    GString *seen = g_string_new(NULL);
    McpLines lines;

    mcp_lines_init(&lines, MOST);
    mcp_lines_take(&lines, data, cut);
    read_lines(&lines, seen);
    mcp_lines_take(&lines, data + cut, size - cut);
    read_lines(&lines, seen);
    mcp_lines_clear(&lines);
    return seen;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GString *whole = play(data, size, size), *cut = play(data, size, size / 2);

    g_assert_cmpstr(whole->str, ==, cut->str);
    g_string_free(whole, TRUE);
    g_string_free(cut, TRUE);
    return 0;
}
