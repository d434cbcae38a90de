#include "base/clock.h"
#include "base/limits.h"
#include "mcp/mcp_internal.h"

/* Who does not read what he asked for, or asks for too much at a time, is not read either. */
#define OUT_MAX (1u << 20)
#define CALLS_MAX 256
#define CHUNK (64u << 10)
#define PIECE 4096 /* what fits into a pipe that poll(2) calls writable */
#define CACHE_MS 60000

static const char instructions[] =
    "Mail, notes and todos of postrider. Read with mail_inbox and mail_read; answer whoever "
    "asked "
    "with mail_send without `to`. Plans: todo_list shows what is open, todo_update with "
    "in_progress takes a todo, and with complete runs its check.";

/* --- calls --- */

void
mcp_call_free(McpCall *call)
{
    rpc_free(call->rpc);
    json_decref(call->request);
    port_ask_free(call->ask);
    mcp_mark_free(call->mark);
    g_free(call);
}

static void
send_line(McpServer *server, json_t *take_message)
{
    g_autoptr(json_t) message = take_message;
    g_autofree char *line = json_format(message);

    g_string_append(server->out, line);
    g_string_append_c(server->out, '\n');
}

void
mcp_notify(McpServer *server, const char *method, json_t *take_params)
{
    send_line(server, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params",
                                take_params));
}

static json_t *
server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "postrider", "title", "postrider", "version",
                     POSTRIDER_VERSION);
}

/* Modern results say what they are, and for how long what they list may be kept. */
static void
add_modern(json_t *result, const char *method)
{
    json_t *meta = json_object_get(result, "_meta");

    json_object_set_new(result, "resultType", json_string("complete"));
    if (g_str_has_suffix(method, "/list") || g_str_equal(method, "resources/read") ||
        g_str_equal(method, "server/discover")) {
        bool fixed = g_str_has_prefix(method, "tools/") || g_str_has_prefix(method, "prompts/");
        json_object_set_new(result, "ttlMs", json_integer(fixed ? CACHE_MS : 0));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    if (!meta)
        json_object_set_new(result, "_meta", meta = json_object());
    json_object_set_new(meta, MCP_META "serverInfo", server_info());
}

void
mcp_result(McpCall *call, json_t *take_result)
{
    if (call->rpc->modern)
        add_modern(take_result, call->rpc->method);
    send_line(call->server, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", call->rpc->id,
                                      "result", take_result));
    call->done = true;
}

void
mcp_fail(McpCall *call, RpcCode code, const char *text, json_t *take_data)
{
    send_line(call->server, rpc_error(call->rpc->id, code, text, take_data));
    call->done = true;
}

void
mcp_ask_port(McpCall *call, json_t *take_request, McpAnswered *answered)
{
    call->request = take_request;
    call->answered = answered;
}

/* The port is asked one thing at a time. */
static void
start_asking(McpServer *server)
{
    LIST_EACH(const McpCall, call, server->calls)
        if (call->ask)
            return;
    LIST_EACH(McpCall, call, server->calls)
        if (call->request) {
            if (server->port)
                call->ask = port_ask(server->port, g_steal_pointer(&call->request));
            else
                mcp_session_start(server);
            return;
        }
}

static void
take_answer(McpCall *call)
{
    g_autoptr(json_t) answer = NULL;
    g_autoptr(GError) error = NULL;
    int status;

    (void)port_ask_end(call->ask, &answer, &status, &error);
    g_clear_pointer(&call->ask, port_ask_free);
    if (answer)
        json_object_del(answer, "ok");
    call->answered(call, answer, status, error);
}

/* What the calls wait for has happened, for some of them. */
static void
work_calls(McpServer *server)
{
    for (guint i = 0; i < server->calls->len;) {
        McpCall *call = server->calls->pdata[i];

        if (call->ask && port_ask_work(call->ask))
            take_answer(call);
        if (call->mark && proc_work(mcp_mark_check(call->mark)))
            mcp_mark_end(call);
        if (call->done)
            g_ptr_array_remove_index(LIST_ARRAY(server->calls), i);
        else
            i++;
    }
    start_asking(server);
}

/* --- methods --- */

static json_t *
capabilities(bool modern)
{
    return modern ? json_pack("{s:{}, s:{s:b, s:b}, s:{}}", "tools", "resources", "subscribe",
                              1, "listChanged", 1, "prompts")
                  : json_pack("{s:{s:b}, s:{s:b, s:b}, s:{s:b}}", "tools", "listChanged", 0,
                              "resources", "subscribe", 1, "listChanged", 1, "prompts",
                              "listChanged", 0);
}

static void
discover(McpCall *call)
{
    mcp_result(call,
               json_pack("{s:o, s:o, s:s}", "supportedVersions", rpc_versions(), "capabilities",
                         capabilities(true), "instructions", instructions));
}

static void
initialize(McpCall *call)
{
    const json_t *offered = json_object_get(call->rpc->params, "protocolVersion");

    if (!json_is_string(offered)) {
        mcp_fail(call, RPC_PARAMS, "protocolVersion: must be a string", NULL);
        return;
    }
    call->server->legacy_client = true;
    mcp_result(call, json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion",
                               rpc_legacy_version(json_string_value(offered)), "capabilities",
                               capabilities(false), "serverInfo", server_info(), "instructions",
                               instructions));
}

static void
ping(McpCall *call)
{
    mcp_result(call, json_object());
}

typedef enum Era { LEGACY = 1, MODERN = 2, BOTH = 3 } Era;

static const struct {
    const char *name;
    Era era;
    McpMethod *run;
} methods[] = {
    {"initialize", LEGACY, initialize},
    {"ping", LEGACY, ping},
    {"server/discover", MODERN, discover},
    {"tools/list", BOTH, mcp_tools_list},
    {"tools/call", BOTH, mcp_tools_call},
    {"resources/list", BOTH, mcp_resources_list},
    {"resources/templates/list", BOTH, mcp_resource_templates},
    {"resources/read", BOTH, mcp_resource_read},
    {"resources/subscribe", LEGACY, mcp_subscribe},
    {"resources/unsubscribe", LEGACY, mcp_unsubscribe},
    {"subscriptions/listen", MODERN, mcp_listen},
    {"prompts/list", BOTH, mcp_prompts_list},
    {"prompts/get", BOTH, mcp_prompt_get},
};

static void
run_method(McpCall *call)
{
    Era era = call->rpc->modern ? MODERN : LEGACY;

    for (size_t i = 0; i < G_N_ELEMENTS(methods); i++)
        if (methods[i].era & era && g_str_equal(methods[i].name, call->rpc->method)) {
            methods[i].run(call);
            return;
        }
    mcp_fail(call, RPC_METHOD, "there is no such method", NULL);
}

/* Nothing more is said about it, and what it waited for is not waited for. What the port was asked it does all the same. */
static void
cancel(McpServer *server, const json_t *id)
{
    for (guint i = 0; i < server->calls->len; i++) {
        if (json_equal(server->calls->pdata[i]->rpc->id, id)) {
            g_ptr_array_remove_index(LIST_ARRAY(server->calls), i);
            return;
        }
    }
    (void)mcp_unlisten(server, id);
}

static void
take_line(McpServer *server, const char *line, size_t len)
{
    g_autoptr(Rpc) rpc = NULL;
    json_t *refusal;

    if (len == 0)
        return;
    if (!rpc_parse(line, len, &rpc, &refusal)) {
        if (refusal)
            send_line(server, refusal);
        return;
    }
    if (rpc->method && !rpc->id && g_str_equal(rpc->method, "notifications/cancelled"))
        cancel(server, json_object_get(rpc->params, "requestId"));
    if (!rpc->method || !rpc->id)
        return;
    McpCall *call = g_new0(McpCall, 1);
    call->server = server;
    call->rpc = g_steal_pointer(&rpc);
    mcp_calls_add(server->calls, call);
    run_method(call);
    if (call->done)
        g_ptr_array_remove(LIST_ARRAY(server->calls), call);
}

static bool
is_full(const McpServer *server)
{
    return server->out->len - server->written > OUT_MAX || server->calls->len >= CALLS_MAX;
}

static void
take_lines(McpServer *server)
{
    const char *line;
    size_t len;
    int got;

    while (!is_full(server) && (got = mcp_lines_next(&server->lines, &line, &len)) != 0) {
        if (got > 0)
            take_line(server, line, len);
        else
            send_line(server, rpc_error(NULL, RPC_PARSE, "a line is at most 8 MB", NULL));
        start_asking(server);
    }
}

/* --- the loop --- */

static bool
read_more(McpServer *server, GError **error)
{
    g_autofree char *chunk = g_malloc(CHUNK);
    ssize_t n = read(server->start->in, chunk, CHUNK);

    if (n < 0)
        return errno == EINTR || errno == EAGAIN ||
               err_set_errno(error, errno, "reading stdin");
    server->eof = n == 0;
    if (n > 0)
        mcp_lines_take(&server->lines, chunk, (size_t)n);
    return true;
}

/* False: nobody reads any more. */
static bool
write_more(McpServer *server)
{
    size_t left = server->out->len - server->written;
    ssize_t n = write(server->start->out, server->out->str + server->written, MIN(left, PIECE));

    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    server->written += (size_t)n;
    if (server->written == server->out->len || server->written > OUT_MAX) {
        g_string_erase(server->out, 0, (gssize)server->written);
        server->written = 0;
    }
    return true;
}

static int64_t
fill_calls(const McpServer *server, GArray *fds)
{
    int64_t wait_us = USEC_NEVER, one_us;
    struct pollfd some[4];

    LIST_EACH(const McpCall, call, server->calls) {
        unsigned n = 0;

        if (call->ask) {
            port_ask_poll(call->ask, &some[0], &one_us);
            n = 1;
        } else if (call->mark) {
            n = proc_poll(mcp_mark_check(call->mark), some, &one_us);
        } else {
            continue;
        }
        wait_us = MIN(wait_us, one_us);
        g_array_append_vals(fds, some, n);
    }
    if (server->session) {
        g_array_append_vals(fds, some, proc_poll(server->session, some, &one_us));
        wait_us = MIN(wait_us, one_us);
    }
    return wait_us;
}

static bool
turn(McpServer *server, bool *ret_open, GError **error)
{
    g_autoptr(GArray) fds = g_array_new(FALSE, FALSE, sizeof(struct pollfd));
    bool owes = server->written < server->out->len;
    struct pollfd out = {.fd = server->start->out, .events = owes ? POLLOUT : 0};
    struct pollfd in = {.fd = server->eof || is_full(server) ? -1 : server->start->in,
                        .events = POLLIN};
    struct pollfd signals = {.fd = server->signal_fd, .events = POLLIN};
    int64_t wait_us;

    g_array_append_val(fds, out);
    g_array_append_val(fds, in);
    g_array_append_val(fds, signals);
    wait_us = MIN(fill_calls(server, fds), mcp_watch_wait(server));
    int ms = wait_us == USEC_NEVER ? -1 : (int)MIN(wait_us / USEC_PER_MSEC + 1, 60000);
    if (poll((struct pollfd *)(void *)fds->data, fds->len, ms) < 0 && errno != EINTR)
        return err_set_errno(error, errno, "poll");
    const struct pollfd *seen = (const struct pollfd *)(const void *)fds->data;
    *ret_open = !seen[2].revents && !(seen[0].revents & (POLLERR | POLLNVAL)) &&
                (!(seen[0].revents & POLLOUT) || write_more(server));
    if (seen[1].revents && !read_more(server, error))
        return false;
    mcp_session_work(server);
    work_calls(server);
    mcp_watch_work(server);
    take_lines(server);
    return true;
}

static bool
is_busy(const McpServer *server)
{
    return !server->eof || server->calls->len > 0 || server->written < server->out->len;
}

static void
server_clear(McpServer *server)
{
    mcp_lines_clear(&server->lines);
    g_string_free(server->out, TRUE);
    mcp_calls_free(server->calls);
    mcp_listeners_free(server->listeners);
    json_decref(server->port_mark);
    port_ask_free(server->look);
    free_all(server->todo_mark, server->port);
    g_string_free(server->session_said, TRUE);
    g_free(server->session_over);
    if (server->signal_fd >= 0)
        (void)close(server->signal_fd);
}

bool
mcp_serve(const McpStart *start, GError **error)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP, 0};
    McpServer server = {.start = start,
                        .port = g_strdup(start->port),
                        .session_said = g_string_new(NULL),
                        .signal_fd = start->session ? proc_watch_signals(ends, NULL) : -1,
                        .out = g_string_new(NULL),
                        .calls = mcp_calls_new(),
                        .listeners = mcp_listeners_new()};
    bool open = true, good = true;

    mcp_lines_init(&server.lines, LIMIT_JSON_BYTES);
    while (good && open && is_busy(&server)) {
        good = turn(&server, &open, error);
        if (server.eof && server.calls->len == 0)
            mcp_listeners_end(&server);
    }
    mcp_session_end(&server);
    server_clear(&server);
    return good;
}
