#include "store/job/questions.h"
#include "base/digest.h"
#include "store/out/outbox.h"
#include "store/rows.h"
#include "store/viewer.h"

/* --- what was shown --- */

static void
add_text(DigestCtx *ctx, const char *text)
{
    digest_update(ctx, text, strlen(text) + 1);
}

static void
add_bytes(DigestCtx *ctx, GBytes *bytes)
{
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    g_autofree char *length = g_strdup_printf("%" G_GSIZE_FORMAT, len);

    add_text(ctx, length);
    digest_update(ctx, data, len);
}

static bool
add_recipients(DigestCtx *ctx, Db *db, OutId id, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT address, coalesce(mailbox, '') FROM delivery "
                          "WHERE outbox = ? AND folder <> 'Sent' ORDER BY id",
                          error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", id.v);
    while ((rc = sql_next(st, error)) == 1) {
        g_autofree char *address = sql_text(st, 0);
        g_autofree char *mailbox = sql_text(st, 1);
        add_text(ctx, address);
        add_text(ctx, mailbox);
    }
    return rc == 0;
}

static bool
add_mail(DigestCtx *ctx, Db *db, OutId id, GError **error)
{
    g_autoptr(OutRow) row = NULL;

    if (!outbox_load(db, id, &row, error))
        return false;
    if (!row || !row->bytes)
        return err_set(error, ERR_DAMAGE, "the bytes of mail %" PRId64 " are gone", id.v);
    add_text(ctx, row->msgid);
    add_text(ctx, row->from);
    if (!add_recipients(ctx, db, id, error))
        return false;
    add_bytes(ctx, row->bytes);
    return true;
}

bool
question_digest(Db *db, const OutId *mails, size_t n, Digest *ret, GError **error)
{
    DigestCtx *ctx = digest_new();
    Digest digest;
    bool ok = true;

    for (size_t i = 0; i < n && ok; i++)
        ok = add_mail(ctx, db, mails[i], error);
    digest_final(ctx, &digest);
    if (ok)
        *ret = digest;
    return ok;
}

/* --- asking --- */

GArray *
question_out_ids(const Question *q)
{
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(OutId));
    g_auto(GStrv) words = g_strsplit(q->payload ? q->payload : "", " ", -1);

    for (char **w = words; *w; w++) {
        OutId id = {g_ascii_strtoll(*w, NULL, 10)};
        g_array_append_val(ids, id);
    }
    return ids;
}

bool
question_put(Txn *txn, const Question *q, QuestionId *ret, GError **error)
{
    return sql_insert(
        txn,
        "INSERT INTO question (msgid, kind, asks, payload, may, job, round, digest, "
        "asked_us, until_us, about, later, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
        "?, " SQL_TIME ", NULLIF(?, 0), ?, 'open')",
        &ret->v, error, "ssssuindiiin", q->msgid, q->kind, q->asks, q->payload, q->may,
        q->job.v, q->round, &q->digest, txn_now(txn), q->until_us, q->about.v, q->later);
}

bool
question_bind(Txn *txn, QuestionId id, OutId mail, GError **error)
{
    bool bound;

    return sql_changed(
               txn,
               "UPDATE outbox SET question = ? WHERE id = ? AND question IS NULL AND "
               "NOT EXISTS (SELECT 1 FROM delivery WHERE outbox = outbox.id AND state <> "
               "'held')",
               &bound, error, "ii", id.v, mail.v) &&
           (bound || err_set(error, ERR_NEVER,
                             "mail %" PRId64 " is not held, or asked about already", mail.v));
}

bool
questions_settle(Txn *txn, OutId mail, GError **error)
{
    return sql_run(txn,
                   "UPDATE question SET state = 'void', why = '" QUESTION_SETTLED
                   "', decided_us = ?1 WHERE about = ?2 AND "
                   "(state = 'open' OR (state = 'void' AND why = 'stopped')) AND NOT EXISTS "
                   "(SELECT 1 FROM delivery WHERE outbox = ?2 AND state = 'in_doubt')",
                   error, "ii", txn_now(txn), mail.v);
}

bool
question_show(Txn *txn, const char *msgid, int n, QuestionId id, GError **error)
{
    return sql_run(txn, "INSERT INTO asked (msgid, n, question) VALUES (?, ?, ?)", error, "sni",
                   msgid, n, id.v);
}

bool
question_use(Txn *txn, QuestionId id, bool *ret_used, GError **error)
{
    return sql_changed(txn,
                       "UPDATE question SET used_us = ? WHERE id = ? AND later = 1 AND "
                       "state IN ('approved', 'rejected') AND used_us IS NULL",
                       ret_used, error, "ii", txn_now(txn), id.v);
}

/* --- looking --- */

/* The mail ?1 by the id that it bears here: a server may have put its own on. */
#define SHOWN_BY                                                                               \
    "coalesce((SELECT o.msgid FROM renamed r JOIN outbox o ON o.id = r.outbox "                \
    "WHERE r.id = ?1), ?1)"

bool
questions_shown(Db *db, const char *msgid, Questions **ret, GError **error)
{
    return rows_list(db, &question_shape,
                     "FROM question q JOIN asked a ON a.question = q.id WHERE a.msgid = " SHOWN_BY
                     " ORDER BY a.n",
                     ret, error, "s", msgid);
}

bool
question_newest(Db *db, JobId job, const Digest *digest, Question **ret, GError **error)
{
    return rows_first(db, &question_shape,
                      "FROM question q WHERE q.job = ? AND q.later = 1 AND q.digest = ? "
                      "ORDER BY q.id DESC LIMIT 1",
                      ret, error, "id", job.v, digest);
}

bool
questions_later(Db *db, JobId job, const char *role, Questions **ret, GError **error)
{
    return rows_list(db, &question_shape,
                     "FROM question q JOIN job j ON j.id = q.job WHERE q.later = 1 AND "
                     "q.state = 'open' AND (?1 = 0 OR q.job = ?1) AND "
                     "(?2 IS NULL OR j.role = ?2) ORDER BY q.id",
                     ret, error, "is", job.v, role);
}

bool
questions_unused(Db *db, JobId job, Questions **ret, GError **error)
{
    return rows_list(db, &question_shape,
                     "FROM question q WHERE q.job = ? AND q.later = 1 AND "
                     "q.state IN ('approved', 'rejected') AND q.used_us IS NULL ORDER BY q.id",
                     ret, error, "i", job.v);
}

bool
question_find(Db *db, const char *msgid, Question **ret, GError **error)
{
    return rows_first(db, &question_shape,
                      "FROM question q WHERE q.msgid = " SHOWN_BY " OR q.id IN (SELECT "
                      "a.question FROM asked a WHERE a.msgid = " SHOWN_BY ") "
                      "ORDER BY q.id DESC LIMIT 1",
                      ret, error, "s", msgid);
}

bool
question_of(Db *db, OutId mail, Question **ret, GError **error)
{
    return rows_first(db, &question_shape,
                      "FROM question q WHERE q.id = coalesce("
                      "(SELECT max(id) FROM question WHERE about = ?1 AND state = 'open'), "
                      "(SELECT question FROM outbox WHERE id = ?1))",
                      ret, error, "i", mail.v);
}

/* The number in the outbox of the mail that asks, by which people name a question that is about
 * no mail; {0}: it is not there. */
static bool
question_number(Db *db, const Question *q, OutId *ret, GError **error)
{
    g_autoptr(OutRow) row = NULL;

    if (!outbox_find(db, &VIEWER_OPERATOR, q->msgid, &row, error))
        return false;
    *ret = row ? row->id : (OutId){0};
    return true;
}

bool
question_name(Db *db, const Question *q, char **ret, GError **error)
{
    OutId mail;
    int64_t n, of;

    if (!question_number(db, q, &mail, error) ||
        !sql_int(db, "SELECT n FROM asked WHERE msgid = ? AND question = ?", &n, error, "si",
                 q->msgid, q->id.v) ||
        !sql_int(db, "SELECT count(*) FROM asked WHERE msgid = ?", &of, error, "s", q->msgid))
        return false;
    *ret = of > 1 ? g_strdup_printf("%" PRId64 ".%" PRId64, mail.v, n)
                  : g_strdup_printf("%" PRId64, mail.v);
    return true;
}

bool
questions_open(Db *db, JobId job, Questions **ret, GError **error)
{
    bool any = true;

    if (!job.v && !rows_any(db, "SELECT 1 FROM question WHERE state = 'open' LIMIT 1",
                            &question_shape, ret, &any, error))
        return false;
    return !any ||
           rows_list(db, &question_shape,
                     "FROM question q WHERE q.state = 'open' AND (?1 = 0 OR q.job = ?1) "
                     "ORDER BY q.id",
                     ret, error, "i", job.v);
}

bool
questions_list(Db *db, JobId job, Questions **ret, GError **error)
{
    return rows_list(db, &question_shape, "FROM question q WHERE q.job = ? ORDER BY q.id", ret,
                     error, "i", job.v);
}

bool
questions_untold(Db *db, JobId job, Questions **ret, GError **error)
{
    return rows_list(db, &question_shape,
                     "FROM question q WHERE q.job = ? AND q.told = 0 AND "
                     "q.state IN ('approved', 'rejected') ORDER BY q.decided_us, q.id",
                     ret, error, "i", job.v);
}

bool
questions_told(Txn *txn, const QuestionId *ids, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        if (!sql_run(txn, "UPDATE question SET told = 1 WHERE id = ?", error, "i", ids[i].v))
            return false;
    }
    return true;
}

/* Recipients of mail o; the copy in Sent is none. */
#define RECIPIENT "FROM delivery d WHERE d.outbox = o.id AND d.folder <> 'Sent' "
#define HELD "NOT EXISTS (SELECT 1 " RECIPIENT "AND d.state <> 'held') "
#define DOUBT "EXISTS (SELECT 1 " RECIPIENT "AND d.state = 'in_doubt') "
/* Question q, and mail o that it is about. */
#define UNDECIDED "CASE WHEN q.about IS NULL THEN " HELD "ELSE " DOUBT "END "
#define ABOUT                                                                                  \
    "FROM question q JOIN outbox o ON (o.question = q.id OR o.id = q.about) WHERE q.id = ? "

static const Field mail_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(QuestionMail, id)},
    {NULL, "msgid", FIELD_TEXT, offsetof(QuestionMail, msgid)},
    {NULL, "subject", FIELD_TEXT, offsetof(QuestionMail, subject)},
    {NULL, NULL, FIELD_TEXT, offsetof(QuestionMail, to)},
    {NULL, "why", FIELD_TEXT_NULL, offsetof(QuestionMail, why)},
    {NULL, "undecided", FIELD_BOOL, offsetof(QuestionMail, undecided)},
    {NULL, "rejected", FIELD_BOOL, offsetof(QuestionMail, rejected)},
};
const Shape question_mail_shape = {SHAPE("x", QuestionMail, question_mails, mail_fields)};

/* All of them, or those in doubt where there are some and they are asked about. */
static bool
add_addresses(Db *db, QuestionId id, QuestionMail *m, GError **error)
{
    g_autoptr(GPtrArray) to = NULL;

    if (!sql_strings(
            db,
            "SELECT d.address FROM delivery d WHERE d.outbox = ?1 AND "
            "d.folder <> 'Sent' AND (d.state = 'in_doubt' OR NOT EXISTS "
            "(SELECT 1 FROM question q JOIN delivery e ON e.outbox = q.about WHERE "
            "q.id = ?2 AND e.folder <> 'Sent' AND e.state = 'in_doubt')) ORDER BY d.id",
            &to, error, "ii", m->id.v, id.v))
        return false;
    g_ptr_array_add(to, NULL);
    m->to = g_strjoinv(", ", (char **)to->pdata);
    return true;
}

bool
question_mails(Db *db, QuestionId id, QuestionMails **ret_mails, GError **error)
{
    g_autoptr(QuestionMails) mails = NULL;

    if (!rows_list(db, &question_mail_shape,
                   "FROM (SELECT o.id, o.msgid, o.subject, "
                   "(SELECT d.why " RECIPIENT "ORDER BY d.id LIMIT 1) AS why, " UNDECIDED
                   "AS undecided, "
                   "EXISTS (SELECT 1 " RECIPIENT
                   "AND d.state = 'failed' AND d.why LIKE 'rejected by %') AS rejected " ABOUT
                   ") x ORDER BY x.id",
                   &mails, error, "i", id.v))
        return false;
    LIST_EACH(QuestionMail, m, mails)
        if (!add_addresses(db, id, m, error))
            return false;
    *ret_mails = g_steal_pointer(&mails);
    return true;
}

/* --- deciding --- */

bool
question_decide(Txn *txn,
                QuestionId id,
                bool approve,
                const char *who,
                const char *why,
                bool *ret_closed,
                GError **error)
{
    bool left, open;

    if (!sql_bool(txn->db, "SELECT count(*) " ABOUT "AND " UNDECIDED, &left, error, "i",
                  id.v) ||
        !sql_changed(txn,
                     "UPDATE question SET state = ?1, who = ?2, decided_us = ?3, "
                     "used_us = CASE WHEN ?1 = 'approved' AND later = 0 THEN ?3 END, "
                     "why = CASE WHEN ?4 IS NULL THEN why WHEN why IS NULL THEN ?4 "
                     "ELSE why || '; ' || ?4 END WHERE id = ?5 AND state = 'open'",
                     &open, error, "ssisi",
                     question_state_name(left      ? QUESTION_OPEN
                                         : approve ? QUESTION_APPROVED
                                                   : QUESTION_REJECTED),
                     who, txn_now(txn), why, id.v))
        return false;
    *ret_closed = !left;
    return open || err_set(error, ERR_NEVER, "question %" PRId64 " is not open", id.v);
}

bool
questions_void(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error)
{
    /* CANCEL also voids a question that STOP made void; STOP does not change what CANCEL made
     * void. */
    return sql_changes(
        txn,
        "UPDATE question SET state = 'void', why = ?1, decided_us = ?2 WHERE job = ?3 "
        "AND job <> 0 AND (state = 'open' OR "
        "(state = 'void' AND why = 'stopped' AND why <> ?1))",
        ret_n, error, "sii", why, txn_now(txn), job.v);
}

bool
questions_revive(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error)
{
    return sql_changes(txn,
                       "UPDATE question SET state = 'open', why = NULL, decided_us = NULL "
                       "WHERE job = ? AND job <> 0 AND state = 'void' AND why = ?",
                       ret_n, error, "is", job.v, why);
}
