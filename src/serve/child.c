#include "serve/child.h"
#include "base/clock.h"
#include "base/secret.h"
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sysexits.h>

#define BACKOFF_FIRST_US USEC_PER_SEC
#define BACKOFF_MAX_US (60 * USEC_PER_SEC)
#define HEALTHY_US (60 * USEC_PER_SEC)
#define QUICK_US USEC_PER_SEC
#define QUICK_MAX 5

Part *
part_new(const char *verb, const char *name, const char *lock, bool stays)
{
    Part *part = g_new0(Part, 1);

    part->verb = verb;
    part->name = g_strdup(name);
    part->lock = g_strdup(lock);
    part->stays = stays;
    part->wanted = true;
    return part;
}

void
part_free(Part *part)
{
    if (!part)
        return;
    free_all(part->name, part->option, part->lock, part);
}

char *
part_title(const Part *part)
{
    return part->name ? g_strdup_printf("%s '%s'", part->verb, part->name)
                      : g_strconcat(part->spare ? "spare " : "", part->verb, NULL);
}

bool
part_may_start(const Part *part, int64_t now_us)
{
    return now_us >= part->not_before_us;
}

void
part_rests(Part *part)
{
    part->quick = 0;
}

void
part_forgive(Part *part)
{
    part->failures = 0;
    part->not_before_us = 0;
    part->refused = false;
}

static void
part_failed(Part *part, int64_t life_us, int64_t now_us)
{
    part->failures = life_us >= HEALTHY_US ? 1 : part->failures + 1;
    part->not_before_us =
        now_us + clock_backoff(BACKOFF_FIRST_US, BACKOFF_MAX_US, part->failures - 1);
}

static void
part_ended_well(Part *part, int64_t life_us, int64_t now_us)
{
    part->failures = 0;
    part->not_before_us = 0;
    part->quick = life_us < QUICK_US ? part->quick + 1 : 0;
    if (part->quick >= QUICK_MAX)
        part->not_before_us =
            now_us + clock_backoff(BACKOFF_FIRST_US, BACKOFF_MAX_US, part->quick - QUICK_MAX);
}

static char *
say_status(int status)
{
    if (WIFSIGNALED(status))
        return g_strdup_printf("killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return g_strdup_printf("exit %d", WEXITSTATUS(status));
    return NULL;
}

/* Nobody tells us the status of what is not our child; what an adopted run left, the store
 * tells. */
static void
collect(Child *child)
{
    int64_t now = clock_mono_us(), life = now - child->born_us;
    int status = 0;
    pid_t got = 0;

    if (!child->adopted)
        while ((got = waitpid(child->pid, &status, 0)) < 0 && errno == EINTR)
            ;
    child->why = got > 0 ? say_status(status) : NULL;
    child->failed = !child->kill_us && (child->why || child->part->stays);
    child->part->refused = child->failed && child->part->stays && got > 0 &&
                           WIFEXITED(status) && WEXITSTATUS(status) == EX_CONFIG;
    child->part->live--;
    if (child->failed)
        part_failed(child->part, life, now);
    else
        part_ended_well(child->part, child->kill_us ? QUICK_US : life, now);
}

static gboolean
on_gone(gint fd, GIOCondition condition, gpointer data)
{
    Child *child = data;

    child->source = 0;
    collect(child);
    child->ended(child, child->data);
    return G_SOURCE_REMOVE;
}

static Child *
child_new(Part *part, pid_t pid, int pidfd, bool adopted, ChildEnded ended, void *data)
{
    Child *child = g_new0(Child, 1);

    *child = (Child){.part = part,
                     .pid = pid,
                     .pidfd = pidfd,
                     .word_fd = -1,
                     .adopted = adopted,
                     .born_us = clock_mono_us(),
                     .ended = ended,
                     .data = data};
    child->source = g_unix_fd_add(pidfd, G_IO_IN, on_gone, child);
    part->live++;
    return child;
}

static bool
open_pipe(int *ret_read, int *ret_write, GError **error)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set_errno(error, errno, "making a pipe");
    *ret_read = ends[0];
    *ret_write = ends[1];
    return true;
}

Child *
child_start(Part *part,
            const char *program,
            const char *home,
            int in_fd,
            ChildEnded ended,
            void *data,
            GError **error)
{
    const char *argv[] = {program, "--home", home, part->verb, NULL, NULL, NULL, NULL};
    unsigned n = 4;
    /* Keys of models are for those who ask models. */
    g_auto(GStrv) env = g_str_equal(part->verb, "run") ? NULL : secret_environ();
    auto_fd theirs = -1, ours = -1;
    int pidfd;
    pid_t pid;

    if (part->spare)
        argv[n++] = "--spare";
    if (part->option)
        argv[n++] = part->option;
    argv[n] = part->name;
    env = g_environ_setenv(env ? env : g_get_environ(), PROC_NO_GNUTLS, "1", TRUE);
    bool piped = !part->spare || open_pipe(&theirs, &ours, error);
    const ProcSpec spec = {
        .argv = argv, .env = (const char *const *)env, .in_fd = in_fd, .word_fd = theirs};
    if (!piped || !proc_start(&spec, &pid, &pidfd, error)) {
        part_failed(part, 0, clock_mono_us());
        return NULL;
    }
    Child *child = child_new(part, pid, pidfd, false, ended, data);
    child->word_fd = g_steal_fd(&ours);
    return child;
}

bool
child_begin(Child *child, Part *part)
{
    if (child->word_fd < 0 || child->kill_us || write(child->word_fd, "", 1) != 1)
        return false;
    (void)close(g_steal_fd(&child->word_fd));
    child->part->live--;
    part_rests(child->part);
    child->part = part;
    part->live++;
    child->born_us = clock_mono_us();
    return true;
}

Child *
child_adopt(Part *part, const ProcIdent *ident, ChildEnded ended, void *data)
{
    int pidfd = proc_watch(ident);

    return pidfd < 0 ? NULL : child_new(part, ident->pid, pidfd, true, ended, data);
}

void
child_free(Child *child)
{
    if (!child)
        return;
    if (child->source) {
        g_source_remove(child->source);
        child->part->live--;
    }
    cleanup_fd(&child->pidfd);
    cleanup_fd(&child->word_fd);
    free_all(child->why, child);
}

/* One that a person started by hand may be in a group with others. */
static void
child_signal(const Child *child, int signal)
{
    if (getpgid(child->pid) == child->pid)
        proc_signal_group(child->pid, signal);
    else
        (void)syscall(SYS_pidfd_send_signal, child->pidfd, signal, NULL, 0);
}

void
child_end(Child *child, int64_t kill_us)
{
    if (child->kill_us)
        return;
    child->kill_us = kill_us;
    child_signal(child, SIGTERM);
}

void
child_kill(Child *child)
{
    child->kill_us = INT64_MAX;
    child_signal(child, SIGKILL);
}

void
child_kill_if_due(Child *child, int64_t now_us)
{
    if (child->kill_us && now_us >= child->kill_us)
        child_kill(child);
}
