#pragma once

/*
 * state/wake.sock: a datagram there says that something became ready (db_hint()). What it says
 * does not matter, and it may be lost. Bound under the master's lock, so that a socket that
 * lies there already is the one of a master that died.
 */
#include "base/home.h"

/* Binds the socket, which never blocks. *ret_stale: a socket of that name was there already, and was
 * removed. The caller closes *ret_fd. */
bool wake_open(const Home *home, int *ret_fd, bool *ret_stale, GError **error);
/* Takes the hints that are there, at most 1,000 at once; false when there was none. */
bool wake_drain(int fd);
/* Becomes readable when a file of the home was written or renamed into its place, such as
 * postrider.conf. Returns the descriptor, which the caller closes; -1: the kernel has no watch to
 * spare, and the sweep finds a changed postrider.conf alone. *ret_home: the mark of the home itself, for
 * wake_drain_edits(). */
int wake_open_edits(const Home *home, int *ret_home);
/* Watches the files of this folder too, if it is there; path is relative to the home. The
 * same for the folders in it, three levels deep, at most 200 of them, of many the last by name. A
 * second call adds the folders that are new since. */
void wake_watch(int fd, const Home *home, const char *path);
/* Takes all events that are there. True: a file of a folder that wake_watch() named is among
 * them. */
bool wake_drain_edits(int fd, int home);
/* Removes the socket's name; for the master that holds the lock. */
void wake_remove(const Home *home);
