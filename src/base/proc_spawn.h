#pragma once

/* The inner half of base/proc.h: birth, without what follows it. For proc_talk.c. */
#include "base/proc.h"

typedef struct ProcStdio {
    int in, out, err; /* descriptors of ours for 0, 1, 2; -1: /dev/null for 0, our own else */
} ProcStdio;

/* A child in a group of its own with default signals and nothing open above 2. *ret_pidfd is
 * the caller's; so is the duty to wait for the child. */
bool proc_spawn(const ProcSpec *spec,
                const ProcStdio *io,
                bool limited,
                pid_t *ret_pid,
                int *ret_pidfd,
                GError **error);
