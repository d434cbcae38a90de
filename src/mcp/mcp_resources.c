/*
 * Resources, and who hears that one changed. There are mail://inbox, mail://ID, note://KEY and todo://open.
 *
 * Changes are looked for only while somebody listens: the plan's state every second, mail and notes by the port's verb
 * `changes` every five, which shows nothing. Listing resources shows no mail either: a client lists them by itself, and
 * what an agent was shown counts for what it may do.
 */
#include "base/clock.h"
#include "mcp/mcp_internal.h"
#include <fcntl.h>
#include <sys/stat.h>

#define TODO_URI "todo://open"
#define INBOX_URI "mail://inbox"
#define NOTES_MAX 200 /* that are listed; the others are found by their template */
#define TODO_US USEC_PER_SEC
#define PORT_US (5 * USEC_PER_SEC)

/* --- list --- */

static json_t *
resource(const char *uri, const char *name, const char *description, const char *type)
{
    return json_pack("{s:s, s:s, s:s*, s:s}", "uri", uri, "name", name, "description",
                     description, "mimeType", type);
}

static char *
note_uri(const char *key)
{
    g_autofree char *escaped = g_uri_escape_string(key, "/", FALSE);

    return g_strconcat("note://", escaped, NULL);
}

static void
list_notes(McpCall *call, const json_t *answer, int status, const GError *error)
{
    const json_t *notes = json_object_get(answer, "notes");
    json_t *list = json_array();

    json_array_append_new(list,
                          resource(TODO_URI, "todos", "Open todos of the plan in this project",
                                   "application/json"));
    json_array_append_new(
        list, resource(INBOX_URI, "inbox", "Your mail, newest first", "application/json"));
    for (size_t i = 0; i < MIN(json_array_size(notes), NOTES_MAX); i++) {
        const char *key = json_string_value(json_object_get(json_array_get(notes, i), "key"));
        g_autofree char *uri = key ? note_uri(key) : NULL;
        if (uri)
            json_array_append_new(list, resource(uri, key, NULL, "text/markdown"));
    }
    mcp_result(call, json_pack("{s:o}", "resources", list));
}

void
mcp_resources_list(McpCall *call)
{
    json_t *list = json_array();

    if (call->server->port) {
        json_decref(list);
        mcp_ask_port(call, json_pack("{s:s}", "verb", "note.list"), list_notes);
        return;
    }
    if (mcp_has_mail(call->server)) { /* clients list by themselves: that begins no session */
        json_decref(list);
        list_notes(call, NULL, 0, NULL);
        return;
    }
    json_array_append_new(list,
                          resource(TODO_URI, "todos", "Open todos of the plan in this project",
                                   "application/json"));
    mcp_result(call, json_pack("{s:o}", "resources", list));
}

void
mcp_resource_templates(McpCall *call)
{
    mcp_result(call,
               json_pack("{s:[{s:s, s:s, s:s, s:s}, {s:s, s:s, s:s, s:s}]}",
                         "resourceTemplates", "uriTemplate", "mail://{id}", "name", "mail",
                         "description", "One mail, by its number or Message-ID", "mimeType",
                         "application/json", "uriTemplate", "note://{+key}", "name", "note",
                         "description", "One note, by its key", "mimeType", "text/markdown"));
}

/* --- read --- */

static void
no_resource(McpCall *call, const char *why)
{
    mcp_fail(call, call->rpc->modern ? RPC_PARAMS : RPC_NO_RESOURCE, why,
             json_pack("{s:s}", "uri", rpc_text(call->rpc, "uri")));
}

static void
say_contents(McpCall *call, const char *type, const char *text)
{
    mcp_result(call, json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri",
                               rpc_text(call->rpc, "uri"), "mimeType", type, "text", text));
}

static void
say_port(McpCall *call, const json_t *answer, int status, const GError *error)
{
    const json_t *note = json_object_get(answer, "note");
    const char *text = json_string_value(json_object_get(note, "text"));
    g_autofree char *whole = answer ? json_format(answer) : NULL;

    if (!answer)
        no_resource(call, error->message);
    else if (text)
        say_contents(call, "text/markdown", text);
    else
        say_contents(call, "application/json", whole);
}

static void
read_todos(McpCall *call)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) todos = mcp_todos(call, false, &error);
    g_autofree char *text = todos ? json_format(todos) : NULL;

    if (text)
        say_contents(call, "application/json", text);
    else
        no_resource(call, error->message);
}

/* What the port is asked for this address; NULL: it is none of ours. */
static json_t *
resource_request(const char *uri)
{
    bool mail = g_str_has_prefix(uri, "mail://"), note = g_str_has_prefix(uri, "note://");
    g_autofree char *name =
        mail || note ? g_uri_unescape_string(uri + strlen("mail://"), NULL) : NULL;

    if (!name || !*name || !g_utf8_validate(name, -1, NULL))
        return NULL;
    if (g_str_equal(uri, INBOX_URI))
        return json_pack("{s:s}", "verb", "mail.list");
    return mail ? json_pack("{s:s, s:s}", "verb", "mail.show", "id", name)
                : json_pack("{s:s, s:s}", "verb", "note.get", "key", name);
}

void
mcp_resource_read(McpCall *call)
{
    const char *uri = rpc_text(call->rpc, "uri");
    json_t *request = resource_request(uri);

    if (g_str_equal(uri, TODO_URI)) {
        read_todos(call);
    } else if (!request) {
        no_resource(
            call,
            "there is no such resource; there are todo://open, mail://inbox, mail://ID and "
            "note://KEY");
    } else if (!mcp_has_mail(call->server)) {
        json_decref(request);
        no_resource(
            call, "this server was started without a role: there is no mail and are no notes");
    } else {
        mcp_ask_port(call, request, say_port);
    }
}

/* --- who listens --- */

void
mcp_listener_free(McpListener *listener)
{
    json_decref(listener->id);
    json_decref(listener->uris);
    g_free(listener);
}

static McpListener *
add_listener(McpServer *server, const json_t *id)
{
    McpListener *listener = g_new0(McpListener, 1);

    listener->id = id ? json_incref((json_t *)id) : NULL;
    listener->uris = json_array();
    mcp_listeners_add(server->listeners, listener);
    server->look_us = server->port_us = 0; /* what is so now is no change */
    return listener;
}

static McpListener *
legacy_listener(McpServer *server)
{
    if (!server->legacy) {
        server->legacy = add_listener(server, NULL);
        server->legacy->lists = true;
    }
    return server->legacy;
}

static ssize_t
find_uri(const json_t *uris, const char *uri)
{
    for (size_t i = 0; i < json_array_size(uris); i++)
        if (g_strcmp0(json_string_value(json_array_get(uris, i)), uri) == 0)
            return (ssize_t)i;
    return -1;
}

static bool
is_resource(const McpServer *server, const char *uri)
{
    g_autoptr(json_t) request = resource_request(uri);

    return g_str_equal(uri, TODO_URI) || (request && mcp_has_mail(server));
}

void
mcp_subscribe(McpCall *call)
{
    const char *uri = rpc_text(call->rpc, "uri");

    if (!is_resource(call->server, uri)) {
        no_resource(call, "there is no such resource");
        return;
    }
    McpListener *listener = legacy_listener(call->server);
    if (find_uri(listener->uris, uri) < 0)
        json_array_append_new(listener->uris, json_string(uri));
    call->server->look_us = call->server->port_us = 0;
    mcp_result(call, json_object());
}

void
mcp_unsubscribe(McpCall *call)
{
    McpListener *listener = legacy_listener(call->server);
    ssize_t at = find_uri(listener->uris, rpc_text(call->rpc, "uri"));

    if (at >= 0)
        json_array_remove(listener->uris, (size_t)at);
    mcp_result(call, json_object());
}

/* params of a message to this listener, which says for which of his requests it is. */
static json_t *
listener_params(const McpListener *listener)
{
    return listener->id
               ? json_pack("{s:{s:O}}", "_meta", MCP_META "subscriptionId", listener->id)
               : json_object();
}

/* The request stays open. What is honoured is told first. */
void
mcp_listen(McpCall *call)
{
    const json_t *wanted = json_object_get(call->rpc->params, "notifications");
    const json_t *uris = json_object_get(wanted, "resourceSubscriptions");

    if (!json_is_object(wanted) || (uris && !json_is_array(uris))) {
        mcp_fail(call, RPC_PARAMS, "notifications: must be an object", NULL);
        return;
    }
    (void)mcp_unlisten(call->server, call->rpc->id);
    McpListener *listener = add_listener(call->server, call->rpc->id);
    listener->lists = json_is_true(json_object_get(wanted, "resourcesListChanged"));
    for (size_t i = 0; i < json_array_size(uris); i++) {
        const char *uri = json_string_value(json_array_get(uris, i));
        if (uri && is_resource(call->server, uri) && find_uri(listener->uris, uri) < 0)
            json_array_append_new(listener->uris, json_string(uri));
    }
    json_t *params = listener_params(listener), *honoured = json_object();
    if (listener->lists)
        json_object_set_new(honoured, "resourcesListChanged", json_true());
    if (json_array_size(listener->uris))
        json_object_set(honoured, "resourceSubscriptions", listener->uris);
    json_object_set_new(params, "notifications", honoured);
    mcp_notify(call->server, "notifications/subscriptions/acknowledged", params);
    call->done = true;
}

bool
mcp_unlisten(McpServer *server, const json_t *id)
{
    for (guint i = 0; i < server->listeners->len; i++) {
        const McpListener *listener = server->listeners->pdata[i];
        if (listener->id && json_equal(listener->id, id)) {
            g_ptr_array_remove_index(LIST_ARRAY(server->listeners), i);
            return true;
        }
    }
    return false;
}

/* At the end of the connection each open request is answered. */
void
mcp_listeners_end(McpServer *server)
{
    LIST_EACH(const McpListener, listener, server->listeners) {
        if (!listener->id)
            continue;
        json_t *result = listener_params(listener);
        json_object_set_new(result, "resultType", json_string("complete"));
        g_autoptr(json_t) answer = json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id",
                                             listener->id, "result", result);
        g_autofree char *line = json_format(answer);
        g_string_append_printf(server->out, "%s\n", line);
    }
    g_ptr_array_set_size(LIST_ARRAY(server->listeners), 0);
    server->legacy = NULL;
}

/* --- what has changed --- */

static void
tell_uri(McpServer *server, const char *uri)
{
    LIST_EACH(const McpListener, listener, server->listeners) {
        json_t *params;

        if (find_uri(listener->uris, uri) < 0)
            continue;
        params = listener_params(listener);
        json_object_set_new(params, "uri", json_string(uri));
        mcp_notify(server, "notifications/resources/updated", params);
    }
}

static void
tell_list(McpServer *server)
{
    LIST_EACH(const McpListener, listener, server->listeners) {
        if (listener->lists)
            mcp_notify(server, "notifications/resources/list_changed",
                       listener_params(listener));
    }
}

/* Each write of the state is another file. */
static char *
look_at_todos(const McpServer *server)
{
    g_auto(McpPlan) at = {0};
    struct stat st;

    if (!mcp_plan_find(server, &at, NULL) || !at.file ||
        fstatat(at.file->state_fd, PLAN_STATE, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return g_strdup("");
    return g_strdup_printf("%ju %ju %ju.%09ld", (uintmax_t)st.st_ino, (uintmax_t)st.st_size,
                           (uintmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static void
watch_todos(McpServer *server)
{
    g_autofree char *mark = look_at_todos(server);

    if (server->todo_mark && !g_str_equal(server->todo_mark, mark))
        tell_uri(server, TODO_URI);
    g_free(server->todo_mark);
    server->todo_mark = g_steal_pointer(&mark);
}

/* Keys of notes that somebody listens to. */
static json_t *
watched_keys(const McpServer *server)
{
    json_t *keys = json_array();

    LIST_EACH(const McpListener, listener, server->listeners) {
        for (size_t k = 0; k < json_array_size(listener->uris); k++) {
            g_autoptr(json_t) request =
                resource_request(json_string_value(json_array_get(listener->uris, k)));
            json_t *key = json_object_get(request, "key");
            if (key)
                json_array_append(keys, key);
        }
    }
    return keys;
}

static void
compare_port(McpServer *server, const json_t *before, const json_t *now)
{
    const json_t *versions = json_object_get(now, "versions"), *version;
    const char *key;

    if (!json_equal(json_object_get(before, "mail"), json_object_get(now, "mail")))
        tell_uri(server, INBOX_URI);
    if (!json_equal(json_object_get(before, "notes"), json_object_get(now, "notes")))
        tell_list(server);
    json_object_foreach((json_t *)versions, key, version)
    {
        const json_t *old = json_object_get(json_object_get(before, "versions"), key);
        g_autofree char *uri = note_uri(key);
        if (old && !json_equal(old, version))
            tell_uri(server, uri);
    }
}

static void
watch_port(McpServer *server)
{
    g_autoptr(json_t) now = NULL;

    if (!server->look)
        server->look = port_ask(server->port, json_pack("{s:s, s:o}", "verb", "changes", "keys",
                                                        watched_keys(server)));
    if (!port_ask_work(server->look))
        return;
    (void)port_ask_end(server->look, &now, NULL, NULL);
    g_clear_pointer(&server->look, port_ask_free);
    server->port_us = clock_mono_us() + clock_patience_us(PORT_US);
    if (!now)
        return;
    if (server->port_mark)
        compare_port(server, server->port_mark, now);
    json_decref(server->port_mark);
    server->port_mark = g_steal_pointer(&now);
}

static bool
listens_to_port(const McpServer *server)
{
    if (!server->port)
        return false;
    LIST_EACH(const McpListener, listener, server->listeners) {
        size_t todos = find_uri(listener->uris, TODO_URI) >= 0;
        if (listener->lists || json_array_size(listener->uris) > todos)
            return true;
    }
    return false;
}

int64_t
mcp_watch_wait(const McpServer *server)
{
    int64_t next = server->look_us;

    if (server->listeners->len == 0 || server->eof)
        return USEC_NEVER;
    if (listens_to_port(server))
        next = MIN(next, server->look ? clock_mono_us() + 20 * USEC_PER_MSEC : server->port_us);
    return MAX(0, next - clock_mono_us());
}

void
mcp_watch_work(McpServer *server)
{
    int64_t now = clock_mono_us();

    if (server->listeners->len == 0 || server->eof)
        return;
    if (now >= server->look_us) {
        server->look_us = now + TODO_US;
        watch_todos(server);
    }
    if (listens_to_port(server) && (server->look || now >= server->port_us))
        watch_port(server);
}
