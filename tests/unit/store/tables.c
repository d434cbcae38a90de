/* Tables that a face brings, and the folders that the master watches for it. */
#include "store/tables.h"
#include "base/err.h"
#include "store/sql.h"
#include "testhome.h"

static const char *const steps[] = {
    "CREATE TABLE test_a (x INTEGER NOT NULL); INSERT INTO test_a VALUES (1);",
    "ALTER TABLE test_a ADD COLUMN y INTEGER NOT NULL DEFAULT 2;",
    "no SQL at all",
};

static int64_t
ask(Db *db, const char *sql)
{
    g_autoptr(GError) error = NULL;
    int64_t n = -1;

    (void)sql_int(db, sql, &n, &error, "");
    return error ? -1 : n;
}

/* Each step once, however often it is opened; one that fails leaves the version before. */
static void
test_versions(void)
{
    static const struct {
        const char *name;
        int newest, want_version, want_y; /* -1: there is none */
        bool want;
    } cases[] = {
        {"first", 1, 1, -1, true},      {"again", 1, 1, -1, true},
        {"a step more", 2, 2, 2, true}, {"one that fails", 3, 2, 2, false},
        {"older", 1, 2, 2, false},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const SqlPart part = {steps, cases[i].newest};
        g_autoptr(GError) error = NULL;
        g_test_message("%s", cases[i].name);
        g_assert_cmpint(tables_open(db, "test", &part, &error), ==, cases[i].want);
        g_assert_cmpint(ask(db, "SELECT version FROM part WHERE face = 'test'"), ==,
                        cases[i].want_version);
        g_assert_cmpint(ask(db, "SELECT count(*) FROM test_a"), ==, 1);
        if (cases[i].want_y >= 0)
            g_assert_cmpint(ask(db, "SELECT y FROM test_a"), ==, cases[i].want_y);
    }
    db_close(db);
    test_home_free(home);
}

static void
test_watches(void)
{
    static const char *const two[] = {"b", "a", NULL}, *const one[] = {"c/d", NULL};
    static const struct {
        const char *face;
        const char *const *paths;
        const char *want; /* of all faces */
    } cases[] = {{"x", two, "a b"},     {"x", two, "a b"},  {"y", one, "a b c/d"},
                 {"x", one, "c/d c/d"}, {"x", NULL, "c/d"}, {"y", NULL, ""}};
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) all = NULL;
        g_assert_true(watches_keep(db, cases[i].face, cases[i].paths, &error));
        g_assert_true(watches_list(db, &all, &error));
        g_ptr_array_add(all, NULL);
        g_autofree char *text = g_strjoinv(" ", (char **)all->pdata);
        g_assert_cmpstr(text, ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tables/versions", test_versions);
    g_test_add_func("/tables/watches", test_watches);
    return g_test_run();
}
