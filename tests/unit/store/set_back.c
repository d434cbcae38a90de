/* A clock that was ahead is set right: what was written meanwhile does not wait for it. */
#include "store/set_back.h"
#include "base/banned.h"
#include "store/outbox_smtp.h"
#include "store/pauses.h"
#include "store/timers.h"
#include "temp_store.h"

#define HOUR_US (3600 * USEC_PER_SEC)
#define DAY_US (24 * HOUR_US)

static void
mend(TempStore *s)
{
    g_autoptr(GError) error = NULL;

    set_back_mend(s->db, &error);
    g_assert_no_error(error);
}

/* Claims the job and gives it back, to be ready after that wait. */
static JobId
job_waits(TempStore *s, int64_t wait_us)
{
    g_autoptr(GError) error = NULL;
    JobId id = temp_job(s, "envoy");
    JobClaim claim;

    g_assert_true(temp_claim(s, id, &claim));
    g_auto(Txn) txn = test_begin(s->db);
    job_release(&txn, &claim, temp_now(s) + wait_us, false, "later", &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static void
test_jobs(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name;
        int64_t ahead_us, wait_us;
        int64_t want_us; /* from now on */
    } cases[] = {
        {"new, a day ahead", DAY_US, 0, 0},
        {"waits, a day ahead", DAY_US, 2 * 60 * USEC_PER_SEC, 0},
        {"waits, an hour ahead", HOUR_US, 5 * 60 * USEC_PER_SEC, 0},
        {"waits, by the right clock", 0, 5 * 60 * USEC_PER_SEC, 5 * 60 * USEC_PER_SEC},
        {"waits for long, by the right clock", 0, 3 * DAY_US, 3 * DAY_US},
        {"a clock that is kept by seconds", 2 * USEC_PER_SEC, 60 * USEC_PER_SEC,
         62 * USEC_PER_SEC},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        temp_pass(s, cases[i].ahead_us);
        JobId id = job_waits(s, cases[i].wait_us);
        temp_pass(s, -cases[i].ahead_us);
        mend(s);
        mend(s);
        g_autoptr(Job) job = temp_load(s, id);
        g_assert_cmpint(job->ready_us - temp_now(s), ==, cases[i].want_us);
        g_assert_cmpint(temp_int(s, "SELECT turn_us FROM job WHERE id = ?", id.v), <=,
                        temp_now(s) + HOUR_US);
        JobClaim claim;
        g_assert_true(temp_claim(s, id, &claim) == (cases[i].want_us == 0));
    }
}

static PauseKind
pause_now(TempStore *s)
{
    g_autoptr(GError) error = NULL;
    g_auto(Pause) pause = {0};

    brain_pause(s->db, "b", &pause, &error);
    g_assert_no_error(error);
    return pause.kind;
}

static void
test_brains(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name;
        int64_t ahead_us, wait_us;
        bool broken;
        PauseKind want;
    } cases[] = {
        {"a limit of a minute, a day ahead", DAY_US, 60 * USEC_PER_SEC, false, PAUSE_NONE},
        {"broken, a day ahead", DAY_US, 300 * USEC_PER_SEC, true, PAUSE_NONE},
        {"a limit of a week, by the right clock", 0, 7 * DAY_US, false, PAUSE_LIMITED},
        {"broken, by the right clock", 0, 300 * USEC_PER_SEC, true, PAUSE_BROKEN},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        bool first;
        g_test_message("%s", cases[i].name);
        temp_pass(s, cases[i].ahead_us);
        {
            g_auto(Txn) txn = test_begin(s->db);
            int64_t until = temp_now(s) + cases[i].wait_us;
            if (cases[i].broken)
                brain_set_broken(&txn, "b", until, "no key", &first, &error);
            else
                brain_set_limited(&txn, "b", &until, "too many", &first, &error);
            g_assert_no_error(error);
            test_commit(&txn);
        }
        temp_pass(s, -cases[i].ahead_us);
        g_assert_cmpint(pause_now(s), !=, PAUSE_NONE);
        mend(s);
        g_assert_cmpint(pause_now(s), ==, cases[i].want);
        g_auto(Txn) txn = test_begin(s->db);
        brain_try_now(&txn, "b", &error);
        g_assert_no_error(error);
        test_commit(&txn);
    }
}

/* A mail to somebody outside whose end nobody knows. */
static int64_t
put_doubt(TempStore *s, int64_t ask_us)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
    const OutTo to = {.address = "bob@far.example", .folder = "", .account = "main"};
    g_auto(Txn) txn = test_begin(s->db);
    OutId id;
    int64_t delivery = 0;

    outbox_next(&txn, &id, &error);
    g_autofree char *msgid = g_strdup_printf("1.%d.a@x", (int)id.v);
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@example.org",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .to = &to,
                          .n_to = 1};
    outbox_put(&txn, id, &mail, &error);
    sql_run(&txn, "UPDATE delivery SET state = 'sending' WHERE outbox = ?", NULL, &error, "i",
            id.v);
    sql_int(s->db, "SELECT id FROM delivery WHERE outbox = ?", 0, &delivery, &error, "i", id.v);
    outbox_doubt(&txn, delivery, "no answer", ask_us, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return delivery;
}

#define SINCE "SELECT next_us FROM delivery WHERE id = ?"
#define ASK "SELECT coalesce(ask_us, 0) FROM delivery WHERE id = ?"

static void
test_doubts(TempStore *s, gconstpointer data)
{
    int64_t now = temp_now(s);

    int64_t right = put_doubt(s, now + HOUR_US);
    temp_pass(s, DAY_US);
    int64_t ahead = put_doubt(s, temp_now(s) + HOUR_US), unasked = put_doubt(s, USEC_NEVER);
    temp_pass(s, 60 * USEC_PER_SEC - DAY_US);
    mend(s);
    g_assert_cmpint(temp_int(s, SINCE, right), ==, now);
    g_assert_cmpint(temp_int(s, ASK, right), ==, now + HOUR_US);
    g_assert_cmpint(temp_int(s, SINCE, ahead), ==, temp_now(s));
    g_assert_cmpint(temp_int(s, ASK, ahead), ==, temp_now(s) + HOUR_US);
    g_assert_cmpint(temp_int(s, SINCE, unasked), ==, temp_now(s));
    g_assert_cmpint(temp_int(s, ASK, unasked), ==, 0);
    /* From then on it grows older. */
    temp_pass(s, HOUR_US);
    mend(s);
    g_assert_cmpint(temp_int(s, SINCE, ahead), ==, temp_now(s) - HOUR_US);
}

static void
test_timers(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *purpose;
        bool want_now;
    } cases[] = {{TIMER_ACK, true}, {TIMER_PROGRESS, true}, {TIMER_WAIT, false}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        int64_t far = temp_now(s) + 30 * DAY_US, due;
        g_auto(Txn) txn = test_begin(s->db);
        timer_set(&txn, (JobId){1}, cases[i].purpose, far, &error);
        timer_set(&txn, (JobId){2}, cases[i].purpose, temp_now(s) + USEC_PER_SEC, &error);
        g_assert_no_error(error);
        test_commit(&txn);
        mend(s);
        timer_find(s->db, (JobId){1}, cases[i].purpose, &due, &error);
        g_assert_cmpint(due, ==, cases[i].want_now ? temp_now(s) : far);
        timer_find(s->db, (JobId){2}, cases[i].purpose, &due, &error);
        g_assert_cmpint(due, ==, temp_now(s) + USEC_PER_SEC);
        g_assert_no_error(error);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test)                                                                        \
    g_test_add(name, TempStore, NULL, temp_store_open, test, temp_store_close)
    ADD("/set_back/jobs", test_jobs);
    ADD("/set_back/brains", test_brains);
    ADD("/set_back/doubts", test_doubts);
    ADD("/set_back/timers", test_timers);
#undef ADD
    return g_test_run();
}
