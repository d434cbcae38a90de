#pragma once

/*
 * What programs say that they do, while they do it: the last lines of each job that is worked
 * on. Nothing rests on them, so they are written without a flush, some at a time; the commit
 * that ends a run takes them away.
 */
#include "store/db.h"
#include "view/job_rows.h"

#define DOINGS_MAX 50 /* of a job */

/* Adds them in order; job and fence of each are filled in by the caller, ids are given. Lines
 * of an earlier claim go. */
bool doings_write(Txn *txn, const Doings *said, GError **error);
/* The lines of a claim whose ids are above this one, oldest first. */
bool doings_list(
    Db *db, JobId job, int64_t fence, int64_t above_id, Doings **ret, GError **error);
/* The newest line of a claim; NULL with true: the program has said nothing yet. */
bool doing_last(Db *db, JobId job, int64_t fence, Doing **ret, GError **error);
bool doings_forget(Txn *txn, JobId job, GError **error);
