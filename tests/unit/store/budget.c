/* The row of the day: what is spent and what is set aside. More of money is in waits.c. */
#include "store/job/budget.h"
#include "store/job/step_rows.h"
#include "temp_store.h"
#include <sqlite3.h>

#define DOLLAR INT64_C(1000000)
#define DAY_US (24 * 3600 * USEC_PER_SEC)

static void
open_store(TempStore *s, gconstpointer data)
{
    temp_store_open(s, data);
    ((Config *)s->home->config)->max_cost_per_day_micro = 3 * DOLLAR;
}

static void
pay(TempStore *s, JobId job, int64_t micro)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = test_begin(s->db);

    budget_pay(&txn, job, micro, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* A step with all that was paid for it. */
static int64_t
commit_step(TempStore *s, JobId job)
{
    g_autoptr(GError) error = NULL;
    Step step = {.job = job,
                 .n = 1,
                 .round = 1,
                 .at_us = temp_now(s),
                 .phase = (char *)"p",
                 .did = (char *)"did"};
    g_auto(Txn) txn = test_begin(s->db);

    budget_book(&txn, job, &step.cost_micro, &error);
    g_assert_no_error(error);
    step_put(&txn, &step, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return step.cost_micro;
}

static bool
reserve(TempStore *s, const JobClaim *claim, int64_t most)
{
    g_autoptr(GError) error = NULL;
    bool got = false;
    g_auto(Txn) txn = test_begin(s->db);

    budget_reserve(&txn, claim, most, true, &got, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return got;
}

static void
settle(TempStore *s, const JobClaim *claim)
{
    g_autoptr(GError) error = NULL;
    bool woke = false;
    g_auto(Txn) txn = test_begin(s->db);

    budget_settle(&txn, claim, &woke, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static void
expect_today(TempStore *s, int64_t limit, int64_t spent, int64_t aside)
{
    g_autoptr(GError) error = NULL;
    int64_t is_limit, is_spent;

    g_assert_true(budget_today(s->db, &is_limit, &is_spent, &error));
    g_assert_cmpint(is_limit, ==, limit);
    g_assert_cmpint(is_spent, ==, spent);
    g_assert_cmpint(
        temp_int(s, "SELECT coalesce((SELECT aside_micro FROM money WHERE day = ?), 0)",
                 temp_now(s) / DAY_US),
        ==, aside);
}

static JobClaim
claim_new(TempStore *s)
{
    JobClaim claim = {0};

    g_assert_true(temp_claim(s, temp_job(s, "envoy"), &claim));
    return claim;
}

/* Calls that are under way count until they are over, and over midnight. */
static void
test_aside(TempStore *s, gconstpointer data)
{
    JobClaim a = claim_new(s), b = claim_new(s), c = claim_new(s);

    g_assert_true(reserve(s, &a, 2 * DOLLAR));
    g_assert_true(reserve(s, &b, DOLLAR));
    expect_today(s, 3 * DOLLAR, 0, 3 * DOLLAR);
    g_assert_false(reserve(s, &c, DOLLAR));
    expect_today(s, 3 * DOLLAR, 0, 3 * DOLLAR);
    settle(s, &a);
    expect_today(s, 3 * DOLLAR, 0, DOLLAR);
    temp_pass(s, DAY_US);
    g_assert_true(reserve(s, &a, DOLLAR));
    expect_today(s, 3 * DOLLAR, 0, 2 * DOLLAR);
    settle(s, &b);
    settle(s, &b); /* once more is harmless */
    expect_today(s, 3 * DOLLAR, 0, DOLLAR);
}

/* What a dead worker or an old claim had set aside does not count any more. */
static void
test_dead(TempStore *s, gconstpointer data)
{
    JobClaim dead = claim_new(s), old = claim_new(s), alive = claim_new(s);
    g_autoptr(GError) error = NULL;

    g_assert_true(reserve(s, &dead, DOLLAR));
    g_assert_true(reserve(s, &old, DOLLAR));
    Txn txn = test_begin(s->db);
    g_assert_true(
        sql_run(&txn, "UPDATE job SET owner_start = 1 WHERE id = ?", &error, "i", dead.job.v) &&
        sql_run(&txn, "UPDATE job SET fence = fence + 1 WHERE id = ?", &error, "i", old.job.v));
    test_commit(&txn);
    g_assert_true(reserve(s, &alive, DOLLAR));
    expect_today(s, 3 * DOLLAR, 0, DOLLAR);
}

/* The role's dearest step of the day is set aside where it is more than the price says. */
static void
test_dearest(TempStore *s, gconstpointer data)
{
    JobClaim claim = claim_new(s);

    pay(s, claim.job, DOLLAR);
    (void)commit_step(s, claim.job);
    pay(s, claim.job, DOLLAR / 2);
    (void)commit_step(s, claim.job);
    g_assert_true(reserve(s, &claim, 1));
    expect_today(s, 3 * DOLLAR, DOLLAR + DOLLAR / 2, DOLLAR);
    temp_pass(s, DAY_US);
    g_assert_true(reserve(s, &claim, 1));
    expect_today(s, 3 * DOLLAR, 0, 1);
}

/* How much the statements of the connection did since it was asked last. */
static int64_t
work_done(TempStore *s)
{
    int64_t n = 0;

    for (sqlite3_stmt *st = sqlite3_next_stmt(sql_handle(s->db), NULL); st;
         st = sqlite3_next_stmt(sql_handle(s->db), st))
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, true);
    return n;
}

/* Asking for money is as much work after a thousand steps as after one. */
static void
test_work(TempStore *s, gconstpointer data)
{
    JobClaim claim = claim_new(s);
    int64_t work[2], sum;

    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < (i ? 1000 : 1); k++) {
            pay(s, claim.job, 1);
            (void)commit_step(s, claim.job);
        }
        g_assert_true(reserve(s, &claim, 1)); /* the first one prepares */
        (void)work_done(s);
        g_assert_true(reserve(s, &claim, 1));
        settle(s, &claim);
        work[i] = work_done(s);
    }
    g_assert_cmpint(work[0], >, 0);
    g_assert_cmpint(work[1], <=, work[0] + 100);
    sum = temp_int(s, "SELECT sum(cost_micro) FROM step WHERE job = ?", claim.job.v);
    expect_today(s, 3 * DOLLAR, sum, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(name)                                                                             \
    g_test_add("/budget/" #name, TempStore, NULL, open_store, test_##name, temp_store_close)
    TEST(aside);
    TEST(dead);
    TEST(dearest);
    TEST(work);
    return g_test_run();
}
