#pragma once

/*
 * What a job that has ended (done, failed, cancelled) need not keep for ever. A stopped one
 * waits for a person, and has not ended. The last step of a job keeps what it said and left:
 * whoever writes to the job again goes on from there. Every row stays, with what was done and
 * what it cost.
 */
#include "base/ids.h"
#include "store/db.h"

typedef enum OldPart {
    OLD_CONTEXT, /* what was shown; and, but for the last step, what a fork goes on from */
    OLD_ANSWER,  /* but for the last step: what the brain said, and what became of that */
} OldPart;

/* Counts the steps that still have this part, of jobs that ended before before_us. */
bool old_steps_count(Db *db, OldPart part, int64_t before_us, unsigned *ret, GError **error);
/* Deletes this part of at most max of these steps. *ret: of how many. */
bool old_steps_forget(
    Txn *txn, OldPart part, int64_t before_us, unsigned max, unsigned *ret, GError **error);
/* *ret: the job is of this role, and ended before before_us. False for a job that the store
 * does not know. */
bool old_job(Db *db, JobId job, const char *role, int64_t before_us, bool *ret, GError **error);
