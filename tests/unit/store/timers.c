#include "store/job/timers.h"
#include "temp_store.h"

static void
set(TempStore *s, int64_t job, const char *purpose, int64_t due_us)
{
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    timer_set(&txn, (JobId){job}, purpose, due_us, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static void
drop(TempStore *s, int64_t job, const char *purpose)
{
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    timer_drop(&txn, (JobId){job}, purpose, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static int64_t
find(TempStore *s, int64_t job, const char *purpose)
{
    g_autoptr(GError) error = NULL;
    int64_t due = 0, same = 0, nag = 0;

    timer_find(s->db, (JobId){job}, purpose, &due, &error);
    timers_find(s->db, (JobId){job}, purpose, &same, "nag", &nag, &error);
    g_assert_no_error(error);
    g_assert_cmpint(same, ==, due);
    timer_find(s->db, (JobId){job}, "nag", &due, &error);
    g_assert_no_error(error);
    g_assert_cmpint(nag, ==, due);
    return same;
}

static void
test_set_moves(TempStore *s, gconstpointer data)
{
    set(s, 1, "ack", 10);
    set(s, 1, "ack", 20);
    set(s, 1, "nag", 30);
    set(s, 0, "ack", 40);
    g_assert_cmpint(find(s, 1, "ack"), ==, 20);
    g_assert_cmpint(find(s, 0, "ack"), ==, 40);
    g_assert_cmpint(find(s, 2, "ack"), ==, USEC_NEVER);
    drop(s, 1, "ack");
    g_assert_cmpint(find(s, 1, "ack"), ==, USEC_NEVER);
    g_assert_cmpint(find(s, 1, "nag"), ==, 30);
    set(s, 1, "ack", 50);
    drop(s, 1, NULL);
    g_assert_cmpint(find(s, 1, "ack"), ==, USEC_NEVER);
    g_assert_cmpint(find(s, 1, "nag"), ==, USEC_NEVER);
    g_assert_cmpint(find(s, 0, "ack"), ==, 40);
}

static void
test_due(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t now_us;
        unsigned want_n;
    } cases[] = {{9, 0}, {10, 1}, {20, 2}, {99, 2}};

    Txn txn = test_begin(s->db);
    g_assert_true(timer_set_own(&txn, (JobId){3}, TIMER_ACK, 5, NULL));
    g_assert_true(timer_set_about(&txn, (JobId){0}, "face:day", "2026-11-15", 10, NULL));
    test_commit(&txn);
    set(s, 1, "nag", 20);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Timers) timers = NULL;
        g_autoptr(GError) error = NULL;
        timers_due(s->db, cases[i].now_us, &timers, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(timers->len, ==, cases[i].want_n);
        if (timers->len > 0) {
            const Timer *first = timers->pdata[0];
            g_assert_cmpint(first->job.v, ==, 0);
            g_assert_cmpstr(first->purpose, ==, "face:day");
            g_assert_cmpstr(first->subject, ==, "2026-11-15");
        }
    }
}

/* Taken once; one that somebody has moved meanwhile stays, and so do others of its purpose. */
static void
test_take(TempStore *s, gconstpointer data)
{
    g_autoptr(Timers) timers = NULL;
    g_autoptr(GError) error = NULL;
    bool first, again, moved;
    Txn txn = test_begin(s->db);

    g_assert_true(timer_set_about(&txn, (JobId){0}, "face:day", "a", 10, NULL));
    g_assert_true(timer_set_about(&txn, (JobId){0}, "face:day", "b", 11, NULL));
    g_assert_true(timers_due(s->db, 20, &timers, &error));
    g_assert_cmpuint(timers->len, ==, 2);
    g_assert_true(timer_set_about(&txn, (JobId){0}, "face:day", "b", 12, NULL));
    g_assert_true(timer_take(&txn, timers->pdata[0], &first, &error));
    g_assert_true(timer_take(&txn, timers->pdata[0], &again, &error));
    g_assert_true(timer_take(&txn, timers->pdata[1], &moved, &error));
    test_commit(&txn);
    g_assert_true(first && !again && !moved);
    g_assert_cmpint(find(s, 0, "face:day"), ==, 12);
}

/* The master sleeps until the earliest of them. */
static void
test_deadline(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    int64_t next = 0;

    g_assert_true(db_next_deadline(s->db, &next, &error));
    g_assert_cmpint(next, ==, USEC_NEVER);
    set(s, 1, "ack", TEST_NOW + 9);
    g_assert_true(db_next_deadline(s->db, &next, &error));
    g_assert_cmpint(next, ==, TEST_NOW + 9);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/timers/set", TempStore, NULL, temp_store_open, test_set_moves,
               temp_store_close);
    g_test_add("/timers/due", TempStore, NULL, temp_store_open, test_due, temp_store_close);
    g_test_add("/timers/take", TempStore, NULL, temp_store_open, test_take, temp_store_close);
    g_test_add("/timers/deadline", TempStore, NULL, temp_store_open, test_deadline,
               temp_store_close);
    return g_test_run();
}
