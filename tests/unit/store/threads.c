#include "store/mail/messages.h"
#include "store/sql.h"
#include "testmail.h"

static ThreadId
thread_mail(Db *db, const char *id, const char *refs, const char *in_reply_to)
{
    g_autoptr(Message) m = test_mail(id, "ann@example.org", NULL, refs, NULL);
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db);
    ThreadId thread = {0};

    m->in_reply_to = g_strdup(in_reply_to);
    messages_thread(&txn, m, &thread, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return thread;
}

/* Each letter is a mail "x:refs"; the threads that the mails end up in are numbered by first
 * use. */
static void
test_sets(void)
{
    static const struct {
        const char *name, *mails[6], *want; /* threads as returned, one digit each */
    } cases[] = {
        {"alone", {"a:", "b:"}, "12"},
        {"answer", {"a:", "b:a"}, "11"},
        {"answer first", {"b:a", "a:"}, "11"},
        {"common ancestor never seen", {"b:x", "c:x"}, "11"},
        {"unseen in the middle", {"c:x y", "b:y"}, "11"},
        {"joins two, older stays", {"a:", "b:", "c:a b", "d:b"}, "1211"},
        {"joins three", {"a:", "b:", "c:", "d:c b a", "e:c"}, "12311"},
        {"join of joined", {"a:", "b:", "c:", "d:b c", "e:a b", "f:c"}, "123211"},
        {"names itself", {"a:a", "b:a"}, "11"},
        {"same mail again", {"a:", "a:"}, "11"},
        {"loop", {"a:b", "b:a"}, "11"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        g_autoptr(GString) got = g_string_new(NULL);

        for (size_t k = 0; k < G_N_ELEMENTS(cases[i].mails) && cases[i].mails[k]; k++) {
            g_auto(GStrv) parts = g_strsplit(cases[i].mails[k], ":", 2);

            g_string_append_printf(got, "%d", (int)thread_mail(db, parts[0], parts[1], NULL).v);
        }
        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(got->str, ==, cases[i].want);
        db_close(db);
        test_home_free(home);
    }
}

static void
test_in_reply_to(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    ThreadId a = thread_mail(db, "a", NULL, NULL);
    ThreadId b = thread_mail(db, "b", NULL, "a");
    g_assert_cmpint(a.v, ==, b.v);
    db_close(db);
    test_home_free(home);
}

/* A mail of ours is in its job's thread, also when that was joined to another meanwhile. */
static void
test_own(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    ThreadId a = thread_mail(db, "a", NULL, NULL);
    ThreadId b = thread_mail(db, "b", NULL, NULL);

    thread_mail(db, "c", "a b", NULL);
    Txn txn = test_begin(db);
    g_assert_true(messages_thread_own(&txn, "ours", b, NULL));
    test_commit(&txn);
    g_assert_cmpint(thread_mail(db, "d", "ours", NULL).v, ==, a.v);
    db_close(db);
    test_home_free(home);
}

/* Whichever number is asked for, all mails of the joined thread are listed. */
static void
test_list_joined(void)
{
    static const char *const mails[][2] = {{"a", NULL}, {"b", NULL}, {"c", "a b"}, {"z", NULL}};
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++) {
        g_autoptr(Message) m =
            test_mail(mails[i][0], "ann@example.org", NULL, mails[i][1], NULL);
        MsgNew in = test_msg_new("envoy", mails[i][0], m);

        test_store(db, &in);
    }
    for (int64_t thread = 1; thread <= 2; thread++) {
        g_autoptr(MsgRows) rows = NULL;
        MsgQuery q = {.thread = {thread}};

        g_assert_true(messages_list(db, &VIEWER_OPERATOR, &q, &rows, NULL));
        g_assert_cmpuint(rows->len, ==, 3);
        for (guint i = 0; i < rows->len; i++)
            g_assert_cmpint(((MsgRow *)rows->pdata[i])->thread.v, ==, 1);
    }
    db_close(db);
    test_home_free(home);
}

/* A thousand threads joined by one mail: still one hop to the root, and quick. */
static void
test_many(void)
{
    enum { N = 1000 };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(GString) refs = g_string_new(NULL);
    g_autoptr(GPtrArray) findings = NULL;
    Txn txn = test_begin(db);

    for (int i = 0; i < N; i++) {
        g_autofree char *id = g_strdup_printf("m%d", i);
        g_autoptr(Message) m = test_mail(id, NULL, NULL, NULL, NULL);
        ThreadId thread;

        g_assert_true(messages_thread(&txn, m, &thread, NULL));
        g_string_append_printf(refs, "%s%s", i ? " " : "", id);
    }
    test_commit(&txn);
    g_assert_cmpint(thread_mail(db, "joins", refs->str, NULL).v, ==, 1);
    g_assert_true(db_check(db, false, &findings, NULL));
    g_assert_cmpuint(findings->len, ==, 0);
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/threads/sets", test_sets);
    g_test_add_func("/threads/in-reply-to", test_in_reply_to);
    g_test_add_func("/threads/own", test_own);
    g_test_add_func("/threads/list-joined", test_list_joined);
    g_test_add_func("/threads/many", test_many);
    return g_test_run();
}
