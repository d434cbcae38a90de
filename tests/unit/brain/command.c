/* Programs as brains: what they print, how they fail, what they may know. */
#include "base/clock.h"
#include "base/err.h"
#include "base/proc.h"
#include "brain/brain.h"
#include <errno.h>
#include <glib/gstdio.h>

const BrainOps *const brain_kinds[] = {&brain_command, NULL};

typedef struct Home {
    char *path;
} Home;

static void
home_make(Home *h, gconstpointer data)
{
    h->path = g_dir_make_tmp("postrider-test-XXXXXX", NULL);
    g_assert_nonnull(h->path);
}

static void
home_remove(Home *h, gconstpointer data)
{
    g_autoptr(GDir) dir = g_dir_open(h->path, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(h->path, name, NULL);
        g_assert_cmpint(g_unlink(path), ==, 0);
    }
    g_assert_cmpint(g_rmdir(h->path), ==, 0);
    g_free(h->path);
}

static void
put_program(Home *h, const char *name, const char *text, int mode)
{
    g_autofree char *path = g_build_filename(h->path, name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_assert_cmpint(g_chmod(path, mode), ==, 0);
}

static BrainCall *
start(Home *h, const ConfBrain *conf, const char *why_again)
{
    static const char *const env[] = {"POSTRIDER_PORT=/here/port.sock", NULL};
    const BrainAsk ask = {.conf = conf,
                          .home = h->path,
                          .prompt = "question\n",
                          .cwd = h->path,
                          .env = env,
                          .why_again = why_again};
    g_autoptr(GError) error = NULL;
    BrainCall *call = NULL;

    brain_start(&ask, &call, &error);
    g_assert_no_error(error);
    return call;
}

static const BrainAnswer *
finish(BrainCall *call)
{
    while (!brain_work(call)) {
        struct pollfd fds[BRAIN_POLL_MAX];
        int64_t wait_us;
        unsigned n = brain_poll(call, fds, &wait_us);
        int ms = wait_us == USEC_NEVER ? -1 : (int)(wait_us / USEC_PER_MSEC) + 1;
        g_assert_true(poll(fds, n, ms) >= 0 || errno == EINTR);
    }
    return brain_answer(call);
}

static const ConfBrain plain = {.name = "b", .kind = BRAIN_COMMAND};

static const struct {
    const char *name, *script;
    int64_t timeout_us;
    uint64_t output;
    const char *want_text, *want_failed;
    bool want_cut, want_broken;
} cases[] = {
    {"echo", "cat", 0, 0, "question", NULL, false, false},
    {"no input read", "echo hello", 0, 0, "hello", NULL, false, false},
    {"lines kept, end trimmed", "printf 'a\\n\\n\\tb\\n \\n\\n'", 0, 0, "a\n\n\tb", NULL, false,
     false},
    {"colours", "printf '\\033[1;31mred\\033[0m \\033]0;title\\007x'", 0, 0, "red x", NULL,
     false, false},
    {"exit status and last words", "echo out; echo one >&2; echo two >&2; exit 3", 0, 0, "out",
     "exit 3: two", false, false},
    {"signal", "kill -9 $$", 0, 0, "", "killed by signal 9", false, false},
    {"nothing", ":", 0, 0, "", "it printed nothing", false, false},
    {"only blanks", "echo '   '; echo oops >&2", 0, 0, "", "it printed nothing: oops", false,
     false},
    {"too long", "exec sleep 60", 100 * USEC_PER_MSEC, 0, "", "ran longer than", false, false},
    {"too much", "printf 0123456789", 0, 4, "0123", NULL, true, false},
    {"its own 127", "exit 127", 0, 0, "", "exit 127", false, false},
    {"not UTF-8", "printf 'a\\377b'", 0, 0, "a\357\277\275b", NULL, false, false},
};

static void
test_answers(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"./brain", NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("#!/bin/sh\n%s\n", cases[i].script);
        ConfBrain conf = plain;
        conf.command = argv;
        conf.timeout_us = cases[i].timeout_us;
        conf.output = cases[i].output;
        put_program(h, "brain", text, 0700);
        g_autoptr(BrainCall) call = start(h, &conf, NULL);
        const BrainAnswer *a = finish(call);

        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(a->text, ==, cases[i].want_text);
        if (cases[i].want_failed)
            g_assert_true(a->failed && g_str_has_prefix(a->failed, cases[i].want_failed));
        else
            g_assert_null(a->failed);
        g_assert_cmpint(a->cut, ==, cases[i].want_cut);
        g_assert_cmpint(a->end == BRAIN_BROKEN, ==, cases[i].want_broken);
        g_assert_cmpint(a->end, ==,
                        cases[i].want_broken    ? BRAIN_BROKEN
                        : !cases[i].want_failed ? BRAIN_OK
                        : g_str_has_prefix(cases[i].want_failed, "it printed nothing")
                            ? BRAIN_FAILED
                            : BRAIN_EXITED);
    }
}

static void
test_again(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"cat", NULL};
    ConfBrain conf = plain;
    conf.command = argv;
    g_autoptr(BrainCall) call = start(h, &conf, "it said nothing");

    g_assert_cmpstr(finish(call)->text, ==,
                    "question\n\nYour last answer could not be used: it said nothing\n"
                    "Answer again.");
}

/* Instructions and schema have no place of their own on a stdin. */
static void
test_system(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"cat", NULL};
    ConfBrain conf = plain;
    conf.command = argv;
    const BrainAsk ask = {.conf = &conf,
                          .home = h->path,
                          .prompt = "question",
                          .cwd = h->path,
                          .system = "be brief",
                          .schema = "{\"type\":\"object\"}"};
    g_autoptr(BrainCall) call = NULL;

    g_assert_true(brain_start(&ask, &call, NULL));
    const char *text = finish(call)->text;
    g_assert_true(g_str_has_prefix(text, "be brief\n\nquestion\n"));
    g_assert_nonnull(strstr(text, "{\"type\":\"object\"}"));
}

/* How a program ended says what is done next, never what it printed: words about a limit may be
 * those of a mail. */
static void
test_failures(Home *h, gconstpointer data)
{
    static const char hit[] = "echo \"You've hit your limit · resets in 2 hours\"";
    static const struct {
        const char *before, *behind;
        BrainEnd want;
    } said[] = {
        {"", ">&2; exit 1", BRAIN_EXITED},
        {"echo well >&2;", "; exit 1", BRAIN_EXITED},
        {"", "", BRAIN_OK},
        {"", ">&2", BRAIN_FAILED},
        {"", "; kill -KILL $$", BRAIN_EXITED},
        {"exit 64;", "", BRAIN_REFUSED},
        {"exit 66;", "", BRAIN_REFUSED},
        {"exit 67;", "", BRAIN_EXITED},
        {"exit 75;", "", BRAIN_EXITED},
        {"exit 77;", "", BRAIN_REFUSED},
        {"exit 78;", "", BRAIN_REFUSED},
    };
    static const char *const argv[] = {"./brain", NULL};
    ConfBrain conf = plain;
    conf.command = argv;

    for (size_t i = 0; i < G_N_ELEMENTS(said); i++) {
        g_autofree char *text =
            g_strdup_printf("#!/bin/sh\n%s %s%s\n", said[i].before, hit, said[i].behind);
        put_program(h, "brain", text, 0700);
        g_autoptr(BrainCall) call = start(h, &conf, NULL);
        const BrainAnswer *a = finish(call);

        g_test_message("%zu: %s", i, a->failed ? a->failed : "fine");
        g_assert_cmpint(a->end, ==, said[i].want);
        g_assert_cmpint(a->retry.us, ==, 0);
    }
}

/* The brain's own fault: the job is not to blame. */
static void
test_broken(Home *h, gconstpointer data)
{
    static const struct {
        const char *program, *want_failed;
    } broken[] = {
        {"no-such-program-anywhere", "no program 'no-such-program-anywhere' in PATH"},
        {"./missing", "no program '"},
        {"/no/such/program", "no program '/no/such/program'"},
        {"./plain", "' is not an executable file"},
        {".", "no program '.' in PATH"},
        {"./orphan", "can't run '"},
    };

    put_program(h, "plain", "#!/bin/sh\necho hi\n", 0600);
    put_program(h, "orphan", "#!/no/such/interpreter\n", 0700);
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        const char *const argv[] = {broken[i].program, NULL};
        ConfBrain conf = plain;
        conf.command = argv;
        g_autoptr(BrainCall) call = start(h, &conf, NULL);
        const BrainAnswer *a = finish(call);

        g_test_message("%s: %s", broken[i].program, a->failed);
        g_assert_cmpint(a->end, ==, BRAIN_BROKEN);
        g_assert_nonnull(strstr(a->failed, broken[i].want_failed));
        g_assert_cmpstr(a->text, ==, "");
    }
}

static void
test_arguments(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"./say", "a b", "$HOME; echo x", NULL};
    ConfBrain conf = plain;
    conf.command = argv;
    put_program(h, "say", "#!/bin/sh\npwd\nprintf '%s|' \"$@\"\n", 0700);
    g_autoptr(BrainCall) call = start(h, &conf, NULL);
    g_autofree char *want = g_strdup_printf("%s\na b|$HOME; echo x|", h->path);

    g_assert_cmpstr(finish(call)->text, ==, want);
}

/* Nothing of ours that is not on the list, and no way home. */
static void
test_environment(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"env", NULL};
    ConfBrain conf = plain;
    conf.command = argv;
    g_setenv("POSTRIDER_HOME", "/secret", TRUE);
    g_setenv("ANTHROPIC_API_KEY", "secret", TRUE);
    g_setenv("LC_TIME", "C", TRUE);
    g_setenv("TERM", "xterm", TRUE);
    g_autoptr(BrainCall) call = start(h, &conf, NULL);
    const char *text = finish(call)->text;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    g_assert_null(strstr(text, "secret"));
    g_assert_true(g_strv_contains((const char *const *)lines, "LC_TIME=C"));
    g_assert_true(g_strv_contains((const char *const *)lines, "TERM=dumb"));
    g_assert_true(
        g_strv_contains((const char *const *)lines, "POSTRIDER_PORT=/here/port.sock"));
    g_unsetenv("POSTRIDER_HOME");
    g_unsetenv("ANTHROPIC_API_KEY");
}

static void
test_ends(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"sleep", "600", NULL};
    ConfBrain conf = plain;
    conf.command = argv;
    g_autoptr(BrainCall) call = start(h, &conf, NULL);

    brain_end(call);
    g_assert_cmpstr(finish(call)->failed, ==, "killed by signal 15");
}

static void
test_config(Home *h, gconstpointer data)
{
    static const char *const argv[] = {"cat", NULL};
    static const ConfBrain wrong[] = {
        {.name = "b", .kind = BRAIN_OPENAI, .command = argv},
        {.name = "b", .kind = BRAIN_COMMAND},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        const BrainAsk ask = {.conf = &wrong[i], .home = h->path, .prompt = ""};
        g_autoptr(GError) error = NULL;
        BrainCall *call = NULL;
        g_assert_false(brain_start(&ask, &call, &error));
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_nonnull(strstr(error->message, "brain 'b': "));
    }
}

static const struct {
    const char *raw, *want;
} clean_cases[] = {
    {"", ""},
    {"plain\n", "plain"},
    {"a\r\nb\rc", "a\nb\nc"},
    {"a\bb\x7f\x01"
     "c",
     "abc"},
    {"\033[38;5;1mx\033[m", "x"},
    {"\033]8;;http://h/\033\\link\033]8;;\033\\", "link"},
    {"\033(Bx\033=y\033c", "xy"},
    {"\033", ""},
    {"\033[", ""},
    {"\033]no end\nnext", "no end\nnext"},
    {"\302\2331mx", "x"},
    {"\302\235title\302\234x", "x"},
    {"\302\205x", "x"},
    {"emoji \360\237\230\200 stays", "emoji \360\237\230\200 stays"},
    {" \n\t first line stays", " \n\t first line stays"},
};

static void
test_clean(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(clean_cases); i++) {
        g_autofree char *got = brain_clean(clean_cases[i].raw, strlen(clean_cases[i].raw));
        g_assert_cmpstr(got, ==, clean_cases[i].want);
    }
    g_autofree char *nul = brain_clean("a\0b", 3);
    g_assert_cmpstr(nul, ==, "ab");
}

/* Unfinished escapes by the million: quadratic work would take hours. */
static void
test_clean_linear(void)
{
    g_autoptr(GString) s = g_string_new(NULL);
    for (int i = 0; i < 500000; i++)
        g_string_append(s, i % 2 ? "\033]" : "\302\235");
    g_autofree char *got = brain_clean(s->str, s->len);
    g_assert_cmpstr(got, ==, "");
}

int
main(int argc, char **argv)
{
    proc_init();
    g_test_init(&argc, &argv, NULL);
    g_test_add("/command/answers", Home, NULL, home_make, test_answers, home_remove);
    g_test_add("/command/again", Home, NULL, home_make, test_again, home_remove);
    g_test_add("/command/system", Home, NULL, home_make, test_system, home_remove);
    g_test_add("/command/failures", Home, NULL, home_make, test_failures, home_remove);
    g_test_add("/command/broken", Home, NULL, home_make, test_broken, home_remove);
    g_test_add("/command/arguments", Home, NULL, home_make, test_arguments, home_remove);
    g_test_add("/command/environment", Home, NULL, home_make, test_environment, home_remove);
    g_test_add("/command/ends", Home, NULL, home_make, test_ends, home_remove);
    g_test_add("/command/config", Home, NULL, home_make, test_config, home_remove);
    g_test_add_func("/command/clean", test_clean);
    g_test_add_func("/command/clean-linear", test_clean_linear);
    return g_test_run();
}
