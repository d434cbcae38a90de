/* Whether the past of the workflow was read from mail, of this store and no other. */
#include "store/workflow_past.h"
#include "testhome.h"

static bool
is_known(Db *db)
{
    g_autoptr(GError) error = NULL;
    bool known, ok = flow_past_known(db, &known, &error);

    g_assert_no_error(error);
    g_assert_true(ok);
    return known;
}

static void
test_known(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    g_assert_false(is_known(db));
    Txn txn = test_begin(db);
    g_assert_true(flow_past_set_known(&txn, NULL));
    test_commit(&txn);
    g_assert_true(is_known(db));

    /* The word of another store, whose events these are not. */
    txn = test_begin(db);
    g_assert_true(meta_set(&txn, "workflow-past", "1", NULL));
    test_commit(&txn);
    g_assert_false(is_known(db));
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/workflow-past/known", test_known);
    return g_test_run();
}
