/* What the store knows of itself: names and values, its age, when something is due next. */
#include "store/db.h"
#include "store/sql.h"
#include "testhome.h"

static void
test_meta(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *value = NULL, *gone = NULL, *undone = NULL;
    Txn txn = test_begin(db);

    g_assert_true(meta_set(&txn, "a", "1", NULL));
    g_assert_true(meta_set(&txn, "a", "2", NULL));
    g_assert_true(meta_set(&txn, "b", "x", NULL));
    g_assert_true(meta_set(&txn, "b", NULL, NULL));
    test_commit(&txn);
    g_assert_true(meta_get(db, "a", &value, NULL));
    g_assert_cmpstr(value, ==, "2");
    g_assert_true(meta_get(db, "b", &gone, NULL));
    g_assert_null(gone);

    txn = test_begin(db);
    g_assert_true(meta_set(&txn, "c", "never", NULL));
    txn_clear(&txn);
    txn_clear(&txn); /* twice is fine */
    g_assert_true(meta_get(db, "c", &undone, NULL));
    g_assert_null(undone);
    db_close(db);
    test_home_free(home);
}

static void
test_minted(void)
{
    const uint64_t ours = TEST_NOW / USEC_PER_MSEC;
    const struct {
        uint64_t generation;
        int64_t number;
        bool want_back;
    } cases[] = {
        {ours, 1, false}, {ours, 2, false},    {ours - 1, 900, false},
        {ours, 3, true},  {ours + 1, 1, true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        Txn txn = test_begin(db);
        bool back;

        for (int n = 0; n < 2; n++)
            g_assert_true(
                sql_run(&txn,
                        "INSERT INTO outbox (msgid, from_spec, subject, level, job, "
                        "round, step, created_us) VALUES ('x', '', '', '', 0, 0, 0, 0)",
                        NULL, ""));
        g_assert_true(db_note_minted(&txn, cases[i].generation, cases[i].number, &back, NULL));
        test_commit(&txn);
        g_autofree char *why = db_hold_all(db);
        g_assert_cmpint(back, ==, cases[i].want_back);
        g_assert_cmpint(why != NULL, ==, cases[i].want_back);
        db_close(db);
        test_home_free(home);
    }
}

static void
test_deadline(void)
{
    static const struct {
        const char *sql;
        int64_t want;
    } cases[] = {
        {"SELECT 1", USEC_NEVER},
        {"INSERT INTO timer (due_us, job, purpose) VALUES (900, 1, 'ack')", 900},
        {"INSERT INTO delivery (outbox, address, folder, state, next_us) "
         "VALUES (1, 'a', '', 'retry', 800), (1, 'a', '', 'sent', 1)",
         800},
        {"INSERT INTO job (role, face, thread, state, subject, asker, original, "
         "original_msgid, ready_us, wakes_us, created_us, updated_us, deadline_us) VALUES "
         "('r', '', 1, 'running', '', '', 1, '', 1, NULL, 1, 1, 700), "
         "('r', '', 1, 'done', '', '', 1, '', 1, 1, 1, 1, 1)",
         700},
        {"INSERT INTO job (role, face, thread, state, subject, asker, original, "
         "original_msgid, ready_us, wakes_us, created_us, updated_us) VALUES "
         "('r', '', 1, 'parked', '', '', 1, '', 1, 600, 1, 1), "
         "('r', '', 1, 'parked', '', '', 1, '', 1, NULL, 1, 1)",
         600},
        {"INSERT INTO job (role, face, thread, state, subject, asker, original, "
         "original_msgid, ready_us, created_us, updated_us) VALUES "
         "('r', '', 1, 'queued', '', '', 1, '', 500, 1, 1)",
         500},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t at;

        g_assert_true(sql_exec(sql_handle(db), cases[i].sql, NULL, "x"));
        g_assert_true(db_next_deadline(db, &at, NULL));
        g_assert_cmpint(at, ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/meta/values", test_meta);
    g_test_add_func("/meta/minted", test_minted);
    g_test_add_func("/meta/deadline", test_deadline);
    return g_test_run();
}
