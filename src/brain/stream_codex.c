/*
 * Codex, `exec --json`. The lines that matter:
 *
 *   thread.started           the session's id; the first line
 *   item.started, .completed a command, a change of files, a message, a warning
 *   turn.completed           the turn is over; its usage is that of the whole thread
 *   error                    a complaint that may pass ("Reconnecting...")
 *   turn.failed              the turn is over, for this reason
 *
 * The last message is the answer. No line says what it costs.
 */
#include "brain/stream.h"

static void
say_changes(Stream *s, const json_t *changes)
{
    g_autoptr(GString) paths = g_string_new(NULL);
    const json_t *change;
    size_t i;

    json_array_foreach((json_t *)changes, i, change)
    {
        g_string_append_printf(paths, "%s%s", i > 0 ? ", " : "", stream_text(change, "path"));
    }
    g_autoptr(json_t) input = json_pack("{s:s}", "path", paths->str);
    stream_say_tool(s, "Edit", input);
}

static void
read_item(Stream *s, const json_t *line, bool completed)
{
    const json_t *item = stream_object(line, "item");
    const char *type = stream_text(item, "type");

    if (g_str_equal(type, "agent_message") && completed) {
        stream_say(s, stream_text(item, "text"));
        stream_answer(s, stream_text(item, "text"));
    } else if (g_str_equal(type, "command_execution") && !completed) {
        stream_say_tool(s, "Bash", item);
    } else if (g_str_equal(type, "file_change") && completed) {
        say_changes(s, json_object_get(item, "changes"));
    } else if (g_str_equal(type, "mcp_tool_call") && !completed) {
        stream_say_tool(s, stream_text(item, "tool"), json_object_get(item, "arguments"));
    } else if (g_str_equal(type, "web_search") && completed) {
        stream_say_tool(s, "WebSearch", item);
    }
}

/* A thread that was begun anew counts from nothing. */
static int64_t
since(int64_t before, int64_t now)
{
    return now >= before ? now - before : now;
}

static void
read_usage(Stream *s, const json_t *line)
{
    const json_t *usage = stream_object(line, "usage");
    const BrainUsage before = s->session_usage;
    int64_t cached = stream_count(usage, "cached_input_tokens");
    BrainUsage now = {.input = MAX(stream_count(usage, "input_tokens") - cached, 0),
                      .output = stream_count(usage, "output_tokens"),
                      .cache_read = cached};

    s->usage.input += since(before.input, now.input);
    s->usage.output += since(before.output, now.output);
    s->usage.cache_read += since(before.cache_read, now.cache_read);
    s->session_usage = now;
    s->counts_tokens = true;
}

/* "exceeded retry limit, last status: 429 Too Many Requests", "unexpected status 401 …". */
static int64_t
status_in(const char *words)
{
    static const char *const before[] = {"last status: ", "unexpected status ", NULL};

    for (const char *const *b = before; *b; b++) {
        const char *at = strstr(words, *b);
        if (at)
            return g_ascii_strtoll(at + strlen(*b), NULL, 10);
    }
    return 0;
}

static void
fail_by_words(Stream *s, const char *words)
{
    static const char *const broken[] = {"Quota exceeded", "Missing environment variable",
                                         "not logged in", "Please log in", NULL};
    int64_t status = status_in(words);

    for (const char *const *b = broken; *b; b++) {
        if (strstr(words, *b)) {
            stream_fail(s, BRAIN_BROKEN, words);
            return;
        }
    }
    if (strstr(words, "usage limit"))
        stream_fail_limit(s, 0, words);
    else if (status > 0)
        stream_fail_status(s, status, words);
    else if (strstr(words, "context window") || strstr(words, "context_length"))
        stream_fail(s, BRAIN_LARGE, words);
    else if (strstr(words, "stream disconnected") || strstr(words, "Reconnecting"))
        stream_fail(s, BRAIN_STALLED, words);
    else
        stream_fail(s, BRAIN_EXITED, words);
}

static void
codex_line(Stream *s, const json_t *line)
{
    const char *type = stream_text(line, "type");

    g_clear_pointer(&s->words, g_free);
    if (g_str_equal(type, "thread.started")) {
        stream_set_session(s, stream_text(line, "thread_id"));
    } else if (g_str_equal(type, "item.started") || g_str_equal(type, "item.completed")) {
        read_item(s, line, g_str_equal(type, "item.completed"));
    } else if (g_str_equal(type, "turn.completed")) {
        read_usage(s, line);
        s->finished = true;
        stream_fail_none(s);
    } else if (g_str_equal(type, "turn.failed")) {
        fail_by_words(s, stream_text(stream_object(line, "error"), "message"));
    } else if (g_str_equal(type, "error")) {
        s->words = g_strdup(stream_text(line, "message"));
    }
}

/* It never ends by itself without a network: whoever ends it learns what it complained of last. */
static void
codex_end(Stream *s, const char *log)
{
    if (s->finished || s->failed)
        return;
    if (strstr(log, "no rollout found for thread id"))
        stream_fail(s, BRAIN_GONE, log);
    else if (s->words)
        fail_by_words(s, s->words);
}

const StreamParser stream_codex = {.line = codex_line, .end = codex_end};
