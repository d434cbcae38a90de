/*
 * Threads are sets of Message-IDs. thread.into_thread of a joined thread names the one that it
 * was joined to, and that one is never joined itself: finding the root is one hop. Rows of
 * messages and jobs keep the number that they were given; who reads them takes the hop. So a
 * mail that names the ids of a thousand threads costs a thousand small updates, not a walk over
 * every mail.
 */
#include "store/mail/messages.h"
#include "store/sql.h"

/* {0} for an id that was never named. */
static bool
thread_of_id(Db *db, const char *msgid, ThreadId *ret, GError **error)
{
    return sql_int(db,
                   "SELECT coalesce(t.into_thread, t.id) FROM msgid m "
                   "JOIN thread t ON t.id = m.thread WHERE m.id = ?",
                   &ret->v, error, "s", msgid);
}

bool
thread_new(Txn *txn, ThreadId *ret, GError **error)
{
    return sql_insert(txn, "INSERT INTO thread (into_thread) VALUES (NULL)", &ret->v, error,
                      "");
}

/* Both are roots. The older one stays: people have seen its number. */
static bool
join(Txn *txn, ThreadId a, ThreadId b, ThreadId *ret, GError **error)
{
    ThreadId older = a.v < b.v ? a : b;
    ThreadId younger = a.v < b.v ? b : a;

    *ret = older;
    if (a.v == b.v)
        return true;
    return sql_run(txn, "UPDATE thread SET into_thread = ? WHERE id = ?", error, "ii", older.v,
                   younger.v) &&
           sql_run(txn, "UPDATE thread SET into_thread = ? WHERE into_thread = ?", error, "ii",
                   older.v, younger.v);
}

static bool
join_id(Txn *txn, const char *msgid, ThreadId *thread, GError **error)
{
    ThreadId found;

    if (!thread_of_id(txn->db, msgid, &found, error))
        return false;
    if (found.v == 0)
        return sql_run(txn,
                       "INSERT INTO msgid (id, thread) VALUES (?, ?) ON CONFLICT DO NOTHING",
                       error, "si", msgid, thread->v);
    return join(txn, *thread, found, thread, error);
}

/* The first thread that any of the ids is in; most mails name one thread or none. */
static bool
find_first(Db *db, const GPtrArray *ids, ThreadId *ret, GError **error)
{
    ret->v = 0;
    for (guint i = 0; i < ids->len && ret->v == 0; i++)
        if (!thread_of_id(db, ids->pdata[i], ret, error))
            return false;
    return true;
}

static GPtrArray *
named_ids(const Message *m)
{
    GPtrArray *ids = g_ptr_array_new();

    g_ptr_array_add(ids, m->id);
    for (guint i = 0; m->references && i < m->references->len; i++)
        g_ptr_array_add(ids, m->references->pdata[i]);
    if (m->in_reply_to)
        g_ptr_array_add(ids, m->in_reply_to);
    return ids;
}

bool
thread_of_mail(Db *db, const Message *m, ThreadId *ret, GError **error)
{
    g_autoptr(GPtrArray) ids = named_ids(m);

    return find_first(db, ids, ret, error);
}

bool
messages_thread(Txn *txn, const Message *m, ThreadId *ret_thread, GError **error)
{
    g_autoptr(GPtrArray) ids = named_ids(m);
    ThreadId thread;

    if (!find_first(txn->db, ids, &thread, error) ||
        (thread.v == 0 && !thread_new(txn, &thread, error)))
        return false;
    for (guint i = 0; i < ids->len; i++)
        if (!join_id(txn, ids->pdata[i], &thread, error))
            return false;
    *ret_thread = thread;
    return true;
}

bool
messages_thread_own(Txn *txn, const char *msgid, ThreadId thread, GError **error)
{
    ThreadId root;

    return sql_int(txn->db,
                   "SELECT coalesce((SELECT into_thread FROM thread WHERE id = ?1), ?1)",
                   &root.v, error, "i", thread.v) &&
           join_id(txn, msgid, &root, error);
}
