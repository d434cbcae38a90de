#pragma once

/*
 * A lock that the kernel holds: flock on a permanent file that is never unlinked. The lock ends
 * when the last descriptor of it is closed, so a process that dies leaves none behind. The
 * holder's pid stands in the file for messages only.
 */
#include <sys/types.h>

/* Takes the lock for this process alone; closing *ret_fd gives it back. wait_ms: how long to wait
 * for another holder; 0: not at all; -1: for ever. ERR_LATER names the holder. ERR_CONFIG: the
 * lock can't be had here at all, since we may not write or the file system has no locks. */
bool lock_take(int dir_fd, const char *name, int wait_ms, int *ret_fd, GError **error);
/* Takes the lock together with any number of other processes, such as children that inherit
 * *ret_fd. Waits without limit while somebody has taken it alone. The file is made empty, so a
 * child may have the descriptor as its stdin. */
bool lock_share(int dir_fd, const char *name, int *ret_fd, GError **error);
/* True while at least one process shares the lock, or has taken it alone. */
bool lock_is_shared(int dir_fd, const char *name);
/* True while the path still names the inode that we hold. */
bool lock_holds(int dir_fd, const char *name, int fd);
/* The pid in the file, 0 when unknown. */
pid_t lock_holder(int dir_fd, const char *name);
/* True when somebody holds the lock. Writes nothing, so it may be asked of a home that is
 * read-only. */
bool lock_is_held(int dir_fd, const char *name);
