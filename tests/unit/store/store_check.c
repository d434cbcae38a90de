/* db_check(): what it finds in a damaged store, and in one whose rows contradict each other. */
#include "store/db.h"
#include "store/sql.h"
#include "testhome.h"
#include <sqlite3.h>

static void
test_damaged_page(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(GPtrArray) findings = NULL;
    g_autofree char *path = test_state_path(home, "postrider.db");
    g_autofree char *junk = g_strnfill(4096, '\xaa');

    g_assert_cmpint(sqlite3_wal_checkpoint_v2(sql_handle(db), "main",
                                              SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
                    ==, SQLITE_OK);
    db_close(db);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    g_assert_cmpint(pwrite(fd, junk, 4096, 3 * 4096), ==, 4096);
    close(fd);
    db = test_db_open(home, DB_READ);
    g_assert_true(db_check(db, true, &findings, NULL));
    g_assert_cmpuint(findings->len, >, 0);
    db_close(db);
    test_home_free(home);
}

static void
test_check(void)
{
    static const struct {
        const char *sql, *want;
    } cases[] = {
        {"INSERT INTO message (role, account, folder, file, msgid, from_spec, to_specs, "
         "subject, date_us, received_us, size, flags, body, thread, class, trust, state) "
         "VALUES ('r', '', '', 'f', 'm', '', '', '', 0, 0, 0, 0, x'', 0, 'task', 'role', "
         "'stored')",
         "mail 1 is stored, but no job has it"},
        {"UPDATE message SET state = 'handled'",
         "mail 1 is handled, but by no step and for no reason"},
        {"UPDATE message SET state = 'odd'", "mail 1 has the unknown state 'odd'"},
        {"UPDATE message SET state = 'held'", "mail 1 is held without a reason"},
        {"UPDATE message SET state = 'held', why = 'x', job = 5",
         "mail 1 belongs to job 5, which is not there"},
        {"DELETE FROM message; INSERT INTO trace (message, at_us, what) VALUES (1, 0, 'x')",
         "a trace speaks of mail 1, which is not there"},
        {"DELETE FROM trace; INSERT INTO thread VALUES (1, 2), (2, 3), (3, NULL)",
         "thread 1 was joined to 2, which is no thread of its own"},
        {"DELETE FROM thread; INSERT INTO msgid VALUES ('a@b', 9)",
         "id <a@b> is in thread 9, which is not there"},
        {"DELETE FROM msgid; INSERT INTO job (role, face, thread, state, subject, asker, "
         "original, original_msgid, ready_us, created_us, updated_us) VALUES "
         "('r', '', 1, 'running', '', '', 1, '', 500, 1, 1)",
         "job 1 is running, but nobody owns it"},
        {"DELETE FROM job; INSERT INTO delivery (outbox, address, folder, state, next_us) "
         "VALUES (4, 'a@b', '', 'ready', 0)",
         "a delivery to a@b has no mail"},
        {"DELETE FROM delivery; INSERT INTO outbox (msgid, from_spec, subject, level, job, "
         "round, step, created_us) VALUES ('o@p', '', '', '', 0, 0, 0, 0)",
         "mail <o@p> in the outbox goes to nobody"},
        {"INSERT INTO delivery (outbox, address, folder, state, next_us) "
         "VALUES (1, 'a@b', '', 'ready', 0)",
         "mail <o@p> has not left, but its bytes are gone"},
        {"UPDATE delivery SET state = 'waiting', after_effect = 3; "
         "UPDATE outbox SET bytes = x'00'",
         "the delivery to a@b waits for an effect that is not owed"},
        {"UPDATE delivery SET state = 'sent'", NULL},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) findings = NULL;

        g_assert_true(sql_exec(sql_handle(db), cases[i].sql, NULL, "x"));
        g_assert_true(db_check(db, i % 2 == 0, &findings, NULL));
        g_assert_cmpuint(findings->len, ==, cases[i].want ? 1 : 0);
        if (cases[i].want)
            g_assert_cmpstr(findings->pdata[0], ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/check/damaged-page", test_damaged_page);
    g_test_add_func("/check/rows", test_check);
    return g_test_run();
}
