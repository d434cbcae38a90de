/*
 * opencode, `run --format json`. Each line bears the session's id. The lines that matter:
 *
 *   step_start    a question to the model; the text of the last step is the answer
 *   text          a piece of it
 *   tool_use      a call, when it is over; one that its rules refuse ends the turn
 *   step_finish   what the step has cost
 *   error         the turn is over, for this reason
 */
#include "brain/stream.h"

#define REFUSED "rejected permission"

/* The rules say "ask", and nobody is there: the program refuses for them, and ends. */
static void
read_tool(Stream *s, const json_t *part)
{
    const json_t *state = stream_object(part, "state");
    const json_t *input = json_object_get(state, "input");

    if (g_str_equal(stream_text(state, "status"), "error") &&
        strstr(stream_text(state, "error"), REFUSED))
        stream_defer(s, stream_text(part, "callID"), stream_text(part, "tool"), input);
    stream_say_tool(s, stream_text(part, "tool"), input);
}

static void
read_finish(Stream *s, const json_t *part)
{
    const json_t *tokens = stream_object(part, "tokens");
    const json_t *cache = stream_object(tokens, "cache");

    s->usage.input += stream_count(tokens, "input");
    s->usage.output += stream_count(tokens, "output") + stream_count(tokens, "reasoning");
    s->usage.cache_read += stream_count(cache, "read");
    s->usage.cache_write += stream_count(cache, "write");
    s->finished = g_str_equal(stream_text(part, "reason"), "stop");
    stream_add_cost(s, stream_money(part, "cost"));
}

static void
read_error(Stream *s, const json_t *line)
{
    const json_t *error = stream_object(line, "error"), *data = stream_object(error, "data");
    const char *words = stream_text(data, "message");
    int64_t status = stream_count(data, "statusCode");

    if (!*words)
        words = stream_text(error, "name");
    if (status > 0)
        stream_fail_status(s, status, words);
    else if (g_str_equal(stream_text(error, "name"), "ProviderAuthError"))
        stream_fail(s, BRAIN_BROKEN, words);
    else
        stream_fail(s, BRAIN_EXITED, words);
}

static void
opencode_line(Stream *s, const json_t *line)
{
    const char *type = stream_text(line, "type");
    const json_t *part = stream_object(line, "part");

    stream_set_session(s, stream_text(line, "sessionID"));
    if (g_str_equal(type, "step_start")) {
        stream_answer(s, "");
    } else if (g_str_equal(type, "text")) {
        stream_say(s, stream_text(part, "text"));
        stream_answer_more(s, stream_text(part, "text"));
    } else if (g_str_equal(type, "tool_use")) {
        read_tool(s, part);
    } else if (g_str_equal(type, "step_finish")) {
        read_finish(s, part);
    } else if (g_str_equal(type, "error")) {
        read_error(s, line);
    }
}

static void
opencode_end(Stream *s, const char *log)
{
    if (!s->finished && !s->failed && strstr(log, "Session not found"))
        stream_fail(s, BRAIN_GONE, log);
}

const StreamParser stream_opencode = {
    .line = opencode_line, .end = opencode_end};
