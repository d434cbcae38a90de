#pragma once

/*
 * state/wake.sock: a datagram there says that something became ready (db_hint()). What it says
 * does not matter, and it may be lost. Bound under the master's lock, so that a socket that
 * lies there already is the one of a master that died.
 */
#include "base/home.h"

/* Binds the socket. *ret_stale: a socket of that name was there already. */
bool wake_open(const Home *home, int *ret_fd, bool *ret_stale, GError **error);
/* Takes all hints that are there; false when there was none. */
bool wake_drain(int fd);
/* Becomes readable when a file of the home was written or renamed into its place, such as
 * postrider.conf; -1: the kernel has no watch to spare, and the sweep finds it. *ret_home: the mark
 * of the home itself. */
int wake_open_edits(const Home *home, int *ret_home);
/* Watches the files of this folder too, if it is there. A second call changes nothing. */
void wake_watch(int fd, const Home *home, const char *path);
/* Takes all events that are there. True: a file of a folder that wake_watch() named is among
 * them. */
bool wake_drain_edits(int fd, int home);
void wake_remove(const Home *home);
