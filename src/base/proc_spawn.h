#pragma once

/* How a child is started, shared by proc.c (children that live on by themselves) and
 * proc_talk.c (children whose output we want). Everybody else includes base/proc.h. */
#include "base/proc.h"

typedef struct ProcStdio {
    int in, out, err; /* descriptors of ours for 0, 1, 2; -1: /dev/null for 0, our own else */
    int word;         /* and for PROC_WORD_FD; 0: nothing */
} ProcStdio;

/* Starts a child in a process group of its own, with default signals and nothing open above 2.
 * limited: by way of the trampoline, which sets spec->limits; false: without limits. *ret_pidfd
 * is the caller's to close, and the caller has to wait for the child. */
bool proc_spawn(const ProcSpec *spec,
                const ProcStdio *io,
                bool limited,
                pid_t *ret_pid,
                int *ret_pidfd,
                GError **error);
