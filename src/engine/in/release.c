#include "engine/in/release.h"
#include "engine/in/fetch_name.h"
#include "engine/in/intake.h"
#include "engine/in/judge.h"
#include "engine/in/mail_in.h"
#include "engine/in/orders.h"
#include "engine/in/rivals.h"
#include "engine/mail_load.h"

/* The mail of a row that can still become work, done: though it is history and filed so, and
 * which mails have work that say the same: a copy never starts work beside one of them. */
static bool
load_for_release(Engine *engine,
                 MsgId id,
                 bool done,
                 MsgRow **ret_row,
                 Message **ret_mail,
                 Rivals *ret_rivals,
                 GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    if (!messages_load(engine->db, &VIEWER_OPERATOR, id, &row, error))
        return false;
    bool filed = row && row->state == MSG_HANDLED && row->class == MSG_HISTORY && !row->job.v;
    if (!row || (row->state != MSG_HELD && row->state != MSG_IGNORED && !(filed && done)))
        return err_set(error, ERR_NEVER, "only mail that is held or ignored can be released");
    if (!mail_load(engine, row, MESSAGE_TEXT, &m, error))
        return false;
    if (!m)
        return err_set(error, ERR_NEVER, "the mail '%s' is no longer there", row->msgid);
    if (message_header(m, MAIL_LARGE_HEADER))
        return err_set(
            error, ERR_NEVER,
            "of the mail '%s' only the headers are here: it is larger than max-message",
            row->msgid);
    if (!m->from)
        return err_set(error, ERR_NEVER, "the mail '%s' has no sender to answer", row->msgid);
    ret_rivals->self = id;
    if (!rivals_compare(engine, row->role, m, ret_rivals, error))
        return false;
    *ret_row = g_steal_pointer(&row);
    *ret_mail = g_steal_pointer(&m);
    return true;
}

static bool
release_mail(Engine *engine, const MsgRow *row, const Message *m, GError **error)
{
    MsgNew in = {.role = row->role, .mail = m, .trust = TRUST_PRINCIPAL, .thread = row->thread};
    JobId job;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            messages_find_job(engine->db, row->role, m, &job, error) &&
            messages_set_state(&txn, row->id, MSG_STORED, "released by the operator", error) &&
            intake_queue(engine, &txn, row->id, &in, &job, error);
    if (!txn.done)
        return false;
    db_hint(engine->db);
    return true;
}

static bool
release(Engine *engine, MsgId id, bool done, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    g_auto(Rivals) rivals = {0};
    if (!load_for_release(engine, id, done, &row, &m, &rivals, error))
        return false;
    if (rivals.of.v)
        return err_set(error, ERR_NEVER,
                       "mail %" PRId64 " says the same as mail %" PRId64
                       ", which was let in before: see 'postrider mail show #%" PRId64 "'",
                       id.v, rivals.of.v, rivals.of.v);
    return release_mail(engine, row, m, error);
}

bool
release_one(Engine *engine, MsgId id, GError **error)
{
    return release(engine, id, false, error);
}

bool
release_filed(Engine *engine, MsgId id, GError **error)
{
    return release(engine, id, true, error);
}

/* Judges the mail as if it came now. */
static void
judge_now(const Engine *engine, const MsgRow *row, const Message *m, Judgement *j)
{
    const Config *config = engine->home->config;
    const ConfRole *role = config_role(config, row->role);
    g_auto(Order) order = {0};
    if (!role) {
        *j = (Judgement){.state = MSG_IGNORED, .why = "history: its role is gone"};
        return;
    }
    judge(engine->home, role, m, fetch_name_account(config, row->file) != NULL, j);
    if (j->state != MSG_STORED)
        return;
    order_parse(m, true, &order);
    if (order.kind != ORDER_NONE) {
        j->state = MSG_IGNORED;
        j->why = "an order of another time";
    } else if (!(j->may & MAY_ASK)) {
        j->state = MSG_HELD;
        j->why = "the sender may not ask";
    }
}

bool
release_judged(Engine *engine, MsgId id, bool *ret_released, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    g_auto(Rivals) rivals = {0};
    Judgement j;
    if (!load_for_release(engine, id, false, &row, &m, &rivals, error))
        return false;
    judge_now(engine, row, m, &j);
    if (rivals.of.v)
        rivals_put_aside(&rivals, &j);
    *ret_released = j.state == MSG_STORED;
    if (*ret_released)
        return release_mail(engine, row, m, error);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = messages_set_state(&txn, id, j.state, j.why, error);
    return txn.done;
}
