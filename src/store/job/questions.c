#include "store/job/questions.h"
#include "base/banned.h"
#include "base/digest.h"
#include "base/err.h"
#include "store/out/outbox.h"
#include "store/sql.h"
#include "store/viewer.h"
#include <inttypes.h>

static const char *const state_names[] = {"open", "approved", "rejected", "void"};
_Static_assert(G_N_ELEMENTS(state_names) == QUESTION_N_STATES, "name every QuestionState");

const char *
question_state_name(QuestionState s)
{
    g_assert((unsigned)s < QUESTION_N_STATES);
    return state_names[s];
}

/* An unknown word counts as void: nothing that we do not understand is approved. */
static QuestionState
parse_state(const char *name)
{
    for (int s = 0; s < QUESTION_N_STATES; s++) {
        if (strcmp(name, state_names[s]) == 0)
            return (QuestionState)s;
    }
    return QUESTION_VOID;
}

void
question_free(Question *q)
{
    if (!q)
        return;
    g_free(q->msgid);
    g_free(q->kind);
    g_free(q->asks);
    g_free(q->payload);
    g_free(q->who);
    g_free(q->why);
    g_free(q);
}

void
question_mail_free(QuestionMail *m)
{
    g_free(m->msgid);
    g_free(m->to);
    g_free(m->subject);
    g_free(m->why);
    g_free(m);
}

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
        "asked_us, until_us, about, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
        "?, " SQL_TIME ", NULLIF(?, 0), 'open')",
        &ret->v, error, "ssssiiidiii", q->msgid, q->kind, q->asks, q->payload, (int64_t)q->may,
        q->job.v, (int64_t)q->round, &q->digest, txn_now(txn), q->until_us, q->about.v);
}

bool
question_bind(Txn *txn, QuestionId id, OutId mail, GError **error)
{
    int changes = 0;

    if (!sql_run(txn,
                 "UPDATE outbox SET question = ? WHERE id = ? AND question IS NULL AND "
                 "NOT EXISTS (SELECT 1 FROM delivery WHERE outbox = outbox.id AND state <> "
                 "'held')",
                 &changes, error, "ii", id.v, mail.v))
        return false;
    return changes == 1 ||
           err_set(error, ERR_NEVER, "mail %" PRId64 " is not held, or asked about already",
                   mail.v);
}

bool
questions_settle(Txn *txn, OutId mail, GError **error)
{
    return sql_run(txn,
                   "UPDATE question SET state = 'void', why = '" QUESTION_SETTLED
                   "', decided_us = ?1 WHERE about = ?2 AND "
                   "(state = 'open' OR (state = 'void' AND why = 'stopped')) AND NOT EXISTS "
                   "(SELECT 1 FROM delivery WHERE outbox = ?2 AND state = 'in_doubt')",
                   NULL, error, "ii", txn_now(txn), mail.v);
}

/* --- looking --- */

#define COLUMNS                                                                                \
    "q.id, q.msgid, q.job, q.round, q.digest, q.asked_us, q.state, q.who, q.why, "             \
    "coalesce(q.decided_us, 0), q.about, q.kind, q.asks, q.payload, q.may, q.until_us "        \
    "FROM question q "

static Question *
read_question(SqlStmt *st)
{
    Question *q = g_new0(Question, 1);
    g_autofree char *state = sql_text(st, 6);

    q->id.v = sql_col_int(st, 0);
    q->msgid = sql_text(st, 1);
    q->job.v = sql_col_int(st, 2);
    q->round = (int)sql_col_int(st, 3);
    sql_digest(st, 4, &q->digest);
    q->asked_us = sql_col_int(st, 5);
    q->state = parse_state(state);
    q->who = sql_text_null(st, 7);
    q->why = sql_text_null(st, 8);
    q->decided_us = sql_col_int(st, 9);
    q->about.v = sql_col_int(st, 10); /* 0 for NULL */
    q->kind = sql_text(st, 11);
    q->asks = sql_text(st, 12);
    q->payload = sql_text_null(st, 13);
    q->may = (unsigned)sql_col_int(st, 14);
    q->until_us = sql_col_null(st, 15) ? USEC_NEVER : sql_col_int(st, 15);
    return q;
}

static bool
read_all(Db *db, SqlStmt *st, Questions **ret, GError **error)
{
    g_autoptr(Questions) all = questions_new();
    int rc;

    while ((rc = sql_next(st, error)) == 1)
        questions_add(all, read_question(st));
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&all);
    return true;
}

static bool
read_one(Db *db, SqlStmt *st, Question **ret, GError **error)
{
    g_autoptr(Questions) all = NULL;

    if (!read_all(db, st, &all, error))
        return false;
    *ret = all->len ? g_ptr_array_steal_index(LIST_ARRAY(all), 0) : NULL;
    return true;
}

bool
question_find(Db *db, const char *msgid, Question **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS "WHERE q.msgid = coalesce("
                          "(SELECT o.msgid FROM renamed r JOIN outbox o ON o.id = r.outbox "
                          "WHERE r.id = ?1), ?1) ORDER BY q.id DESC LIMIT 1",
                          error);

    if (!st)
        return false;
    sql_bind(st, "s", msgid);
    return read_one(db, st, ret, error);
}

bool
question_of(Db *db, OutId mail, Question **ret, GError **error)
{
    SqlStmt *st = sql_get(db,
                          "SELECT " COLUMNS "WHERE q.id = coalesce("
                          "(SELECT max(id) FROM question WHERE about = ?1 AND state = 'open'), "
                          "(SELECT question FROM outbox WHERE id = ?1))",
                          error);

    if (!st)
        return false;
    sql_bind(st, "i", mail.v);
    return read_one(db, st, ret, error);
}

bool
question_number(Db *db, const Question *q, OutId *ret, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(OutRow) row = NULL;

    if (!outbox_find(db, &viewer, q->msgid, &row, error))
        return false;
    *ret = row ? row->id : (OutId){0};
    return true;
}

/* Those of a job that sql selects by its number. */
static bool
list_of(Db *db, const char *sql, JobId job, Questions **ret, GError **error)
{
    SqlStmt *st = sql_get(db, sql, error);

    if (!st)
        return false;
    sql_bind(st, "i", job.v);
    return read_all(db, st, ret, error);
}

bool
questions_open(Db *db, JobId job, Questions **ret, GError **error)
{
    return list_of(db,
                   "SELECT " COLUMNS "WHERE q.state = 'open' AND (?1 = 0 OR q.job = ?1) "
                   "ORDER BY q.id",
                   job, ret, error);
}

bool
questions_list(Db *db, JobId job, Questions **ret, GError **error)
{
    return list_of(db, "SELECT " COLUMNS "WHERE q.job = ? ORDER BY q.id", job, ret, error);
}

bool
questions_untold(Db *db, JobId job, Questions **ret, GError **error)
{
    return list_of(db,
                   "SELECT " COLUMNS "WHERE q.job = ? AND q.told = 0 AND "
                   "q.state IN ('approved', 'rejected') ORDER BY q.decided_us, q.id",
                   job, ret, error);
}

bool
questions_told(Txn *txn, const QuestionId *ids, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        if (!sql_run(txn, "UPDATE question SET told = 1 WHERE id = ?", NULL, error, "i",
                     ids[i].v))
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

bool
question_mails(Db *db, QuestionId id, QuestionMails **ret_mails, GError **error)
{
    g_autoptr(QuestionMails) mails = question_mails_new();
    SqlStmt *st =
        sql_get(db,
                "SELECT o.id, o.msgid, o.subject, coalesce("
                "(SELECT group_concat(d.address, ', ') " RECIPIENT
                "AND q.about IS NOT NULL AND d.state = 'in_doubt'), "
                "(SELECT group_concat(d.address, ', ') " RECIPIENT ")), "
                "(SELECT d.why " RECIPIENT "ORDER BY d.id LIMIT 1), " UNDECIDED ", "
                "EXISTS (SELECT 1 " RECIPIENT
                "AND d.state = 'failed' AND d.why LIKE 'rejected by %') " ABOUT "ORDER BY o.id",
                error);
    int rc;

    if (!st)
        return false;
    sql_bind(st, "i", id.v);
    while ((rc = sql_next(st, error)) == 1) {
        QuestionMail *m = g_new0(QuestionMail, 1);
        m->id.v = sql_col_int(st, 0);
        m->msgid = sql_text(st, 1);
        m->subject = sql_text(st, 2);
        m->to = sql_text(st, 3);
        m->why = sql_text_null(st, 4);
        m->undecided = sql_col_int(st, 5) != 0;
        m->rejected = sql_col_int(st, 6) != 0;
        question_mails_add(mails, m);
    }
    if (rc < 0)
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
    int64_t left = 0;
    int changes = 0;

    if (!sql_int(txn->db, "SELECT count(*) " ABOUT "AND " UNDECIDED, 0, &left, error, "i",
                 id.v) ||
        !sql_run(txn,
                 "UPDATE question SET state = ?1, who = ?2, decided_us = ?3, "
                 "used_us = CASE WHEN ?1 = 'approved' THEN ?3 END, "
                 "why = CASE WHEN ?4 IS NULL THEN why WHEN why IS NULL THEN ?4 "
                 "ELSE why || '; ' || ?4 END WHERE id = ?5 AND state = 'open'",
                 &changes, error, "ssisi",
                 question_state_name(left      ? QUESTION_OPEN
                                     : approve ? QUESTION_APPROVED
                                               : QUESTION_REJECTED),
                 who, txn_now(txn), why, id.v))
        return false;
    if (changes != 1)
        return err_set(error, ERR_NEVER, "question %" PRId64 " is not open", id.v);
    *ret_closed = left == 0;
    return true;
}

bool
questions_void(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error)
{
    int changes = 0;

    /* One that STOP made void is ended by CANCEL all the same, not the other way round. */
    if (!sql_run(txn,
                 "UPDATE question SET state = 'void', why = ?1, decided_us = ?2 WHERE job = ?3 "
                 "AND job <> 0 AND (state = 'open' OR "
                 "(state = 'void' AND why = 'stopped' AND why <> ?1))",
                 &changes, error, "sii", why, txn_now(txn), job.v))
        return false;
    *ret_n = (unsigned)changes;
    return true;
}

bool
questions_revive(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error)
{
    int changes = 0;

    if (!sql_run(txn,
                 "UPDATE question SET state = 'open', why = NULL, decided_us = NULL "
                 "WHERE job = ? AND job <> 0 AND state = 'void' AND why = ?",
                 &changes, error, "is", job.v, why))
        return false;
    *ret_n = (unsigned)changes;
    return true;
}
