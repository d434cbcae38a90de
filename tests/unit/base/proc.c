#include "base/proc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "tmpdir.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#define SH(script) ((const char *const[]){"/bin/sh", "-c", script, NULL})

static Proc *
run(ProcSpec spec)
{
    g_autoptr(GError) error = NULL;
    Proc *proc = NULL;

    proc_run(&spec, &proc, &error);
    g_assert_no_error(error);
    return proc;
}

static char *
text_of(GBytes *bytes)
{
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);

    return g_strndup(data ? data : "", len);
}

static const struct {
    const char *script, *input;
    const char *want_out, *want_err, *want_why;
} cases[] = {
    {"echo out; echo err >&2", NULL, "out\n", "err\n", NULL},
    {"cat", "hello", "hello", "", NULL},
    {"cat", NULL, "", "", NULL},
    {"exit 3", NULL, "", "", "exit 3"},
    {"kill -9 $$", NULL, "", "", "killed by signal 9"},
    {"exit 127", NULL, "", "", "exit 127"},
    {"exit 0", "never read", "", "", NULL},
    {"exec <&-; echo closed", "never read", "closed\n", "", NULL},
};

static void
test_cases(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *input = cases[i].input;
        g_autoptr(GBytes) bytes = input ? g_bytes_new_static(input, strlen(input)) : NULL;
        g_autoptr(Proc) proc = run((ProcSpec){.argv = SH(cases[i].script), .input = bytes});
        const ProcEnd *end = proc_result(proc);
        g_autofree char *out = text_of(end->out), *err = text_of(end->err);

        g_assert_cmpstr(out, ==, cases[i].want_out);
        g_assert_cmpstr(err, ==, cases[i].want_err);
        g_assert_cmpstr(end->why, ==, cases[i].want_why);
        g_assert_false(end->timed_out);
        g_assert_false(end->out_cut);
    }
}

static void
test_not_found(void)
{
    static const char *const argvs[][2] = {{"/nonexistent/prog", NULL},
                                           {"no-such-program-here", NULL}};

    for (size_t i = 0; i < G_N_ELEMENTS(argvs); i++) {
        g_autoptr(Proc) proc = run((ProcSpec){.argv = argvs[i]});
        g_autofree char *want =
            g_strdup_printf("can't run '%s': No such file or directory", argvs[i][0]);

        g_assert_cmpstr(proc_result(proc)->why, ==, want);
        g_assert_cmpint(WEXITSTATUS(proc_result(proc)->status), ==, 127);
    }
}

static void
test_no_folder(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Proc) proc = NULL;
    ProcSpec spec = {.argv = SH("true"), .cwd = "/nonexistent"};

    g_assert_false(proc_run(&spec, &proc, &error));
    g_assert_cmpstr(error->message, ==,
                    "starting '/bin/sh' in '/nonexistent': No such file or directory");
}

/* The child's own PATH decides, and it sees nothing of our environment. */
static void
test_environment(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *path = g_strdup_printf("PATH=%s:/usr/bin:/bin", dir.path);
    const char *const env[] = {path, "ONLY=this", NULL};
    const char *const argv[] = {"our-tool", "arg", NULL};

    tmpdir_write(&dir, "our-tool", "#!/bin/sh\npwd\necho $1 $ONLY $SECRET\n", 0700);
    g_setenv("SECRET", "leaked", TRUE);
    g_autoptr(Proc) proc = run((ProcSpec){.argv = argv, .env = env, .cwd = dir.path});
    g_unsetenv("SECRET");
    g_autofree char *out = text_of(proc_result(proc)->out);
    g_autofree char *want = g_strdup_printf("%s\narg this\n", dir.path);
    g_assert_cmpstr(out, ==, want);
}

/* 100 MB in, 4 MB kept, and the child was not blocked: it ran to its end. */
static void
test_output_cap(void)
{
    g_autoptr(Proc) proc =
        run((ProcSpec){.argv = SH("head -c 104857600 /dev/zero; echo done >&2")});
    const ProcEnd *end = proc_result(proc);
    g_autofree char *err = text_of(end->err);

    g_assert_null(end->why);
    g_assert_true(end->out_cut);
    g_assert_cmpuint(g_bytes_get_size(end->out), ==, LIMIT_PROGRAM_OUTPUT);
    g_assert_cmpstr(err, ==, "done\n");
}

static void
test_exact_cap(void)
{
    static const struct {
        size_t max;
        bool want_cut;
    } caps[] = {{5, false}, {4, true}, {6, false}};

    for (size_t i = 0; i < G_N_ELEMENTS(caps); i++) {
        g_autoptr(Proc) proc =
            run((ProcSpec){.argv = SH("printf 12345"), .limits = {.out_max = caps[i].max}});

        g_assert_true(proc_result(proc)->out_cut == caps[i].want_cut);
        g_assert_cmpuint(g_bytes_get_size(proc_result(proc)->out), ==,
                         MIN(caps[i].max, (size_t)5));
    }
}

/* Of stderr the end is kept: that is where the reason stands. */
static void
test_error_tail(void)
{
    g_autoptr(Proc) proc =
        run((ProcSpec){.argv = SH("head -c 1000000 /dev/zero >&2; printf END >&2"),
                       .limits = {.err_max = 10}});
    GBytes *err = proc_result(proc)->err;

    g_assert_cmpuint(g_bytes_get_size(err), ==, 10);
    g_assert_cmpmem((const char *)g_bytes_get_data(err, NULL) + 7, 3, "END", 3);
}

static void
test_time_limit(void)
{
    g_autoptr(Proc) proc =
        run((ProcSpec){.argv = SH("sleep 1000"), .limits = {.time_us = 50 * USEC_PER_MSEC}});

    g_assert_true(proc_result(proc)->timed_out);
    g_assert_cmpstr(proc_result(proc)->why, ==, "ran longer than 50 ms");
    g_assert_cmpint(WTERMSIG(proc_result(proc)->status), ==, SIGTERM);
}

static void
test_ignores_term(void)
{
    int64_t limit = 100 * USEC_PER_MSEC;
    int signal = SIGTERM;

    /* On a busy machine the shell may not have come to its first command yet. */
    for (; signal == SIGTERM && limit < 20 * USEC_PER_SEC; limit *= 4) {
        int64_t before = clock_mono_us();
        g_autoptr(Proc) proc =
            run((ProcSpec){.argv = SH("trap '' TERM; while :; do sleep 1000; done"),
                           .limits = {.time_us = limit, .grace_us = 100 * USEC_PER_MSEC}});

        g_assert_true(proc_result(proc)->timed_out);
        g_assert_cmpint(clock_mono_us() - before, <, limit + 10 * USEC_PER_SEC);
        signal = WTERMSIG(proc_result(proc)->status);
    }
    g_assert_cmpint(signal, ==, SIGKILL);
}

/* A child of the child keeps the pipe open; once within the group, once out of it. */
static void
test_grandchild(void)
{
    static const char *const scripts[] = {
        "sleep 1000 & echo $!",
        "said=$(mktemp -u); mkfifo \"$said\"; "
        "setsid sh -c 'echo $$; : >\"$0\"; exec sleep 1000' \"$said\" & "
        "cat \"$said\"; rm \"$said\"",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
        int64_t before = clock_mono_us();
        g_autoptr(Proc) proc = run((ProcSpec){.argv = SH(scripts[i])});
        g_autofree char *out = text_of(proc_result(proc)->out);
        pid_t pid = (pid_t)g_ascii_strtoll(out, NULL, 10);

        g_assert_null(proc_result(proc)->why);
        g_assert_cmpint(clock_mono_us() - before, <, 10 * USEC_PER_SEC);
        g_assert_cmpint(pid, >, 1);
        (void)kill(pid, SIGKILL); /* the one that left the group */
    }
}

/* The group is gone with its leader, even where the leader ended well. */
static void
test_group_killed(void)
{
    g_autoptr(Proc) proc = run((ProcSpec){.argv = SH("sleep 1000 & echo $!")});
    g_autofree char *out = text_of(proc_result(proc)->out);
    ProcIdent left = {.pid = (pid_t)g_ascii_strtoll(out, NULL, 10)};

    if (!proc_ident_of(left.pid, &left))
        return;
    auto_fd fd = proc_watch(&left);
    struct pollfd gone = {.fd = fd, .events = POLLIN};
    g_assert_true(fd < 0 || poll(&gone, 1, 60000) == 1);
}

/* More than a pipe holds, to a child that does not read: no side waits for the other. */
static void
test_stdin_never_read(void)
{
    size_t len = 10 << 20;
    g_autoptr(GBytes) input = g_bytes_new_take(g_strnfill(len, 'x'), len);
    g_autoptr(Proc) silent = run((ProcSpec){
        .argv = SH("sleep 0.05; echo done"), .input = input, .limits = {.time_us = 20000000}});
    g_autoptr(Proc) echo =
        run((ProcSpec){.argv = SH("cat"), .input = input, .limits = {.out_max = 20 << 20}});
    g_autofree char *out = text_of(proc_result(silent)->out);

    g_assert_cmpstr(out, ==, "done\n");
    g_assert_cmpuint(g_bytes_get_size(proc_result(echo)->out), ==, len);
}

static void
test_limits_set(void)
{
    g_autoptr(Proc) proc =
        run((ProcSpec){.argv = SH("ulimit -v; ulimit -f; ulimit -n; ulimit -c; ulimit -H -v"),
                       .limits = {.memory = 1 << 30, .file_size = 1 << 20, .open_files = 64}});
    g_autofree char *out = text_of(proc_result(proc)->out);

    g_assert_cmpstr(out, ==, "1048576\n2048\n64\n0\n1048576\n");

    g_autoptr(Proc) hungry = run((ProcSpec){
        .argv = SH("head -c 10000000 /dev/zero > /dev/null; x=$(head -c 300000000 /dev/zero "
                   "| tr '\\0' x); echo ${#x}"),
        .limits = {.memory = 100 << 20}});
    g_assert_nonnull(proc_result(hungry)->why);
}

static void
test_default_limits(void)
{
    g_autoptr(Proc) proc = run((ProcSpec){.argv = SH("ulimit -n; ulimit -c")});
    g_autofree char *out = text_of(proc_result(proc)->out);

    g_assert_cmpstr(out, ==, "1024\n0\n");
}

/* The hex number behind a name in /proc/PID/status. */
static uint64_t
mask_of(const char *status, const char *name)
{
    const char *p = strstr(status, name);

    g_assert_nonnull(p);
    return g_ascii_strtoull(p + strlen(name), NULL, 16);
}

/* A descriptor that somebody forgot to mark does not reach the child, nor do our
 * signal settings. Signals 32 and 33 are glibc's own; every posix_spawn ignores them. */
static void
test_nothing_inherited(void)
{
    const uint64_t of_glibc = UINT64_C(3) << 31;
    int careless = open("/etc/passwd", O_RDONLY); /* no O_CLOEXEC */
    int high = fcntl(careless, F_DUPFD, 200);
    sigset_t block, before;

    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &block, &before);
    g_autoptr(Proc) files = run((ProcSpec){.argv = SH("exec ls /proc/self/fd")});
    g_autoptr(Proc) signals = run((ProcSpec){.argv = SH("exec cat /proc/self/status")});
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)close(careless);
    (void)close(high);

    g_autofree char *list = text_of(proc_result(files)->out);
    g_autofree char *status = text_of(proc_result(signals)->out);
    g_assert_cmpstr(list, ==, "0\n1\n2\n3\n"); /* 3 is the folder that ls reads */
    g_assert_cmphex(mask_of(status, "SigBlk:"), ==, 0);
    g_assert_cmphex(mask_of(status, "SigIgn:") & ~of_glibc, ==, 0);
}

static void
test_end(void)
{
    g_autoptr(Proc) proc = NULL;
    ProcSpec spec = {.argv = SH("echo up; exec sleep 1000")};
    struct pollfd fds[4];
    int64_t wait_us;

    g_assert_true(proc_talk(&spec, &proc, NULL));
    g_assert_false(proc_work(proc));
    g_assert_cmpuint(proc_poll(proc, fds, &wait_us), ==, 3);
    g_assert_cmpint(wait_us, ==, USEC_NEVER);
    proc_end(proc);
    g_assert_cmpuint(proc_poll(proc, fds, &wait_us), ==, 3);
    g_assert_cmpint(wait_us, <=, 5 * USEC_PER_SEC);
    while (!proc_work(proc))
        (void)poll(fds, proc_poll(proc, fds, &wait_us), (int)(wait_us / USEC_PER_MSEC) + 1);
    g_assert_cmpstr(proc_result(proc)->why, ==, "killed by signal 15");
    g_assert_true(proc_work(proc));
    g_assert_cmpuint(proc_poll(proc, fds, &wait_us), ==, 0);
}

/* Letting go of a Proc ends what it stands for. */
static void
test_free_kills(void)
{
    ProcSpec spec = {.argv = SH("sleep 1000")};
    Proc *proc = NULL;
    struct pollfd fds[4];
    int64_t wait_us;

    g_assert_true(proc_talk(&spec, &proc, NULL));
    g_assert_cmpuint(proc_poll(proc, fds, &wait_us), ==, 3);
    /* The first is a pidfd: readable once the process is gone. */
    auto_fd pidfd = fcntl(fds[0].fd, F_DUPFD_CLOEXEC, 3);
    struct pollfd gone = {.fd = pidfd, .events = POLLIN};
    g_assert_cmpint(poll(&gone, 1, 0), ==, 0);
    proc_free(proc);
    g_assert_cmpint(poll(&gone, 1, 0), ==, 1);
}

static void
test_start(void)
{
    ProcSpec plain = {.argv = SH("exit 7")};
    ProcSpec limited = {.argv = SH("test $(ulimit -n) = 50 && exit 8"),
                        .limits = {.open_files = 50}};
    ProcSpec missing = {.argv = (const char *const[]){"/nonexistent/prog", NULL}};
    g_autoptr(GError) error = NULL;
    const ProcSpec *const specs[] = {&plain, &limited};

    for (size_t i = 0; i < G_N_ELEMENTS(specs); i++) {
        auto_fd pidfd = -1;
        pid_t pid;
        int status;

        g_assert_true(proc_start(specs[i], &pid, &pidfd, NULL));
        g_assert_cmpint(getpgid(pid), ==, pid);
        struct pollfd ready = {.fd = pidfd, .events = POLLIN};
        g_assert_cmpint(poll(&ready, 1, 10000), ==, 1);
        g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
        g_assert_cmpint(WEXITSTATUS(status), ==, 7 + (int)i);
    }
    pid_t pid;
    int pidfd;
    g_assert_false(proc_start(&missing, &pid, &pidfd, &error));
    g_assert_cmpstr(error->message, ==,
                    "starting '/nonexistent/prog': No such file or directory");
}

static void
test_ident(void)
{
    ProcIdent self, other;

    g_assert_true(proc_ident_self(&self));
    g_assert_cmpint(self.pid, ==, getpid());
    g_assert_true(proc_alive(&self));
    auto_fd watched = proc_watch(&self);
    g_assert_cmpint(watched, >=, 0);

    other = self;
    other.start_time++;
    g_assert_false(proc_alive(&other));
    g_assert_cmpint(proc_watch(&other), ==, -1);
    g_assert_false(proc_ident_of(0, &other));
    g_assert_false(proc_ident_of(INT32_MAX, &other));
    g_assert_cmpuint(strlen(proc_boot_id()), ==, 36);
    g_assert_cmpuint(strlen(proc_host()), >, 0);
}

static void
test_zombie(void)
{
    ProcIdent ident;
    pid_t pid = fork();
    siginfo_t info;

    if (pid == 0)
        _exit(0);
    g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), ==, 0);
    g_assert_false(proc_ident_of(pid, &ident));
    g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

static void
test_helper(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *want = tmpdir_path(&dir, "postrider-limit");
    const char *old = g_getenv("POSTRIDER_LIBEXEC");

    g_autofree char *found = proc_helper_path("postrider-limit", NULL);
    g_assert_nonnull(found);
    tmpdir_write(&dir, "postrider-limit", "#!/bin/sh\n", 0700);
    g_autofree char *kept = g_strdup(old);
    g_setenv("POSTRIDER_LIBEXEC", dir.path, TRUE);
    g_autofree char *other = proc_helper_path("postrider-limit", NULL);
    if (kept)
        g_setenv("POSTRIDER_LIBEXEC", kept, TRUE);
    else
        g_unsetenv("POSTRIDER_LIBEXEC");
    g_assert_cmpstr(other, ==, want);
    g_assert_null(proc_helper_path("no-such-helper", &error));
    g_assert_true(err_is(error, ERR_CONFIG));
}

/* With all three closed, no file of ours becomes 0, 1 or 2, and a closed stdout still
 * fails. */
static void
test_init_closed(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        (void)close(0);
        (void)close(1);
        (void)close(2);
        proc_init();
        if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 3)
            _exit(1);
        if (write(1, "x", 1) != -1 || errno != EBADF)
            _exit(2);
        _exit(0);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
}

static unsigned
count_fds(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    unsigned n = 0;

    while (g_dir_read_name(dir))
        n++;
    return n;
}

static void
test_no_leaks(void)
{
    unsigned before = count_fds();

    for (int i = 0; i < 20; i++) {
        g_autoptr(GBytes) input = g_bytes_new_static("x", 1);
        g_autoptr(Proc) good = run((ProcSpec){.argv = SH("cat"), .input = input});
        ProcSpec bad = {.argv = SH("true"), .cwd = "/nonexistent", .input = input};
        Proc *none = NULL;

        g_assert_null(proc_result(good)->why);
        g_assert_false(proc_talk(&bad, &none, NULL));
    }
    g_assert_cmpuint(count_fds(), ==, before);
}

/* --- a program that is fed and read as it goes --- */

typedef struct Talk {
    Proc *proc;
    GString *heard;
} Talk;

/* Answers each line with another, from within the loop; closes after the third. */
static void
hear(void *data, const void *bytes, size_t len)
{
    Talk *t = data;

    g_string_append_len(t->heard, bytes, (gssize)len);
    if (g_str_has_suffix(t->heard->str, "3\n"))
        proc_close_input(t->proc);
    else if (g_str_has_suffix(t->heard->str, "\n"))
        g_assert_true(proc_feed(t->proc, t->heard->len < 4 ? "2\n" : "3\n", 2));
}

static void
test_feed(void)
{
    static const char *const argv[] = {"cat", NULL};
    g_autoptr(GBytes) input = g_bytes_new_static("1\n", 2);
    g_autoptr(GString) heard = g_string_new(NULL);
    Talk talk = {.heard = heard};
    const ProcSpec spec = {
        .argv = argv, .input = input, .keep_input = true, .out = hear, .out_data = &talk};

    g_assert_true(proc_talk(&spec, &talk.proc, NULL));
    g_assert_true(proc_takes_input(talk.proc));
    while (!proc_work(talk.proc)) {
        struct pollfd fds[4];
        int64_t wait_us;
        unsigned n = proc_poll(talk.proc, fds, &wait_us);
        g_assert_cmpint(wait_us, ==, USEC_NEVER);
        g_assert_cmpint(poll(fds, n, -1), >, 0);
    }
    g_assert_cmpstr(heard->str, ==, "1\n2\n3\n");
    g_assert_null(proc_result(talk.proc)->why);
    g_assert_cmpuint(g_bytes_get_size(proc_result(talk.proc)->out), ==, 0);
    g_assert_false(proc_feed(talk.proc, "4\n", 2));
    proc_free(talk.proc);
}

/* What a child does not read waits, up to a cap. */
static void
test_feed_cap(void)
{
    static const char *const argv[] = {"sleep", "600", NULL};
    const ProcSpec spec = {.argv = argv, .keep_input = true};
    g_autofree char *chunk = g_malloc0(1u << 20);
    g_autoptr(Proc) proc = NULL;
    unsigned fed = 0;

    g_assert_true(proc_talk(&spec, &proc, NULL));
    while (fed < 100 && proc_feed(proc, chunk, 1u << 20))
        fed++;
    g_assert_cmpuint(fed, ==, LIMIT_PROGRAM_INPUT >> 20);
}

/* Asked to end after a while: not sooner, and not if it is gone by then. */
static void
test_end_after(void)
{
    static const char *const argv[] = {"sleep", "600", NULL};
    const ProcSpec spec = {.argv = argv};
    g_autoptr(Proc) proc = NULL;
    int64_t begun = clock_mono_us();

    g_assert_true(proc_talk(&spec, &proc, NULL));
    proc_end_after(proc, 100 * USEC_PER_MSEC);
    while (!proc_work(proc)) {
        struct pollfd fds[4];
        int64_t wait_us;
        unsigned n = proc_poll(proc, fds, &wait_us);
        g_assert_cmpint(wait_us, <=, 5 * USEC_PER_SEC);
        g_assert_true(poll(fds, n, (int)(wait_us / USEC_PER_MSEC) + 1) >= 0);
    }
    g_assert_cmpint(clock_mono_us() - begun, >=, 100 * USEC_PER_MSEC);
    g_assert_cmpstr(proc_result(proc)->why, ==, "killed by signal 15");
}

int
main(int argc, char **argv)
{
    proc_init();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/proc/cases", test_cases);
    g_test_add_func("/proc/not-found", test_not_found);
    g_test_add_func("/proc/no-folder", test_no_folder);
    g_test_add_func("/proc/environment", test_environment);
    g_test_add_func("/proc/output-cap", test_output_cap);
    g_test_add_func("/proc/exact-cap", test_exact_cap);
    g_test_add_func("/proc/error-tail", test_error_tail);
    g_test_add_func("/proc/time-limit", test_time_limit);
    g_test_add_func("/proc/ignores-term", test_ignores_term);
    g_test_add_func("/proc/grandchild", test_grandchild);
    g_test_add_func("/proc/group-killed", test_group_killed);
    g_test_add_func("/proc/stdin-never-read", test_stdin_never_read);
    g_test_add_func("/proc/limits-set", test_limits_set);
    g_test_add_func("/proc/default-limits", test_default_limits);
    g_test_add_func("/proc/nothing-inherited", test_nothing_inherited);
    g_test_add_func("/proc/feed", test_feed);
    g_test_add_func("/proc/feed-cap", test_feed_cap);
    g_test_add_func("/proc/end-after", test_end_after);
    g_test_add_func("/proc/end", test_end);
    g_test_add_func("/proc/free-kills", test_free_kills);
    g_test_add_func("/proc/start", test_start);
    g_test_add_func("/proc/ident", test_ident);
    g_test_add_func("/proc/zombie", test_zombie);
    g_test_add_func("/proc/helper", test_helper);
    g_test_add_func("/proc/init-closed", test_init_closed);
    g_test_add_func("/proc/no-leaks", test_no_leaks);
    return g_test_run();
}
