/* Files that are no store of ours, or an older one. */
#include "store/migrate.h"
#include "base/err.h"
#include "store/schema.h"
#include "store/sql.h"
#include "testhome.h"
#include <sqlite3.h>

static void
make_foreign(const Home *home, const char *sql)
{
    g_autofree char *path = test_state_path(home, "postrider.db");
    sqlite3 *handle = NULL;

    g_assert_cmpint(sqlite3_open(path, &handle), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_exec(handle, sql, NULL, NULL, NULL), ==, SQLITE_OK);
    sqlite3_close(handle);
}

static void
test_wrong_file(void)
{
    static const struct {
        const char *name, *text, *sql;
        int want;
        const char *want_text;
    } cases[] = {
        {"no database", "this is no database at all, it is a letter", NULL, ERR_DAMAGE,
         "restore"},
        {"another program's", NULL, "CREATE TABLE t (a)", ERR_DAMAGE, "another program"},
        {"another application", NULL, "PRAGMA application_id = 7; PRAGMA user_version = 1",
         ERR_DAMAGE, "another program"},
        {"newer", NULL, "PRAGMA application_id = 0x706f7374; PRAGMA user_version = 99",
         ERR_NEVER, "made by a newer postrider (schema 99"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        g_autoptr(GError) error = NULL;
        Db *db = NULL;

        if (cases[i].text) {
            g_autofree char *text = g_strnfill(8192, 'x');

            memcpy(text, cases[i].text, strlen(cases[i].text));
            test_write(home->path, "state/postrider.db", text);
        } else {
            make_foreign(home, cases[i].sql);
        }
        g_test_message("%s", cases[i].name);
        g_assert_false(db_open(home, DB_WRITE, &db, &error));
        g_assert_cmpint(error->code, ==, cases[i].want);
        g_assert_nonnull(strstr(error->message, cases[i].want_text));
        test_home_free(home);
    }
}

/* A crash between making the file and its first commit: the store is made at the next start. */
static void
test_empty_file(void)
{
    Home *home = test_home_new();
    g_autofree char *id = NULL;

    test_write(home->path, "state/postrider.db", "");
    Db *db = test_db_open(home, DB_WRITE);
    g_assert_true(meta_get(db, "home-id", &id, NULL));
    g_assert_nonnull(id);
    db_close(db);
    test_home_free(home);
}

/* This program's own migrations and two more. */
#define LATER 2

static void
test_migrate(void)
{
    const int now = schema_version, newest = schema_version + LATER;
    g_autofree const char **sql = g_new0(const char *, (gsize)newest + 1);
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *copy_name = g_strdup_printf("postrider.db.before-%d", now);
    g_autofree char *last_name = g_strdup_printf("postrider.db.before-%d", newest);
    g_autofree char *copy = test_state_path(home, copy_name);
    g_autofree char *last_copy = test_state_path(home, last_name);
    g_autofree char *failing = g_strdup_printf("from schema %d to %d", newest, newest + 1);
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db);
    int version;

    for (int i = 0; i < now; i++)
        sql[i] = schema_sql[i];
    sql[now] = "CREATE TABLE later (a); INSERT INTO later VALUES (1)";
    sql[now + 1] = "CREATE TABLE latest (a)";
    sql[newest] = "CREATE TABLE half (a); CREATE TABLE half (a)";
    g_assert_true(meta_set(&txn, "a", "kept", NULL));
    test_commit(&txn);
    g_assert_true(migrate_run(sql_conn(db), home, &(MigrateList){sql, newest}, &error));
    g_assert_no_error(error);
    g_assert_true(migrate_version(sql_handle(db), newest, &version, NULL));
    g_assert_cmpint(version, ==, newest);

    /* One that fails leaves the last whole version, and the copy. */
    g_assert_false(migrate_run(sql_conn(db), home, &(MigrateList){sql, newest + 1}, &error));
    g_assert_nonnull(strstr(error->message, failing));
    g_assert_true(migrate_version(sql_handle(db), newest, &version, NULL));
    g_assert_cmpint(version, ==, newest);
    g_assert_true(g_file_test(last_copy, G_FILE_TEST_EXISTS));
    db_close(db);

    /* This program does not know the later ones. */
    g_clear_error(&error);
    g_assert_false(db_open(home, DB_WRITE, &db, &error));
    g_assert_true(err_is(error, ERR_NEVER));

    /* The copy is the store as it was. */
    Home *old = test_home_new();
    g_autofree char *path = test_state_path(old, "postrider.db");
    g_autofree char *value = NULL;
    g_assert_cmpint(g_rename(copy, path), ==, 0);
    db = test_db_open(old, DB_WRITE);
    g_assert_true(meta_get(db, "a", &value, NULL));
    g_assert_cmpstr(value, ==, "kept");
    db_close(db);
    test_home_free(old);
    test_home_free(home);
}

static void
test_older_needs_a_writer(void)
{
    Home *home = test_home_new();
    g_autoptr(GError) error = NULL;
    Db *db = NULL;

    test_write(home->path, "state/postrider.db", "");
    g_assert_false(db_open(home, DB_READ, &db, &error));
    g_assert_true(err_is(error, ERR_LATER));
    test_home_free(home);
}

/* Texts of meta that were several values each (schema 8), and what must be read after it. */
static const char encoded[] =
    "INSERT INTO job (id, role, face, thread, state, subject, asker, original, original_msgid,"
    "  ready_us, created_us, updated_us, epoch, fence) VALUES (12, 'envoy', 'steps', 1, "
    "'running',"
    "  's', 'a@x', 1, 'm@x', 0, 0, 0, 5, 7);"
    "INSERT INTO step (job, n, round, at_us, took_us, cost_micro, phase, did) VALUES"
    "  (12, 1, 1, 86400000001, 0, 30, '', ''), (12, 2, 1, 172800000001, 0, 200, '', ''),"
    "  (12, 3, 1, 172800000002, 0, 100, '', '');"
    "INSERT INTO meta VALUES ('asking:12', '900@7'), ('unbooked:12', '40@172800000003'),"
    "  ('unbooked:0', '5@172800000004'), ('day-budget:2', '5000'), ('day-budget:9', '6000'),"
    "  ('order:12:000001', '111 the order STOP'), ('order:12:000002', '112 go on: a b'),"
    "  ('broken:one', 'no program'), ('broken-until:one', '1800000300000000 ab12 1.2.3'),"
    "  ('broken:tried', 'no key'),"
    "  ('limited:two', '1800000400000000 used up'), ('limited-under:two', '1 ff'),"
    "  ('limited-since:two', '1800000200000000 away'),"
    "  ('limited-told:two', '1799999999000000 ann@x bob@y'), ('limited-asked:two', '5 '),"
    "  ('limited:three', '4001800000400000000 until noon'), ('limited-since:three', '7 '),"
    "  ('lacks:four', '3 cd'), ('known:envoy', '1'), ('intake:envoy', '2' || char(10) ||"
    "  '1.a:2,' || char(10) || '2.b'), ('take-over:far', 'yes'), ('survey:far', 'yes'),"
    "  ('backup:away', 'yes'), ('account-since:far', '77'), ('account-trouble:away', 'no: "
    "login'),"
    "  ('smtp-paused:main', '1800000500000000 login refused'), ('forged-fields:far', 'mx.x'),"
    "  ('stopped-said:12', '5'), ('checkpoint-gone:12', '888 4242.99'),"
    "  ('unproven-said:eve@x', '20000'), ('clock', 'boot-1 1000 2000 -3000');";

static const struct {
    const char *sql, *want;
} decoded[] = {
    {"SELECT group_concat(key) FROM meta WHERE key LIKE '%:%' OR key = 'clock'", NULL},
    {"SELECT job || ' ' || fence || ' ' || micro FROM asking", "12 7 900"},
    {"SELECT group_concat(job || ' ' || micro || ' ' || at_us) FROM unbooked",
     "0 5 172800000004,12 40 172800000003"},
    {"SELECT group_concat(day || ' ' || spent_micro || ' ' || aside_micro || ' ' ||"
     " coalesce(limit_micro, '-')) FROM money",
     "1 30 0 -,2 345 0 5000,9 0 900 6000"},
    {"SELECT group_concat(job || ' ' || at_us || ' ' || words, '|') FROM command_order",
     "12 111 the order STOP|12 112 go on: a b"},
    {"SELECT broken_why || '|' || broken_until_us || '|' || broken_mark || '|' || away FROM "
     "brain"
     " WHERE name = 'one'",
     "no program|1800000300000000|ab12 1.2.3|0"},
    {"SELECT broken_why || '|' || (broken_mark IS NULL) FROM brain WHERE name = 'tried'",
     "no key|1"},
    {"SELECT limited_why || '|' || limited_until_us || '|' || limited_mark || '|' ||"
     " limited_since_us || '|' || away FROM brain WHERE name = 'two'",
     "used up|1800000400000000|ff|1800000200000000|1"},
    {"SELECT limited_why || '|' || limited_until_us || '|' || away FROM brain"
     " WHERE name = 'three'",
     "until noon|4001800000400000000|0"},
    {"SELECT lacks || '|' || lacks_mark FROM brain WHERE name = 'four'", "3|cd"},
    {"SELECT group_concat(what || ' ' || subject || ' ' || whom || ' ' || at_us, '|') FROM "
     "told",
     "limited two ann@x 1799999999000000|limited two bob@y 1799999999000000|"
     "limited-far two  5|unproven  eve@x 1728000000000000"},
    {"SELECT group_concat(mailbox) FROM visited", "envoy"},
    {"SELECT group_concat(mailbox || ' ' || file || ' ' || crashes, '|') FROM suspect",
     "envoy 1.a:2, 2|envoy 2.b 2"},
    {"SELECT take_over || survey || backup || ' ' || since_us || ' ' || forged FROM account"
     " WHERE name = 'far'",
     "110 77 mx.x"},
    {"SELECT take_over || survey || backup || ' ' || trouble FROM account WHERE name = 'away'",
     "001 no: login"},
    {"SELECT smtp_until_us || ' ' || smtp_why FROM account WHERE name = 'main'",
     "1800000500000000 login refused"},
    {"SELECT stop_told || '' FROM job", "5"},
    {"SELECT job || ' ' || at_us || ' ' || missed_by FROM missed", "12 888 4242.99"},
    {"SELECT boot || ' ' || boot_us || ' ' || wall_us || ' ' || ahead_us FROM clock",
     "boot-1 1000 2000 -3000"},
};

static void
test_encoded(void)
{
    Home *home = test_home_new();
    g_autofree char *path = test_state_path(home, "postrider.db");
    g_autoptr(GError) error = NULL;
    SqlConn conn = {0};

    g_assert_cmpint(sqlite3_open(path, &conn.handle), ==, SQLITE_OK);
    g_assert_true(migrate_run(&conn, home, &(MigrateList){schema_sql, 8}, &error));
    g_assert_true(sql_exec(conn.handle, encoded, &error, "test"));
    sql_conn_clear(&conn);
    Db *db = test_db_open(home, DB_WRITE);
    for (size_t i = 0; i < G_N_ELEMENTS(decoded); i++) {
        g_autofree char *got = NULL;
        g_test_message("%s", decoded[i].sql);
        sql_string(db, decoded[i].sql, &got, &error, "");
        g_assert_no_error(error);
        g_assert_cmpstr(got, ==, decoded[i].want);
    }
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/migrate/wrong-file", test_wrong_file);
    g_test_add_func("/migrate/empty-file", test_empty_file);
    g_test_add_func("/migrate/later", test_migrate);
    g_test_add_func("/migrate/encoded", test_encoded);
    g_test_add_func("/migrate/older-needs-a-writer", test_older_needs_a_writer);
    return g_test_run();
}
