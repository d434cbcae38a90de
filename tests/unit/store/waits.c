/* How waits of parked jobs end, which brains are asked, and what a person adds to a budget. */
#include "base/config/config.h"
#include "store/job/budget.h"
#include "store/job/costs.h"
#include "store/job/pauses.h"
#include "store/job/step_rows.h"
#include "store/job/timers.h"
#include "temp_store.h"

#define HOUR_US (3600 * USEC_PER_SEC)

static const char conf[] = "[postrider]\nmax-cost-per-day = 3.00\n[brain default]\n"
                           "kind = script\n[role envoy]\nmax-cost = 2.00\n";

static void
open_with_config(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    temp_store_open(s, data);
    g_clear_pointer(&s->home->config, config_free);
    config_parse(conf, strlen(conf), "postrider.conf", &s->home->config, &error);
    g_assert_no_error(error);
}

static JobId
park(TempStore *s, WaitThen then, int64_t resume_us)
{
    g_autoptr(GError) error = NULL;
    JobId id = temp_job(s, "envoy");
    JobClaim claim;
    int64_t seq;

    g_assert_true(temp_claim(s, id, &claim));
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(job_park(&txn, &claim, (Due){.us = resume_us}, "a reply", &seq, &error));
    g_assert_true(job_wait(&txn, id, then, &error));
    test_commit(&txn);
    return id;
}

static WaitThen
over(TempStore *s, JobId id)
{
    g_autoptr(GError) error = NULL;
    WaitThen did;
    g_auto(Txn) txn = test_begin(s->db);

    job_wait_over(&txn, id, &did, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return did;
}

static void
seen(TempStore *s, JobId id)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Job) job = temp_load(s, id);
    bool matched;
    g_auto(Txn) txn = test_begin(s->db);

    job_seen(&txn, id, job->epoch, job->seq, &matched, &error);
    g_assert_no_error(error);
    g_assert_true(matched);
    test_commit(&txn);
}

static int64_t
timer_of(TempStore *s, JobId id)
{
    g_autoptr(GError) error = NULL;
    int64_t due;

    g_assert_true(timer_find(s->db, id, TIMER_WAIT, &due, &error));
    return due;
}

/* Which act comes when, from each way to wait. */
static const struct {
    const char *name;
    WaitThen then;
    int64_t wait_us; /* 0: without a time */
    WaitThen want_first, want_second;
    int64_t want_second_wait_us; /* 0: none */
    bool want_wakes;
} waits[] = {
    {"continue", WAIT_CONTINUE, 2 * HOUR_US, WAIT_CONTINUE, WAIT_CONTINUE, 0, true},
    {"remind", WAIT_REMIND, 2 * HOUR_US, WAIT_REMIND, WAIT_ESCALATE, 2 * HOUR_US, false},
    {"remind soon", WAIT_REMIND, 60 * USEC_PER_SEC, WAIT_REMIND, WAIT_ESCALATE, HOUR_US, false},
    {"escalate", WAIT_ESCALATE, 2 * HOUR_US, WAIT_ESCALATE, WAIT_CONTINUE, 0, false},
    {"remind without a time", WAIT_REMIND, 0, WAIT_CONTINUE, WAIT_CONTINUE, 0, false},
};

static void
test_waits(TempStore *s, gconstpointer data)
{
    for (size_t i = 0; i < G_N_ELEMENTS(waits); i++) {
        int64_t until = waits[i].wait_us ? temp_now(s) + waits[i].wait_us : USEC_NEVER;
        JobId id = park(s, waits[i].then, until);
        JobClaim claim;

        g_test_message("%s", waits[i].name);
        seen(s, id);
        g_assert_cmpint(over(s, id), ==, WAIT_CONTINUE); /* its time has not come */
        temp_pass(s, waits[i].wait_us);
        g_assert_cmpint(over(s, id), ==, waits[i].want_first);
        g_assert_cmpint(over(s, id), ==, WAIT_CONTINUE); /* once */
        g_assert_cmpint(timer_of(s, id), ==,
                        waits[i].want_second_wait_us
                            ? temp_now(s) + waits[i].want_second_wait_us
                            : USEC_NEVER);
        temp_pass(s, waits[i].want_second_wait_us);
        g_assert_cmpint(over(s, id), ==, waits[i].want_second);
        g_assert_cmpint(timer_of(s, id), ==, USEC_NEVER);
        g_assert_cmpint(temp_claim(s, id, &claim), ==, waits[i].want_wakes);
    }
}

/* What takes the wait away; the timer finds nothing to do then. */
static void
test_dropped(TempStore *s, gconstpointer data)
{
    static const char *const ways[] = {"mail", "stop", "cancel", "continue", "resume"};

    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        JobId id = park(s, WAIT_ESCALATE, temp_now(s) + HOUR_US);
        g_autoptr(GError) error = NULL;
        bool changed;
        int round;
        Txn txn = test_begin(s->db);

        g_test_message("%s", ways[i]);
        switch (i) {
        case 0:
            job_take_mail(
                &txn, id,
                &(JobNew){.original = (MsgId){7}, .asker = "bob@x", .original_msgid = "m7@x"},
                &round, &error);
            break;
        case 1:
            job_stop(&txn, id, "asked", &changed, &error);
            break;
        case 2:
            job_cancel(&txn, id, "asked", &changed, &error);
            break;
        case 3:
            job_continue(&txn, id, 0, NULL, &changed, &error);
            break;
        default:
            job_due_now(&txn, id, &error);
        }
        g_assert_no_error(error);
        test_commit(&txn);
        temp_pass(s, 2 * HOUR_US);
        g_assert_cmpint(over(s, id), ==, WAIT_CONTINUE);
        g_autoptr(Job) job = temp_load(s, id);
        g_assert_cmpint(job->wait_then, ==, WAIT_CONTINUE);
    }
}

/* A mail that came while the job was parked has woken it: nobody is reminded of anything. */
static void
test_mail_is_there(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobId id = temp_job(s, "envoy");
    JobClaim claim;
    int64_t seq;

    g_assert_true(temp_claim(s, id, &claim));
    Txn txn = test_begin(s->db);
    temp_message(&txn, id, "stored");
    job_park(&txn, &claim, (Due){.us = temp_now(s) + HOUR_US}, "a reply", &seq, &error);
    job_wait(&txn, id, WAIT_REMIND, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    temp_pass(s, HOUR_US);
    g_assert_cmpint(over(s, id), ==, WAIT_CONTINUE);
    g_assert_cmpint(timer_of(s, id), ==, USEC_NEVER);
    g_assert_true(temp_claim(s, id, &claim));
}

/* --- brains --- */

static PauseKind
pause_of(TempStore *s, const char *brain)
{
    g_autoptr(GError) error = NULL;
    g_auto(Pause) p = {0};

    brain_pause(s->db, brain, &p, &error);
    g_assert_no_error(error);
    return p.kind;
}

/* By the settings as they are. */
static bool
set_broken(TempStore *s, const char *brain)
{
    g_autoptr(GError) error = NULL;
    bool first;
    g_auto(Txn) txn = test_begin(s->db);

    s->home->settings_mark = home_mark_settings(s->home);

    brain_set_broken(&txn, brain, temp_now(s) + HOUR_US, "no key", &first, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return first;
}

static void
test_broken(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *why = NULL;
    bool untried;

    g_assert_true(set_broken(s, "default"));
    g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_BROKEN);
    g_assert_cmpint(pause_of(s, "other"), ==, PAUSE_NONE);
    temp_pass(s, HOUR_US);
    g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_NONE);
    g_assert_false(set_broken(s, "default")); /* the owner knows */
    g_assert_true(brain_worked(s->db, "default", &error));
    g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_NONE);
    g_assert_true(brain_broken_why(s->db, "default", &why, &untried, &error));
    g_assert_null(why);
    g_assert_true(set_broken(s, "default"));
}

/* Other settings, or a person's word, and its jobs are ready at once. */
static void
test_mended(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(s->home->path, "postrider.conf", NULL);
    JobId id = temp_job(s, "envoy");
    JobClaim claim;

    g_assert_true(g_file_set_contents(path, conf, -1, NULL));
    for (int by_order = 0; by_order < 2; by_order++) {
        g_assert_true(temp_claim(s, id, &claim));
        (void)set_broken(s, "default");
        Txn txn = test_begin(s->db);
        job_release(&txn, &claim, (Due){.us = temp_now(s) + HOUR_US}, TRY_NONE, "no key", &error);
        test_commit(&txn);
        g_assert_true(brains_recheck(s->db, &error));
        g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_BROKEN);
        g_assert_false(temp_claim(s, id, &claim));
        if (by_order) {
            Txn order = test_begin(s->db);
            g_assert_true(brain_try_now(&order, "default", &error));
            test_commit(&order);
        } else {
            g_autofree char *more = g_strconcat(conf, "# mended\n", NULL);
            g_assert_true(g_file_set_contents(path, more, -1, NULL));
            g_assert_true(brains_recheck(s->db, &error));
        }
        g_assert_no_error(error);
        g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_NONE);
        g_assert_true(temp_claim(s, id, &claim));
        Txn back = test_begin(s->db);
        job_release(&back, &claim, (Due){.us = temp_now(s)}, TRY_NONE, NULL, &error);
        test_commit(&back);
    }
}

static void
test_limited(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_auto(Pause) p = {0};
    Txn txn = test_begin(s->db);

    s->home->settings_mark = home_mark_settings(s->home);
    Due until = {.us = temp_now(s) + HOUR_US};
    bool ask;
    brain_set_limited(&txn, "default", &until, "used up, said it", &ask, &error);
    g_assert_no_error(error);
    g_assert_false(ask);
    test_commit(&txn);
    g_assert_true(brain_pause(s->db, "default", &p, &error));
    g_assert_cmpint(p.kind, ==, PAUSE_LIMITED);
    g_assert_cmpint(p.until.us, ==, temp_now(s) + HOUR_US);
    g_assert_cmpstr(p.why, ==, "used up, said it");
    temp_pass(s, HOUR_US);
    g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_NONE);

    /* By settings that are no longer those of the file. */
    Txn late = test_begin(s->db);
    s->home->settings_mark++;
    until.us = temp_now(s) + HOUR_US;
    brain_set_limited(&late, "default", &until, "nobody there", &ask, &error);
    g_assert_no_error(error);
    test_commit(&late);
    g_assert_cmpint(pause_of(s, "default"), ==, PAUSE_NONE);
}

/* A day is the most; of more the owner is asked once, until it works again. */
static void
test_limited_far(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t wait_us;
        bool works; /* before it is set */
        int64_t want_us;
        bool want_ask;
    } cases[] = {
        {24 * HOUR_US, false, 24 * HOUR_US, false},
        {24 * HOUR_US + 1, false, 24 * HOUR_US, true},
        {31 * 24 * HOUR_US, false, 24 * HOUR_US, false},
        {HOUR_US, false, HOUR_US, false},
        {31 * 24 * HOUR_US, false, 24 * HOUR_US, false},
        {31 * 24 * HOUR_US, true, 24 * HOUR_US, true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_auto(Pause) p = {0};
        Due until = {.us = temp_now(s) + cases[i].wait_us};
        bool ask;
        g_assert_true(!cases[i].works || brain_worked(s->db, "default", &error));
        Txn txn = test_begin(s->db);
        g_assert_true(brain_set_limited(&txn, "default", &until, "used up", &ask, &error));
        test_commit(&txn);
        g_assert_true(brain_pause(s->db, "default", &p, &error));
        g_assert_cmpint(until.us, ==, temp_now(s) + cases[i].want_us);
        g_assert_cmpint(p.until.us, ==, until.us);
        g_assert_cmpint(ask, ==, cases[i].want_ask);
    }
}

/* --- money --- */

static void
spend(TempStore *s, JobId id, int64_t micro)
{
    g_autoptr(GError) error = NULL;
    Step step = {.job = id,
                 .n = 1,
                 .round = 1,
                 .at_us = temp_now(s),
                 .phase = (char *)"x",
                 .did = (char *)"x"};
    g_auto(Txn) txn = test_begin(s->db);

    g_assert_true(budget_pay(&txn, id, micro, &error) &&
                  budget_book(&txn, id, &step.cost_micro, &error));
    step_put(&txn, &step, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static void
test_budget(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t spend, raise, want_limit, want_round;
    } cases[] = {
        {0, 1000000, 3000000, 3000000},       /* the day has room for it */
        {2500000, 1000000, 4000000, 4000000}, /* and now it has not */
        {0, 500000, 4000000, 4500000},
    };
    JobId id = temp_job(s, "envoy");

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        int64_t limit, spent;

        if (cases[i].spend)
            spend(s, id, cases[i].spend);
        Txn txn = test_begin(s->db);
        budget_raise(&txn, id, cases[i].raise, &error);
        test_commit(&txn);
        g_assert_true(budget_today(s->db, &limit, &spent, &error));
        g_assert_no_error(error);
        g_assert_cmpint(limit, ==, cases[i].want_limit);
        g_autoptr(Job) job = temp_load(s, id);
        g_assert_cmpint(job->cost_limit_micro, ==, cases[i].want_round);
    }
}

/* Paid at once, in a step's row when there is one. */
static void
test_paid(TempStore *s, gconstpointer data)
{
    JobId id = temp_job(s, "envoy"), other = temp_job(s, "envoy");
    g_autoptr(GError) error = NULL;
    g_autoptr(CostRows) days = NULL;
    int64_t limit, spent, cost = -1;
    Txn txn = test_begin(s->db);

    budget_pay(&txn, id, 300, &error);
    budget_pay(&txn, id, 40, &error);
    budget_pay(&txn, other, 5, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_autoptr(Job) job = temp_load(s, id);
    g_assert_cmpint(job->cost_micro, ==, 340);
    g_assert_cmpint(job->round_cost_micro, ==, 340);
    g_assert_true(budget_today(s->db, &limit, &spent, &error));
    g_assert_cmpint(spent, ==, 345);
    g_assert_true(costs_list(s->db, COST_JOB, 0, &days, &error));
    g_assert_cmpint(days->len, ==, 2);

    txn = test_begin(s->db);
    budget_book(&txn, id, &cost, &error);
    test_commit(&txn);
    g_assert_cmpint(cost, ==, 340);
    spend(s, id, cost);
    temp_pass(s, INT64_C(24) * HOUR_US);
    g_assert_true(budget_today(s->db, &limit, &spent, &error));
    g_assert_cmpint(spent, ==, 0); /* that was yesterday */
    txn = test_begin(s->db);
    budget_book(&txn, id, &cost, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_cmpint(cost, ==, 0);
}

/* What a lost store is told: never less than it knows, and no step's. */
static void
test_recall(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t recall, pay, want;
    } cases[] = {{500, 0, 500}, {300, 0, 500}, {0, 100, 600}, {600, 0, 600}, {700, 0, 700}};
    JobId id = temp_job(s, "envoy");
    g_autoptr(GError) error = NULL;
    int64_t limit, spent, cost;
    Txn txn;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        txn = test_begin(s->db);
        budget_recall(&txn, cases[i].recall, &error);
        g_assert_no_error(error);
        if (cases[i].pay)
            budget_pay(&txn, id, cases[i].pay, &error);
        test_commit(&txn);
        g_assert_true(budget_today(s->db, &limit, &spent, &error));
        g_assert_cmpint(spent, ==, cases[i].want);
    }
    txn = test_begin(s->db);
    budget_book(&txn, id, &cost, &error);
    test_commit(&txn);
    g_assert_cmpint(cost, ==, 100);
    temp_pass(s, INT64_C(24) * HOUR_US);
    g_assert_true(budget_today(s->db, &limit, &spent, &error));
    g_assert_no_error(error);
    g_assert_cmpint(spent, ==, 0);
}

/* --- calls that are under way --- */

static JobClaim
claimed(TempStore *s, JobId id)
{
    JobClaim claim;

    g_assert_true(temp_claim(s, id, &claim));
    return claim;
}

static bool
reserve(TempStore *s, const JobClaim *claim, int64_t most)
{
    g_autoptr(GError) error = NULL;
    bool got = false;
    Txn txn = test_begin(s->db);

    budget_reserve(&txn, claim, most, true, &got, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    return got;
}

static bool
settle(TempStore *s, const JobClaim *claim)
{
    g_autoptr(GError) error = NULL;
    bool woke = false;
    Txn txn = test_begin(s->db);

    budget_settle(&txn, claim, &woke, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    return woke;
}

/* Three dollars a day. */
static void
test_reserve(TempStore *s, gconstpointer data)
{
    JobId a = temp_job(s, "envoy"), b = temp_job(s, "envoy");
    JobClaim first = claimed(s, a), second = claimed(s, b);

    g_assert_true(reserve(s, &first, 9000000)); /* one may always ask */
    g_assert_true(reserve(s, &first, 9000000)); /* and is never in its own way */
    g_assert_false(reserve(s, &second, 1));
    g_autoptr(Job) sent_away = temp_load(s, b);
    g_assert_cmpint(sent_away->state, ==, JOB_QUEUED);
    g_assert_cmpint(sent_away->ready_us, >, temp_now(s));
    g_assert_cmpint(sent_away->attempts, ==, 0);
    g_assert_cmpstr(sent_away->why, ==, BUDGET_WAITS);
    g_assert_true(settle(s, &first));
    g_autoptr(Job) ready = temp_load(s, b);
    g_assert_cmpint(ready->ready_us, ==, temp_now(s));

    second = claimed(s, b);
    g_assert_true(reserve(s, &second, 2999999));
    g_assert_true(reserve(s, &first, 5));
    g_assert_false(settle(s, &first)); /* nobody sent_away */
    spend(s, a, 1);
    g_assert_false(reserve(s, &first, 5));
}

/* What was written down under a claim that is over counts no more, and an old claim takes
 * nothing away from a new one. */
static void
test_reserve_fence(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobId a = temp_job(s, "envoy"), b = temp_job(s, "envoy");
    JobClaim old = claimed(s, a), other = claimed(s, b);

    g_assert_true(reserve(s, &old, 9000000));
    Txn txn = test_begin(s->db);
    job_release(&txn, &old, (Due){.us = temp_now(s)}, TRY_LOST, "owner died", &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_true(reserve(s, &other, 1000000));
    JobClaim again = claimed(s, a);
    g_assert_true(reserve(s, &again, 9000000));
    g_assert_false(settle(s, &old));
    g_assert_false(reserve(s, &other, 1));
}

/* Of the day, by what such steps have cost today. */
static void
test_reserve_dearest(TempStore *s, gconstpointer data)
{
    JobId a = temp_job(s, "envoy"), b = temp_job(s, "envoy");
    JobClaim first = claimed(s, a), second = claimed(s, b);

    spend(s, a, 1500000);
    g_assert_true(reserve(s, &first, 10));
    g_assert_false(reserve(s, &second, 10));
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*run)(TempStore *, gconstpointer);
    } tests[] = {
        {"/waits/acts", test_waits},
        {"/waits/dropped", test_dropped},
        {"/waits/mail", test_mail_is_there},
        {"/brains/broken", test_broken},
        {"/brains/mended", test_mended},
        {"/brains/limited", test_limited},
        {"/brains/limited-far", test_limited_far},
        {"/budget/raise", test_budget},
        {"/budget/paid", test_paid},
        {"/budget/reserve", test_reserve},
        {"/budget/fence", test_reserve_fence},
        {"/budget/dearest", test_reserve_dearest},
        {"/budget/recall", test_recall},
    };

    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, TempStore, NULL, open_with_config, tests[i].run,
                   temp_store_close);
    return g_test_run();
}
