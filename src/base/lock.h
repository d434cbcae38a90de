#pragma once

/*
 * A lock that the kernel holds: flock on a permanent file that is never unlinked. The holder's
 * pid stands in the file for messages only. wait_ms 0: try once; -1: for ever. ERR_LATER names
 * the holder; ERR_CONFIG: it can't be had here at all (no right to write, no locks).
 */
#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

bool lock_take(int dir_fd, const char *name, int wait_ms, int *ret_fd, GError **error);
/* Shared with whoever inherits *ret_fd, for as long as one of them has it open;
 * lock_is_shared() is false once nobody has. An empty file, so that it can be anybody's
 * stdin. */
bool lock_share(int dir_fd, const char *name, int *ret_fd, GError **error);
bool lock_is_shared(int dir_fd, const char *name);
/* True while the path still names the inode that we hold. */
bool lock_holds(int dir_fd, const char *name, int fd);
/* The pid in the file, 0 when unknown. */
pid_t lock_holder(int dir_fd, const char *name);
/* True when somebody holds the lock. Writes nothing, so it may be asked of a home that is
 * read-only. */
bool lock_is_held(int dir_fd, const char *name);
