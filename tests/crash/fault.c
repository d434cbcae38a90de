/*
 * fault [--at N=WHAT]... [--from N=WHAT] [--log FILE] COMMAND [ARG]...
 *
 * Runs a command and lets one of its system calls go wrong. Every call that makes something
 * last (create, write, flush, rename, link, unlink, truncate, mkdir) or tells somebody (sendto)
 * is a point; points are numbered from 1 over all processes that the command starts, in the
 * order in which they are reached. At point N the calling process is killed before the call
 * happens (WHAT: kill), or the call does not happen and fails (WHAT: EIO, ENOSPC). --log writes
 * a line for each point: number, pid, call, what it is about.
 *
 * Ends when the command and all that it started have ended, with the command's exit status, or
 * 128 and the signal that killed it. 2: could not run.
 *
 * The kernel asks us before each such call (seccomp user notification), so nothing is traced,
 * nothing else is slowed down, and no point of any process is left out.
 */
#include "base/cleanup.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "name the audit architecture of this machine"
#endif

#define CANT_RUN 2
#define NONE (-1)
#define RULE_MAX 128

typedef struct Call {
    const char *name;
    int nr, fd, path; /* which arguments say what it is about; NONE */
} Call;

#define CALL(name, fd, path)                                                                   \
    {                                                                                          \
#name, SYS_##name, fd, path                                                            \
    }
static const Call calls[] = {
    CALL(openat, 0, 1),       CALL(openat2, 0, 1),      CALL(write, 0, NONE),
    CALL(writev, 0, NONE),    CALL(pwrite64, 0, NONE),  CALL(pwritev, 0, NONE),
    CALL(fsync, 0, NONE),     CALL(fdatasync, 0, NONE), CALL(sync_file_range, 0, NONE),
    CALL(fallocate, 0, NONE), CALL(ftruncate, 0, NONE), CALL(truncate, NONE, 0),
    CALL(renameat, 2, 3),     CALL(renameat2, 2, 3),    CALL(linkat, 2, 3),
    CALL(symlinkat, 1, 2),    CALL(unlinkat, 0, 1),     CALL(mkdirat, 0, 1),
    CALL(sendto, 0, NONE),
#ifdef SYS_open /* the calls without a folder are gone on younger machines */
    CALL(open, NONE, 0),      CALL(creat, NONE, 0),     CALL(rename, NONE, 1),
    CALL(link, NONE, 1),      CALL(symlink, NONE, 1),   CALL(unlink, NONE, 0),
    CALL(mkdir, NONE, 0),     CALL(rmdir, NONE, 0),
#endif
};

typedef struct Plan {
    int64_t first, last;
    int errnum; /* 0: kill */
} Plan;

typedef struct Watch {
    int listener;
    FILE *log;      /* NULL: none */
    GArray *plans;  /* of Plan */
    int64_t points; /* reached so far */
} Watch;

static bool
die(const char *what)
{
    g_printerr("fault: %s: %s\n", what, g_strerror(errno));
    return false;
}

static const Call *
find_call(int nr)
{
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
        if (calls[i].nr == nr)
            return &calls[i];
    return NULL;
}

/* --- the child's side --- */

/* Asks about every call of the table, and about opening only where it may create. The flags of
 * openat2 are out of a filter's sight; the watcher looks at those. */
static size_t
build_filter(struct sock_filter *f)
{
    const uint32_t nr = offsetof(struct seccomp_data, nr);
    const uint32_t arch = offsetof(struct seccomp_data, arch);
    size_t n = 0;

    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arch);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, nr);
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        bool is_openat = calls[i].nr == SYS_openat;
        uint32_t flags = offsetof(struct seccomp_data, args[2]);

        f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].nr,
                                              0, is_openat ? 4 : 1);
        if (is_openat) {
            f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags);
            f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 1, 0);
            f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        }
        f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    g_assert(n <= RULE_MAX);
    return n;
}

/* Passing a descriptor is sendmsg, which is no point, so the child does not wait for itself. */
static bool
send_fd(int socket, int fd)
{
    char byte = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control};

    control.head = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    return sendmsg(socket, &msg, 0) == 1;
}

static int
receive_fd(int socket)
{
    char byte;
    int fd = -1;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control};

    if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) == 1 && msg.msg_controllen)
        memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
    return fd;
}

static G_GNUC_NORETURN void
start(int socket, char **argv)
{
    struct sock_filter rules[RULE_MAX];
    struct sock_fprog program = {.len = (unsigned short)build_filter(rules), .filter = rules};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
        if (listener >= 0 && send_fd(socket, listener) && close(listener) == 0) {
            (void)close(socket);
            (void)execvp(argv[0], argv);
        }
    }
    _exit(CANT_RUN); /* saying why would be a point of its own */
}

/* --- the watcher's side --- */

static bool
read_memory(pid_t pid, uint64_t address, void *to, size_t len)
{
    struct iovec here = {to, len};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = len}; /* theirs */

    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

/* A path is read up to its end of page at most, so that reading can't cross into nothing. */
static char *
read_path(pid_t pid, uint64_t address)
{
    char text[4096] = "";
    size_t len = sizeof text - address % sizeof text;

    if (!read_memory(pid, address, text, MIN(len, sizeof text - 1)))
        return g_strdup("?");
    return g_strdup(text);
}

static char *
read_fd(pid_t pid, int fd)
{
    if (fd == AT_FDCWD)
        return g_strdup(".");
    g_autofree char *link = g_strdup_printf("/proc/%d/fd/%d", (int)pid, fd);
    char *target = g_file_read_link(link, NULL);
    return target ? target : g_strdup_printf("fd %d", fd);
}

static char *
describe(const struct seccomp_notif *ask, const Call *call)
{
    pid_t pid = (pid_t)ask->pid;
    g_autofree char *at =
        call->fd == NONE ? g_strdup(".") : read_fd(pid, (int)ask->data.args[call->fd]);
    if (call->path == NONE)
        return g_steal_pointer(&at);
    g_autofree char *path = read_path(pid, ask->data.args[call->path]);
    return path[0] == '/' ? g_steal_pointer(&path) : g_build_filename(at, path, NULL);
}

static bool
is_point(const struct seccomp_notif *ask)
{
    struct open_how how;

    return ask->data.nr != SYS_openat2 ||
           (read_memory((pid_t)ask->pid, ask->data.args[2], &how, sizeof how) &&
            (how.flags & O_CREAT));
}

/* What shall happen at this point; NULL: nothing. */
static const Plan *
plan_for(const Watch *w, int64_t point, const char *about)
{
    for (guint i = 0; i < w->plans->len; i++) {
        const Plan *p = &g_array_index(w->plans, Plan, i);
        if (p->first <= point && point <= p->last && (!p->errnum || about[0] == '/'))
            return p;
    }
    return NULL;
}

static const Plan *
count_point(Watch *w, const struct seccomp_notif *ask)
{
    const Call *call = find_call(ask->data.nr);

    if (!is_point(ask))
        return NULL;
    w->points++;
    g_autofree char *about = describe(ask, call);
    if (w->log)
        (void)fprintf(w->log, "%" G_GINT64_FORMAT " %d %s %s\n", w->points, (int)ask->pid,
                      call->name, about);
    return plan_for(w, w->points, about);
}

/* Whoever was killed meanwhile no longer waits for an answer. */
static bool
answer(Watch *w)
{
    struct seccomp_notif ask = {0};

    if (ioctl(w->listener, SECCOMP_IOCTL_NOTIF_RECV, &ask) < 0)
        return errno == ENOENT || errno == EINTR || die("asking the kernel");
    struct seccomp_notif_resp say = {.id = ask.id};
    const Plan *plan = count_point(w, &ask);
    if (plan && !plan->errnum)
        return kill((pid_t)ask.pid, SIGKILL) == 0 || errno == ESRCH || die("killing");
    if (plan)
        say.error = -plan->errnum;
    else
        say.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    return ioctl(w->listener, SECCOMP_IOCTL_NOTIF_SEND, &say) == 0 || errno == ENOENT ||
           die("answering the kernel");
}

/* Reaps whoever has ended. False when nobody is left. */
static bool
reap(pid_t command, int *status)
{
    int ended;
    pid_t pid;

    while ((pid = waitpid(-1, &ended, WNOHANG)) > 0)
        if (pid == command)
            *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return pid == 0;
}

static int
watch(Watch *w, pid_t command, int signal_fd)
{
    int status = CANT_RUN;

    while (reap(command, &status)) {
        struct pollfd fds[] = {{.fd = w->listener, .events = POLLIN},
                               {.fd = signal_fd, .events = POLLIN}};
        struct signalfd_siginfo info;

        if (poll(fds, G_N_ELEMENTS(fds), -1) < 0 && errno != EINTR)
            return CANT_RUN;
        if (fds[1].revents & POLLIN && read(signal_fd, &info, sizeof info) < 0)
            return CANT_RUN;
        if (fds[0].revents & POLLIN) {
            if (!answer(w))
                return CANT_RUN;
        } else if (fds[0].revents & POLLHUP) {
            cleanup_fd(&w->listener); /* all have ended; what is left is to reap them */
            w->listener = -1;
        }
    }
    return status;
}

static bool
parse_plan(const char *text, bool all, GArray *plans)
{
    g_auto(GStrv) words = g_strsplit(text, "=", 2);
    Plan plan = {0};

    if (g_strv_length(words) != 2 || !text_parse_int(words[0], 1, INT64_MAX, &plan.first))
        return false;
    plan.last = all ? INT64_MAX : plan.first;
    if (g_str_equal(words[1], "EIO"))
        plan.errnum = EIO;
    else if (g_str_equal(words[1], "ENOSPC"))
        plan.errnum = ENOSPC;
    else if (!g_str_equal(words[1], "kill"))
        return false;
    g_array_append_val(plans, plan);
    return true;
}

static int
run(Watch *w, char **argv)
{
    int pair[2];
    sigset_t chld;

    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    auto_fd signal_fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    /* Orphans become our children, so that we know when the last one has ended. */
    if (signal_fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        (void)die("starting");
        return CANT_RUN;
    }
    pid_t command = fork();
    if (command == 0)
        start(pair[1], argv);
    (void)close(pair[1]);
    w->listener = command > 0 ? receive_fd(pair[0]) : -1;
    (void)close(pair[0]);
    if (w->listener < 0) {
        g_printerr("fault: the kernel gives no notifications (seccomp)\n");
        return CANT_RUN;
    }
    int status = watch(w, command, signal_fd);
    if (w->listener >= 0)
        (void)close(w->listener);
    return status;
}

int
main(int argc, char **argv)
{
    g_autoptr(GArray) plans = g_array_new(FALSE, FALSE, sizeof(Plan));
    Watch w = {.listener = -1, .plans = plans};
    int i = 1;

    for (; i + 1 < argc && g_str_has_prefix(argv[i], "--"); i += 2) {
        if (g_str_equal(argv[i], "--at") && parse_plan(argv[i + 1], false, plans))
            continue;
        if (g_str_equal(argv[i], "--from") && parse_plan(argv[i + 1], true, plans))
            continue;
        if (g_str_equal(argv[i], "--log") && !w.log && (w.log = fopen(argv[i + 1], "we")))
            continue;
        g_printerr("fault: what is '%s %s'?\n", argv[i], argv[i + 1]);
        return CANT_RUN;
    }
    if (i >= argc) {
        g_printerr(
            "usage: fault [--at|--from N=kill|EIO|ENOSPC]... [--log FILE] COMMAND [ARG]...\n");
        return CANT_RUN;
    }
    int status = run(&w, argv + i);
    if (w.log && fclose(w.log) != 0) {
        (void)die("writing the log");
        return CANT_RUN;
    }
    return status;
}
