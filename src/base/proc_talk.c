/*
 * A child whose output we want. The life of a Proc:
 *
 *   RUNS --deadline or proc_end()--> ENDING (TERM sent) --grace--> ENDING (KILL sent)
 *     '------------- child exits ----'--> its group is killed, pipes drained --> GONE
 *
 * The exit is noticed without reaping (WNOWAIT): while the zombie is there, its number can't be
 * given to another process, so the group that is killed is the child's. What has left the group
 * may still hold the pipes open, so the end of a pipe is never waited for once the child is
 * gone: what lies in it is taken, and that is all.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/proc_spawn.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define DEFAULT_GRACE_US (5 * USEC_PER_SEC)
#define CHUNK 65536
#define CHUNKS_PER_TURN 16
/* As much as a pipe can hold: more than that a dead child can't have left behind. */
#define DRAIN_CHUNKS 32

struct Proc {
    pid_t pid;
    int pidfd, in_fd, out_fd, err_fd; /* -1 once closed */
    GByteArray *input; /* what the child has not been given yet begins at written */
    size_t written;
    bool keep_input; /* its stdin stays open when all is written */
    bool walled;     /* our child is a wall, and its only child leads the session behind it */
    void (*hand_over)(void *data, const void *bytes, size_t len); /* NULL: stdout is kept */
    void *hand_data;
    GByteArray *out, *err;
    size_t out_max, err_max;
    int64_t time_us, grace_us;
    int64_t term_at_us, kill_at_us; /* USEC_NEVER: not */
    int64_t ask_at_us;              /* of proc_end_after(); USEC_NEVER: not asked */
    bool gone;
    ProcEnd end;
};

typedef struct Pipe {
    int ours, theirs;
} Pipe;

static void
pipe_clear(Pipe *p)
{
    cleanup_fd(&p->ours);
    cleanup_fd(&p->theirs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pipe, pipe_clear)

/* Only our end is non-blocking: the child knows nothing of it. */
static bool
pipe_open(bool we_read, Pipe *ret, GError **error)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return err_set_errno(error, errno, "making a pipe");
    *ret = we_read ? (Pipe){.ours = fds[0], .theirs = fds[1]}
                   : (Pipe){.ours = fds[1], .theirs = fds[0]};
    if (fcntl(ret->ours, F_SETFL, O_NONBLOCK) < 0)
        return err_set_errno(error, errno, "making a pipe");
    return true;
}

static Proc *
proc_new(const ProcSpec *spec)
{
    const ProcLimits *l = &spec->limits;
    Proc *proc = g_new0(Proc, 1);

    proc->pidfd = proc->in_fd = proc->out_fd = proc->err_fd = -1;
    proc->input = g_byte_array_new();
    if (spec->input)
        g_byte_array_append(proc->input, g_bytes_get_data(spec->input, NULL),
                            (guint)g_bytes_get_size(spec->input));
    proc->keep_input = spec->keep_input;
    proc->walled = spec->walled;
    proc->hand_over = spec->out;
    proc->hand_data = spec->out_data;
    proc->out = g_byte_array_new();
    proc->err = g_byte_array_new();
    proc->out_max = l->out_max ? l->out_max : LIMIT_PROGRAM_OUTPUT;
    proc->err_max = l->err_max ? l->err_max : LIMIT_PROGRAM_LOG;
    proc->time_us = l->time_us;
    proc->grace_us = l->grace_us ? l->grace_us : DEFAULT_GRACE_US;
    proc->term_at_us = l->time_us ? clock_mono_us() + l->time_us : USEC_NEVER;
    proc->kill_at_us = proc->ask_at_us = USEC_NEVER;
    return proc;
}

bool
proc_talk(const ProcSpec *spec, Proc **ret_proc, GError **error)
{
    g_autoptr(Proc) proc = proc_new(spec);
    g_auto(Pipe) in = {-1, -1}, out = {-1, -1}, err = {-1, -1};

    proc_init(); /* a child that closes its stdin must not end us */
    bool talks = spec->input || spec->keep_input;
    if ((talks && !pipe_open(false, &in, error)) || !pipe_open(true, &out, error) ||
        !pipe_open(true, &err, error))
        return err_prefix(error, "starting '%s'", spec->argv[0]);

    ProcStdio io = {.in = in.theirs, .out = out.theirs, .err = err.theirs};
    if (!proc_spawn(spec, &io, true, &proc->pid, &proc->pidfd, error))
        return false;
    proc->in_fd = g_steal_fd(&in.ours);
    proc->out_fd = g_steal_fd(&out.ours);
    proc->err_fd = g_steal_fd(&err.ours);
    *ret_proc = g_steal_pointer(&proc);
    return true;
}

unsigned
proc_poll(Proc *proc, struct pollfd fds[4], int64_t *ret_wait_us)
{
    int64_t next = MIN(MIN(proc->term_at_us, proc->kill_at_us), proc->ask_at_us);
    bool owed = proc->written < proc->input->len || !proc->keep_input;
    unsigned n = 0;

    *ret_wait_us = proc->gone ? 0 : USEC_NEVER;
    if (next != USEC_NEVER && !proc->gone)
        *ret_wait_us = MAX(next - clock_mono_us(), 0);
    if (proc->pidfd >= 0)
        fds[n++] = (struct pollfd){.fd = proc->pidfd, .events = POLLIN};
    if (proc->in_fd >= 0 && owed)
        fds[n++] = (struct pollfd){.fd = proc->in_fd, .events = POLLOUT};
    if (proc->out_fd >= 0)
        fds[n++] = (struct pollfd){.fd = proc->out_fd, .events = POLLIN};
    if (proc->err_fd >= 0)
        fds[n++] = (struct pollfd){.fd = proc->err_fd, .events = POLLIN};
    return n;
}

static void
shut(int *fd)
{
    cleanup_fd(fd);
    *fd = -1;
}

/* All was written: it is not needed any more, and stdin ends unless more may come. */
static void
all_fed(Proc *proc)
{
    g_byte_array_set_size(proc->input, 0);
    proc->written = 0;
    if (!proc->keep_input)
        shut(&proc->in_fd);
}

/* A child that does not read, or has closed its end, is no mistake. */
static void
feed(Proc *proc)
{
    while (proc->in_fd >= 0) {
        size_t left = proc->input->len - proc->written;

        if (left == 0) {
            all_fed(proc);
            return;
        }
        ssize_t n = write(proc->in_fd, proc->input->data + proc->written, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) {
            shut(&proc->in_fd);
            return;
        }
        proc->written += (size_t)n;
    }
}

bool
proc_feed(Proc *proc, const void *data, size_t len)
{
    if (!proc_takes_input(proc) || proc->input->len - proc->written + len > LIMIT_PROGRAM_INPUT)
        return false;
    if (proc->written > CHUNK) { /* a child that is always behind */
        g_byte_array_remove_range(proc->input, 0, (guint)proc->written);
        proc->written = 0;
    }
    g_byte_array_append(proc->input, data, (guint)len);
    feed(proc);
    return proc->in_fd >= 0;
}

void
proc_close_input(Proc *proc)
{
    proc->keep_input = false;
    feed(proc);
}

bool
proc_takes_input(const Proc *proc)
{
    return proc->in_fd >= 0 && proc->keep_input;
}

/* stdout: the first bytes. The rest is read and dropped, so that the child does not block. */
static void
keep_first(Proc *proc, const uint8_t *data, size_t len)
{
    if (proc->hand_over) {
        proc->hand_over(proc->hand_data, data, len);
        return;
    }
    size_t room = proc->out_max - MIN(proc->out->len, proc->out_max);

    g_byte_array_append(proc->out, data, (guint)MIN(len, room));
    proc->end.out_cut |= len > room;
}

/* stderr: the last bytes. Twice as many are held, so that not every read moves them. */
static void
keep_last(Proc *proc, const uint8_t *data, size_t len)
{
    g_byte_array_append(proc->err, data, (guint)len);
    if (proc->err->len > 2 * proc->err_max)
        g_byte_array_remove_range(proc->err, 0, (guint)(proc->err->len - proc->err_max));
}

/* Reads what is there, a bounded number of times: a child that never pauses must not keep the
 * caller from its other work, nor from the clock. */
static void
drink(Proc *proc, int *fd, void (*keep)(Proc *, const uint8_t *, size_t), unsigned chunks)
{
    uint8_t buf[CHUNK];

    while (*fd >= 0 && chunks > 0) {
        ssize_t n = read(*fd, buf, sizeof buf);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            shut(fd);
            return;
        }
        keep(proc, buf, (size_t)n);
        chunks--;
    }
}

/* A wall that gets TERM takes what is behind it along at once; that is to have its grace. Its first
 * process ignores the signal, as each does that is number 1 of its namespace, and ends with the rest. False:
 * there is nobody behind it yet. */
static bool
term_behind_wall(pid_t wall)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/children", (int)wall, (int)wall);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return false;
    gint64 first = g_ascii_strtoll(text, NULL, 10);
    return first > 1 && kill((pid_t)-first, SIGTERM) == 0;
}

static void
watch_clock(Proc *proc)
{
    int64_t now = clock_mono_us();

    if (now >= proc->ask_at_us)
        proc_end(proc);
    if (now >= proc->term_at_us) {
        proc->end.timed_out = true;
        proc_end(proc);
    }
    if (now >= proc->kill_at_us) {
        proc_signal_group(proc->pid, SIGKILL);
        proc->kill_at_us = USEC_NEVER;
    }
}

void
proc_end(Proc *proc)
{
    proc->term_at_us = proc->ask_at_us = USEC_NEVER;
    if (proc->gone || proc->kill_at_us != USEC_NEVER)
        return;
    if (!proc->walled || !term_behind_wall(proc->pid))
        proc_signal_group(proc->pid, SIGTERM);
    proc->kill_at_us = clock_mono_us() + proc->grace_us;
}

void
proc_end_after(Proc *proc, int64_t span_us)
{
    if (!proc->gone && proc->kill_at_us == USEC_NEVER)
        proc->ask_at_us = MIN(proc->ask_at_us, clock_mono_us() + span_us);
}

/* The child, then what is left of its group, and only then its number. A child that somebody
 * else has waited for is gone too, but nobody can say how: that is not a success. */
static bool
reap(Proc *proc)
{
    siginfo_t info = {0};
    int status = 0;

    if (waitid(P_PID, (id_t)proc->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0) {
        proc->end.status = W_EXITCODE(255, 0);
        return errno == ECHILD;
    }
    if (info.si_pid == 0)
        return false;
    proc_signal_group(proc->pid, SIGKILL);
    while (waitpid(proc->pid, &status, 0) < 0 && errno == EINTR)
        ;
    proc->end.status = status;
    return true;
}

/* The trampoline's own last words, when it was not able to become the program. */
static char *
failure_to_run(const Proc *proc)
{
    static const char sign[] = "postrider-limit: ";
    g_autofree char *err = g_strndup((const char *)proc->err->data, proc->err->len);

    if (!err || !g_str_has_prefix(err, sign))
        return NULL;
    return g_strchomp(g_strdup(err + strlen(sign)));
}

static char *
explain(const Proc *proc)
{
    int status = proc->end.status;

    if (proc->end.timed_out) {
        g_autofree char *span = clock_format_span(proc->time_us);
        return g_strdup_printf("ran longer than %s", span);
    }
    if (WIFSIGNALED(status))
        return g_strdup_printf("killed by signal %d", WTERMSIG(status));

    int code = WEXITSTATUS(status);
    g_autofree char *failure = code == 126 || code == 127 ? failure_to_run(proc) : NULL;
    if (failure)
        return g_steal_pointer(&failure);
    return code ? g_strdup_printf("exit %d", code) : NULL;
}

static void
finish(Proc *proc)
{
    drink(proc, &proc->out_fd, keep_first, DRAIN_CHUNKS);
    drink(proc, &proc->err_fd, keep_last, DRAIN_CHUNKS);
    shut(&proc->in_fd);
    shut(&proc->out_fd);
    shut(&proc->err_fd);
    shut(&proc->pidfd);
    if (proc->err->len > proc->err_max)
        g_byte_array_remove_range(proc->err, 0, (guint)(proc->err->len - proc->err_max));
    proc->gone = true;
    proc->end.why = explain(proc);
    proc->end.out = g_byte_array_free_to_bytes(g_steal_pointer(&proc->out));
    proc->end.err = g_byte_array_free_to_bytes(g_steal_pointer(&proc->err));
}

bool
proc_work(Proc *proc)
{
    if (proc->gone)
        return true;
    feed(proc);
    drink(proc, &proc->out_fd, keep_first, CHUNKS_PER_TURN);
    drink(proc, &proc->err_fd, keep_last, CHUNKS_PER_TURN);
    watch_clock(proc);
    if (!reap(proc))
        return false;
    finish(proc);
    return true;
}

const ProcEnd *
proc_result(const Proc *proc)
{
    g_assert(proc->gone);
    return &proc->end;
}

void
proc_free(Proc *proc)
{
    if (!proc)
        return;
    if (proc->pid > 0 && !proc->gone) {
        proc_signal_group(proc->pid, SIGKILL);
        while (waitpid(proc->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    shut(&proc->in_fd);
    shut(&proc->out_fd);
    shut(&proc->err_fd);
    shut(&proc->pidfd);
    g_clear_pointer(&proc->input, g_byte_array_unref);
    g_clear_pointer(&proc->out, g_byte_array_unref);
    g_clear_pointer(&proc->err, g_byte_array_unref);
    g_clear_pointer(&proc->end.out, g_bytes_unref);
    g_clear_pointer(&proc->end.err, g_bytes_unref);
    free_all(proc->end.why, proc);
}

static int
poll_timeout(int64_t wait_us)
{
    if (wait_us == USEC_NEVER)
        return -1;
    return (int)MIN(wait_us / USEC_PER_MSEC + 1, INT_MAX);
}

bool
proc_wait(Proc *proc, GError **error)
{
    struct pollfd fds[4];
    int64_t wait_us;

    while (!proc_work(proc)) {
        unsigned n = proc_poll(proc, fds, &wait_us);

        if (poll(fds, n, poll_timeout(wait_us)) < 0 && errno != EINTR)
            return err_set_errno(error, errno, "waiting for a program");
    }
    return true;
}

bool
proc_run(const ProcSpec *spec, Proc **ret_ended, GError **error)
{
    g_autoptr(Proc) proc = NULL;

    if (!proc_talk(spec, &proc, error))
        return false;
    if (!proc_wait(proc, error))
        return err_prefix(error, "'%s'", spec->argv[0]);
    *ret_ended = g_steal_pointer(&proc);
    return true;
}
