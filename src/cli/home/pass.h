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
/* max_iterations: steps per run; 0: each role's own. ERR_CANCELLED: a signal came; ERR_LATER: another
 * process works on an account or on the outbox. */
bool pass_run(Engine *engine, int max_iterations, PassStats *ret, GError **error);
/* The same where whoever serves the home may do it instead: that is no error. */
bool pass_unless_served(Engine *engine, int max_iterations, GError **error);
/* The same for who has just visited the mail servers: what was written since the visit waits for the
 * next one (store/mail/mailboxes.h). Adds to stats. wait_ms: for other processes. mark: steps_mark()
 * before the first of such passes. */
bool pass_visited(Engine *engine,
                  int wait_ms,
                  int max_iterations,
                  int64_t mark,
                  PassStats *stats,
                  GError **error);
