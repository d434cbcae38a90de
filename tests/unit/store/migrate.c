/* Files that are no store of ours, or an older one. */
#include "store/migrate.h"
#include "base/banned.h"
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
    g_assert_true(migrate_run(sql_handle(db), home, &(MigrateList){sql, newest}, &error));
    g_assert_no_error(error);
    g_assert_true(migrate_version(sql_handle(db), newest, &version, NULL));
    g_assert_cmpint(version, ==, newest);

    /* One that fails leaves the last whole version, and the copy. */
    g_assert_false(migrate_run(sql_handle(db), home, &(MigrateList){sql, newest + 1}, &error));
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

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/migrate/wrong-file", test_wrong_file);
    g_test_add_func("/migrate/empty-file", test_empty_file);
    g_test_add_func("/migrate/later", test_migrate);
    g_test_add_func("/migrate/older-needs-a-writer", test_older_needs_a_writer);
    return g_test_run();
}
