#include "store/out/outbox.h"
#include "store/job/questions.h"
#include "store/mail/mail_flags.h"
#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"
#include "store/out/outbox_smtp.h"
#include "store/spaces.h"
#include "store/sql.h"

/* The folder whose deliveries are copies for the sender. */
#define COPY "Sent"

static bool
is_copy(const OutTo *to)
{
    return strcmp(to->folder, COPY) == 0;
}

/* Filed on a server by its account, and no recipient. */
static bool
is_filed(const char *mailbox, const char *folder)
{
    return !mailbox && *folder;
}

const char *
outbox_no_way(const Config *config, const char *mailbox)
{
    return mailbox || config_way_out(config, NULL) ? NULL
                                                   : "no way to send: [smtp] is not configured";
}

/* A reason to hold the mail for every recipient; NULL: it leaves, at least for some. */
static const char *
held_for_all(const Config *config, const OutMail *m)
{
    const char *why = NULL;

    if (m->held)
        return m->held;
    for (size_t i = 0; i < m->n_to; i++) {
        if (is_copy(&m->to[i]) || is_filed(m->to[i].mailbox, m->to[i].folder))
            continue;
        why = outbox_no_way(config, m->to[i].mailbox);
        if (!why)
            return NULL;
    }
    return why;
}

bool
outbox_next(Txn *txn, OutId *ret, GError **error)
{
    if (!mailbox_upto(txn->db, &ret->v, error))
        return false;
    ret->v++;
    return true;
}

/* True when all recipients of the mail are outside of this home. */
static bool
all_outside(const OutMail *m)
{
    bool any = false;

    for (size_t i = 0; i < m->n_to; i++) {
        if (!is_copy(&m->to[i]) && m->to[i].mailbox)
            return false;
        any |= !m->to[i].mailbox && !*m->to[i].folder;
    }
    return any;
}

static bool
put_delivery(
    Txn *txn, OutId id, const OutMail *m, const OutTo *to, const char *held, GError **error)
{
    EffectId after = m->after.v || !is_copy(to) || !to->mailbox || !all_outside(m)
                         ? m->after
                         : OUTBOX_AFTER_SENT;
    OutState state = held ? OUT_HELD : after.v ? OUT_WAITING : OUT_READY;

    return sql_run(txn,
                   "INSERT INTO delivery "
                   "(outbox, address, mailbox, folder, flags, state, next_us, after_effect, "
                   "why, affinity) "
                   "VALUES (?, ?, ?, ?, ?, ?, steady(?), NULLIF(?, 0), ?, ?)",
                   error, "isssssiiss", id.v, to->address, to->mailbox, to->folder, to->flags,
                   out_state_name(state), txn_now(txn), after.v, held,
                   to->account ? to->account : "");
}

static bool
put_mail(Txn *txn, OutId id, const OutMail *m, GError **error)
{
    return sql_run(
        txn,
        "INSERT INTO outbox "
        "(id, msgid, from_spec, subject, level, floor, job, round, step, created_us, bytes, "
        "answers, in_reply_to, may, space, since_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?10, ?, "
        "NULLIF(?, 0), ?, (SELECT may FROM job WHERE id = ?), ?, steady(?10))",
        error, "isssssinnibisis", id.v, m->msgid, m->from, m->subject ? m->subject : "",
        trust_name(m->level), m->floor ? trust_name(*m->floor) : NULL, m->job.v, m->round,
        m->step, txn_now(txn), m->bytes, m->answers.v, m->in_reply_to, m->job.v, m->space) &&
           (!m->space || !m->job.v || job_space_add(txn, m->job, m->space, error));
}

bool
outbox_put(Txn *txn, OutId id, const OutMail *m, GError **error)
{
    const Config *config = db_home(txn->db)->config;
    const char *held = held_for_all(config, m);

    if (!put_mail(txn, id, m, error))
        return err_prefix(error, "putting mail %" PRId64 " into the outbox", id.v);
    for (size_t i = 0; i < m->n_to; i++) {
        const OutTo *to = &m->to[i];
        const char *why = held ? held
                          : is_filed(to->mailbox, to->folder)
                              ? NULL
                              : outbox_no_way(config, to->mailbox);
        if (!put_delivery(txn, id, m, to, why, error))
            return false;
    }
    return m->thread.v == 0 || messages_thread_own(txn, m->msgid, m->thread, error);
}

bool
outbox_sent(Txn *txn, int64_t delivery, const char *reply, GError **error)
{
    return sql_run(txn, "UPDATE delivery SET state = 'sent', why = ? WHERE id = ?", error, "si",
                   reply, delivery);
}

bool
outbox_release_copies(Txn *txn, OutId id, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'ready', next_us = steady(?) "
                   "WHERE outbox = ? AND state = 'waiting' AND after_effect = ?",
                   error, "iii", txn_now(txn), id.v, OUTBOX_AFTER_SENT.v);
}

bool
outbox_try_copies(Db *db, GError **error)
{
#define OWED_COPY "state = 'retry' AND folder <> '' AND mailbox IS NOT NULL"
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};
    bool owed;

    if (!sql_bool(db, "SELECT 1 FROM delivery WHERE " OWED_COPY " LIMIT 1", &owed, error, ""))
        return false;
    while (owed && txn_again(&txn, error))
        txn.ok = sql_run(&txn, "UPDATE delivery SET next_us = steady(?) WHERE " OWED_COPY,
                         error, "i", txn_now(&txn));
    return !owed || txn.done;
}

bool
outbox_retry(Txn *txn, int64_t delivery, int64_t next_us, const char *why, GError **error)
{
    return sql_run(
        txn,
        "UPDATE delivery SET state = 'retry', attempts = attempts + 1, next_us = steady(?), "
        "why = ? WHERE id = ? AND state IN ('ready', 'retry', 'sending')",
        error, "isi", next_us, why, delivery);
}

bool
outbox_fail(Txn *txn, int64_t delivery, const char *why, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'failed', attempts = attempts + 1, why = ? "
                   "WHERE id = ? AND state IN ('ready', 'retry', 'sending')",
                   error, "si", why, delivery);
}

/* Rows of delivery that have not left, and whose mail may still be called unsent. */
#define NOT_LEFT                                                                               \
    " state IN ('waiting', 'ready', 'retry') AND NOT ((folder = '" COPY "' OR "                \
    "(mailbox IS NULL AND folder <> '')) AND EXISTS "                                          \
    "(SELECT 1 FROM delivery other WHERE other.outbox = delivery.outbox "                      \
    "AND other.folder <> '" COPY "' AND other.state IN ('sent', 'sending', 'in_doubt')))"

bool
outbox_hold(Txn *txn, OutId id, const char *why, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'held', why = ? WHERE outbox = ? AND" NOT_LEFT,
                   error, "si", why, id.v);
}

bool
outbox_take_back(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error)
{
    return sql_count(txn->db,
                     "SELECT count(DISTINCT outbox) FROM delivery WHERE outbox IN "
                     "(SELECT id FROM outbox WHERE job = ? AND job <> 0) AND" NOT_LEFT,
                     ret_n, error, "i", job.v) &&
           sql_run(txn,
                   "UPDATE delivery SET state = 'held', why = ? WHERE outbox IN "
                   "(SELECT id FROM outbox WHERE job = ? AND job <> 0) AND" NOT_LEFT,
                   error, "si", why, job.v);
}

bool
outbox_effect_done(Txn *txn, EffectId effect, bool done, const char *why, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = ?, why = ?, next_us = steady(?) "
                   "WHERE state = 'waiting' AND after_effect = ?",
                   error, "ssii", out_state_name(done ? OUT_READY : OUT_HELD),
                   done ? NULL : why, txn_now(txn), effect.v);
}

bool
outbox_after_notes(Db *db, OutId *ret, GError **error)
{
    return sql_int(db,
                   "SELECT max(outbox) FROM delivery WHERE state = 'waiting' AND "
                   "after_effect = ?",
                   &ret->v, error, "i", OUTBOX_AFTER_NOTES.v);
}

bool
outbox_notes_done(Txn *txn, OutId upto, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET state = 'ready', next_us = steady(?) "
                   "WHERE state = 'waiting' AND after_effect = ? AND outbox <= ?",
                   error, "iii", txn_now(txn), OUTBOX_AFTER_NOTES.v, upto.v);
}

/* A copy whose mail nobody has: in the words of OUTBOX_AFTER_SENT. */
#define UNSENT_COPY                                                                            \
    " (after_effect = -2 AND NOT EXISTS (SELECT 1 FROM delivery other WHERE "                  \
    "other.outbox = delivery.outbox AND other.folder = '' AND other.state = 'sent')) "

/* The effect must be of the same job: numbers of effects that are done are given out again. */
static bool
let_go(Txn *txn, int64_t delivery, GError **error)
{
    return sql_run(txn,
                   "UPDATE delivery SET why = NULL, next_us = steady(?), state = "
                   "CASE WHEN" UNSENT_COPY "OR "
                   "EXISTS (SELECT 1 FROM effect e JOIN outbox o ON o.job = e.job "
                   "WHERE o.id = delivery.outbox AND e.id = delivery.after_effect "
                   "AND e.failed IS NULL) "
                   "THEN 'waiting' ELSE 'ready' END WHERE id = ? AND state = 'held'",
                   error, "ii", txn_now(txn), delivery);
}

bool
outbox_give_back(Txn *txn, JobId job, const char *why, unsigned *ret_n, GError **error)
{
    g_autoptr(GArray) held = NULL;

    if (!sql_ints(txn->db,
                  "SELECT id FROM delivery WHERE state = 'held' AND why = ? AND "
                  "outbox IN (SELECT id FROM outbox WHERE job = ? AND job <> 0)",
                  &held, error, "si", why, job.v))
        return false;
    for (guint i = 0; i < held->len; i++) {
        if (!let_go(txn, g_array_index(held, int64_t, i), error))
            return false;
    }
    *ret_n = held->len;
    return true;
}

/* Recipients first: without any of them there is nothing to keep a copy of. */
static bool
approve(Txn *txn, OutId id, const OutRows *held, GError **error)
{
    const char *why = NULL;
    unsigned n = 0;

    LIST_EACH(const OutRow, r, held) {
        const char *no_way = is_filed(r->mailbox, r->folder)
                                 ? NULL
                                 : outbox_no_way(db_home(txn->db)->config, r->mailbox);
        if (no_way)
            why = no_way;
        if (no_way || strcmp(r->folder, COPY) == 0)
            continue;
        if (!let_go(txn, r->delivery, error))
            return false;
        n++;
    }
    if (n == 0 && why)
        return err_set(error, ERR_NEVER, "mail %" PRId64 " can't leave: %s", id.v, why);
    LIST_EACH(const OutRow, r, held)
        if (strcmp(r->folder, COPY) == 0 && !let_go(txn, r->delivery, error))
            return false;
    return mail_flags_by(txn, id, error);
}

#define REJECTED "rejected by "

static bool
reject(Txn *txn, OutId id, const char *who, GError **error)
{
    g_autofree char *why = g_strconcat(REJECTED, who, NULL);

    return sql_run(txn,
                   "UPDATE delivery SET state = 'failed', why = ? "
                   "WHERE outbox = ? AND state = 'held'",
                   error, "si", why, id.v);
}

bool
outbox_reject_asked(Txn *txn, JobId job, const char *who, GError **error)
{
    g_autofree char *why = g_strconcat(REJECTED, who, NULL);

    return sql_run(txn,
                   "UPDATE delivery SET state = 'failed', why = ? WHERE state = 'held' AND "
                   "outbox IN (SELECT id FROM outbox WHERE job = ? AND job <> 0 AND "
                   "question IS NOT NULL)",
                   error, "si", why, job.v);
}

bool
outbox_decide(Txn *txn, OutId id, bool approved, const char *who, GError **error)
{
    const OutQuery query = {.id = id, .state = "held", .copies = true, .limit = UINT_MAX};
    g_autoptr(OutRows) held = NULL;

    if (!outbox_list(txn->db, &VIEWER_OPERATOR, &query, &held, error))
        return false;
    if (held->len == 0)
        return err_set(error, ERR_NEVER, "mail %" PRId64 " is not held", id.v);
    return approved ? approve(txn, id, held, error) : reject(txn, id, who, error);
}

bool
outbox_again(Txn *txn, OutId id, GError **error)
{
    bool again;

    return sql_changed(txn,
                       "UPDATE delivery SET state = CASE WHEN" UNSENT_COPY
                       "THEN 'waiting' ELSE 'ready' END, attempts = 0, next_us = steady(?) "
                       "WHERE outbox = ? AND (state IN ('retry', 'in_doubt') OR "
                       "(state = 'failed' AND coalesce(why, '') NOT LIKE '" REJECTED "%'))",
                       &again, error, "ii", txn_now(txn), id.v) &&
           questions_settle(txn, id, error) &&
           (again ||
            err_set(error, ERR_NEVER, "nothing of mail %" PRId64 " can be tried again", id.v));
}

bool
outbox_prune(Txn *txn, int64_t before_us, GError **error)
{
    return sql_run(txn,
                   "UPDATE outbox SET bytes = NULL WHERE created_us < ? AND bytes IS NOT NULL "
                   "AND NOT EXISTS (SELECT 1 FROM delivery "
                   "WHERE delivery.outbox = outbox.id AND state <> 'sent')",
                   error, "i", before_us);
}
