#include "store/mail/messages.h"
#include "base/limits.h"
#include "mail/identity.h"
#include "mail/maildir.h"
#include "mail/msgid.h"
#include "store/mail/copies.h"
#include "store/rows.h"

static const char *
sender(const Message *m)
{
    return m->from ? m->from->spec : "";
}

#define OLD_ROWS_READ 8 /* of one id, sender and body: more of them nobody has */

/* Keeps the best proven of several mails with one id. Mail from before the store was lost, or
 * from before it heard of the role, was never judged: the same mail once more is no news. */
static void
keep_better(const MsgRow *row, MsgKnown *known)
{
    Trust trust = row->class == MSG_HISTORY ? TRUST_OPERATOR : row->trust;

    if (known->id.v == 0 || trust > known->trust) {
        known->id = row->id;
        known->trust = trust;
    }
}

/* The file of a row that an older version wrote. */
static bool
has_identity(Db *db, const char *role, const char *file, const Digest *identity)
{
    const Home *home = db_home(db);
    size_t max = home->config ? home->config->max_message : LIMIT_MESSAGE_BYTES;
    g_autoptr(Maildir) md = NULL;
    g_autoptr(MaildirEntry) e = NULL;
    g_autoptr(GBytes) bytes = NULL;
    Digest own;
    gsize len;

    if (!maildir_open(home->mail_fd, role, false, &md, NULL) ||
        !maildir_find(md, file, &e, NULL) || !e || !maildir_read(md, e, max, &bytes, NULL) ||
        !bytes)
        return false;
    const void *data = g_bytes_get_data(bytes, &len);
    identity_of_bytes(data, len, &own);
    return digest_equal(&own, identity);
}

static bool
find_old(Db *db,
         const char *role,
         const Message *m,
         const Digest *identity,
         MsgKnown *known,
         GError **error)
{
    g_autoptr(MsgRows) rows = NULL;

    if (!rows_list(db, &msg_row_shape,
                   "FROM message WHERE msgid = ? AND role = ? AND identity IS NULL AND "
                   "from_spec = ? AND body = ? ORDER BY id DESC LIMIT ?",
                   &rows, error, "sssdn", m->id, role, sender(m), &m->body, OLD_ROWS_READ))
        return false;
    LIST_EACH(const MsgRow, row, rows)
        if (has_identity(db, role, row->file, identity))
            keep_better(row, known);
    return true;
}

static bool
find_same(Db *db, const char *role, const Message *m, MsgKnown *known, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    Digest identity;

    identity_of(m->headers, &m->body, &identity);
    if (!rows_list(db, &msg_row_shape,
                   "FROM message WHERE msgid = ? AND role = ? AND identity = ? ORDER BY id",
                   &rows, error, "ssd", m->id, role, &identity))
        return false;
    LIST_EACH(const MsgRow, row, rows)
        keep_better(row, known);
    return known->id.v || find_old(db, role, m, &identity, known, error);
}

bool
messages_known(Db *db, const char *role, const Message *m, MsgKnown *ret, GError **error)
{
    *ret = (MsgKnown){0};
    return sql_bool(db, "SELECT 1 FROM message WHERE msgid = ? AND role = ? LIMIT 1",
                    &ret->id_taken, error, "ss", m->id, role) &&
           (!ret->id_taken || find_same(db, role, m, ret, error));
}

bool
messages_has_file(Db *db, const char *role, const char *file, bool *ret_has, GError **error)
{
    return sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM message WHERE file = ?1 AND role = ?2) OR "
                    "EXISTS (SELECT 1 FROM copy WHERE file = ?1 AND role = ?2)",
                    ret_has, error, "ss", file, role);
}

/* Blanks part the list, so the rare quoted local part with a blank in it is left out. */
static void
add_specs(GString *list, const Addresses *addresses)
{
    for (guint i = 0; addresses && i < addresses->len; i++) {
        const Address *a = addresses->pdata[i];

        if (!strchr(a->spec, ' '))
            g_string_append_printf(list, "%s%s", list->len ? " " : "", a->spec);
    }
}

static bool
insert(Txn *txn, const MsgNew *in, MsgId *ret_id, GError **error)
{
    const Message *m = in->mail;
    g_autoptr(GString) to = g_string_sized_new(128);
    Digest identity;

    add_specs(to, m->to);
    add_specs(to, m->cc);
    identity_of(m->headers, &m->body, &identity);
    return sql_insert(
        txn,
        "INSERT INTO message (role, account, folder, file, msgid, in_reply_to, "
        "from_name, from_spec, to_specs, subject, date_us, received_us, size, flags, "
        "body, identity, thread, job, round, class, trust, floor, state, why, own_words, space) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?)",
        &ret_id->v, error, "ssssssssssiiiuddiinsssssds", in->role, in->account, in->folder,
        in->file, m->id, m->in_reply_to, m->from ? m->from->name : NULL, sender(m), to->str,
        m->subject, m->date_us, txn_now(txn), (int64_t)m->size, m->flags, &m->body, &identity,
        in->thread.v, in->job.v, in->round, msg_class_name(in->class), trust_name(in->trust),
        in->floor < in->trust ? trust_name(in->floor) : NULL, msg_state_name(in->state),
        in->why, in->words_known ? &in->own_words : NULL, in->space);
}

/* The row's own file is seen again, or it is a checkpoint: those lie where they came last,
 * since it is there that a person deletes them. */
static bool
update_place(Txn *txn, MsgId id, const MsgNew *in, const char *own, GError **error)
{
    return sql_run(txn, "UPDATE message SET account = ?, folder = ?, file = ? WHERE id = ?",
                   error, "sssi", in->account, in->folder, in->file, id.v) &&
           sql_run(txn, "DELETE FROM copy WHERE file = ? AND role = ?", error, "ss", in->file,
                   in->role) &&
           copies_add(txn, id, in->folder, own, error);
}

/* The identity is written down where an older version did not. */
static bool
store_again(Txn *txn, MsgId id, const MsgNew *in, GError **error)
{
    g_autofree char *own = NULL;
    Digest identity;

    identity_of(in->mail->headers, &in->mail->body, &identity);
    if (!sql_run(txn, "UPDATE message SET identity = ? WHERE id = ? AND identity IS NULL",
                 error, "di", &identity, id.v) ||
        !sql_string(txn->db, "SELECT file FROM message WHERE id = ?", &own, error, "i", id.v))
        return false;
    if (in->class == MSG_CHECKPOINT || g_strcmp0(own, in->file) == 0)
        return update_place(txn, id, in, own, error);
    return copies_add(txn, id, in->folder, in->file, error);
}

/* The row itself tells that a mail came and is plainly stored: only more than that is traced.
 */
bool
messages_store(Txn *txn, const MsgNew *in, MsgId *ret_id, bool *ret_new, GError **error)
{
    MsgKnown known = {0};

    if (!in->apart && !messages_known(txn->db, in->role, in->mail, &known, error))
        return false;
    MsgId id = known.id;
    if (id.v ? !store_again(txn, id, in, error) : !insert(txn, in, &id, error))
        return false;
    if (!known.id.v && (in->state != MSG_STORED || in->why) &&
        !messages_trace(txn, id, msg_state_name(in->state), in->why, error))
        return false;
    *ret_id = id;
    *ret_new = known.id.v == 0;
    return true;
}

/* Taken in by a job of this role, or sent by one. */
static bool
job_of_id(Db *db, const char *role, const char *msgid, JobId *ret, GError **error)
{
    const Home *home = db_home(db);
    Minted minted;

    if (!sql_int(db,
                 "SELECT job FROM message WHERE msgid = ? AND role = ? AND job <> 0 "
                 "ORDER BY id DESC LIMIT 1",
                 &ret->v, error, "ss", msgid, role))
        return false;
    if (ret->v != 0 || !home->config)
        return true;
    if (!msgid_read(&home->key, msgid, home->config->domain, &minted))
        return sql_int(db,
                       "SELECT o.job FROM renamed r JOIN outbox o ON o.id = r.outbox "
                       "JOIN job j ON j.id = o.job WHERE r.id = ? AND j.role = ?",
                       &ret->v, error, "ss", msgid, role);
    return sql_int(db,
                   "SELECT o.job FROM outbox o JOIN job j ON j.id = o.job "
                   "WHERE o.id = ? AND o.msgid = ? AND j.role = ?",
                   &ret->v, error, "iss", minted.number, msgid, role);
}

/* The newest job of the role on the thread: for mail that names only what no job holds, since
 * it comes late or before what it answers, or answers mail from before the store. A fork gets
 * only what names its own mail. A job that a face leads may have no mail yet. */
static bool
job_of_thread(Db *db, const char *role, const Message *m, JobId *ret, GError **error)
{
    ThreadId thread;

    if (!thread_of_mail(db, m, &thread, error))
        return false;
    if (thread.v == 0)
        return true;
    if (!sql_int(db,
                 "SELECT id FROM job WHERE face <> '' AND role = ? AND thread = ? "
                 "ORDER BY id DESC LIMIT 1",
                 &ret->v, error, "si", role, thread.v))
        return false;
    if (ret->v)
        return true;
    return sql_int(db,
                   "SELECT m.job FROM message m JOIN job j ON j.id = m.job "
                   "WHERE m.role = ?1 AND m.job <> 0 AND m.thread IN "
                   "(SELECT ?2 UNION ALL SELECT id FROM thread WHERE into_thread = ?2) "
                   "ORDER BY j.forked_job <> 0, m.job DESC LIMIT 1",
                   &ret->v, error, "si", role, thread.v);
}

bool
messages_find_job(Db *db, const char *role, const Message *m, JobId *ret_job, GError **error)
{
    JobId job = {0};

    for (guint i = m->references ? m->references->len : 0; i > 0 && job.v == 0; i--)
        if (!job_of_id(db, role, m->references->pdata[i - 1], &job, error))
            return false;
    if (job.v == 0 && m->in_reply_to && !job_of_id(db, role, m->in_reply_to, &job, error))
        return false;
    if (job.v == 0 && !job_of_thread(db, role, m, &job, error))
        return false;
    *ret_job = job;
    return true;
}

bool
messages_takes_part(
    Db *db, JobId job, const char *spec, bool believed, bool *ret, GError **error)
{
    g_autofree char *normal = address_normalise(spec);

    *ret = false;
    return !normal ||
           sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM message WHERE job = ?1 AND job <> 0 AND "
                    "(from_spec = ?2 OR " MESSAGE_IS_TO ") AND "
                    "(NOT ?3 OR trust NOT IN ('anyone', 'known'))) OR "
                    "EXISTS (SELECT 1 FROM outbox o LEFT JOIN delivery d ON d.outbox = o.id "
                    "WHERE o.job = ?1 AND o.job <> 0 AND (o.from_spec = ?2 OR "
                    "(d.address = ?2 AND d.state NOT IN ('held', 'failed'))))",
                    ret, error, "isn", job.v, normal, believed);
}

static bool
settle_one(Txn *txn, JobId job, int step, MsgId id, const char *why, GError **error)
{
    bool was_open;

    return sql_changed(txn,
                       "UPDATE message SET state = 'handled', step = ?, why = NULL "
                       "WHERE id = ? AND job = ? AND state IN ('stored', 'shown')",
                       &was_open, error, "nii", step, id.v, job.v) &&
           (was_open ||
            err_set(error, ERR_NEVER, "mail %" PRId64 " is answered already", id.v)) &&
           messages_trace(txn, id, "handled", why, error);
}

bool
messages_settle(Txn *txn, JobId job, int step, const MsgId *ids, size_t n, GError **error)
{
    g_autofree char *why = g_strdup_printf("job %" PRId64 ", step %d", job.v, step);

    for (size_t i = 0; i < n; i++)
        if (!settle_one(txn, job, step, ids[i], why, error))
            return false;
    return true;
}

static bool
must_exist(bool changed, MsgId id, GError **error)
{
    return changed || err_set(error, ERR_NEVER, "there is no mail %" PRId64, id.v);
}

bool
messages_set_state(Txn *txn, MsgId id, MsgState state, const char *why, GError **error)
{
    const char *name = msg_state_name(state);
    bool changed;

    return sql_changed(txn, "UPDATE message SET state = ?, why = ? WHERE id = ?", &changed,
                       error, "ssi", name, why, id.v) &&
           must_exist(changed, id, error) && messages_trace(txn, id, name, why, error);
}

bool
messages_set_job(Txn *txn, MsgId id, JobId job, int round, GError **error)
{
    bool changed;

    return sql_changed(txn, "UPDATE message SET job = ?, round = ? WHERE id = ?", &changed,
                       error, "ini", job.v, round, id.v) &&
           must_exist(changed, id, error) &&
           sql_run(txn,
                   "INSERT INTO job_space (job, space) SELECT job, space FROM message "
                   "WHERE id = ? AND job <> 0 AND space IS NOT NULL ON CONFLICT DO NOTHING",
                   error, "i", id.v);
}

/* The files of a mail, its copies too. */
#define FILES_OF(id)                                                                           \
    "(SELECT file, role FROM message WHERE id = " id                                           \
    " UNION ALL SELECT file, role FROM copy WHERE message = " id ")"

bool
messages_set_place(Txn *txn, MsgId id, const char *folder, GError **error)
{
    bool changed;

    /* A mail that also lies on a server is to lie in the same place there; and its copies. */
    return sql_changed(txn, "UPDATE message SET folder = ? WHERE id = ?", &changed, error, "si",
                       folder, id.v) &&
           must_exist(changed, id, error) &&
           sql_run(txn, "UPDATE copy SET owed = 1 WHERE message = ?", error, "i", id.v) &&
           sql_run(txn,
                   "UPDATE remote SET wants = ?1 WHERE ?1 IN ('', 'Active', 'Done') AND "
                   "(file, role) IN " FILES_OF("?2"),
                   error, "si", folder, id.v);
}

bool
messages_marks(Db *db, MsgId id, char **ret, GError **error)
{
    return sql_string(db, "SELECT marks FROM message WHERE id = ?", ret, error, "i", id.v);
}

bool
messages_lies(Db *db, MsgId id, const char *folder, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM message WHERE id = ? AND folder = ?", ret, error, "is", id.v,
                    folder);
}

bool
messages_mark(Txn *txn, MsgId id, const char *marks, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    g_autofree char *has = NULL;

    if (!messages_marks(txn->db, id, &has, error))
        return false;
    for (const char *p = marks; *p; p++) {
        if (!has || !strchr(has, *p))
            g_string_append_c(all, *p);
    }
    if (all->len == 0)
        return true;
    return sql_run(txn, "UPDATE message SET marks = marks || ? WHERE id = ?", error, "si",
                   all->str, id.v) &&
           sql_run(txn,
                   "UPDATE remote SET marks = (SELECT marks FROM message WHERE id = ?1) "
                   "WHERE (file, role) IN " FILES_OF("?1"),
                   error, "i", id.v) &&
           sql_run(txn,
                   "UPDATE copy SET owed = 1 WHERE message = ?1 AND EXISTS (SELECT 1 FROM "
                   "message WHERE id = ?1 AND folder NOT IN ('', 'Active'))",
                   error, "i", id.v);
}

bool
messages_mark_shown(Txn *txn, const MsgId *ids, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        bool is_news;

        if (!sql_changed(txn,
                         "UPDATE message SET state = 'shown' WHERE id = ? AND state = 'stored'",
                         &is_news, error, "i", ids[i].v) ||
            (is_news && !messages_trace(txn, ids[i], "shown", NULL, error)))
            return false;
    }
    return true;
}

bool
messages_end_job(Txn *txn, JobId job, MsgState state, const char *why, GError **error)
{
    const char *name = msg_state_name(state);

    return sql_run(txn,
                   "INSERT INTO trace (message, at_us, what, why) SELECT id, ?, ?, ? "
                   "FROM message WHERE job = ? AND job <> 0 AND state IN ('stored', 'shown')",
                   error, "issi", txn_now(txn), name, why, job.v) &&
           sql_run(txn,
                   "UPDATE message SET state = ?, why = ? "
                   "WHERE job = ? AND job <> 0 AND state IN ('stored', 'shown')",
                   error, "ssi", name, why, job.v);
}

bool
messages_reopen(Txn *txn, JobId job, int round, const char *why, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO trace (message, at_us, what, why) SELECT id, ?, 'stored', ? "
                   "FROM message WHERE job = ? AND job <> 0 AND round = ? AND state = 'dead'",
                   error, "isin", txn_now(txn), why, job.v, round) &&
           sql_run(txn,
                   "UPDATE message SET state = 'stored', why = NULL "
                   "WHERE job = ? AND job <> 0 AND round = ? AND state = 'dead'",
                   error, "in", job.v, round);
}

bool
messages_trace(Txn *txn, MsgId id, const char *what, const char *why, GError **error)
{
    return sql_run(txn, "INSERT INTO trace (message, at_us, what, why) VALUES (?, ?, ?, ?)",
                   error, "iiss", id.v, txn_now(txn), what, why);
}
