#pragma once

/* Checkpoint mails of parked jobs that one look did not find
 * (engine/checkpoint/checkpoint.h). */
#include "store/db.h"

/* When the job's checkpoint mail was missed, and by which process; 0 and NULL: it was not missed.
 * Caller frees. */
bool missed_find(Db *db, JobId job, int64_t *ret_at_us, char **ret_by, GError **error);
/* Notes that this process misses it now; by NULL: it is not missed any more. */
bool missed_set(Txn *txn, JobId job, const char *by, GError **error);
