/* Clocks are set, machines boot with a wrong one: a span stays a span, and a moment a moment. */
#include "store/due.h"
#include "store/job/pauses.h"
#include "store/job/timers.h"
#include "store/out/outbox_smtp.h"
#include "temp_store.h"
#include <sqlite3.h>

#define HOUR_US (3600 * USEC_PER_SEC)
#define DAY_US (24 * HOUR_US)
#define YEAR_US (365 * DAY_US)

/* What happens between writing a wait of an hour and looking at it. */
typedef struct Jump {
    const char *name, *boot; /* NULL: the same one */
    int64_t wall_us;         /* by how much the wall clock is on, or back */
    int64_t boot_us;      /* by how much that since boot is on; of another boot: what it says */
    int64_t want_left_us; /* of a span; of a moment it is the wall clock's */
} Jump;

static const Jump jumps[] = {
    {"nothing", NULL, 0, 0, HOUR_US},
    {"ten minutes", NULL, 600 * USEC_PER_SEC, 600 * USEC_PER_SEC, HOUR_US - 600 * USEC_PER_SEC},
    {"an hour", NULL, HOUR_US, HOUR_US, 0},
    {"set back by a year", NULL, -YEAR_US, 0, HOUR_US},
    {"set back by a year, an hour ago", NULL, HOUR_US - YEAR_US, HOUR_US, 0},
    {"set forward by a year", NULL, YEAR_US, 0, HOUR_US},
    {"set forward, and half an hour", NULL, YEAR_US, HOUR_US / 2, HOUR_US / 2},
    {"kept by a second", NULL, -USEC_PER_SEC, 0, HOUR_US + USEC_PER_SEC},
    {"another boot, ten minutes", "b", 600 * USEC_PER_SEC, 5, HOUR_US - 600 * USEC_PER_SEC},
    {"another boot, an hour", "b", HOUR_US, 5, 0},
    {"another boot, a year back", "b", -YEAR_US, 5, HOUR_US - USEC_PER_SEC},
    {"another boot, a minute back", "b", -60 * USEC_PER_SEC, 5, HOUR_US - USEC_PER_SEC},
    {"another boot, years of it", "b", -YEAR_US, 9 * YEAR_US, HOUR_US - USEC_PER_SEC},
    {"another boot, a year on", "b", YEAR_US, 5, HOUR_US - YEAR_US},
};

static void
begin(TempStore *s)
{
    s->home->clock.boot = "a";
    s->home->clock.boot_us = DAY_US;
}

static void
jump(TempStore *s, const Jump *j)
{
    Clock *clock = &s->home->clock;

    clock->fixed_wall_us += j->wall_us;
    clock->boot_us = j->boot_us + (j->boot ? 0 : clock->boot_us);
    clock->boot = j->boot ? j->boot : clock->boot;
}

/* In a process that has the store open, in one that opens it, and when one has looked: the same. */
static void
each_way(TempStore *s, const Jump *j, void (*check)(TempStore *s, const Jump *j))
{
    g_test_message("%s", j->name);
    check(s, j);
    db_close(s->db);
    s->db = test_db_open(s->home, DB_READ);
    check(s, j);
    db_close(s->db);
    s->db = test_db_open(s->home, DB_WRITE);
    due_look(s->db);
    check(s, j);
}

/* Each jump in a store of its own. */
static void
run_jumps(void (*write)(TempStore *s), void (*check)(TempStore *s, const Jump *j))
{
    for (size_t i = 0; i < G_N_ELEMENTS(jumps); i++) {
        TempStore s;
        temp_store_open(&s, NULL);
        begin(&s);
        write(&s);
        jump(&s, &jumps[i]);
        each_way(&s, &jumps[i], check);
        temp_store_close(&s, NULL);
    }
}

/* --- jobs: number 1 waits for a span, 2 for a moment, both parked; 3 and 4 the same, queued --- */

static void
write_jobs(TempStore *s)
{
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 4; i++) {
        JobId id = temp_job(s, "envoy");
        const Due due = {temp_now(s) + HOUR_US, i % 2};
        JobClaim claim;
        int64_t seq;
        bool seen;
        g_assert_true(temp_claim(s, id, &claim));
        g_auto(Txn) txn = test_begin(s->db);
        if (i < 2) {
            job_park(&txn, &claim, due, NULL, &seq, &error);
            job_seen(&txn, id, claim.epoch, seq, &seen, &error);
        } else {
            job_release(&txn, &claim, due, TRY_NONE, "later", &error);
        }
        g_assert_no_error(error);
        test_commit(&txn);
    }
}

static void
check_jobs(TempStore *s, const Jump *j)
{
    int64_t moment_left = HOUR_US - j->wall_us, next;
    unsigned due = 2 * (unsigned)(j->want_left_us <= 0) + 2 * (unsigned)(moment_left <= 0), n;
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 4; i++) {
        g_autoptr(Job) job = temp_load(s, (JobId){i + 1});
        int64_t at = i < 2 ? job->resume.us : job->ready_us;
        g_assert_cmpint(at - temp_now(s), ==, i % 2 ? moment_left : j->want_left_us);
        g_assert_true(i >= 2 || job->resume.moment == (i == 1));
        g_assert_true(i >= 2 || job->wakes_us == job->resume.us);
    }
    jobs_ready(s->db, temp_now(s), &n, &error);
    g_assert_no_error(error);
    g_assert_cmpint(n, ==, due);
    db_next_deadline(s->db, &next, &error);
    g_assert_no_error(error);
    g_assert_cmpint(next - temp_now(s), ==, MIN(moment_left, j->want_left_us));
    if (!db_can_write(s->db))
        return;
    g_auto(Txn) txn = test_begin(s->db);
    for (n = 0;; n++) {
        JobClaim claim;
        bool got;
        job_claim(&txn, (JobId){0}, USEC_NEVER, JOB_NO_MARK, &claim, &got, &error);
        g_assert_no_error(error);
        if (!got)
            break;
    }
    g_assert_cmpint(n, ==, due);
} /* rolled back */

static void
test_jobs(void)
{
    run_jumps(write_jobs, check_jobs);
}

/* --- mail: how old it is, a delivery that is tried again, a doubt; timers, pauses --- */

static void
write_others(TempStore *s)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
    const OutTo to[] = {{.address = "bob@far.example", .folder = "", .account = "main"},
                        {.address = "eve@far.example", .folder = "", .account = "main"}};
    const OutMail mail = {.msgid = "1.1.a@x",
                          .from = "envoy@example.org",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .job = {1},
                          .to = to,
                          .n_to = 2};
    int64_t then = temp_now(s) + HOUR_US;
    Due limit = {then, true};
    bool first;
    g_auto(Txn) txn = test_begin(s->db);

    outbox_put(&txn, (OutId){1}, &mail, &error);
    sql_run(&txn, "UPDATE delivery SET state = 'sending'", &error, "");
    outbox_retry(&txn, 1, then, "busy", &error);
    outbox_doubt(&txn, 2, "no answer", then, &error);
    timer_set(&txn, (JobId){1}, TIMER_PROGRESS, then, &error);
    brain_set_broken(&txn, "broken", then, "no key", &first, &error);
    brain_set_limited(&txn, "limited", &limit, "used up", &first, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static int64_t
pause_left(TempStore *s, const char *brain)
{
    g_autoptr(GError) error = NULL;
    g_auto(Pause) pause = {0};

    brain_pause(s->db, brain, &pause, &error);
    g_assert_no_error(error);
    return pause.kind == PAUSE_NONE ? 0 : pause.until.us - temp_now(s);
}

/* What gives a mail up, and what counts mails of an hour. */
static void
check_age(TempStore *s, const OutRow *row, int64_t want_us)
{
    g_autoptr(GError) error = NULL;
    unsigned newer, all;
    int64_t last;

    outbox_count_to(s->db, NULL, temp_now(s) - HOUR_US / 2, &newer, &error);
    outbox_count_to(s->db, NULL, temp_now(s) - want_us, &all, &error);
    outbox_last_to(s->db, row->job, row->address, &last, &error);
    g_assert_no_error(error);
    g_assert_cmpint(temp_now(s) - row->since_us, ==, want_us);
    g_assert_cmpint(temp_now(s) - last, ==, want_us);
    g_assert_cmpuint(newer, ==, want_us <= HOUR_US / 2);
    g_assert_cmpuint(all, ==, 1);
}

static void
check_others(TempStore *s, const Jump *j)
{
    const Viewer all = VIEWER_OPERATOR;
    const OutQuery query = {.id = {1}, .limit = 9};
    g_autoptr(GError) error = NULL;
    g_autoptr(OutRows) rows = NULL, due = NULL;
    g_autoptr(GArray) ask = NULL;
    int64_t at;

    outbox_list(s->db, &all, &query, &rows, &error);
    outbox_due(s->db, temp_now(s), false, 9, &due, &error);
    outbox_to_ask(s->db, temp_now(s), &ask, &error);
    timer_find(s->db, (JobId){1}, TIMER_PROGRESS, &at, &error);
    g_assert_no_error(error);
    g_assert_cmpint(rows->len, ==, 2);
    for (guint i = 0; i < rows->len;
         i++) { /* the doubt began an hour before it is asked about */
        int64_t left = j->want_left_us - (rows->pdata[i]->state == OUT_IN_DOUBT ? HOUR_US : 0);
        g_assert_cmpint(rows->pdata[i]->next_us - temp_now(s), ==, left);
        check_age(s, rows->pdata[i], HOUR_US - j->want_left_us);
    }
    g_assert_cmpint(due->len, ==, j->want_left_us <= 0);
    g_assert_cmpint(ask->len, ==, j->want_left_us <= 0);
    g_assert_cmpint(at - temp_now(s), ==, j->want_left_us);
    g_assert_cmpint(pause_left(s, "broken"), ==, MAX(j->want_left_us, 0));
    g_assert_cmpint(pause_left(s, "limited"), ==, MAX(HOUR_US - j->wall_us, 0));
}

static void
test_others(void)
{
    run_jumps(write_others, check_others);
}

/* Set again and again, on one boot and over several: the hour is an hour. */
static void
test_many(TempStore *s, gconstpointer data)
{
    static const Jump many[] = {
        {"a", NULL, YEAR_US + HOUR_US / 4, HOUR_US / 4},
        {"b", NULL, -2 * YEAR_US, 0},
        {"c", "b", -YEAR_US, 7},
        {"d", NULL, HOUR_US / 4, HOUR_US / 4},
        {"e", NULL, 3 * YEAR_US, 0},
        {"f", "c", HOUR_US / 4, 7},
    };
    g_autoptr(GError) error = NULL;
    int64_t left = HOUR_US, at;

    begin(s);
    Txn txn = test_begin(s->db);
    timer_set(&txn, (JobId){1}, TIMER_ACK, temp_now(s) + left, &error);
    test_commit(&txn);
    for (size_t i = 0; i < G_N_ELEMENTS(many); i++) {
        g_test_message("%s", many[i].name);
        jump(s, &many[i]);
        due_look(s->db);
        timer_find(s->db, (JobId){1}, TIMER_ACK, &at, &error);
        g_assert_no_error(error);
        left -= !many[i].boot          ? many[i].boot_us
                : many[i].wall_us >= 0 ? many[i].wall_us
                                       : USEC_PER_SEC;
        g_assert_cmpint(at - temp_now(s), ==, left);
    }
    g_assert_cmpint(left, ==, HOUR_US / 4 - USEC_PER_SEC);
}

/* A transaction that was given up has not told anybody that the clock was set. */
static void
test_rolled_back(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *mark = NULL;
    const Jump back = {"", "b", -YEAR_US, 5};

    begin(s);
    due_look(s->db);
    jump(s, &back);
    Txn txn = test_begin(s->db);
    txn_clear(&txn);
    g_assert_null(db_clock_mark(s->db)->boot);
    sql_string(s->db, "SELECT boot FROM clock", &mark, &error, "");
    g_assert_cmpstr(mark, ==, "a");
    /* Nor has one that had nothing to write. */
    int before = sqlite3_total_changes(sql_handle(s->db));
    txn = test_begin(s->db);
    test_commit(&txn);
    g_assert_cmpint(sqlite3_total_changes(sql_handle(s->db)), ==, before);
    g_assert_null(db_clock_mark(s->db)->boot);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/due/jobs", test_jobs);
    g_test_add_func("/due/others", test_others);
    g_test_add("/due/many", TempStore, NULL, temp_store_open, test_many, temp_store_close);
    g_test_add("/due/rolled-back", TempStore, NULL, temp_store_open, test_rolled_back,
               temp_store_close);
    return g_test_run();
}
