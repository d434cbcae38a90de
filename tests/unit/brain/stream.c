/* Streams of programs: lines, caps, ends, costs, and what is owed to a program that asks. The
 * streams that real programs printed are tests/unit/brain/recorded.c. */
#include "brain/stream.h"
#include "base/limits.h"
#include <glib/gstdio.h>
#include <unistd.h>

const BrainOps *const brain_kinds[] = {NULL};

/* Tuesday, 17 November 2026, 05:00 UTC. */
#define NOW INT64_C(1794891600)
static const Clock held = {.fixed_wall_us = NOW * USEC_PER_SEC};

static Stream *
play(const StreamParser *parser, const char *text, const char *log)
{
    Stream *s = stream_new(parser);

    s->clock = &held;
    stream_take(s, text, strlen(text));
    stream_end(s, log);
    return s;
}

#define RESULT(text, more)                                                                     \
    "{\"subtype\":\"success\",\"is_error\":false,\"terminal_reason\":\"completed\","             \
    "\"result\":\"" text "\"" more ",\"type\":\"result\"}\n"
#define API_ERROR(text, more)                                                                  \
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,"                              \
    "\"terminal_reason\":\"api_error\",\"result\":\"" text "\"" more "}\n"
#define REJECTED(at)                                                                           \
    "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","                \
    "\"resetsAt\":" at "}}\n"
#define FAILED(text)                                                                           \
    "{\"type\":\"error\",\"message\":\"" text "\"}\n"                                              \
    "{\"type\":\"turn.failed\",\"error\":{\"message\":\"" text "\"}}\n"
#define USAGE "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10}}\n"
#define MESSAGE(text)                                                                          \
    "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"" text "\"}}\n"
#define OC_ERROR(status)                                                                       \
    "{\"type\":\"error\",\"sessionID\":\"ses_1\",\"error\":{\"name\":\"APIError\",\"data\":"          \
    "{\"message\":\"no\",\"statusCode\":" status "}}}\n"
#define OC_TEXT(text) "{\"type\":\"text\",\"part\":{\"text\":\"" text "\"}}\n"
#define OC_STEP "{\"type\":\"step_start\",\"part\":{}}\n"
#define OC_DONE(reason, cost)                                                                  \
    "{\"type\":\"step_finish\",\"part\":{\"reason\":\"" reason "\",\"cost\":" cost "}}\n"

static const struct {
    const char *name;
    const StreamParser *parser;
    const char *text, *log;
    BrainEnd want;
    const char *want_text;
    int64_t want_retry, want_cost; /* seconds since 1970; millionths */
    bool want_finished;
} cases[] = {
    {"answer", &stream_claude, RESULT("hi", ",\"total_cost_usd\":0.5"), "", BRAIN_OK, "hi", 0,
     500000, true},
    {"two results are two answers", &stream_claude, RESULT("one", "") RESULT("two", ""), "",
     BRAIN_OK, "one\n\ntwo", 0, 0, true},
    {"the same twice is one", &stream_claude, RESULT("one", "") RESULT("one", ""), "", BRAIN_OK,
     "one", 0, 0, true},
    {"a total is of the process", &stream_claude,
     RESULT("a", ",\"total_cost_usd\":0.1") RESULT("b", ",\"total_cost_usd\":0.3"), "", BRAIN_OK,
     "a\n\nb", 0, 300000, true},
    {"what was added counts, not the session's sum", &stream_claude,
     RESULT("a", ",\"total_cost_usd\":9,\"model_usage_since_last_result\":"
                 "{\"m\":{\"costUSD\":0.1},\"n\":{\"costUSD\":0.02}}")
         RESULT("b", ",\"total_cost_usd\":10,\"model_usage_since_last_result\":"
                     "{\"m\":{\"costUSD\":0.01}}"),
     "", BRAIN_OK, "a\n\nb", 0, 130000, true},
    {"absurd money", &stream_claude, RESULT("a", ",\"total_cost_usd\":-1e300"), "", BRAIN_OK,
     "a", 0, 0, true},
    {"a failure that passed", &stream_claude,
     API_ERROR("overloaded", ",\"api_error_status\":529") RESULT("well", ""), "", BRAIN_OK,
     "well", 0, 0, true},
    {"not logged in", &stream_claude,
     API_ERROR("Not logged in · Please run /login", ",\"api_error_status\":null"), "",
     BRAIN_BROKEN, "", 0, 0, true},
    {"401", &stream_claude, API_ERROR("Invalid API key", ",\"api_error_status\":401"), "",
     BRAIN_BROKEN, "", 0, 0, true},
    {"403", &stream_claude, API_ERROR("no", ",\"api_error_status\":403"), "", BRAIN_BROKEN, "",
     0, 0, true},
    {"no money", &stream_claude,
     API_ERROR("Credit balance is too low", ",\"api_error_status\":400"), "", BRAIN_BROKEN, "",
     0, 0, true},
    {"429 without a time", &stream_claude,
     API_ERROR("API Error: Request rejected (429)", ",\"api_error_status\":429"), "",
     BRAIN_LIMITED, "", 0, 0, true},
    {"429 with the time of an event", &stream_claude,
     REJECTED("1794900000") API_ERROR("You've hit your 5-hour limit · resets 7:09am (UTC)",
                                      ",\"api_error\":\"usage_limit_reached\""),
     "", BRAIN_LIMITED, "", 1794900000, 0, true},
    {"429 with the time of its words", &stream_claude,
     API_ERROR("You've hit your 5-hour limit · resets 7:09am (UTC)",
               ",\"api_error_status\":429"),
     "", BRAIN_LIMITED, "", NOW + 7740, 0, true},
    {"an event that is over", &stream_claude,
     REJECTED("1794800000") API_ERROR("limit", ",\"api_error_status\":429"), "", BRAIN_LIMITED,
     "", 0, 0, true},
    {"a warning is no limit", &stream_claude,
     "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed_warning\","
     "\"resetsAt\":1794900000}}\n" RESULT("hi", ""),
     "", BRAIN_OK, "hi", 0, 0, true},
    {"words of a limit in an answer", &stream_claude,
     RESULT("You've hit your 5-hour limit · resets 7:09am (UTC)", ""), "", BRAIN_OK,
     "You've hit your 5-hour limit · resets 7:09am (UTC)", 0, 0, true},
    {"529", &stream_claude, API_ERROR("overloaded", ",\"api_error_status\":529"), "",
     BRAIN_LIMITED, "", 0, 0, true},
    {"500", &stream_claude, API_ERROR("oops", ",\"api_error_status\":500"), "", BRAIN_STALLED,
     "", 0, 0, true},
    {"no connection", &stream_claude, API_ERROR("API Error: Connection error.", ""), "",
     BRAIN_STALLED, "", 0, 0, true},
    {"too long", &stream_claude, API_ERROR("Prompt is too long", ",\"api_error_status\":400"),
     "", BRAIN_LARGE, "", 0, 0, true},
    {"budget", &stream_claude,
     "{\"type\":\"result\",\"subtype\":\"error_max_budget_usd\",\"is_error\":true,"
     "\"terminal_reason\":\"budget_exhausted\",\"errors\":[\"Reached maximum budget\"]}\n",
     "", BRAIN_SPENT, "", 0, 0, true},
    {"unknown session", &stream_claude,
     "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,"
     "\"errors\":[\"No conversation found with session ID: x\"]}\n",
     "", BRAIN_GONE, "", 0, 0, true},
    {"unknown session on stderr", &stream_claude, "",
     "No conversation found with session ID: x", BRAIN_GONE, "", 0, 0, false},
    {"nothing waits", &stream_claude, "",
     "Error: No deferred tool marker found in the resumed session", BRAIN_IDLE, "", 0, 0,
     false},
    {"cut in a line", &stream_claude, "{\"type\":\"result\",\"subtype\":\"succ", "", BRAIN_OK,
     "", 0, 0, false},
    {"whole without its newline", &stream_claude,
     "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"hi\"}", "", BRAIN_OK, "hi", 0, 0,
     true},
    {"lines of another world", &stream_claude,
     "hello\n[1,2]\n\n{\"type\":5}\n{\"type\":\"new\",\"x\":[{}]}\n\377\376\n" RESULT("hi", ""),
     "", BRAIN_OK, "hi", 0, 0, true},
    {"half a character, NUL, a whole one, no escape", &stream_claude,
     RESULT("a\\ud83d b\\u0000 \\ud83d\\ude00 \\\\u0000 \\udc00", ""), "", BRAIN_OK,
     "a\357\277\275 b\357\277\275 \360\237\230\200 \\u0000 \357\277\275", 0, 0, true},
    {"members of other types", &stream_claude,
     "{\"type\":\"assistant\",\"message\":7}\n{\"type\":\"assistant\",\"message\":{\"content\":"
     "[5,{\"type\":\"text\"},{\"type\":\"tool_use\"}]}}\n{\"type\":\"system\","
     "\"subtype\":\"init\",\"capabilities\":\"x\"}\n{\"type\":\"control_request\"}\n" RESULT(
         "hi", ",\"usage\":[],\"model_usage_since_last_result\":{\"m\":3}"),
     "", BRAIN_OK, "hi", 0, 0, true},

    {"codex: the last message", &stream_codex, MESSAGE("one") MESSAGE("two") USAGE, "",
     BRAIN_OK, "two", 0, 0, true},
    {"codex: warnings are harmless", &stream_codex,
     "{\"type\":\"item.completed\",\"item\":{\"type\":\"error\",\"message\":\"401\"}}\n"
     "{\"type\":\"error\",\"message\":\"Reconnecting... 1/5\"}\n" MESSAGE("hi") USAGE,
     "", BRAIN_OK, "hi", 0, 0, true},
    {"codex: limit with a date", &stream_codex,
     FAILED("You’ve hit your usage limit. Or try again at Nov 17th, 2026 7:20 AM."), "",
     BRAIN_LIMITED, "", NOW + 8400, 0, false},
    {"codex: limit of today", &stream_codex,
     FAILED("You’ve hit your usage limit. Or try again at 7:17 AM."), "", BRAIN_LIMITED, "",
     NOW + 8220, 0, false},
    {"codex: limit without a time", &stream_codex, FAILED("You’ve hit your usage limit."), "",
     BRAIN_LIMITED, "", 0, 0, false},
    {"codex: 429", &stream_codex,
     FAILED("exceeded retry limit, last status: 429 Too Many Requests"), "", BRAIN_LIMITED, "",
     0, 0, false},
    {"codex: 401", &stream_codex, FAILED("unexpected status 401 Unauthorized: no"), "",
     BRAIN_BROKEN, "", 0, 0, false},
    {"codex: 529", &stream_codex, FAILED("unexpected status 529 <unknown status code>: busy"),
     "", BRAIN_LIMITED, "", 0, 0, false},
    {"codex: no key", &stream_codex, FAILED("Missing environment variable: `K`."), "",
     BRAIN_BROKEN, "", 0, 0, false},
    {"codex: a message about limits", &stream_codex,
     MESSAGE("You’ve hit your usage limit. Or try again at 7:17 AM.") USAGE, "", BRAIN_OK,
     "You’ve hit your usage limit. Or try again at 7:17 AM.", 0, 0, true},
    {"codex: no network", &stream_codex,
     "{\"type\":\"error\",\"message\":\"Reconnecting... waiting for network\"}\n", "",
     BRAIN_STALLED, "", 0, 0, false},
    {"codex: unknown thread", &stream_codex, "",
     "Error: thread/resume: no rollout found for thread id x", BRAIN_GONE, "", 0, 0, false},

    {"opencode: the last step", &stream_opencode,
     OC_STEP OC_TEXT("one") OC_DONE("tool-calls", "0.01") OC_STEP OC_TEXT("two") OC_TEXT("three")
         OC_DONE("stop", "0.02"),
     "", BRAIN_OK, "two\n\nthree", 0, 30000, true},
    {"opencode: 401", &stream_opencode, OC_ERROR("401"), "", BRAIN_BROKEN, "", 0, 0, false},
    {"opencode: 403", &stream_opencode, OC_ERROR("403"), "", BRAIN_BROKEN, "", 0, 0, false},
    {"opencode: 429", &stream_opencode, OC_ERROR("429"), "", BRAIN_LIMITED, "", 0, 0, false},
    {"opencode: unknown session", &stream_opencode, "", "Session not found", BRAIN_GONE, "", 0,
     0, false},

    {"plain", &stream_plain, "a\nb\n", "", BRAIN_OK, "a\nb\n", 0, 0, false},
    {"plain: words of a limit", &stream_plain,
     "You've hit your 5-hour limit · resets 7:09am (UTC)", "No conversation found with session "
                                                           "ID",
     BRAIN_OK, "You've hit your 5-hour limit · resets 7:09am (UTC)", 0, 0, false},
};

static void
test_ends(void)
{
    g_setenv("TZ", "UTC", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Stream) s = play(cases[i].parser, cases[i].text, cases[i].log);

        g_test_message("%s: %s", cases[i].name, s->failed ? s->failed : "fine");
        g_assert_cmpint(s->end, ==, cases[i].want);
        g_assert_cmpint(s->failed == NULL, ==, s->end == BRAIN_OK);
        g_assert_cmpstr(s->answer->str, ==, cases[i].want_text);
        g_assert_cmpint(s->retry.us / USEC_PER_SEC, ==, cases[i].want_retry);
        g_assert_cmpint(s->cost_micro, ==, cases[i].want_cost);
        g_assert_cmpint(s->finished, ==, cases[i].want_finished);
    }
}

/* Usage of a resumed thread is that of all its turns. */
static void
test_codex_usage(void)
{
    static const char text[] = "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":2000,"
                               "\"cached_input_tokens\":500,\"output_tokens\":70}}\n";
    static const struct {
        BrainUsage before, want;
    } turns[] = {
        {{0}, {.input = 1500, .output = 70, .cache_read = 500}},
        {{.input = 1000, .output = 50, .cache_read = 100},
         {.input = 500, .output = 20, .cache_read = 400}},
        {{.input = 9000, .output = 900, .cache_read = 9000}, /* another thread */
         {.input = 1500, .output = 70, .cache_read = 500}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(turns); i++) {
        g_autoptr(Stream) s = stream_new(&stream_codex);
        s->session_usage = turns[i].before;
        stream_take(s, text, strlen(text));
        g_assert_cmpint(s->usage.input, ==, turns[i].want.input);
        g_assert_cmpint(s->usage.output, ==, turns[i].want.output);
        g_assert_cmpint(s->usage.cache_read, ==, turns[i].want.cache_read);
        g_assert_cmpint(s->session_usage.input, ==, 1500);
        g_assert_true(s->counts_tokens);
    }
}

static void
note(void *data, const BrainEvent *event)
{
    static const char *const kinds[] = {"session", "text", "tool", "cost", "receipt"};
    GString *out = data;

    g_string_append_printf(out, "%s %s", kinds[event->kind], event->text);
    if (event->kind == BRAIN_SAID_COST)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, event->cost_micro);
    if (event->kind == BRAIN_SAID_RECEIPT)
        g_string_append(out, event->done ? " done" : " taken up");
    g_string_append_c(out, '\n');
}

static void
test_events(void)
{
    static const char text[] =
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"u1\",\"state\":\"queued\","
        "\"session_id\":\"s1\"}\n"
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"other\",\"state\":\"started\"}\n"
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"u1\",\"state\":\"started\"}\n"
        "{\"type\":\"assistant\",\"session_id\":\"s1\",\"message\":{\"content\":[{\"type\":"
        "\"text\",\"text\":\"I look\"},{\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{"
        "\"command\":\"make\\n\\u001b[31mtest\"}},{\"type\":\"tool_use\",\"name\":\"Edit\","
        "\"input\":{\"file_path\":\"src/a.c\"}},{\"type\":\"tool_use\",\"name\":"
        "\"TaskList\",\"input\":{}}]}}\n"
        "{\"type\":\"assistant\",\"parent_tool_use_id\":\"t1\",\"message\":{\"content\":[{"
        "\"type\":\"text\",\"text\":\"of a helper\"}]}}\n" RESULT(
            "done", ",\"total_cost_usd\":0.01,\"session_id\":\"s1\"")
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"u1\",\"state\":\"completed\"}\n";
    g_autoptr(GString) said = g_string_new(NULL);
    g_autoptr(Stream) s = stream_new(&stream_claude);

    s->said = note;
    s->said_data = said;
    g_ptr_array_add(s->untold, g_strdup("u1"));
    stream_take(s, text, strlen(text));
    g_assert_cmpstr(said->str, ==,
                    "session s1\nreceipt u1 taken up\ntext I look\ntool Bash: make test\n"
                    "tool Edit: src/a.c\ntool TaskList\ncost 10000\nreceipt u1 done\n");
    g_assert_true(stream_is_done(s));
}

/* stdin may be closed when every line has its last receipt, not sooner. */
static void
test_done(void)
{
    static const char *const lines[] = {
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"u1\",\"state\":\"started\"}\n",
        RESULT("first", ""),
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"u1\",\"state\":\"completed\"}\n",
        RESULT("second", ""),
        "{\"type\":\"command_lifecycle\",\"command_uuid\":\"u2\",\"state\":\"cancelled\"}\n",
    };
    g_autoptr(Stream) s = stream_new(&stream_claude);

    g_ptr_array_add(s->untold, g_strdup("u1"));
    g_ptr_array_add(s->untold, g_strdup("u2"));
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_assert_false(stream_is_done(s));
        stream_take(s, lines[i], strlen(lines[i]));
    }
    g_assert_true(stream_is_done(s));

    g_autoptr(Stream) old = play(&stream_claude, RESULT("no receipts", ""), "");
    g_assert_true(stream_is_done(old));
}

/* What no hook has decided. */
static void
test_questions(void)
{
    static const struct {
        const char *tool;
        BrainPermit permit;
        bool want;
    } asked[] = {
        {"Bash", BRAIN_PERMIT_ALL, true},   {"Bash", BRAIN_PERMIT_EDIT, false},
        {"Bash", BRAIN_PERMIT_ASK, false},  {"Edit", BRAIN_PERMIT_EDIT, true},
        {"Write", BRAIN_PERMIT_ASK, false}, {"AskUserQuestion", BRAIN_PERMIT_ALL, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(asked); i++) {
        g_autofree char *line = g_strdup_printf(
            "{\"type\":\"control_request\",\"request_id\":\"r\\\"1\",\"request\":{\"subtype\":"
            "\"can_use_tool\",\"tool_name\":\"%s\",\"input\":{\"a\":1}}}\n",
            asked[i].tool);
        g_autoptr(Stream) s = stream_new(&stream_claude);
        g_autoptr(json_t) reply = NULL;

        s->permit = asked[i].permit;
        stream_take(s, line, strlen(line));
        g_assert_true(g_str_has_suffix(s->reply->str, "}\n"));
        g_assert_true(json_parse(s->reply->str, s->reply->len, 0, &reply, NULL));
        const json_t *outer = stream_object(reply, "response");
        const json_t *inner = stream_object(outer, "response");
        g_assert_cmpstr(stream_text(outer, "request_id"), ==, "r\"1");
        g_assert_cmpstr(stream_text(inner, "behavior"), ==, asked[i].want ? "allow" : "deny");
        if (asked[i].want)
            g_assert_cmpint(stream_count(stream_object(inner, "updatedInput"), "a"), ==, 1);
    }
    g_autoptr(Stream) other =
        play(&stream_claude,
             "{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":"
             "\"mcp_message\"}}\n",
             "");
    g_assert_nonnull(strstr(other->reply->str, "\"subtype\":\"error\""));
}

static void
test_deferred(void)
{
    static const char line[] =
        "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"\",\"terminal_reason\":"
        "\"tool_deferred\",\"deferred_tool_use\":{\"id\":\"t1\",\"name\":\"Bash\",\"input\":"
        "{\"command\":\"make install\"}}}\n";
    g_autoptr(Stream) s = play(&stream_claude, line, "");

    g_assert_true(s->deferred);
    g_assert_cmpstr(s->deferred_call, ==,
                    "{\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"make install\"}}");
    /* Deferred again, and then the prompt's own turn: nothing waits. */
    stream_take(s, RESULT("hi", ""), strlen(RESULT("hi", "")));
    g_assert_false(s->deferred);

    g_autoptr(Stream) oc = play(
        &stream_opencode,
        OC_STEP "{\"type\":\"tool_use\",\"sessionID\":\"ses_1\",\"part\":{\"tool\":\"bash\","
                "\"callID\":\"c1\",\"state\":{\"status\":\"error\",\"input\":{\"command\":\"x\"},"
                "\"error\":\"The user rejected permission to use this specific tool call.\"}}}\n",
        "");
    g_assert_true(oc->deferred);
    g_assert_cmpstr(oc->deferred_call, ==,
                    "{\"id\":\"c1\",\"name\":\"bash\",\"input\":{\"command\":\"x\"}}");
}

/* `output` caps the answer, wherever in the stream it comes. */
static void
test_caps(void)
{
    g_autoptr(Stream) s = stream_new(&stream_claude), plain = stream_new(&stream_plain);
    g_autofree char *noise = g_strnfill(LIMIT_STREAM_LINE + 1u, 'x');

    s->answer_max = plain->answer_max = 4;
    stream_take(s, noise, LIMIT_STREAM_LINE + 1u);
    g_assert_cmpuint(s->line->len, ==, 0);
    stream_take(s, noise, 1000);
    stream_take(s, "\n" RESULT("0123456", ""), strlen("\n" RESULT("0123456", "")));
    g_assert_cmpstr(s->answer->str, ==, "0123");
    g_assert_true(s->cut);
    g_assert_cmpuint(s->skipped, ==, 1);

    stream_take(plain, "01", 2);
    stream_take(plain, "23", 2);
    g_assert_false(plain->cut);
    stream_take(plain, "4", 1);
    g_assert_true(plain->cut);
    g_assert_cmpstr(plain->answer->str, ==, "0123");
}

/* The copy of the stream ends with a word where there was more. */
static void
test_log(void)
{
    g_autofree char *path = NULL, *text = NULL;
    int fd = g_file_open_tmp("postrider-test-XXXXXX", &path, NULL);
    g_autofree char *line = g_strnfill(1u << 20, 'x');
    g_autoptr(Stream) s = stream_new(&stream_claude);
    gsize len;

    g_assert_cmpint(fd, >=, 0);
    s->log_fd = fd;
    for (int i = 0; i < 20; i++) {
        stream_take(s, line, 1u << 20);
        stream_take(s, "\n", 1);
    }
    close(fd);
    g_assert_true(g_file_get_contents(path, &text, &len, NULL));
    g_assert_cmpuint(len, <, LIMIT_STREAM_LOG + 100u);
    g_assert_cmpuint(len, >, LIMIT_STREAM_LOG - (2u << 20));
    g_assert_true(g_str_has_suffix(text, "\n[the rest is not kept]\n"));
    g_unlink(path);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stream/ends", test_ends);
    g_test_add_func("/stream/codex-usage", test_codex_usage);
    g_test_add_func("/stream/events", test_events);
    g_test_add_func("/stream/done", test_done);
    g_test_add_func("/stream/questions", test_questions);
    g_test_add_func("/stream/deferred", test_deferred);
    g_test_add_func("/stream/caps", test_caps);
    g_test_add_func("/stream/log", test_log);
    return g_test_run();
}
