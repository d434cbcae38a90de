#include "store/gate.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The alarm repeats: one that comes between two looks at the clock would else be lost. */
#define ALARM_EVERY_MS 50

struct Gate {
    char *path;
    int fd; /* -1: not open */
    dev_t dev;
    ino_t ino; /* of fd */
};

Gate *
gate_new(const char *path)
{
    Gate *gate = g_new0(Gate, 1);

    gate->path = g_strdup(path);
    gate->fd = -1;
    return gate;
}

void
gate_free(Gate *gate)
{
    if (!gate)
        return;
    cleanup_fd(&gate->fd);
    free_all(gate->path, gate);
}

static bool
gate_open(Gate *gate, GError **error)
{
    struct stat st;

    cleanup_fd(&gate->fd);
    gate->fd = open(gate->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (gate->fd >= 0 && fstat(gate->fd, &st) == 0) {
        gate->dev = st.st_dev;
        gate->ino = st.st_ino;
        return true;
    }
    int errnum = errno;
    cleanup_fd(&gate->fd);
    gate->fd = -1;
    if (errnum == EACCES || errnum == EROFS || errnum == EPERM || errnum == ENOENT)
        return err_set(error, ERR_CONFIG, "can't write '%s': %s", gate->path,
                       g_strerror(errnum));
    return err_set_errno(error, errnum, "can't write '%s'", gate->path);
}

/* The path may name another file by now: then we hold a lock that nobody else looks at. */
static bool
is_current(const Gate *gate)
{
    struct stat named;

    return stat(gate->path, &named) == 0 && named.st_dev == gate->dev &&
           named.st_ino == gate->ino;
}

/* Some file systems number devices otherwise in /proc/locks than in stat(2) (btrfs, overlays):
 * an equal inode number is enough for a message, an equal device is preferred. */
static pid_t
holder(const Gate *gate)
{
    g_autoptr(FILE) locks = fopen("/proc/locks", "re");
    struct stat st;
    char line[256];
    pid_t found = 0;

    if (!locks || fstat(gate->fd, &st) < 0)
        return 0;
    while (fgets(line, sizeof line, locks)) {
        unsigned dev_major, dev_minor;
        uint64_t inode;
        int pid;

        /* NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers, which fit */
        if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%" SCNu64, &pid, &dev_major, &dev_minor,
                   &inode) != 4 ||
            inode != st.st_ino || pid <= 0)
            continue;
        found = pid;
        if (dev_major == major(st.st_dev) && dev_minor == minor(st.st_dev))
            break;
    }
    return found;
}

static bool
set_busy(const Gate *gate, int wait_ms, GError **error)
{
    pid_t pid = holder(gate);

    if (pid > 0)
        return err_set(error, ERR_LATER,
                       "the store is busy: process %d is writing (waited %d ms)", (int)pid,
                       wait_ms);
    return err_set(error, ERR_LATER,
                   "the store is busy: another process is writing (waited %d ms)", wait_ms);
}

static bool
set_lock_error(const Gate *gate, int errnum, GError **error)
{
    if (errnum == ENOLCK || errnum == EOPNOTSUPP)
        return err_set(error, ERR_CONFIG,
                       "'%s' is on a file system without locks; keep the home on a local disk",
                       gate->path);
    return err_set_errno(error, errnum, "locking '%s'", gate->path);
}

/* A signal that ends the waiting in flock(2), which has no time limit. */
typedef struct Alarm {
    timer_t timer;
    struct sigaction old_action;
    sigset_t old_mask;
} Alarm;

static void
on_alarm(int signal)
{
    (void)signal; /* being here has ended the system call */
}

static bool
alarm_start(Alarm *alarm)
{
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct timespec every = {.tv_nsec = ALARM_EVERY_MS * 1000000L};
    struct itimerspec when = {.it_value = every, .it_interval = every};
    sigset_t mask;

    if (timer_create(CLOCK_MONOTONIC, &event, &alarm->timer) < 0)
        return false;
    sigaction(SIGALRM, &action, &alarm->old_action);
    sigemptyset(&mask);
    sigaddset(&mask, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &mask, &alarm->old_mask);
    timer_settime(alarm->timer, 0, &when, NULL);
    return true;
}

static void
alarm_stop(Alarm *alarm)
{
    int saved = errno;

    timer_delete(alarm->timer);
    pthread_sigmask(SIG_SETMASK, &alarm->old_mask, NULL);
    sigaction(SIGALRM, &alarm->old_action, NULL);
    errno = saved;
}

static int64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* 1: locked, 0: the deadline came first, -1: errno. */
static int
lock_until(int fd, int64_t deadline_ms)
{
    int rc;

    while ((rc = flock(fd, LOCK_EX)) < 0 && errno == EINTR)
        if (now_ms() >= deadline_ms)
            return 0;
    return rc == 0 ? 1 : -1;
}

static int
lock(int fd, int64_t deadline_ms)
{
    Alarm alarm;
    int rc;

    while ((rc = flock(fd, LOCK_EX | LOCK_NB)) < 0 && errno == EINTR)
        ;
    if (rc == 0)
        return 1;
    if (errno != EWOULDBLOCK)
        return -1;
    if (now_ms() >= deadline_ms)
        return 0;
    if (!alarm_start(&alarm))
        return -1;
    rc = lock_until(fd, deadline_ms);
    alarm_stop(&alarm);
    return rc;
}

bool
gate_take(Gate *gate, int wait_ms, GError **error)
{
    int64_t deadline_ms = now_ms() + wait_ms;

    if (gate->fd < 0 && !gate_open(gate, error))
        return false;
    for (;;) {
        int rc = lock(gate->fd, deadline_ms);
        if (rc < 0)
            return set_lock_error(gate, errno, error);
        if (rc == 0)
            return set_busy(gate, wait_ms, error);
        if (is_current(gate))
            return true;
        if (!gate_open(gate, error)) /* closing the old one lets it go */
            return false;
    }
}

void
gate_release(Gate *gate)
{
    (void)flock(gate->fd, LOCK_UN);
}
