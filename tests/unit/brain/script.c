/* Scripts as brains: line k for question k. */
#include "../base/tmpdir.h"
#include "base/clock.h"
#include "brain/brain.h"

const BrainOps *const brain_kinds[] = {&brain_script, NULL};

static const char script[] = "{\"status\":\"continue\"}\n"
                             "\"Sure! I have sent it.\\u001b[1m\"\n"
                             "\n"
                             "{\"a\":1,\"a\":2}\n"
                             "{\"text\":\"caf\xc3\xa9\"}\r\n"
                             "\"\"\n"
                             "{\"last\":true}";

static const struct {
    const char *name;
    int64_t total_iterations;
    BrainEnd want_end;
    const char *want_text, *want_failed;
} cases[] = {
    {"first", 0, BRAIN_OK, "{\"status\":\"continue\"}", NULL},
    {"prose", 1, BRAIN_OK, "Sure! I have sent it.", NULL},
    {"blank line", 2, BRAIN_FAILED, "", "line 3 of 'scripts/s.jsonl': "},
    {"duplicate key", 3, BRAIN_FAILED, "", "line 4 of 'scripts/s.jsonl': "},
    {"CRLF", 4, BRAIN_OK, "{\"text\":\"caf\xc3\xa9\"}", NULL},
    {"nothing said", 5, BRAIN_OK, "", NULL},
    {"no newline at the end", 6, BRAIN_OK, "{\"last\":true}", NULL},
    {"beyond the end", 7, BRAIN_FAILED, "", "the script has no line 8"},
    {"far beyond", 1000000, BRAIN_FAILED, "", "the script has no line 1000001"},
};

static void
check(const TmpDir *home,
      const char *file,
      int64_t steps,
      BrainEnd want_end,
      const char *want_text,
      const char *want_failed)
{
    const ConfBrain conf = {.name = "s", .kind = BRAIN_SCRIPT, .script = file};
    const BrainAsk ask = {
        .conf = &conf, .home = home->path, .prompt = "?", .total_iterations = steps};
    g_autoptr(BrainCall) call = NULL;
    struct pollfd fds[BRAIN_POLL_MAX];
    int64_t wait_us;

    g_assert_true(brain_start(&ask, &call, NULL));
    g_assert_cmpuint(brain_poll(call, fds, &wait_us), ==, 0);
    g_assert_cmpint(wait_us, ==, 0);
    g_assert_true(brain_work(call));
    const BrainAnswer *a = brain_answer(call);
    g_assert_cmpint(a->end, ==, want_end);
    g_assert_cmpstr(a->text, ==, want_text);
    g_assert_cmpint(a->cost_micro, ==, 0);
    if (want_failed)
        g_assert_true(g_str_has_prefix(a->failed, want_failed));
    else
        g_assert_null(a->failed);
}

static void
test_lines(void)
{
    g_auto(TmpDir) home = tmpdir_new();

    g_assert_cmpint(mkdirat(home.fd, "scripts", 0700), ==, 0);
    tmpdir_write(&home, "scripts/s.jsonl", script, 0600);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        check(&home, "scripts/s.jsonl", cases[i].total_iterations, cases[i].want_end,
              cases[i].want_text, cases[i].want_failed);
    }
}

/* No script at all is the brain's fault, as a missing program is. */
static void
test_broken(void)
{
    g_auto(TmpDir) home = tmpdir_new();

    g_assert_cmpint(mkdirat(home.fd, "scripts", 0700), ==, 0);
    check(&home, "scripts/none.jsonl", 0, BRAIN_BROKEN, "", "there is no script ");
    check(&home, "scripts", 0, BRAIN_BROKEN, "", "");
    check(&home, "../outside.jsonl", 0, BRAIN_BROKEN, "", "");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/brain/script/lines", test_lines);
    g_test_add_func("/brain/script/broken", test_broken);
    return g_test_run();
}
