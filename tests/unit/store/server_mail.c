#include "store/mail/server_mail.h"
#include "store/out/outbox.h"
#include "temp_store.h"

#define NO_ERROR g_autoptr(GError) error = NULL

static void
put(TempStore *s, uint32_t uid, const char *file)
{
    const RemoteNew in = {.account = "work",
                          .folder = "INBOX",
                          .role = "envoy",
                          .file = file,
                          .msgid = file,
                          .uidvalidity = 7,
                          .uid = uid};
    NO_ERROR;
    Txn txn = test_begin(s->db);

    remote_put(&txn, &in, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static RemoteMark
set_mark(TempStore *s, uint32_t uidvalidity, uint32_t next_uid)
{
    const RemoteMark in = {uidvalidity, next_uid, .first_us = uidvalidity};
    RemoteMark out;
    NO_ERROR;
    Txn txn = test_begin(s->db);

    g_assert_true(remote_mark_set(&txn, "work", "INBOX", &in, &error));
    g_assert_no_error(error);
    test_commit(&txn);
    remote_mark_get(s->db, "work", "INBOX", &out, &error);
    g_assert_no_error(error);
    return out;
}

static void
test_mark(TempStore *s, gconstpointer data)
{
    static const struct {
        RemoteMark set;
        uint32_t want_next;
    } cases[] = {
        {{7, 5000}, 5000},
        {{7, 5001}, 5001},
        {{7, 10}, 5001}, /* never back */
        {{8, 3}, 3},     /* but numbered anew */
    };
    RemoteMark mark;
    NO_ERROR;

    remote_mark_get(s->db, "work", "INBOX", &mark, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(mark.uidvalidity, ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        mark = set_mark(s, cases[i].set.uidvalidity, cases[i].set.next_uid);
        g_assert_cmpuint(mark.uidvalidity, ==, cases[i].set.uidvalidity);
        g_assert_cmpuint(mark.next_uid, ==, cases[i].want_next);
        g_assert_cmpint(mark.first_us, ==, 7); /* the first visit is one */
    }
}

static RemoteRows *
owed(TempStore *s)
{
    RemoteRows *rows = NULL;
    NO_ERROR;

    remote_owed(s->db, "work", 100, &rows, &error);
    g_assert_no_error(error);
    return rows;
}

/* The message's file is its Message-ID in temp_message(). */
static MsgId
message(TempStore *s)
{
    Txn txn = test_begin(s->db);
    MsgId id = temp_message(&txn, (JobId){1}, "stored");
    test_commit(&txn);
    return id;
}

static void
place(TempStore *s, MsgId id, const char *folder)
{
    NO_ERROR;
    Txn txn = test_begin(s->db);

    messages_set_place(&txn, id, folder, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static void
test_owed(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *folder;
        unsigned want_owed;
    } cases[] = {
        {"Active", 1},
        {"Later", 1}, /* an agent's own folder is none of the server's */
        {"Done", 1},
        {"", 1},
    };
    MsgId id = message(s);
    put(s, 5, "m1@example.org");
    put(s, 5, "m1@example.org"); /* once more is the same */
    put(s, 6, "other");

    g_autoptr(RemoteRows) none = owed(s);
    g_assert_cmpuint(none->len, ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        place(s, id, cases[i].folder);
        g_autoptr(RemoteRows) rows = owed(s);
        g_assert_cmpuint(rows->len, ==, cases[i].want_owed);
    }
    g_autoptr(RemoteRows) rows = owed(s);
    const RemoteRow *row = rows->pdata[0];
    g_assert_cmpuint(row->uid, ==, 5);
    g_assert_cmpstr(row->wants, ==, "");
}

static void
moved(TempStore *s, int64_t id, const char *folder, uint32_t uid, const char *paid)
{
    NO_ERROR;
    Txn txn = test_begin(s->db);

    remote_moved(&txn, id, &(RemotePlace){folder, 9, uid}, paid, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* Who wants it elsewhere meanwhile is not forgotten. */
static void
test_paid(TempStore *s, gconstpointer data)
{
    MsgId id = message(s);
    put(s, 5, "m1@example.org");
    place(s, id, "Active");
    g_autoptr(RemoteRows) first = owed(s);
    const RemoteRow *row = first->pdata[0];
    place(s, id, "Done");
    moved(s, row->id, "postrider/Active", 1, "Active");

    g_autoptr(RemoteRows) second = owed(s);
    g_assert_cmpuint(second->len, ==, 1);
    g_assert_cmpstr(((RemoteRow *)second->pdata[0])->folder, ==, "postrider/Active");
    g_assert_cmpstr(((RemoteRow *)second->pdata[0])->wants, ==, "Done");
    moved(s, row->id, "postrider/Done", 1, "Done");
    g_autoptr(RemoteRows) third = owed(s);
    g_assert_cmpuint(third->len, ==, 0);
}

static void
flag(TempStore *s, MsgId id, const char *marks)
{
    NO_ERROR;
    Txn txn = test_begin(s->db);

    messages_mark(&txn, id, marks, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static RemoteRows *
owed_marks(TempStore *s)
{
    RemoteRows *rows = NULL;
    NO_ERROR;

    remote_owed_marks(s->db, "work", 100, &rows, &error);
    g_assert_no_error(error);
    return rows;
}

static void
marked(TempStore *s, int64_t id, const char *paid)
{
    NO_ERROR;
    Txn txn = test_begin(s->db);

    remote_marked(&txn, id, paid, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* Flags are owed where the mail lies: not before it is moved; what came meanwhile stays owed;
 * what it has already is no debt. */
static void
test_marks(TempStore *s, gconstpointer data)
{
    MsgId id = message(s);
    put(s, 5, "m1@example.org");
    place(s, id, "Done");
    flag(s, id, "S");
    g_autoptr(RemoteRows) first = owed_marks(s);
    g_assert_cmpuint(first->len, ==, 0);

    g_autoptr(RemoteRows) moves = owed(s);
    const RemoteRow *row = moves->pdata[0];
    moved(s, row->id, "postrider/Done", 1, "Done");
    g_autoptr(RemoteRows) second = owed_marks(s);
    g_assert_cmpuint(second->len, ==, 1);
    g_assert_cmpstr(((RemoteRow *)second->pdata[0])->marks, ==, "S");
    flag(s, id, "RS");
    marked(s, row->id, "S");
    g_autoptr(RemoteRows) third = owed_marks(s);
    g_assert_cmpstr(((RemoteRow *)third->pdata[0])->marks, ==, "SR");
    marked(s, row->id, "SR");
    flag(s, id, "RS");
    g_autoptr(RemoteRows) none = owed_marks(s);
    g_assert_cmpuint(none->len, ==, 0);
}

/* Intake may be faster than the row: what was decided by then is owed, and the account is
 * known. */
static void
test_late_row(TempStore *s, gconstpointer data)
{
    g_autofree char *account = NULL;
    MsgId id = message(s);
    NO_ERROR;

    place(s, id, "Done");
    flag(s, id, "RS");
    put(s, 5, "m1@example.org");
    g_autoptr(RemoteRows) rows = owed(s);
    g_assert_cmpuint(rows->len, ==, 1);
    g_assert_cmpstr(((RemoteRow *)rows->pdata[0])->marks, ==, "RS");
    g_assert_cmpint(
        temp_int(s, "SELECT count(*) FROM message WHERE id = ? AND account = 'work'", id.v), ==,
        1);
    remote_account_of(s->db, "envoy", "m1@example.org", &account, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(account, ==, "work");
}

static bool
has_work(TempStore *s)
{
    bool work = false;
    NO_ERROR;

    remote_has_work(s->db, "work", temp_now(s), &work, &error);
    g_assert_no_error(error);
    return work;
}

static void
deliver_local(TempStore *s)
{
    g_autoptr(OutRows) rows = NULL;
    NO_ERROR;

    outbox_due(s->db, temp_now(s), true, 10, &rows, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rows->len, ==, 1);
    Txn txn = test_begin(s->db);
    outbox_sent(&txn, ((OutRow *)rows->pdata[0])->delivery, NULL, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* Neither a local deliverer nor SMTP sees what is to be filed on a server, and it is not filed
 * before the mail has left. */
static void
test_filed(TempStore *s, gconstpointer data)
{
    static const OutTo to[] = {
        {.address = "you@postrider.local", .mailbox = "you", .folder = ""},
        {.address = "envoy@x", .folder = "Sent", .flags = "S", .account = "work"},
    };
    g_autoptr(GBytes) bytes = g_bytes_new_static("x", 1);
    OutMail mail = {.msgid = "1.1.a@x", .from = "envoy@x", .bytes = bytes, .to = to, .n_to = 2};
    g_autoptr(OutRows) due = NULL, smtp = NULL;
    OutId id;
    NO_ERROR;
    Txn txn = test_begin(s->db);

    outbox_next(&txn, &id, &error);
    outbox_put(&txn, id, &mail, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    g_assert_false(has_work(s));
    deliver_local(s);
    g_assert_true(has_work(s));
    outbox_due(s->db, temp_now(s), false, 10, &smtp, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(smtp->len, ==, 0);
    outbox_due_files(s->db, "work", 10, &due, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(due->len, ==, 1);
    g_assert_cmpstr(((OutRow *)due->pdata[0])->folder, ==, "Sent");
}

#define ADD(path, test)                                                                        \
    g_test_add(path, TempStore, NULL, temp_store_open, test, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/store/remote/mark", test_mark);
    ADD("/store/remote/owed", test_owed);
    ADD("/store/remote/paid", test_paid);
    ADD("/store/remote/marks", test_marks);
    ADD("/store/remote/late-row", test_late_row);
    ADD("/store/remote/filed", test_filed);
    return g_test_run();
}
