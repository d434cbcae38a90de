/* The session that stands in for a run (mcp.h): a child of ours, which says the path of its port in one line. */
#include "mcp/mcp_internal.h"
#include <sysexits.h>

#define PATH_BYTES_MAX 8192 /* what is kept of a line that should be a path */

bool
mcp_has_mail(const McpServer *server)
{
    return server->start->port || server->start->session;
}

static void
heard(void *data, const void *bytes, size_t len)
{
    McpServer *server = data;
    GString *said = server->session_said;

    g_string_append_len(said, bytes,
                        (gssize)MIN(len, PATH_BYTES_MAX - MIN(said->len, PATH_BYTES_MAX)));
    size_t line = strcspn(said->str, "\n");
    if (!server->port && said->str[line] == '\n')
        server->port = g_strndup(said->str, line);
}

/* Every call that waits for the port is answered with this reason. */
static void
refuse_calls(McpServer *server, const char *why)
{
    g_autoptr(GError) error = NULL;

    err_set(&error, ERR_NEVER, "%s", why);
    LIST_EACH(McpCall, call, server->calls)
        if (call->request) {
            g_clear_pointer(&call->request, json_decref);
            call->answered(call, NULL, EX_UNAVAILABLE, error);
        }
}

void
mcp_session_start(McpServer *server)
{
    g_autoptr(GError) error = NULL;
    const ProcSpec spec = {
        .argv = server->start->session, .keep_input = true, .out = heard, .out_data = server};

    if (server->session)
        return;
    if (server->session_over)
        refuse_calls(server, server->session_over);
    else if (!proc_talk(&spec, &server->session, &error))
        refuse_calls(server, error->message);
}

/* The last line that it wrote, without the program's name. */
static char *
last_words(const ProcEnd *end)
{
    gsize len;
    const char *text = g_bytes_get_data(end->err, &len);
    g_autofree char *all = g_strchomp(g_strndup(text ? text : "", len));
    const char *line = strrchr(all, '\n') ? strrchr(all, '\n') + 1 : all;

    if (g_str_has_prefix(line, "postrider: "))
        line += strlen("postrider: ");
    if (*line)
        return g_strdup(line);
    return g_strdup_printf("the session of mail and notes has ended: %s",
                           end->why ? end->why : "exit 0");
}

/* One that could not begin is tried again by the next call; one that was ended is not: a person may have stopped it. */
void
mcp_session_work(McpServer *server)
{
    if (!server->session || !proc_work(server->session))
        return;
    g_autofree char *why = last_words(proc_result(server->session));
    g_clear_pointer(&server->session, proc_free);
    g_string_truncate(server->session_said, 0);
    refuse_calls(server, why);
    if (server->port)
        server->session_over = g_steal_pointer(&why);
    g_clear_pointer(&server->port, g_free);
}

/* A byte says that we end by ourselves; the signal wakes it. */
void
mcp_session_end(McpServer *server)
{
    if (!server->session)
        return;
    (void)proc_feed(server->session, "\n", 1);
    proc_end(server->session);
    (void)proc_wait(server->session, NULL);
    g_clear_pointer(&server->session, proc_free);
}
