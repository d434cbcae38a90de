#pragma once

/*
 * Following the store. SQLite tells nobody that something was committed, but its log is a file:
 * a write to it means that a commit is near. It comes before the commit can be seen, so a write
 * starts a few looks that grow apart and end a second after the last one. Without writes
 * nothing is looked at and nothing wakes up.
 */
#include "cli/cli.h"

/* Calls look at once and whenever the store may have changed, and writes out what it printed,
 * until it returns an exit status; -1: go on. Ends too when nobody reads any more. */
int tail_store(Cli *cli, int (*look)(void *data), void *data);
/* The same for any file that is written to, also while its name is another file's now. */
int tail_file(Cli *cli, const char *file, int (*look)(void *data), void *data);
