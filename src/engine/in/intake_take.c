/* Takes in one mail, inside the transaction of its batch: the mail is judged, then becomes a
 * checkpoint, an order, or work, or is put aside. If it is mail of ours that came back, the
 * outbox learns from it. */
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
#include "store/spaces.h"

/* An id of ours with a number that the store has not given out: the store is an old copy. */
static bool
note_minted(const IntakeBatch *b, const Message *m, GError **error)
{
    const Home *home = b->engine->home;
    for (guint i = 0; i <= m->references->len; i++) {
        const char *id = i < m->references->len ? g_ptr_array_index(m->references, i) : m->id;
        Minted minted;
        bool went_back;
        if (!msgid_read(&home->key, id, home->config->domain, &minted))
            continue;
        if (!db_note_minted(b->txn, minted.generation, minted.number, &went_back, error))
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
obey(IntakeBatch *b, MsgId id, const Order *order, JobId job, const Message *m, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    b->ready = b->moves = true;
    if (!messages_load(b->engine->db, &VIEWER_OPERATOR, id, &row, error))
        return false;
    OrderCase c = {b->engine, b->txn, order, row, m, job, b->poke, NULL};
    return order_apply(&c, error);
}

/* Writes the trace of a new mail, beside its state, and tells those who may hear of it. */
static bool
take_notes(IntakeBatch *b,
           const Message *m,
           const Judgement *j,
           MsgId id,
           bool id_taken,
           GError **error)
{
    b->ready |= j->unproven; /* a word to the owner may be on its way */
    return (!j->forged ||
            messages_trace(b->txn, id, "forged", "an origin line that does not hold", error)) &&
           (!*j->proof || messages_trace(b->txn, id, "auth", j->proof, error)) &&
           (!j->unproven || unproven_notice(b->engine, b->txn, b->role, m,
                                            id_taken ? id : (MsgId){0}, j, error)) &&
           (!id_taken || j->copy ||
            messages_trace(b->txn, id, "id_reuse", "the same Message-ID on another mail",
                           error));
}

/* Queues the mail as work. A program that is at work on the job already may want to hear of
 * it. */
static bool
feed(IntakeBatch *b, MsgId id, const MsgNew *in, JobId *io_job, GError **error)
{
    if (io_job->v)
        g_array_append_val(b->fed, *io_job);
    return intake_queue(b->engine, b->txn, id, in, io_job, error);
}

/* *ret_id: the row; {0}: it is only one more file of a mail that is here. */
static bool
take_mail(IntakeBatch *b, MsgNew *in, Judgement *j, MsgId *ret_id, GError **error)
{
    Engine *engine = b->engine;
    Txn *txn = b->txn;
    g_auto(Order) order = {0};
    g_auto(Rivals) rivals = {0};
    JobId job = {0};
    MsgKnown known;
    MsgId id;
    bool is_new;
    if (!messages_known(engine->db, in->role, in->mail, &known, error))
        return false;
    bool here = known.id.v && j->trust <= known.trust;
    in->apart = known.id.v && !here;
    rivals.same = known.id;
    rivals.trust = j->trust;
    if (!here && known.id_taken && !rivals_compare(engine, in->role, in->mail, &rivals, error))
        return false;
    if (rivals.of.v && (j->state == MSG_STORED || j->state == MSG_HELD))
        rivals_put_aside(&rivals, j);
    in->trust = j->trust;
    in->floor = j->floor;
    in->class = j->class;
    in->state = j->state;
    in->why = j->why;
    in->space = *j->space ? j->space : NULL;
    if (here) {
        b->moves = true; /* it goes where that mail lies */
        return messages_store(txn, in, &id, &is_new, error);
    }
    if (!note_minted(b, in->mail, error) ||
        !messages_thread(txn, in->mail, &in->thread, error) ||
        (in->state == MSG_STORED && !intake_direct(engine, j, in, &order, &job, error)) ||
        !quotes_lower_floor(engine, in, job, error) ||
        !messages_store(txn, in, &id, &is_new, error) ||
        !take_notes(b, in->mail, j, id, known.id_taken, error))
        return false;
    *ret_id = id;
    bool works = in->state == MSG_STORED || order.kind != ORDER_NONE, ok = true;
    if (works && !rivals_retire(txn, &rivals, id, error))
        return false;
    if (order.kind != ORDER_NONE)
        ok = obey(b, id, &order, job, in->mail, error);
    else if (in->state == MSG_STORED)
        ok = b->ready = feed(b, id, in, &job, error);
    return ok && (!is_new || faces_stored(engine, txn, id, in, job, error));
}

/* --- a mail that holds a checkpoint, or says so --- */

/* The operator vouches for a document of the seed's own form: it begins a job. */
static bool
adopt(IntakeBatch *b, MsgNew *fresh, GBytes *document, GError **error)
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
    } else if (!checkpoint_adopt(b->engine, b->txn, c, fresh, error)) {
        return false;
    }
    fresh->round = 1;
    b->ready = true;
    bool ok = messages_thread(b->txn, fresh->mail, &fresh->thread, error) &&
              messages_store(b->txn, fresh, &id, &is_new, error);
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
take_judged(IntakeBatch *b,
            const IntakeItem *item,
            MsgNew *fresh,
            Judgement *j,
            MsgId *ret_id,
            GError **error)
{
    ContinuationSeen seen = item->in.seen;
    bool foreign = true, moves = false;
    *ret_id = (MsgId){0};
    if (seen == CONT_SIGNED && (!note_minted(b, fresh->mail, error) ||
                                !checkpoint_take(b->engine, b->txn, fresh, item->in.checkpoint,
                                                 &foreign, &moves, error)))
        return false;
    b->moves |= moves;
    b->ready |= !foreign;
    if (!foreign)
        return true;
    if (seen == CONT_UNSIGNED && j->proved && j->trust == TRUST_OPERATOR)
        return adopt(b, fresh, item->in.document, error);
    if (seen == CONT_AMBIGUOUS) {
        j->state = MSG_HELD;
        j->why = "ambiguous: a continuation that can be read in two ways";
    }
    return take_mail(b, fresh, j, ret_id, error) &&
           (seen == CONT_NOT_ONE || seen == CONT_AMBIGUOUS || !ret_id->v ||
            note_forged(b->txn, *ret_id, fresh->mail, error));
}

/* Mail of ours that comes back says something about the outbox. */
static bool
take_returned(
    IntakeBatch *b, const IntakeItem *item, const Judgement *j, MsgId id, GError **error)
{
    if (item->unreadable || j->proved || j->state != MSG_IGNORED)
        return true;
    if (j->class != MSG_BOUNCE)
        return bounce_copy(b->engine, b->txn, item->in.mail, error);
    b->ready = true;
    return !id.v || bounce_take(b->engine, b->txn, id, item->bytes, error);
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

/* A mail to a space is for its members of now; to anybody else it is one for somebody else. */
static bool
judge_space(const IntakeBatch *b, Judgement *j, GError **error)
{
    bool member = !*j->space;

    if (!member && !space_has(b->engine->db, j->space, b->role->name, &member, error))
        return false;
    if (!member && j->state == MSG_STORED) {
        j->state = MSG_IGNORED;
        j->why = "not addressed to this role";
    }
    return true;
}

/* from: whose server it was fetched from; NULL: it was born here. */
static bool
judge_item(const IntakeBatch *b,
           const IntakeItem *item,
           const ConfAccount *from,
           Judgement *ret,
           GError **error)
{
    bool past = false;
    if (item->unreadable) {
        bool crashes = g_str_has_prefix(item->unreadable, "crashes");
        *ret = (Judgement){.class = MSG_UNREADABLE,
                           .state = crashes ? MSG_DEAD : MSG_HELD,
                           .why = item->unreadable};
        return true;
    }
    if (message_header(item->in.mail, MAIL_LARGE_HEADER)) {
        *ret = (Judgement){.class = MSG_UNREADABLE, .state = MSG_HELD, .why = "too_large"};
        return true;
    }
    judge(b->engine->home, b->role, item->in.mail, from != NULL, ret);
    if (!judge_space(b, ret, error))
        return false;
    if (from && !is_past(b->engine, from, item->entry->base, &past, error))
        return false;
    if (past && ret->state == MSG_STORED) {
        ret->state = MSG_IGNORED;
        ret->why = "history";
    }
    return true;
}

bool
intake_take(IntakeBatch *b, const IntakeItem *item, GError **error)
{
    const char *base = item->entry->base;
    const ConfAccount *from = fetch_name_account(b->engine->home->config, base);
    g_autofree char *remote = NULL; /* whose server it lies on too */
    if (!from && !remote_account_of(b->engine->db, b->role->name, base, &remote, error))
        return false;
    const char *local = remote ? remote : b->account->name;
    MsgNew fresh = {.role = b->role->name,
                    .account = from ? from->name : local,
                    .folder = item->entry->folder,
                    .file = base,
                    .mail = item->in.mail};
    Judgement j;
    MsgId id;
    if (!item->unreadable && !namesake_take(b->engine, b->txn, item->in.mail, error))
        return false;
    if (!judge_item(b, item, from, &j, error) ||
        !take_judged(b, item, &fresh, &j, &id, error) || !take_returned(b, item, &j, id, error))
        return err_prefix(error, "taking in '%s/%s'", b->role->name, base);
    count(&b->stats, &fresh);
    return true;
}
