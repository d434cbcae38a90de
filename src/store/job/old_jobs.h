#pragma once

/*
 * What a job that has ended (done, failed, cancelled) need not keep for ever. A stopped one waits
 * for a person, and has not ended. The last step of a job keeps what it said and left: whoever
 * writes to the job again goes on from there. Every row stays, with what was done and what it cost.
 */
#include "base/ids.h"
#include "store/db.h"

typedef enum OldPart {
    OLD_CONTEXT, /* what was shown; and, but for the last step, what a fork goes on from */
    OLD_ANSWER,  /* but for the last step: what the brain said, and what became of that */
} OldPart;

/* How many steps still have this part, of jobs that ended before then. */
bool old_steps_count(Db *db, OldPart part, int64_t before_us, unsigned *ret, GError **error);
/* Takes it from at most max of them. */
bool old_steps_forget(
    Txn *txn, OldPart part, int64_t before_us, unsigned max, unsigned *ret, GError **error);
/* Has this job of the role ended before then? One that nobody knows has not. */
bool old_job(Db *db, JobId job, const char *role, int64_t before_us, bool *ret, GError **error);
