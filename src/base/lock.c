/*
 * flock on a file that is never unlinked. Were it unlinked, a third process could lock a new
 * file of the same name while the second still waits for the old one; a name that leads
 * elsewhere after the lock was granted is therefore tried again.
 */
#include "base/lock.h"
#include "base/clock.h"
#include "base/file.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define RETRY_NS (5 * 1000 * 1000)

bool
lock_holds(int dir_fd, const char *name, int fd)
{
    struct stat held, named;

    return fstat(fd, &held) == 0 && fstatat(dir_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

pid_t
lock_holder(int dir_fd, const char *name)
{
    g_autoptr(GBytes) bytes = NULL;
    int64_t pid;

    if (!file_read(dir_fd, name, 64, &bytes, NULL) || !bytes)
        return 0;

    g_autofree char *text = text_from_bytes(bytes);
    return text_parse_int(g_strchomp(text), 1, INT32_MAX, &pid) ? (pid_t)pid : 0;
}

/* There is no flock with a time limit that leaves the process's signals alone. */
static bool
flock_within(int fd, int wait_ms)
{
    int64_t end = clock_mono_us() + wait_ms * USEC_PER_MSEC;
    int how = wait_ms < 0 ? LOCK_EX : LOCK_EX | LOCK_NB;

    while (flock(fd, how) < 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK || clock_mono_us() >= end)
            return false;
        (void)nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
    }
    return true;
}

static bool
refuse(int dir_fd, const char *name, GError **error)
{
    if (errno == ENOLCK || errno == EOPNOTSUPP)
        return err_set(error, ERR_CONFIG,
                       "'%s' is on a file system without locks; keep the home on a local disk",
                       name);
    if (errno != EWOULDBLOCK)
        return err_set_errno(error, errno, "locking '%s'", name);

    pid_t pid = lock_holder(dir_fd, name);
    if (pid == 0)
        return err_set(error, ERR_LATER, "'%s' is locked by another process", name);
    return err_set(error, ERR_LATER, "'%s' is locked by process %d", name, (int)pid);
}

/* For messages only, so nothing is flushed and a failure is none. */
static void
write_pid(int fd)
{
    g_autofree char *text = g_strdup_printf("%d\n", (int)getpid());

    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, strlen(text), 0) < 0)
        return;
}

static bool
is_locked(int dir_fd, const char *name, int against)
{
    auto_fd fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    return fd >= 0 && flock(fd, against | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* Shared: two who ask at the same moment must not take each other for the holder, whose pid in
 * the file may be that of somebody else by now. */
bool
lock_is_held(int dir_fd, const char *name)
{
    return is_locked(dir_fd, name, LOCK_SH);
}

bool
lock_is_shared(int dir_fd, const char *name)
{
    return is_locked(dir_fd, name, LOCK_EX);
}

bool
lock_share(int dir_fd, const char *name, int *ret_fd, GError **error)
{
    auto_fd fd = file_open_beneath(dir_fd, name, O_RDONLY | O_CREAT, 0600, error);

    if (fd < 0)
        return err_prefix(error, "locking '%s'", name);
    if (flock(fd, LOCK_SH) < 0)
        return refuse(dir_fd, name, error);
    *ret_fd = g_steal_fd(&fd);
    return true;
}

/* Where we may not write at all, waiting does not help: a person has to. */
static bool
refuse_open(int dir_fd, const char *name, GError **error)
{
    if (error && *error && faccessat(dir_fd, ".", W_OK, AT_EACCESS) < 0)
        (*error)->code = ERR_CONFIG;
    return err_prefix(error, "locking '%s'", name);
}

bool
lock_take(int dir_fd, const char *name, int wait_ms, int *ret_fd, GError **error)
{
    for (;;) {
        auto_fd fd = file_open_beneath(dir_fd, name, O_RDWR | O_CREAT, 0600, error);

        if (fd < 0)
            return refuse_open(dir_fd, name, error);
        if (!flock_within(fd, wait_ms))
            return refuse(dir_fd, name, error);
        if (!lock_holds(dir_fd, name, fd))
            continue;
        write_pid(fd);
        *ret_fd = g_steal_fd(&fd);
        return true;
    }
}
