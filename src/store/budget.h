#pragma once

/* Money: what a round and a day may cost, and what a person adds. All in millionths. */
#include "store/jobs.h"

/* Of the day (UTC) of now: what may be spent, 0 for no limit, and what was. */
bool budget_today(Db *db, int64_t *ret_limit, int64_t *ret_spent, GError **error);
/* CONTINUE $1: this round may cost so much more, and so may this day where its own limit would
 * stop it. */
bool budget_raise(Txn *txn, JobId job, int64_t more, GError **error);
