#include "base/log.h"
#include "base/banned.h"
#include "tmpdir.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Cuts the stamp and the pid, which differ, off a line. */
static char *
without_stamp(const char *text)
{
    g_autoptr(GRegex) regex =
        g_regex_new("t=2026-11-15T09:30:00\\.000Z |pid=[0-9]+ ", 0, 0, NULL);

    return g_regex_replace_literal(regex, text, -1, 0, "", 0, NULL);
}

static const struct {
    const char *msg, *key, *value, *want;
} lines[] = {
    {"started", "job", "12", "level=warn prog=run msg=started job=12\n"},
    {"two words", "id", "<a@b>", "level=warn prog=run msg=\"two words\" id=<a@b>\n"},
    {"x", "subject", "a \"b\" \\c",
     "level=warn prog=run msg=x subject=\"a \\\"b\\\" \\\\c\"\n"},
    {"x", "s", "ok\nt=0 level=error msg=forged",
     "level=warn prog=run msg=x s=\"ok\\x0at=0 level=error msg=forged\"\n"},
    {"x", "s", "", "level=warn prog=run msg=x s=\"\"\n"},
    {"x", "s", "a=b", "level=warn prog=run msg=x s=\"a=b\"\n"},
    {"x", "s", NULL, "level=warn prog=run msg=x\n"},
    {"x", "s", "\033]0;t\a\342\200\256\377",
     "level=warn prog=run msg=x s=\"\\x1b]0;t\\x07\\u{202e}\\xff\"\n"},
};

static void
test_lines(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_auto(TmpDir) dir = tmpdir_new();
        g_autofree char *file = tmpdir_path(&dir, "log");

        log_init("run", LOG_INFO, file);
        log_event(LOG_WARN, lines[i].msg, lines[i].key, lines[i].value, NULL);
        log_event(LOG_DEBUG, "not this one", NULL);
        g_autofree char *text = tmpdir_read(&dir, "log");
        g_autofree char *line = without_stamp(text);
        g_assert_cmpstr(line, ==, lines[i].want);
    }
}

static void
test_say(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *file = tmpdir_path(&dir, "log");

    log_init("account main", LOG_DEBUG, file);
    log_say(LOG_DEBUG, "%d of %d", 3, 4);
    g_autofree char *text = tmpdir_read(&dir, "log");
    g_autofree char *line = without_stamp(text);
    g_assert_cmpstr(line, ==, "level=debug prog=\"account main\" msg=\"3 of 4\"\n");
}

static void
test_rotated(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *file = tmpdir_path(&dir, "log");

    log_init("run", LOG_INFO, file);
    log_say(LOG_INFO, "first");
    g_assert_cmpint(renameat(dir.fd, "log", dir.fd, "log.1"), ==, 0);
    log_say(LOG_INFO, "second");

    g_autofree char *text = tmpdir_read(&dir, "log");
    g_assert_nonnull(strstr(text, "second"));
    g_assert_null(strstr(text, "first"));
}

/* A limit on the file's size stands in for a full disk. */
static void
test_full_disk(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *file = tmpdir_path(&dir, "log");
    struct rlimit old, small = {.rlim_cur = 100};

    (void)signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
    small.rlim_max = old.rlim_max;
    log_init("run", LOG_INFO, file);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    log_say(LOG_INFO, "fits");
    log_say(LOG_INFO, "does not fit in what is left");
    log_say(LOG_INFO, "nor does this");
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
    log_say(LOG_INFO, "room again");

    g_autofree char *text = tmpdir_read(&dir, "log");
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(all), ==, 5); /* fits, a torn one, lost, room again, end */
    g_assert_nonnull(strstr(all[0], "msg=fits"));
    g_assert_nonnull(strstr(all[2], "lines=2"));
    g_assert_nonnull(strstr(all[3], "msg=\"room again\""));
}

static void
test_unwritable(void)
{
    log_init("run", LOG_INFO, "/nonexistent/log");
    log_say(LOG_ERROR, "goes nowhere, harms nobody");
}

static void
test_levels(void)
{
    g_assert_cmpint(log_level_parse("warn", LOG_INFO), ==, LOG_WARN);
    g_assert_cmpint(log_level_parse("debug", LOG_INFO), ==, LOG_DEBUG);
    g_assert_cmpint(log_level_parse("loud", LOG_ERROR), ==, LOG_ERROR);
}

int
main(int argc, char **argv)
{
    g_setenv("POSTRIDER_CLOCK", "@1794735000", TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/log/lines", test_lines);
    g_test_add_func("/log/say", test_say);
    g_test_add_func("/log/rotated", test_rotated);
    g_test_add_func("/log/full-disk", test_full_disk);
    g_test_add_func("/log/unwritable", test_unwritable);
    g_test_add_func("/log/levels", test_levels);
    return g_test_run();
}
