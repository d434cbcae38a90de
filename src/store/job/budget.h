#pragma once

/*
 * Money: what a round and a day may cost, and what a person adds. All in millionths.
 *
 * An answer is paid for when it is there, whatever becomes of it: a run may die before its
 * commit, or find the job stopped, or have to wait for its brain. So the round counts it at
 * once (budget_pay), and what no step has in its row yet stands beside the steps, until the
 * next step of the job takes it over (budget_book).
 *
 * Several workers may ask at a time, and what a call costs is known when it is over. So each
 * writes down before what its call may cost (budget_reserve), and who finds that the others may
 * come to the limit of the day waits until one of them has paid. What is written down counts as
 * long as its claim and its worker live.
 *
 * What was paid and what is set aside today stand in the day's row of the table money; what a role's work has cost, in
 * the role's row of the table role_money.
 */
#include "store/job/jobs.h"

/* Counts what an answer has cost for the job's round. Needs no claim: the money is spent,
 * whoever has the job now. */
bool budget_pay(Txn *txn, JobId job, int64_t micro, GError **error);
/* *ret_micro: what the step that is committed has cost, with all that was paid in vain before
 * it; from now on that stands in the step's row alone. */
bool budget_book(Txn *txn, JobId job, int64_t *ret_micro, GError **error);

/* Why a job waits that budget_reserve() sent away. */
#define BUDGET_WAITS "the calls that are under way may spend the rest of the budget"
#define BUDGET_SPENT "the budget of the day is spent"
/* Has this home a limit that budget_reserve() knows? */
bool budget_is_limited(const Config *config);
/* Asks whether the job of this claim may make a call now that may cost so much, by the limits of the day and of its artifact. *ret_got false:
 * not now; its claim was given back, it is queued, and no attempt counts. One call alone always
 * may be made where anything is left, so the limit is passed by less than one call. tells: whoever claims it next says at once that
 * the day's money is spent. */
bool budget_reserve(
    Txn *txn, const JobClaim *claim, int64_t most, bool tells, bool *ret_got, GError **error);
/* To be called when the call is over, and paid for if it cost anything. *ret_woke: jobs that
 * waited for that are ready now. */
bool budget_settle(Txn *txn, const JobClaim *claim, bool *ret_woke, GError **error);

/* Tells a new store, whose forerunner was lost, what all jobs together have cost today at
 * least. Where it knows of more, nothing changes. */
bool budget_recall(Txn *txn, int64_t spent_micro, GError **error);
bool budget_is_today(const Home *home, int64_t at_us);

/* What may be spent on this day (UTC), 0 for no limit, and what was spent. */
bool budget_today(Db *db, int64_t *ret_limit, int64_t *ret_spent, GError **error);
/* What the work of this role has cost on this day (UTC), or since it was counted anew. */
bool budget_role_today(Db *db, const char *role, int64_t *ret_spent, GError **error);
bool budget_role_anew(Txn *txn, const char *role, GError **error);
/* CONTINUE $1: this round may cost so much more, and so may this day, and the job's artifact, where their own limits would
 * stop it. */
bool budget_raise(Txn *txn, JobId job, int64_t more, GError **error);
