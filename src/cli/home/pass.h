#pragma once

/*
 * One pass, as cron wants it: mail in, jobs, mail out, until nothing moves any more. What a
 * pass parked itself it does not go on with. At a terminal each step is told (cli/job/step_lines.h).
 */
#include "engine/engine.h"

typedef struct PassStats {
    unsigned mails, jobs, steps, sent;
    unsigned said; /* reminders and their like */
} PassStats;
/* Takes in what lies in the local mailboxes. Before anything new is put there by somebody else:
 * what a mailbox holds when this store first looks into it counts as its past. */
bool pass_take_in(Engine *engine, int wait_ms, GError **error);
/* wait_ms: for accounts and the outbox that another process works on. max_iterations: steps per
 * run; 0: each role's own. ERR_CANCELLED: a signal came. */
bool pass_run(Engine *engine, int wait_ms, int max_iterations, PassStats *ret, GError **error);
/* The same for who has just visited the mail servers: what was written since the visit waits for the
 * next one (store/mail/mailboxes.h). Adds to stats. mark: steps_mark() before the first of such passes. */
bool pass_visited(Engine *engine,
                  int wait_ms,
                  int max_iterations,
                  int64_t mark,
                  PassStats *stats,
                  GError **error);
/* `--max-iterations N` and its other spelling, for GOption; PASS_ITERATIONS_MAX caps it. */
#define PASS_OPTIONS(n)                                                                        \
    {"max-iterations", 0, 0, G_OPTION_ARG_INT, n, NULL, NULL},                                 \
    {                                                                                          \
        "max-iter", 0, 0, G_OPTION_ARG_INT, n, NULL, NULL                                      \
    }
#define PASS_ITERATIONS_MAX 10000
/* 0, or 64 after a message; *n is then the option's value, 0 where it was not given. n must be
 * INT_MIN before the options are read. Where the verb is to run nothing (runs) it says that
 * the option does nothing. */
int pass_check_options(const char *verb, bool runs, int *n);
