/*
 * One mail, inside the transaction of its batch: judged, then a checkpoint, an order, work, or
 * put aside; and what mail of ours that comes back says about the outbox.
 */
#include "base/err.h"
#include "base/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/face.h"
#include "engine/in/fetch_name.h"
#include "engine/in/intake_internal.h"
#include "engine/in/orders.h"
#include "engine/in/quotes.h"
#include "engine/in/rivals.h"
#include "engine/out/bounces.h"
#include "engine/out/namesake.h"
#include "engine/people/unproven_notice.h"
#include "mail/msgid.h"
#include "store/mail/server_mail.h"

/* An id of ours with a number that the store has not given out: the store is an old copy. */
static bool
note_minted(Engine *engine, Txn *txn, const Message *m, GError **error)
{
    const Home *home = engine->home;
    for (guint i = 0; i <= m->references->len; i++) {
        const char *id = i < m->references->len ? g_ptr_array_index(m->references, i) : m->id;
        Minted minted;
        bool went_back;
        if (!msgid_read(&home->key, id, home->config->domain, &minted))
            continue;
        if (!db_note_minted(txn, minted.generation, minted.number, &went_back, error))
            return false;
        if (went_back)
            log_event(LOG_ERROR,
                      "the store is older than its mail: nothing runs or leaves until "
                      "'postrider doctor --accept-backup'",
                      "message", id, NULL);
    }
    return true;
}

static bool
obey(Engine *engine,
     Txn *txn,
     MsgId id,
     const Order *order,
     JobId job,
     const Message *m,
     IntakeAfter *after,
     GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    if (!messages_load(engine->db, &VIEWER_OPERATOR, id, &row, error) ||
        !order_apply(engine, txn, order, job, row, m, after->poke, error))
        return false;
    after->ready = after->moves = true;
    return true;
}

/* What the trace of a new mail says beside its state; who may hear of it hears of it. */
static bool
take_notes(Engine *engine,
           Txn *txn,
           const ConfRole *role,
           const Message *m,
           const Judgement *j,
           MsgId id,
           bool id_taken,
           GError **error)
{
    if (j->forged &&
        !messages_trace(txn, id, "forged", "an origin line that does not hold", error))
        return false;
    if (*j->proof && !messages_trace(txn, id, "auth", j->proof, error))
        return false;
    if (j->unproven &&
        !unproven_notice(engine, txn, role, m, id_taken ? id : (MsgId){0}, j, error))
        return false;
    return !id_taken || j->copy ||
           messages_trace(txn, id, "id_reuse", "the same Message-ID on another mail", error);
}

/* A mail that says the same as one which has a job or is handled is no work, nor is it held: it
 * would be work when somebody releases it. */
static char *
put_aside(const Rivals *rivals, MsgNew *in, Judgement *j)
{
    if (!rivals->of.v || (j->state != MSG_STORED && j->state != MSG_HELD))
        return NULL;
    char *why = rivals_why(rivals->of);
    j->copy = true;
    j->unproven = false;
    in->state = MSG_IGNORED;
    in->why = why;
    return why;
}

/* *ret_id: the row; {0}: it is only one more file of a mail that is here. */
static bool
take_mail(Engine *engine,
          Txn *txn,
          const ConfRole *role,
          MsgNew *in,
          Judgement *j,
          MsgId *ret_id,
          IntakeAfter *after,
          GError **error)
{
    g_auto(Order) order = {0};
    g_auto(Rivals) rivals = {0};
    JobId job = {0};
    MsgKnown known;
    MsgId id;
    bool is_new;

    *ret_id = (MsgId){0};
    in->trust = j->trust;
    in->floor = j->floor;
    in->class = j->class;
    in->state = j->state;
    in->why = j->why;
    if (!messages_known(engine->db, role->name, in->mail, &known, error))
        return false;
    if (known.id.v && j->trust <= known.trust) {
        after->moves = true; /* it goes where that mail lies */
        return messages_store(txn, in, &id, &is_new, error);
    }
    in->apart = known.id.v != 0;
    if (known.id_taken && !rivals_compare(engine, role->name, in->mail, (MsgId){0}, known.id,
                                          j->trust, &rivals, error))
        return false;
    g_autofree char *why = put_aside(&rivals, in, j);
    bool ok = note_minted(engine, txn, in->mail, error) &&
              messages_thread(txn, in->mail, &in->thread, error) &&
              (in->state != MSG_STORED || intake_direct(engine, j, in, &order, &job, error)) &&
              quotes_lower_floor(engine, in, job, error) &&
              messages_store(txn, in, &id, &is_new, error) &&
              take_notes(engine, txn, role, in->mail, j, id, known.id_taken, error);
    if (why)
        in->why = NULL;
    if (!ok)
        return false;
    *ret_id = id;
    after->ready |= j->unproven; /* a word to the owner may be on its way */
    bool works = in->state == MSG_STORED || order.kind != ORDER_NONE;
    if (works && !rivals_retire(txn, &rivals, id, error))
        return false;
    if (order.kind != ORDER_NONE)
        ok = obey(engine, txn, id, &order, job, in->mail, after, error);
    else if (in->state == MSG_STORED)
        ok = after->ready = intake_queue(engine, txn, id, in, &job, error);
    return ok && (!is_new || faces_stored(engine, txn, id, in, job, error));
}

/* --- a mail that holds a checkpoint, or says so --- */

static bool
take_checkpoint(Engine *engine,
                Txn *txn,
                MsgNew *fresh,
                const Continuation *c,
                bool *ret_taken,
                IntakeAfter *after,
                GError **error)
{
    bool foreign, moves;
    if (!note_minted(engine, txn, fresh->mail, error) ||
        !checkpoint_take(engine, txn, fresh, c, &foreign, &moves, error))
        return false;
    *ret_taken = !foreign;
    after->moves |= moves;
    after->ready |= !foreign;
    return true;
}

/* The operator vouches for a document of the seed's own form: it begins a job. */
static bool
adopt(Engine *engine,
      Txn *txn,
      MsgNew *fresh,
      GBytes *document,
      IntakeAfter *after,
      GError **error)
{
    g_autoptr(Continuation) c = NULL;
    g_autoptr(GError) wrong = NULL;
    gsize len;
    const char *data = g_bytes_get_data(document, &len);
    MsgId id;
    bool is_new;
    fresh->class = MSG_CHECKPOINT;
    fresh->state = MSG_HANDLED;
    fresh->why = "a continuation of the operator";
    if (!continuation_parse_seed(data, len, &c, &wrong)) {
        fresh->state = MSG_HELD;
        fresh->why = wrong->message;
    } else if (!checkpoint_adopt(engine, txn, fresh->role, c, &fresh->job, error)) {
        return false;
    }
    fresh->round = 1;
    after->ready = true;
    bool ok = messages_thread(txn, fresh->mail, &fresh->thread, error) &&
              messages_store(txn, fresh, &id, &is_new, error);
    fresh->why = NULL; /* goes with wrong */
    return ok;
}

static bool
note_forged(Txn *txn, MsgId id, const Message *m, GError **error)
{
    log_event(LOG_WARN, "a mail carries a continuation that is not ours", "message", m->id,
              NULL);
    return checkpoint_count_forged(txn, error) &&
           messages_trace(txn, id, "forged", "a continuation whose MAC does not hold", error);
}

static bool
take_judged(Engine *engine,
            Txn *txn,
            const ConfRole *role,
            const IntakeItem *item,
            MsgNew *fresh,
            Judgement *j,
            MsgId *ret_id,
            IntakeAfter *after,
            GError **error)
{
    bool taken = false;
    *ret_id = (MsgId){0};
    if (item->in.seen == CONT_SIGNED &&
        !take_checkpoint(engine, txn, fresh, item->in.checkpoint, &taken, after, error))
        return false;
    if (taken)
        return true;
    if (item->in.seen == CONT_UNSIGNED && j->proved && j->trust == TRUST_OPERATOR)
        return adopt(engine, txn, fresh, item->in.document, after, error);
    if (item->in.seen == CONT_AMBIGUOUS) {
        j->state = MSG_HELD;
        j->why = "ambiguous: a continuation that can be read in two ways";
    }
    return take_mail(engine, txn, role, fresh, j, ret_id, after, error) &&
           (item->in.seen == CONT_NOT_ONE || item->in.seen == CONT_AMBIGUOUS || !ret_id->v ||
            note_forged(txn, *ret_id, fresh->mail, error));
}

/* Mail of ours that comes back says something about the outbox. */
static bool
take_returned(Engine *engine,
              Txn *txn,
              const IntakeItem *item,
              const Judgement *j,
              MsgId id,
              IntakeAfter *after,
              GError **error)
{
    if (item->unreadable || j->proved || j->state != MSG_IGNORED)
        return true;
    if (j->class != MSG_BOUNCE)
        return bounce_copy(engine, txn, item->in.mail, error);
    after->ready = true;
    return !id.v || bounce_take(engine, txn, id, item->bytes, error);
}

static void
count(IntakeStats *stats, const MsgNew *in)
{
    stats->taken++;
    stats->orders += in->class == MSG_ORDER;
    stats->held += in->state == MSG_HELD;
    stats->ignored += in->state == MSG_IGNORED;
    stats->dead += in->state == MSG_DEAD;
}

/* Did it come to the server before this store first looked there? */
static bool
is_past(Engine *engine, const ConfAccount *from, const char *base, bool *ret, GError **error)
{
    RemoteMark mark;
    uint32_t uidvalidity, uid;
    if (!remote_mark_get(engine->db, from->name, from->folder, &mark, error))
        return false;
    fetch_name_uid(base, &uidvalidity, &uid);
    *ret = uidvalidity == mark.uidvalidity && uid < mark.past_uid;
    return true;
}

bool
intake_take(Engine *engine,
            const ConfAccount *account,
            Txn *txn,
            const ConfRole *role,
            const IntakeItem *item,
            IntakeStats *stats,
            IntakeAfter *after,
            GError **error)
{
    const char *base = item->entry->base;
    const ConfAccount *from = fetch_name_account(engine->home->config, base);
    g_autofree char *remote = NULL; /* whose server it lies on too */
    if (!from && !remote_account_of(engine->db, role->name, base, &remote, error))
        return false;
    MsgNew fresh = {.role = role->name,
                    .account = from     ? from->name
                               : remote ? remote
                                        : account->name,
                    .folder = item->entry->folder,
                    .file = item->entry->base,
                    .mail = item->in.mail};
    Judgement j;
    MsgId id;
    if (!item->unreadable && !namesake_take(engine, txn, item->in.mail, error))
        return false;
    if (item->unreadable) {
        j = (Judgement){.class = MSG_UNREADABLE,
                        .state =
                            g_str_has_prefix(item->unreadable, "crashes") ? MSG_DEAD : MSG_HELD,
                        .why = item->unreadable};
    } else if (message_header(item->in.mail, MAIL_LARGE_HEADER)) {
        j = (Judgement){.class = MSG_UNREADABLE, .state = MSG_HELD, .why = "too_large"};
    } else {
        bool past = false;
        judge(engine->home, role, item->in.mail, from != NULL, &j);
        if (from && !is_past(engine, from, base, &past, error))
            return false;
        if (past && j.state == MSG_STORED) {
            j.state = MSG_IGNORED;
            j.why = "history";
        }
    }
    if (!take_judged(engine, txn, role, item, &fresh, &j, &id, after, error) ||
        !take_returned(engine, txn, item, &j, id, after, error))
        return err_prefix(error, "taking in '%s/%s'", role->name, item->entry->base);
    count(stats, &fresh);
    return true;
}
