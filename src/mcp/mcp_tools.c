/* The eight tools. Descriptions are read by models with every request, so they are short: tools/list stays below 6,000
 * bytes. */
#include "mcp/mcp_internal.h"
#include <sysexits.h>

#define TEXT_MAX                                                                               \
    48000 /* bytes of a mail or note in one answer; clients cut what is much longer */

typedef struct Tool {
    const char *name, *description;
    const char *schema;         /* of the arguments: members, and what is required */
    const char *const *members; /* their names */
    bool reads;                 /* changes nothing */
    void (*run)(McpCall *call, const json_t *arguments);
} Tool;

void
mcp_tool_result(McpCall *call, json_t *take_value)
{
    g_autofree char *text = json_format(take_value);

    mcp_result(call, json_pack("{s:[{s:s, s:s}], s:o, s:b}", "content", "type", "text", "text",
                               text, "structuredContent", take_value, "isError", 0));
}

void
mcp_tool_error(McpCall *call, const char *what, const char *next)
{
    g_autofree char *valid = text_make_valid(what, -1);
    g_autofree char *text = g_strconcat(valid, next ? ". " : NULL, next, NULL);

    mcp_result(call, json_pack("{s:[{s:s, s:s}], s:b}", "content", "type", "text", "text", text,
                               "isError", 1));
}

/* --- what the port says --- */

static const char *
next_step(const McpCall *call, int status, const GError *error)
{
    bool note = g_str_has_prefix(rpc_text(call->rpc, "name"), "note_");

    if (g_str_has_prefix(error->message, "conflict"))
        return "Read it with note_read, and write again with what you want to keep of it";
    if (strstr(error->message, "was answered already"))
        return "The answer has left; to say more, call mail_send with `to` and `subject`";
    if (strstr(error->message, "no mail to answer"))
        return "Call mail_send with `to` and `subject`";
    switch (status) {
    case EX_NOINPUT:
        return note ? "note_read with `prefix` lists notes"
                    : "mail_inbox and mail_search give ids";
    case EX_NOPERM:
        return "This is not permitted; say so to whoever asked, by mail_send without `to`";
    case EX_UNAVAILABLE:
        return "Go on without mail and notes (todo_list and todo_update work), and tell the "
               "person";
    case EX_TEMPFAIL:
        return "Try again in a moment";
    default:
        return "Change the arguments and call it again";
    }
}

static void
say_answer(McpCall *call, const json_t *answer, int status, const GError *error)
{
    if (answer)
        mcp_tool_result(call, json_copy((json_t *)answer));
    else
        mcp_tool_error(call, error->message, next_step(call, status, error));
}

/* A long text is given in pieces; `more` is the offset of the next. */
static void
say_piece(McpCall *call, const json_t *answer, int status, const GError *error)
{
    const json_t *whole = answer ? json_object_get(answer, "mail") : NULL;

    if (answer && !whole)
        whole = json_object_get(answer, "note");
    const char *text = json_string_value(json_object_get(whole, "text"));
    size_t len = text ? strlen(text) : 0;
    if (!text || (len <= TEXT_MAX && call->offset == 0)) {
        say_answer(call, answer, status, error);
        return;
    }
    size_t from = text_cut_at(text, MIN(call->offset, len));
    size_t cut = text_cut_at(text + from, TEXT_MAX);
    g_autoptr(json_t) piece = json_deep_copy(answer);
    json_t *copy = json_object_get(piece, json_object_get(answer, "mail") ? "mail" : "note");
    json_object_set_new(copy, "text", json_stringn(text + from, cut));
    if (from + cut < len)
        json_object_set_new(copy, "more", json_integer((json_int_t)(from + cut)));
    mcp_tool_result(call, g_steal_pointer(&piece));
}

static void
ask(McpCall *call, json_t *take_request, McpAnswered *answered)
{
    if (mcp_has_mail(call->server)) {
        mcp_ask_port(call, take_request, answered);
        return;
    }
    json_decref(take_request);
    mcp_tool_error(
        call,
        "This server was started without a role: mail and notes are those of a run of "
        "postrider, and there is none",
        "Go on without them (todo_list and todo_update work); a person who wants them lets a "
        "role of postrider start the agent, which sets POSTRIDER_PORT, or makes a home by "
        "'postrider init'");
}

/* A request with those of the arguments that are there. */
static json_t *
request(const char *verb, const json_t *arguments, const char *const *members)
{
    json_t *made = json_pack("{s:s}", "verb", verb);

    for (; *members; members++) {
        json_t *value = json_object_get(arguments, *members);
        if (value && !json_is_null(value))
            json_object_set(made, *members, value);
    }
    return made;
}

/* False, after the call was answered, when the argument is there and is none. */
static bool
read_offset(McpCall *call, const json_t *arguments)
{
    g_autoptr(GError) error = NULL;
    int64_t offset = 0;

    if (!json_find_int(arguments, "", "offset", 0, INT32_MAX, &offset, &error)) {
        mcp_tool_error(call, error->message, "Change the arguments and call it again");
        return false;
    }
    call->offset = (size_t)offset;
    return true;
}

/* --- the tools --- */

static const char *const limit_members[] = {"limit", NULL};
static const char *const read_members[] = {"id", "offset", NULL};
static const char *const send_members[] = {"body", "to", "cc", "subject", "in_reply_to", NULL};
static const char *const query_members[] = {"query", "limit", NULL};
static const char *const note_members[] = {"key", "prefix", "query", "offset", NULL};
static const char *const write_members[] = {"key", "content", "append", "if_version", NULL};
static const char *const all_members[] = {"all", NULL};
static const char *const mark_members[] = {"id", "status", "why", NULL};

static void
mail_inbox(McpCall *call, const json_t *arguments)
{
    ask(call, request("mail.list", arguments, limit_members), say_answer);
}

/* The schema says text, which the port wants; models give the number as they have read it. */
static void
mail_read(McpCall *call, const json_t *arguments)
{
    const json_t *id = json_object_get(arguments, "id");
    g_autofree char *number =
        json_is_integer(id) ? g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(id))
                            : NULL;
    const char *text = number ? number : json_string_value(id);

    if (!text)
        mcp_tool_error(call, "id: must be there", "mail_inbox and mail_search give ids");
    else if (read_offset(call, arguments))
        ask(call, json_pack("{s:s, s:s}", "verb", "mail.show", "id", text), say_piece);
}

/* Without anybody to write to it is the answer to whoever asked, which settles what he asked. */
static void
mail_send(McpCall *call, const json_t *arguments)
{
    static const char *const body[] = {"body", NULL};
    bool reply = true;

    for (const char *const *name = send_members + 1; *name; name++)
        reply = reply && !json_object_get(arguments, *name);
    json_t *made =
        reply ? request("reply", arguments, body) : request("send", arguments, send_members);
    json_object_set_new(made, "once", json_true());
    ask(call, made, say_answer);
}

static void
mail_search(McpCall *call, const json_t *arguments)
{
    ask(call, request("mail.search", arguments, query_members), say_answer);
}

static void
note_read(McpCall *call, const json_t *arguments)
{
    static const char *const key[] = {"key", NULL}, *const query[] = {"query", NULL},
                             *const prefix[] = {"prefix", NULL};

    if (!read_offset(call, arguments))
        return;
    if (json_object_get(arguments, "key"))
        ask(call, request("note.get", arguments, key), say_piece);
    else if (json_object_get(arguments, "query"))
        ask(call, request("note.search", arguments, query), say_answer);
    else
        ask(call, request("note.list", arguments, prefix), say_answer);
}

static void
note_write(McpCall *call, const json_t *arguments)
{
    static const char *const append[] = {"key", "content", NULL}, *const put[] = {
                                                                      "key", "content",
                                                                      "if_version", NULL};
    g_autoptr(GError) error = NULL;
    bool at_end = false;

    if (!json_find_bool(arguments, "", "append", &at_end, &error))
        mcp_tool_error(call, error->message, "Change the arguments and call it again");
    else
        ask(call,
            request(at_end ? "note.append" : "note.put", arguments, at_end ? append : put),
            say_answer);
}

static void
todo_list(McpCall *call, const json_t *arguments)
{
    g_autoptr(GError) error = NULL;
    bool all = false;
    json_t *todos = json_find_bool(arguments, "", "all", &all, &error)
                        ? mcp_todos(call, all, &error)
                        : NULL;

    if (todos)
        mcp_tool_result(call, todos);
    else
        mcp_tool_error(call, error->message, NULL);
}

#define TEXT "{\"type\":\"string\"}"
#define COUNT "{\"type\":\"integer\",\"minimum\":1,\"maximum\":500}"
#define OFFSET                                                                                 \
    "{\"type\":\"integer\",\"minimum\":0,\"description\":\"where to read on: `more` of the "   \
    "answer before\"}"
#define ADDRESSES "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

static const Tool tools[] = {
    {"mail_inbox", "Your mail, newest first: id, from, subject, date.", "\"limit\":" COUNT,
     limit_members, true, mail_inbox},
    {"mail_read", "One mail with its text and the names of its attachments.",
     "\"id\":{\"type\":\"string\",\"description\":\"number or Message-ID\"},\"offset\":" OFFSET
     "},\"required\":[\"id\"]",
     read_members, true, mail_read},
    {"mail_send",
     "Send a mail. With `body` alone it answers whoever asked, once. Otherwise `to` and "
     "`subject`, or "
     "`in_reply_to`. state `held` means that a person is asked first: do not send again. The "
     "same mail "
     "within a minute is sent once.",
     "\"body\":" TEXT ",\"to\":" ADDRESSES ",\"cc\":" ADDRESSES ",\"subject\":" TEXT
     ",\"in_reply_to\":{\"type\":\"string\",\"description\":\"Message-ID\"}},\"required\":["
     "\"body\"]",
     send_members, false, mail_send},
    {"mail_search", "Find mail by words, from:, to:, subject:, before:, after:.",
     "\"query\":" TEXT ",\"limit\":" COUNT "},\"required\":[\"query\"]", query_members, true,
     mail_search},
    {"note_read",
     "Read the note `key`, list notes below `prefix`, or search them with `query`.",
     "\"key\":" TEXT ",\"prefix\":" TEXT ",\"query\":" TEXT ",\"offset\":" OFFSET, note_members,
     true, note_read},
    {"note_write",
     "Write a note, which outlives this session. Over a note that is there only after reading "
     "it; "
     "`append` adds to its end.",
     "\"key\":{\"type\":\"string\",\"description\":\"as in folder/name\"},\"content\":" TEXT
     ",\"append\":{\"type\":\"boolean\"},\"if_version\":{\"type\":\"integer\",\"minimum\":0}},"
     "\"required\":[\"key\",\"content\"]",
     write_members, false, note_write},
    {"todo_list",
     "Open todos of the plan in this project, with their checks, and which is next.",
     "\"all\":{\"type\":\"boolean\",\"description\":\"complete ones, too\"}", all_members, true,
     todo_list},
    {"todo_update",
     "Move a todo: in_progress takes it, complete runs its check and counts only if that "
     "passes, "
     "blocked needs `why`.",
     "\"id\":" TEXT ",\"status\":{\"type\":\"string\",\"enum\":[\"pending\",\"in_progress\","
     "\"complete\",\"blocked\"]},"
     "\"why\":" TEXT "},\"required\":[\"id\",\"status\"]",
     mark_members, false, mcp_todo_update},
};

static json_t *
tool_json(const Tool *tool)
{
    bool required = strstr(tool->schema, "\"required\"");
    g_autofree char *text = g_strdup_printf(
        "{\"type\":\"object\",\"properties\":{%s%s,\"additionalProperties\":false}",
        tool->schema, required ? "" : "}");
    json_t *schema = NULL;
    bool good = json_parse(text, strlen(text), 0, &schema, NULL);

    g_assert(good);
    json_t *made =
        json_pack("{s:s, s:s, s:o, s:{s:b, s:b}, s:{s:b}}", "name", tool->name, "description",
                  tool->description, "inputSchema", schema, "annotations", "readOnlyHint",
                  tool->reads, "openWorldHint", 0, "_meta", "anthropic/alwaysLoad", 1);
    return made;
}

void
mcp_tools_list(McpCall *call)
{
    json_t *list = json_array();

    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++)
        json_array_append_new(list, tool_json(&tools[i]));
    mcp_result(call, json_pack("{s:o}", "tools", list));
}

static const Tool *
find_tool(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++)
        if (g_str_equal(tools[i].name, name))
            return &tools[i];
    return NULL;
}

static void
no_tool(McpCall *call, const char *name)
{
    const char *names[G_N_ELEMENTS(tools) + 1] = {NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++)
        names[i] = tools[i].name;
    g_autofree char *shown = text_shorten(name, 40), *hint = text_did_you_mean(name, names);
    g_autofree char *text = g_strdup_printf("there is no tool '%s'%s", shown, hint);
    mcp_fail(call, RPC_PARAMS, text, NULL);
}

void
mcp_tools_call(McpCall *call)
{
    g_autoptr(json_t) nothing = json_object();
    const Tool *tool = find_tool(rpc_text(call->rpc, "name"));
    const json_t *arguments = json_object_get(call->rpc->params, "arguments");
    g_autoptr(GError) error = NULL;

    if (!tool) {
        no_tool(call, rpc_text(call->rpc, "name"));
        return;
    }
    if (!arguments || json_is_null(arguments))
        arguments = nothing;
    if (!json_is_object(arguments))
        mcp_fail(call, RPC_PARAMS, "arguments: must be an object", NULL);
    else if (!json_only(arguments, "", tool->members, &error))
        mcp_tool_error(call, error->message, "Change the arguments and call it again");
    else
        tool->run(call, arguments);
}
