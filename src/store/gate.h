#pragma once

/*
 * The write gate: flock(2) on a permanent, empty file. Waiters sleep in the kernel, which wakes
 * them when the holder lets go or dies; nothing polls and nothing goes stale. A file that was
 * deleted or replaced meanwhile is noticed: a gate is held only while the path names its inode.
 */

typedef struct Gate Gate;
Gate *gate_new(const char *path); /* opens nothing yet */
void gate_free(Gate *gate);       /* lets go */

/* wait_ms 0: tries once. ERR_LATER names the process that holds it, ERR_CONFIG where the file
 * can't be made or the file system has no locks. One thread waits at a time: the end of the
 * wait comes by SIGALRM, whose handler and mask are put back afterwards. */
bool gate_take(Gate *gate, int wait_ms, GError **error);
void gate_release(Gate *gate);
