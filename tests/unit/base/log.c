#include "base/log.h"
#include "tmpdir.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define OLD_FILES 4

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

        (void)log_init("run", LOG_NONE, file, LOG_INFO, OLD_FILES);
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

    (void)log_init("account main", LOG_NONE, file, LOG_DEBUG, OLD_FILES);
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

    (void)log_init("run", LOG_NONE, file, LOG_INFO, OLD_FILES);
    log_say(LOG_INFO, "first");
    g_assert_cmpint(renameat(dir.fd, "log", dir.fd, "log.1"), ==, 0);
    log_say(LOG_INFO, "second");

    g_autofree char *text = tmpdir_read(&dir, "log");
    g_assert_nonnull(strstr(text, "second"));
    g_assert_null(strstr(text, "first"));
}

#define WRITERS 4
#define LINES_EACH 500

static void
write_many(const char *file, int who)
{
    g_autofree char *filler = g_strnfill(8000, 'x');

    (void)log_init("run", LOG_NONE, file, LOG_INFO, OLD_FILES);
    for (int i = 0; i < LINES_EACH; i++) {
        g_autofree char *n = g_strdup_printf("%d-%d", who, i);
        log_event(LOG_INFO, filler, "n", n, NULL);
    }
    _exit(0);
}

/* Every line of all files, whole. */
static void
count_lines(const char *file, unsigned n, GHashTable *seen)
{
    g_autofree char *name = log_old_name(file, n);
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(name, &text, NULL, NULL));
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);
    for (char **line = all; **line; line++) {
        const char *last = strstr(*line, "x n=");
        g_assert_true(g_str_has_prefix(*line, "t=2026-11-15T09:30:00.000Z ") && last);
        g_assert_cmpuint(strspn(last + 4, "0123456789-"), ==, strlen(last + 4));
        g_assert_true(g_hash_table_add(seen, g_strdup(last)));
    }
}

/* Processes that share a file rotate it among themselves: no line is lost, torn or written twice. */
static void
test_shared(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *file = tmpdir_path(&dir, "log");
    g_autofree char *too_old = log_old_name(file, OLD_FILES + 1);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    unsigned n = 0;
    int status;

    for (int who = 0; who < WRITERS; who++) {
        if (fork() == 0)
            write_many(file, who);
    }
    while (wait(&status) > 0)
        g_assert_cmpint(status, ==, 0);
    for (; n <= OLD_FILES; n++) {
        g_autofree char *name = log_old_name(file, n);
        if (!g_file_test(name, G_FILE_TEST_EXISTS))
            break;
        count_lines(file, n, seen);
    }
    g_assert_cmpuint(n, >=, 2); /* whoever rotates may be slow, and the file full for long */
    g_assert_cmpuint(g_hash_table_size(seen), ==, WRITERS * LINES_EACH);
    /* More of it goes from the old end, and never takes more room. */
    g_autofree char *filler = g_strnfill(LOG_FILE_MAX - 200, 'y');
    (void)log_init("run", LOG_NONE, file, LOG_INFO, OLD_FILES);
    for (int i = 0; i < OLD_FILES + 2; i++)
        log_event(LOG_INFO, filler, NULL);
    g_assert_false(g_file_test(too_old, G_FILE_TEST_EXISTS));
    /* Who keeps fewer finds no more than those. */
    (void)log_init("run", LOG_NONE, file, LOG_INFO, 2);
    log_event(LOG_INFO, filler, NULL);
    for (n = 0; n <= OLD_FILES; n++) {
        g_autofree char *name = log_old_name(file, n);
        g_assert_cmpint(g_file_test(name, G_FILE_TEST_EXISTS), ==, n <= 2);
    }
}

/* While another process rotates, nobody else does; nobody waits for it either. */
static void
test_one_rotates(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *file = tmpdir_path(&dir, "log");
    g_autofree char *old = log_old_name(file, 1);
    int other = open(file, O_CREAT | O_WRONLY, 0600);

    g_assert_cmpint(ftruncate(other, LOG_FILE_MAX), ==, 0);
    g_assert_cmpint(flock(other, LOCK_EX), ==, 0);
    (void)log_init("run", LOG_NONE, file, LOG_INFO, OLD_FILES);
    log_say(LOG_INFO, "first");
    g_assert_false(g_file_test(old, G_FILE_TEST_EXISTS));
    (void)close(other);
    log_say(LOG_INFO, "second");
    g_assert_true(g_file_test(old, G_FILE_TEST_EXISTS));
    g_autofree char *text = tmpdir_read(&dir, "log");
    g_assert_nonnull(strstr(text, "second"));
    g_assert_null(strstr(text, "first"));
}

/* stderr has its lines beside the file, unless it shall have none. */
static void
test_both(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *file = tmpdir_path(&dir, "log");
    g_autofree char *other = tmpdir_path(&dir, "err");
    int saved = dup(STDERR_FILENO), fd = open(other, O_CREAT | O_WRONLY, 0600);

    g_assert_cmpint(dup2(fd, STDERR_FILENO), ==, STDERR_FILENO);
    g_assert_true(log_init("run", LOG_WARN, file, LOG_INFO, OLD_FILES));
    log_say(LOG_INFO, "file");
    log_say(LOG_WARN, "both");
    g_assert_false(log_init("run", LOG_INFO, "/nonexistent/log", LOG_INFO, OLD_FILES));
    log_say(LOG_INFO, "alone");
    g_assert_cmpint(dup2(saved, STDERR_FILENO), ==, STDERR_FILENO);
    (void)close(saved);
    (void)close(fd);
    g_autofree char *text = tmpdir_read(&dir, "log"), *err = tmpdir_read(&dir, "err");
    g_autofree char *in_file = without_stamp(text), *in_err = without_stamp(err);
    g_assert_cmpstr(in_file, ==,
                    "level=info prog=run msg=file\nlevel=warn prog=run msg=both\n");
    g_assert_cmpstr(in_err, ==,
                    "level=warn prog=run msg=both\nlevel=info prog=run msg=alone\n");
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
    (void)log_init("run", LOG_NONE, file, LOG_INFO, OLD_FILES);
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
    (void)log_init("run", LOG_NONE, "/nonexistent/log", LOG_INFO, OLD_FILES);
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
    g_test_add_func("/log/shared", test_shared);
    g_test_add_func("/log/one-rotates", test_one_rotates);
    g_test_add_func("/log/both", test_both);
    g_test_add_func("/log/full-disk", test_full_disk);
    g_test_add_func("/log/unwritable", test_unwritable);
    g_test_add_func("/log/levels", test_levels);
    return g_test_run();
}
