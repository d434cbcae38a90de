#include "store/job/schedules.h"
#include "temp_store.h"

static int64_t
put(TempStore *s, const char *role, int64_t next_us)
{
    const Schedule in = {.spec = (char *)"1d",
                         .role = (char *)role,
                         .subject = (char *)"Daily",
                         .body = (char *)"two\nlines",
                         .created_us = TEST_NOW,
                         .next_us = next_us};
    g_autoptr(GError) error = NULL;
    int64_t id = 0;
    Txn txn = test_begin(s->db);

    schedule_put(&txn, &in, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static bool
move(TempStore *s, int64_t id, int64_t from_us, int64_t last_us, int64_t next_us)
{
    g_autoptr(GError) error = NULL;
    bool moved = false;
    Txn txn = test_begin(s->db);

    schedule_move(&txn, &(Schedule){.id = id, .next_us = from_us}, last_us, next_us, &moved,
                  &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return moved;
}

static Schedule *
load(TempStore *s, int64_t id)
{
    g_autoptr(GError) error = NULL;
    Schedule *got = NULL;

    schedule_load(s->db, id, &got, &error);
    g_assert_no_error(error);
    return got;
}

static void
test_round_trip(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    int64_t id = put(s, "envoy", TEST_NOW + 5);
    g_autoptr(Schedule) got = load(s, id);
    g_autoptr(Schedule) none = load(s, id + 1);

    g_assert_null(none);
    g_assert_cmpstr(got->spec, ==, "1d");
    g_assert_cmpstr(got->role, ==, "envoy");
    g_assert_cmpstr(got->subject, ==, "Daily");
    g_assert_cmpstr(got->body, ==, "two\nlines");
    g_assert_cmpint(got->created_us, ==, TEST_NOW);
    g_assert_cmpint(got->next_us, ==, TEST_NOW + 5);
    g_assert_cmpint(got->last_us, ==, USEC_NEVER);
    Txn txn = test_begin(s->db);
    g_assert_true(schedule_remove(&txn, id, &error));
    test_commit(&txn);
    g_autoptr(Schedule) gone = load(s, id);
    g_assert_null(gone);
}

/* Two who saw the same occurrence: one of them moves it. */
static void
test_moves_once(TempStore *s, gconstpointer data)
{
    int64_t id = put(s, "envoy", TEST_NOW + 5);

    g_assert_true(move(s, id, TEST_NOW + 5, TEST_NOW + 5, TEST_NOW + 50));
    g_assert_false(move(s, id, TEST_NOW + 5, TEST_NOW + 6, TEST_NOW + 60));
    g_autoptr(Schedule) once = load(s, id);
    g_assert_cmpint(once->last_us, ==, TEST_NOW + 5);
    g_assert_cmpint(once->next_us, ==, TEST_NOW + 50);
    g_assert_true(move(s, id, TEST_NOW + 50, USEC_NEVER, TEST_NOW + 70));
    g_autoptr(Schedule) kept = load(s, id);
    g_assert_cmpint(kept->last_us, ==, TEST_NOW + 5);
    g_assert_cmpint(kept->next_us, ==, TEST_NOW + 70);
}

static void
test_due(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t after_us;
        unsigned want_n;
        int64_t want_first;
    } cases[] = {{9, 0, 0}, {10, 1, 2}, {20, 2, 2}, {99, 2, 2}};

    put(s, "envoy", TEST_NOW + 20);
    put(s, "envoy", TEST_NOW + 10);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Schedules) due = NULL;
        g_autoptr(GError) error = NULL;
        unsigned ready = 0;
        schedules_list(s->db, TEST_NOW + cases[i].after_us, &due, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(due->len, ==, cases[i].want_n);
        if (due->len > 0)
            g_assert_cmpint(((Schedule *)due->pdata[0])->id, ==, cases[i].want_first);
        g_assert_true(jobs_ready(s->db, TEST_NOW + cases[i].after_us, &ready, &error));
        g_assert_cmpuint(ready, ==, cases[i].want_n);
    }
}

/* The master sleeps until the earliest of them. */
static void
test_deadline(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    int64_t next = 0;

    put(s, "envoy", TEST_NOW + 20);
    put(s, "envoy", TEST_NOW + 10);
    g_assert_true(db_next_deadline(s->db, &next, &error));
    g_assert_cmpint(next, ==, TEST_NOW + 10);
}

static void
test_lost_role(TempStore *s, gconstpointer data)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;

    put(s, "envoy", TEST_NOW + 20);
    put(s, "nobody", TEST_NOW + 20);
    g_assert_true(schedules_check(s->db, lines, &error));
    g_assert_cmpuint(lines->len, ==, 1);
    g_assert_nonnull(strstr(lines->pdata[0], "mails 'nobody', which is no role any more"));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/schedules/round trip", TempStore, NULL, temp_store_open, test_round_trip,
               temp_store_close);
    g_test_add("/schedules/moves once", TempStore, NULL, temp_store_open, test_moves_once,
               temp_store_close);
    g_test_add("/schedules/due", TempStore, NULL, temp_store_open, test_due, temp_store_close);
    g_test_add("/schedules/deadline", TempStore, NULL, temp_store_open, test_deadline,
               temp_store_close);
    g_test_add("/schedules/lost role", TempStore, NULL, temp_store_open, test_lost_role,
               temp_store_close);
    return g_test_run();
}
