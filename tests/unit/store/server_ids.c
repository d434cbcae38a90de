/* Ids that servers put on our mail: each leads to one mail for good, and to its thread. */
#include "store/out/server_ids.h"
#include "mail/msgid.h"
#include "store/out/outbox.h"
#include "temp_store.h"
#include "testmail.h"

#define THEIRS "theirs@server.example"

/* A mail to somebody outside by account main; its own id is *ret_msgid. */
static OutId
put(TempStore *s, const char *account, ThreadId thread, char **ret_msgid)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
    const OutTo to = {.address = "bob@far.example", .folder = "", .account = account};
    Txn txn = test_begin(s->db);
    OutId id;

    outbox_next(&txn, &id, &error);
    g_autofree char *msgid = msgid_mint(&s->home->key, MAIL_ANSWER, db_generation(s->db), id.v,
                                        "x", 1, s->home->config->domain);
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@example.org",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .thread = thread,
                          .to = &to,
                          .n_to = 1};
    outbox_put(&txn, id, &mail, &error);
    sql_run(&txn, "UPDATE delivery SET state = 'sent' WHERE outbox = ?", &error, "i", id.v);
    g_assert_no_error(error);
    test_commit(&txn);
    if (ret_msgid)
        *ret_msgid = g_steal_pointer(&msgid);
    return id;
}

static bool
rename_mail(TempStore *s, OutId mail, const char *id)
{
    g_autoptr(GError) error = NULL;
    bool is_new = false;
    Txn txn = test_begin(s->db);

    server_ids_put(&txn, mail, id, &is_new, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return is_new;
}

static int64_t
find(TempStore *s, const char *id)
{
    g_autoptr(GError) error = NULL;
    int64_t mail = 0;

    sql_int(s->db, "SELECT outbox FROM renamed WHERE id = ?", &mail, &error, "s", id);
    g_assert_no_error(error);
    return mail;
}

static void
test_once(TempStore *s, gconstpointer data)
{
    g_autofree char *own = NULL, *other = NULL, *found = NULL;
    OutId a = put(s, "main", (ThreadId){0}, &own), b = put(s, "main", (ThreadId){0}, &other);
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(OutRow) row = NULL;
    bool any = true;

    g_assert_true(server_ids_any(s->db, &any, NULL));
    g_assert_false(any);
    g_assert_true(rename_mail(s, a, THEIRS));
    g_assert_false(rename_mail(s, a, THEIRS));
    g_assert_false(rename_mail(s, b, THEIRS)); /* the first has it for good */
    g_assert_true(rename_mail(s, a, "again@server.example"));
    g_assert_false(rename_mail(s, a, own));
    g_assert_false(rename_mail(s, a, other)); /* what we minted is no server's */
    g_assert_false(rename_mail(s, (OutId){99}, "x@server.example"));
    g_assert_cmpint(find(s, THEIRS), ==, a.v);
    g_assert_cmpint(find(s, "again@server.example"), ==, a.v);
    g_assert_cmpint(find(s, "x@server.example"), ==, 0);
    g_assert_true(server_ids_find(s->db, THEIRS, &found, NULL));
    g_assert_cmpstr(found, ==, own);
    g_assert_true(server_ids_any(s->db, &any, NULL));
    g_assert_true(any);
    g_assert_true(outbox_find(s->db, &all, THEIRS, &row, NULL));
    g_assert_nonnull(row);
    g_assert_cmpstr(row->msgid, ==, own);
}

/* A mail that names the new id alone, before or after it is known, is of our mail's thread. */
static void
test_thread(TempStore *s, gconstpointer data)
{
    for (int before = 0; before < 2; before++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Message) answer = test_mail("r@x", "bob@far.example", NULL, THEIRS, "yes");
        g_autoptr(Message) begin = test_mail("f@x", "bob@far.example", NULL, NULL, "do");
        TempStore t;
        ThreadId ours, theirs;

        temp_store_open(&t, NULL);
        Txn txn = test_begin(t.db);
        g_assert_true(messages_thread(&txn, begin, &ours, &error));
        if (before)
            g_assert_true(messages_thread(&txn, answer, &theirs, &error));
        test_commit(&txn);
        OutId mail = put(&t, "main", ours, NULL);
        g_assert_true(rename_mail(&t, mail, THEIRS));
        g_assert_true(thread_of_mail(t.db, answer, &theirs, &error));
        g_assert_cmpint(theirs.v, ==, ours.v);
        temp_store_close(&t, NULL);
    }
}

static void
test_owed(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) owed = NULL;
    int64_t begin = temp_now(s);

    put(s, "main", (ThreadId){0}, NULL); /* too old */
    temp_pass(s, USEC_PER_SEC);
    OutId a = put(s, "main", (ThreadId){0}, NULL), b = put(s, "main", (ThreadId){0}, NULL);
    OutId held = put(s, "main", (ThreadId){0}, NULL);
    put(s, "other", (ThreadId){0}, NULL);
    Txn txn = test_begin(s->db);
    sql_run(&txn, "UPDATE delivery SET state = 'held' WHERE outbox = ?", &error, "i", held.v);
    test_commit(&txn);
    rename_mail(s, b, THEIRS);
    server_ids_owed(s->db, "main", begin + 1, &owed, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(owed->len, ==, 1);
    g_assert_cmpint(g_array_index(owed, OutId, 0).v, ==, a.v);
}

#define ADD(path, function)                                                                    \
    g_test_add("/renamed/" path, TempStore, NULL, temp_store_open, function, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("once", test_once);
    ADD("thread", test_thread);
    ADD("owed", test_owed);
    return g_test_run();
}
