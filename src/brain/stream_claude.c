/*
 * Claude Code, `--output-format stream-json`. The lines that matter:
 *
 *   system init          a turn begins; capabilities say whether there are receipts
 *   system api_retry     it waits for the provider
 *   assistant            a block of text, or a tool call
 *   rate_limit_event     a subscription's limit, with its time; also as a mere warning
 *   command_lifecycle    what became of a line that we sent
 *   control_request      a question that only we can answer
 *   result               a turn is over; there may be several, each with its own cost
 *
 * Several turns are several answers: one that finished a call which had waited, one to the
 * prompt, one to a mail that came too late for the turn before. All of them are kept. A failure
 * of the API comes as subtype "success" with is_error set.
 */
#include "brain/stream.h"

#define NOBODY_ANSWERS                                                                         \
    "Nobody can answer while you work. Decide by yourself, or end your turn with the question."
#define NOT_PERMITTED "This is not permitted here, and nobody can be asked while you work."

static void
read_assistant(Stream *s, const json_t *line)
{
    const json_t *content = json_object_get(stream_object(line, "message"), "content"), *block;
    bool inner = json_is_string(json_object_get(line, "parent_tool_use_id"));
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *type = stream_text(block, "type");
        if (g_str_equal(type, "tool_use"))
            stream_say_tool(s, stream_text(block, "name"), json_object_get(block, "input"));
        else if (g_str_equal(type, "text") && !inner)
            stream_say(s, stream_text(block, "text"));
    }
}

static void
read_retry(Stream *s, const json_t *line)
{
    g_autofree char *words = g_strdup_printf(
        "%s %" JSON_INTEGER_FORMAT ", try %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT,
        stream_text(line, "error"), json_integer_value(json_object_get(line, "error_status")),
        json_integer_value(json_object_get(line, "attempt")),
        json_integer_value(json_object_get(line, "max_retries")));
    g_autoptr(json_t) input = json_pack("{s:s}", "description", words);

    stream_say_tool(s, "waits for the provider", input);
}

static void
read_system(Stream *s, const json_t *line)
{
    const json_t *able = json_object_get(line, "capabilities"), *name;
    const char *subtype = stream_text(line, "subtype");
    size_t i;

    if (g_str_equal(subtype, "api_retry"))
        read_retry(s, line);
    if (!g_str_equal(subtype, "init"))
        return;
    json_array_foreach((json_t *)able, i, name)
    {
        s->receipts |= g_strcmp0(json_string_value(name), "msg_lifecycle_v1") == 0;
    }
}

/* Seconds since 1970. A rejection of one window may be followed by that of another: the later
 * end counts. */
static void
read_rate_limit(Stream *s, const json_t *line)
{
    const json_t *info = stream_object(line, "rate_limit_info");
    int64_t resets = stream_count(info, "resetsAt");

    if (g_str_equal(stream_text(info, "status"), "rejected"))
        s->reset_us = MAX(s->reset_us, resets * USEC_PER_SEC);
}

static void
read_receipt(Stream *s, const json_t *line)
{
    const char *id = stream_text(line, "command_uuid"), *state = stream_text(line, "state");
    bool done = g_str_equal(state, "completed"), dropped = g_str_equal(state, "cancelled");
    guint at = 0;

    s->receipts = true;
    if (!g_ptr_array_find_with_equal_func(s->untold, id, g_str_equal, &at))
        return;
    if (s->said && (done || g_str_equal(state, "started")))
        s->said(s->said_data,
                &(BrainEvent){.kind = BRAIN_SAID_RECEIPT, .text = id, .done = done});
    if (done || dropped)
        g_ptr_array_remove_index(s->untold, at);
}

/* --- questions on the pipe --- */

static void
owe(Stream *s, json_t *take_line)
{
    g_autoptr(json_t) line = take_line;
    g_autofree char *text = line ? json_format(line) : NULL;

    if (text)
        g_string_append_printf(s->reply, "%s\n", text);
}

static json_t *
allow(const json_t *input)
{
    return json_pack("{s:s, s:O}", "behavior", "allow", "updatedInput", (json_t *)input);
}

static json_t *
deny(const char *why)
{
    return json_pack("{s:s, s:s}", "behavior", "deny", "message", why);
}

/* Only what no hook has decided comes here. */
static json_t *
decide(const Stream *s, const json_t *request)
{
    static const char *const edits[] = {"Edit", "Write", "MultiEdit", "NotebookEdit", NULL};
    const char *tool = stream_text(request, "tool_name");
    const json_t *input = stream_object(request, "input");

    if (g_str_equal(tool, "AskUserQuestion") || !input)
        return deny(NOBODY_ANSWERS);
    if (s->permit == BRAIN_PERMIT_ALL ||
        (s->permit == BRAIN_PERMIT_EDIT && g_strv_contains(edits, tool)))
        return allow(input);
    return deny(NOT_PERMITTED);
}

static void
read_request(Stream *s, const json_t *line)
{
    const json_t *request = stream_object(line, "request");
    const char *id = stream_text(line, "request_id");

    if (g_str_equal(stream_text(request, "subtype"), "can_use_tool"))
        owe(s, json_pack("{s:s, s:{s:s, s:s, s:o}}", "type", "control_response", "response",
                         "subtype", "success", "request_id", id, "response",
                         decide(s, request)));
    else
        owe(s, json_pack("{s:s, s:{s:s, s:s, s:s}}", "type", "control_response", "response",
                         "subtype", "error", "request_id", id, "error", "not known here"));
}

/* --- the end of a turn --- */

/* Versions that sum over the session say beside it what was added since the last result. The
 * others say what this process has cost so far. */
static void
read_cost(Stream *s, const json_t *line)
{
    const json_t *since = stream_object(line, "model_usage_since_last_result"), *model;
    const json_t *usage = stream_object(line, "usage");
    int64_t total = stream_money(line, "total_cost_usd"), added = 0;
    const char *name;

    json_object_foreach((json_t *)since, name, model)
    {
        added += stream_money(model, "costUSD");
    }
    if (!since)
        added = MAX(total - s->cost_micro, 0);
    s->usage.input += stream_count(usage, "input_tokens");
    s->usage.output += stream_count(usage, "output_tokens");
    s->usage.cache_read += stream_count(usage, "cache_read_input_tokens");
    s->usage.cache_write += stream_count(usage, "cache_creation_input_tokens");
    stream_add_cost(s, added);
}

/* The words of a result that failed. */
static const char *
words_of(const json_t *line)
{
    const char *text = stream_text(line, "result");
    const char *first =
        json_string_value(json_array_get(json_object_get(line, "errors"), 0));

    return *text ? text : first ? first : stream_text(line, "subtype");
}

static bool
mentions(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strstr(text, *words))
            return true;
    }
    return false;
}

/* An error of the API; where no status is known, the CLI's own words tell. */
static void
fail_api(Stream *s, const json_t *line, const char *words)
{
    static const char *const login[] = {"/login", "Not logged in", "Invalid API key",
                                        "authenticat", "OAuth token", NULL};
    static const char *const money[] = {"Credit balance", "credit balance", NULL};
    static const char *const large[] = {"Prompt is too long", "prompt is too long", NULL};
    int64_t status = stream_count(line, "api_error_status");

    if (g_str_equal(stream_text(line, "api_error"), "usage_limit_reached") || status == 429)
        stream_fail_limit(s, s->reset_us, words);
    else if (mentions(words, large))
        stream_fail(s, BRAIN_LARGE, words);
    else if (mentions(words, money) || (status == 0 && mentions(words, login)))
        stream_fail(s, BRAIN_BROKEN, words);
    else if (status > 0)
        stream_fail_status(s, status, words);
    else
        stream_fail(s, BRAIN_STALLED, words);
}

static void
read_failure(Stream *s, const json_t *line)
{
    const char *reason = stream_text(line, "terminal_reason"), *words = words_of(line);

    if (g_str_equal(reason, "api_error"))
        fail_api(s, line, words);
    else if (g_str_equal(reason, "budget_exhausted") ||
             g_str_equal(stream_text(line, "subtype"), "error_max_budget_usd"))
        stream_fail(s, BRAIN_SPENT, words);
    else if (strstr(words, "No conversation found"))
        stream_fail(s, BRAIN_GONE, words);
    else if (g_str_has_prefix(reason, "aborted"))
        stream_fail(s, BRAIN_EXITED, "it was stopped");
    else
        stream_fail(s, BRAIN_EXITED, words);
}

static void
read_result(Stream *s, const json_t *line)
{
    const json_t *call = stream_object(line, "deferred_tool_use");
    bool failed = json_is_true(json_object_get(line, "is_error")) ||
                  !g_str_equal(stream_text(line, "subtype"), "success");

    s->finished = true;
    s->deferred = false;
    read_cost(s, line);
    if (failed) {
        read_failure(s, line);
        return;
    }
    stream_fail_none(s);
    stream_answer_more(s, stream_text(line, "result"));
    if (call && g_str_equal(stream_text(line, "terminal_reason"), "tool_deferred"))
        stream_defer(s, stream_text(call, "id"), stream_text(call, "name"),
                     json_object_get(call, "input"));
}

static void
claude_line(Stream *s, const json_t *line)
{
    static const struct {
        const char *type;
        void (*read)(Stream *, const json_t *);
    } readers[] = {
        {"system", read_system},          {"assistant", read_assistant},
        {"result", read_result},          {"rate_limit_event", read_rate_limit},
        {"control_request", read_request}, {"command_lifecycle", read_receipt},
    };
    const char *type = stream_text(line, "type");

    stream_set_session(s, stream_text(line, "session_id"));
    for (size_t i = 0; i < G_N_ELEMENTS(readers); i++) {
        if (g_str_equal(type, readers[i].type))
            readers[i].read(s, line);
    }
}

/* Where there was no result, stderr may say why. A bare resume of a session in which no call
 * waits ends without a word. */
static void
claude_end(Stream *s, const char *log)
{
    if (s->finished)
        return;
    if (strstr(log, "No conversation found with session ID"))
        stream_fail(s, BRAIN_GONE, log);
    else if (strstr(log, "No deferred tool marker"))
        stream_fail(s, BRAIN_IDLE, log);
}

const StreamParser stream_claude = {
    .line = claude_line, .end = claude_end};
