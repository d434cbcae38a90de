/* Streams that the programs really printed (tests/fixtures/streams), in pieces of several sizes. */
#include "brain/stream.h"

const BrainOps *const brain_kinds[] = {NULL};

static const char *const ends[] = {
    [BRAIN_OK] = "ok",           [BRAIN_FAILED] = "failed",   [BRAIN_BROKEN] = "broken",
    [BRAIN_LIMITED] = "limited", [BRAIN_STALLED] = "stalled", [BRAIN_EXITED] = "exited",
    [BRAIN_GONE] = "gone",       [BRAIN_SPENT] = "spent",
};

static char *
path_of(const char *name, const char *end)
{
    g_autofree char *file = g_strconcat(name, end, NULL);
    return g_build_filename(g_getenv("POSTRIDER_SRC"), "tests/fixtures/streams", file, NULL);
}

/* What the file holds; "" where there is none. */
static char *
read_text(const char *name, const char *end, gsize *ret_len)
{
    g_autofree char *path = path_of(name, end);
    char *text = NULL;

    *ret_len = 0;
    return g_file_get_contents(path, &text, ret_len, NULL) ? text : g_strdup("");
}

static void
note_tool(void *data, const BrainEvent *event)
{
    if (event->kind == BRAIN_SAID_TOOL)
        g_ptr_array_add(data, g_strdup(event->text));
}

static const StreamParser *
parser_of(const char *name)
{
    return g_str_has_prefix(name, "claude-")  ? &stream_claude
           : g_str_has_prefix(name, "codex-") ? &stream_codex
                                              : &stream_opencode;
}

/* The id of the line that the program was told first, as its receipt names it; NULL: none. */
static char *
told_line(const char *bytes)
{
    g_autoptr(GRegex) receipt = g_regex_new(
        "\"command_uuid\":\"([^\"]*)\",\"state\":\"queued\"", 0, 0, NULL);
    g_autoptr(GMatchInfo) found = NULL;

    return g_regex_match(receipt, bytes, 0, &found) ? g_match_info_fetch(found, 1) : NULL;
}

static Stream *
play(const char *name, const json_t *want, size_t piece, GPtrArray *does)
{
    static const Clock clock = {.fixed_wall_us = INT64_C(1794921960) * USEC_PER_SEC}; /* 13:26 */
    gsize len, log_len;
    g_autofree char *bytes = read_text(name, ".jsonl", &len);
    g_autofree char *raw_log = read_text(name, ".stderr", &log_len);
    g_autofree char *log = brain_clean(raw_log, log_len);
    const json_t *before = json_object_get(want, "before");
    Stream *s = stream_new(parser_of(name));

    s->clock = &clock;
    s->said = note_tool;
    s->said_data = does;
    char *told = told_line(bytes);
    if (told)
        g_ptr_array_add(s->untold, told);
    s->session_usage.input = json_integer_value(json_object_get(before, "input"));
    s->session_usage.output = json_integer_value(json_object_get(before, "output"));
    for (gsize at = 0; at < len; at += piece)
        stream_take(s, bytes + at, MIN(piece, len - at));
    stream_end(s, log);
    return s;
}

static void
check_number(const json_t *want, const char *name, int64_t got)
{
    const json_t *number = json_object_get(want, name);

    if (number)
        g_assert_cmpint(got, ==, json_integer_value(number));
}

static void
check_text(const json_t *want, const char *name, const char *got)
{
    const char *text = json_string_value(json_object_get(want, name));

    if (text)
        g_assert_cmpstr(got, ==, text);
}

static void
check_calls(const json_t *want, const Stream *s, const GPtrArray *does)
{
    const char *deferred = json_string_value(json_object_get(want, "deferred"));
    const json_t *tools = json_object_get(want, "does"), *tool;
    g_autoptr(json_t) call = NULL;
    size_t i;

    g_assert_cmpint(s->deferred, ==, deferred != NULL);
    if (deferred) {
        g_assert_true(
            json_parse(s->deferred_call, strlen(s->deferred_call), 0, &call, NULL));
        g_assert_cmpstr(stream_text(call, "name"), ==, deferred);
        g_assert_nonnull(stream_object(call, "input"));
    }
    json_array_foreach((json_t *)tools, i, tool)
    {
        g_assert_cmpuint(i, <, does->len);
        g_assert_cmpstr(g_ptr_array_index(does, i), ==, json_string_value(tool));
    }
}

static void
check(const char *name, const json_t *want, size_t piece)
{
    g_autoptr(GPtrArray) does = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Stream) s = play(name, want, piece, does);
    const char *failed = json_string_value(json_object_get(want, "failed"));
    const json_t *finished = json_object_get(want, "finished");

    g_test_message("%s in pieces of %zu: %s", name, piece, s->failed ? s->failed : "fine");
    g_assert_cmpstr(ends[s->end], ==, stream_text(want, "end"));
    check_text(want, "text", s->answer->str);
    check_text(want, "session", s->session);
    check_number(want, "cost", s->cost_micro);
    check_number(want, "input", s->usage.input);
    check_number(want, "output", s->usage.output);
    check_number(want, "retry", s->retry.us / USEC_PER_SEC);
    if (finished) {
        g_assert_cmpint(s->finished, ==, json_is_true(finished));
        g_assert_cmpint(stream_is_done(s), ==, s->finished); /* else we wait for it for ever */
    }
    if (failed)
        g_assert_nonnull(strstr(s->failed, failed));
    check_calls(want, s, does);
}

static void
test_recorded(void)
{
    gsize len;
    g_autofree char *text = read_text("expected", ".json", &len);
    g_autoptr(json_t) all = NULL;
    const char *name;
    const json_t *want;

    g_assert_true(json_parse(text, len, 0, &all, NULL));
    g_assert_cmpuint(json_object_size(all), >, 40);
    json_object_foreach(all, name, want)
    {
        check(name, want, 1);
        check(name, want, 7);
        check(name, want, 1 << 20);
    }
}

/* Whatever is cut off at its end: no stream makes the parser fail, or claims an answer that the
 * whole one does not have. */
static void
test_cut(void)
{
    gsize len;
    g_autofree char *bytes = read_text("claude-2.1.325-tool", ".jsonl", &len);

    for (gsize cut = 0; cut < len; cut += 13) {
        g_autoptr(Stream) s = stream_new(&stream_claude);
        stream_take(s, bytes, cut);
        stream_end(s, "");
        g_assert_true(s->finished ? strstr(s->answer->str, "Done with it.") != NULL
                                  : s->end != BRAIN_OK || s->answer->len == 0);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recorded/streams", test_recorded);
    g_test_add_func("/recorded/cut", test_cut);
    return g_test_run();
}
