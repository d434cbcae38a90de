#pragma once

/*
 * A check: a command that a person wrote down (beside a todo of a plan, in the mail of a task),
 * run by us and never by the agent that wants it to pass. It runs by /bin/sh, in a process
 * group of its own, for at most ten minutes ($POSTRIDER_PATIENCE shortens that for tests). What
 * is left of its group when it ends is killed, and a daemon that left the group is not waited
 * for. Of its output the end is kept.
 */
#include "base/proc.h"

#define CHECK_US (600 * USEC_PER_SEC)

typedef struct CheckSpec {
    const char *command;
    const char *cwd;
    const char *const *env;  /* the whole environment; NULL: ours */
    const char *const *wall; /* words in front of the shell's own (base/sandbox.h); NULL: none */
} CheckSpec;

typedef struct CheckEnd {
    char *why;    /* NULL: it passed; "exit 2", "ran longer than 10 min" */
    char *output; /* the last LIMIT_CHECK_OUTPUT bytes of what it printed, as valid text */
} CheckEnd;
void check_end_clear(CheckEnd *end);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CheckEnd, check_end_clear)

/* Starts it; whoever waits for the process asks check_end() then. ERR: it can't be run at
 * all. */
bool check_start(const CheckSpec *check, Proc **ret, GError **error);
/* What became of it; proc_work() has returned true. */
void check_end(const Proc *ended, CheckEnd *ret);
