#include "base/proc.h"
#include "base/file.h"
#include "base/proc_spawn.h"
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define DEFAULT_OPEN_FILES 1024

void
proc_init(void)
{
    /* The wrong direction on purpose: using a stream that was closed goes on failing. */
    static const int closed_as[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", closed_as[fd]) != fd)
            abort(); /* nothing to say it with */
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

/* A program in the build tree looks around itself: its folder, then the folders above, each
 * with the places where executables are built and installed. */
static char *
find_around(const char *self, const char *name)
{
    static const char *const below[] = {".", "src/base", "src/cli", "libexec/postrider", "bin"};
    g_autofree char *dir = g_path_get_dirname(self);

    for (int level = 0; level < 4; level++) {
        for (size_t i = 0; i < G_N_ELEMENTS(below); i++) {
            g_autofree char *place = g_build_filename(dir, below[i], name, NULL);
            g_autofree char *path = g_canonicalize_filename(place, NULL);

            if (access(path, X_OK) == 0 && !g_file_test(path, G_FILE_TEST_IS_DIR))
                return g_steal_pointer(&path);
        }
        char *up = g_path_get_dirname(dir);
        g_free(dir);
        dir = up;
    }
    return NULL;
}

char *
proc_helper_path(const char *name, GError **error)
{
    const char *env = g_getenv("POSTRIDER_LIBEXEC");
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *path = env && *env ? g_build_filename(env, name, NULL) : NULL;

    if (path && access(path, X_OK) == 0)
        return g_steal_pointer(&path);
    g_free(path);
    path = self ? find_around(self, name) : NULL;
    if (path)
        return g_steal_pointer(&path);
    path = g_build_filename(POSTRIDER_LIBEXECDIR, name, NULL);
    if (access(path, X_OK) == 0)
        return g_steal_pointer(&path);
    err_set(error, ERR_CONFIG, "'%s' is not installed beside this program", name);
    return NULL;
}

/* Field 3 (state) and field 22 (start time). The name in field 2 may hold anything, also
 * spaces and brackets, so counting begins behind its last bracket. */
static bool
parse_stat(const char *stat, char *ret_state, int64_t *ret_start)
{
    const char *p = strrchr(stat, ')');
    int field = 2;

    if (!p)
        return false;
    g_auto(GStrv) fields = g_strsplit(p, " ", 24 - field);
    if (g_strv_length(fields) <= (guint)(22 - field))
        return false;
    *ret_state = fields[3 - field][0];
    return text_parse_int(g_strchomp(fields[22 - field]), 0, INT64_MAX, ret_start);
}

bool
proc_ident_of(pid_t pid, ProcIdent *ret)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
    g_autofree char *stat = NULL;
    int64_t start;
    char state;

    if (pid <= 0 || !g_file_get_contents(path, &stat, NULL, NULL) ||
        !parse_stat(stat, &state, &start) || state == 'Z' || state == 'X')
        return false;
    *ret = (ProcIdent){.pid = pid, .start_time = start};
    return true;
}

bool
proc_ident_self(ProcIdent *ret)
{
    return proc_ident_of(getpid(), ret);
}

bool
proc_alive(const ProcIdent *ident)
{
    ProcIdent now;

    return proc_ident_of(ident->pid, &now) && now.start_time == ident->start_time;
}

bool
proc_outdated(void)
{
    static const char gone[] = " (deleted)";
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
    struct stat ours, there;

    if (path && g_str_has_suffix(path, gone))
        path[strlen(path) - strlen(gone)] = '\0';
    return path && stat("/proc/self/exe", &ours) == 0 && stat(path, &there) == 0 &&
           (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino);
}

static int
open_pidfd(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int
proc_watch(const ProcIdent *ident)
{
    auto_fd fd = open_pidfd(ident->pid);

    /* Looked at after opening: the descriptor can't change hands any more. */
    if (fd < 0 || !proc_alive(ident))
        return -1;
    return g_steal_fd(&fd);
}

const char *
proc_boot_id(void)
{
    static const char *id;
    g_autofree char *text = NULL;

    if (id)
        return id;
    if (!g_file_get_contents("/proc/sys/kernel/random/boot_id", &text, NULL, NULL))
        return id = "unknown";
    return id = g_intern_string(g_strchomp(text));
}

const char *
proc_machine_id(void)
{
    static const char *id;
    g_autofree char *text = g_strdup(g_getenv("POSTRIDER_MACHINE_ID"));

    if (id)
        return id;
    if (!text && !g_file_get_contents("/etc/machine-id", &text, NULL, NULL))
        (void)g_file_get_contents("/var/lib/dbus/machine-id", &text, NULL, NULL);
    if (text && *g_strchomp(text) && !g_str_equal(text, "uninitialized"))
        return id = g_intern_string(text);
    g_autofree char *host = g_strdup_printf(PROC_NO_MACHINE_ID " %s", proc_host());
    return id = g_intern_string(host);
}

const char *
proc_host(void)
{
    static const char *host;
    char name[HOST_NAME_MAX + 1] = "";

    if (host)
        return host;
    (void)gethostname(name, sizeof name - 1);
    g_autofree char *valid = text_make_valid(name, -1);
    return host = g_intern_string(*valid ? valid : "localhost");
}

void
proc_signal_group(pid_t pid, int signal)
{
    if (pid > 1)
        (void)kill(-pid, signal);
}

static bool
has_limits(const ProcLimits *l)
{
    return l->memory || l->file_size || l->processes || l->open_files;
}

static void
add_limit(GPtrArray *argv, const char *name, uint64_t value)
{
    if (value)
        g_ptr_array_add(argv, g_strdup_printf("%s=%" G_GUINT64_FORMAT, name, value));
}

/* The trampoline's words, then the program's own. */
static GPtrArray *
limited_argv(const char *trampoline, const ProcSpec *spec, bool dies_with_us)
{
    const ProcLimits *l = &spec->limits;
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(argv, g_strdup(trampoline));
    add_limit(argv, "as", l->memory);
    add_limit(argv, "fsize", l->file_size);
    add_limit(argv, "nproc", l->processes);
    add_limit(argv, "nofile", l->open_files ? l->open_files : DEFAULT_OPEN_FILES);
    g_ptr_array_add(argv, g_strdup("core=0"));
    if (dies_with_us)
        g_ptr_array_add(argv, g_strdup_printf("parent=%d", (int)getpid()));
    g_ptr_array_add(argv, g_strdup("--"));
    for (const char *const *word = spec->argv; *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    g_ptr_array_add(argv, NULL);
    return argv;
}

/* Own group, nothing blocked, nothing ignored: as if started from a shell. */
static void
fill_attributes(posix_spawnattr_t *attr)
{
    sigset_t none, all;

    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawnattr_setpgroup(attr, 0);
    (void)posix_spawnattr_setsigmask(attr, &none);
    (void)posix_spawnattr_setsigdefault(attr, &all);
    (void)posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
}

static int
fill_actions(posix_spawn_file_actions_t *actions, const ProcStdio *io, const char *cwd)
{
    int errnum = io->in < 0
                     ? posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
                     : posix_spawn_file_actions_adddup2(actions, io->in, 0);

    if (!errnum && io->out >= 0)
        errnum = posix_spawn_file_actions_adddup2(actions, io->out, 1);
    if (!errnum && io->err >= 0)
        errnum = posix_spawn_file_actions_adddup2(actions, io->err, 2);
    if (!errnum && io->word > 0)
        errnum = posix_spawn_file_actions_adddup2(actions, io->word, PROC_WORD_FD);
    if (!errnum)
        errnum = posix_spawn_file_actions_addclosefrom_np(
            actions, io->word > 0 ? PROC_WORD_FD + 1 : PROC_WORD_FD);
    if (!errnum && cwd)
        errnum = posix_spawn_file_actions_addchdir_np(actions, cwd);
    return errnum;
}

static int
spawn(const char *path,
      char *const *argv,
      const ProcSpec *spec,
      const ProcStdio *io,
      pid_t *ret_pid)
{
    char *const *env = spec->env ? (char *const *)spec->env : environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attr);
    fill_attributes(&attr);
    int errnum = fill_actions(&actions, io, spec->cwd);
    if (!errnum)
        errnum = posix_spawnp(ret_pid, path, &actions, &attr, argv, env);
    (void)posix_spawnattr_destroy(&attr);
    (void)posix_spawn_file_actions_destroy(&actions);
    return errnum;
}

static bool
spawn_failed(const ProcSpec *spec, int errnum, GError **error)
{
    if (spec->cwd)
        return err_set_errno(error, errnum, "starting '%s' in '%s'", spec->argv[0], spec->cwd);
    return err_set_errno(error, errnum, "starting '%s'", spec->argv[0]);
}

/* Stands in for a pidfd: the pipe becomes readable when the child has ended. Leaves it to be
 * waited for. */
static gpointer
wait_in_thread(gpointer data)
{
    g_autofree int *job = data; /* pid, write end */
    siginfo_t info;
    sigset_t all;

    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (waitid(P_PID, (id_t)job[0], &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    (void)file_write_all(job[1], "", 1, NULL);
    (void)close(job[1]);
    return NULL;
}

/* A descriptor that becomes readable when the child has ended. EPERM: a seccomp filter of a
 * container that does not know the call; valgrind does not know it either. */
static int
watch_child(pid_t pid)
{
    int ends[2], fd = open_pidfd(pid);

    if (fd >= 0 || (errno != ENOSYS && errno != EPERM) || pipe2(ends, O_CLOEXEC) < 0)
        return fd;
    int *job = g_new(int, 2);
    job[0] = pid;
    job[1] = ends[1];
    g_thread_unref(g_thread_new("wait", wait_in_thread, job));
    return ends[0];
}

bool
proc_spawn(const ProcSpec *spec,
           const ProcStdio *io,
           bool limited,
           pid_t *ret_pid,
           int *ret_pidfd,
           GError **error)
{
    /* A bare name is to be looked up in the child's PATH; posix_spawnp would use ours. */
    bool foreign_path = spec->env && !strchr(spec->argv[0], '/');
    g_autoptr(GPtrArray) long_argv = NULL;
    char *const *argv = (char *const *)spec->argv;
    pid_t pid;

    if (limited || foreign_path) {
        g_autofree char *trampoline = proc_helper_path("postrider-limit", error);

        if (!trampoline)
            return false;
        long_argv = limited_argv(trampoline, spec, io->out >= 0);
        argv = (char *const *)long_argv->pdata;
    }
    int errnum = spawn(argv[0], argv, spec, io, &pid);
    if (errnum)
        return spawn_failed(spec, errnum, error);

    /* Not yet waited for, so the number is still the child's. */
    int pidfd = watch_child(pid);
    if (pidfd < 0) {
        err_set_errno(error, errno, "watching '%s'", spec->argv[0]);
        proc_signal_group(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return false;
    }
    *ret_pid = pid;
    *ret_pidfd = pidfd;
    return true;
}

bool
proc_start(const ProcSpec *spec, pid_t *ret_pid, int *ret_pidfd, GError **error)
{
    ProcStdio io = {
        .in = spec->in_fd > 0 ? spec->in_fd : -1, .out = -1, .err = -1, .word = spec->word_fd};

    return proc_spawn(spec, &io, has_limits(&spec->limits), ret_pid, ret_pidfd, error);
}

/* --- signals --- */

static void
block_signals(const int *signals, sigset_t *ret_set, sigset_t *ret_before)
{
    sigemptyset(ret_set);
    for (; *signals; signals++)
        sigaddset(ret_set, *signals);
    sigprocmask(SIG_BLOCK, ret_set, ret_before);
}

int
proc_watch_signals(const int *signals, sigset_t *ret_before)
{
    sigset_t set;
    block_signals(signals, &set, ret_before);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
proc_hold_stop(void)
{
    sigset_t set;
    block_signals((const int[]){SIGTERM, SIGINT, 0}, &set, NULL);
}

bool
proc_asked_to_stop(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT));
}
