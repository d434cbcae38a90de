#pragma once

/*
 * Money: what a round and a day may cost, and what a person adds. All in millionths.
 *
 * An answer is paid for when it is there, whatever becomes of it: a run may die before its
 * commit, or find the job stopped, or have to wait for its brain. So the round counts it at
 * once (budget_pay), and what no step has in its row yet stands beside the steps, until the
 * next step of the job takes it over (budget_book).
 */
#include "store/jobs.h"

/* Needs no claim: it is spent, whoever has the job now. */
bool budget_pay(Txn *txn, JobId job, int64_t micro, GError **error);
/* What the step that is committed has cost, with all that was paid in vain before it. */
bool budget_book(Txn *txn, JobId job, int64_t *ret_micro, GError **error);

/* Of the day (UTC) of now: what may be spent, 0 for no limit, and what was. */
bool budget_today(Db *db, int64_t *ret_limit, int64_t *ret_spent, GError **error);
/* CONTINUE $1: this round may cost so much more, and so may this day where its own limit would
 * stop it. */
bool budget_raise(Txn *txn, JobId job, int64_t more, GError **error);
