#include "engine/in/release.h"
#include "base/err.h"
#include "engine/in/fetch_name.h"
#include "engine/in/intake.h"
#include "engine/in/judge.h"
#include "engine/in/mail_in.h"
#include "engine/in/orders.h"
#include "engine/in/rivals.h"
#include "engine/mail_load.h"
#include <inttypes.h>

/* The mail of a row that can still become work. */
static bool
load_for_release(Engine *engine, MsgId id, MsgRow **ret_row, Message **ret_mail, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    if (!messages_load(engine->db, &VIEWER_OPERATOR, id, &row, error))
        return false;
    if (!row || (row->state != MSG_HELD && row->state != MSG_IGNORED))
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
    *ret_row = g_steal_pointer(&row);
    *ret_mail = g_steal_pointer(&m);
    return true;
}

/* A copy never starts work beside a mail that has a job or is handled. */
static bool
find_worked(Engine *engine, const MsgRow *row, const Message *m, Rivals *ret, GError **error)
{
    return rivals_compare(engine, row->role, m, row->id, (MsgId){0}, TRUST_ANYONE, ret, error);
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

bool
release_one(Engine *engine, MsgId id, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    g_auto(Rivals) rivals = {0};
    if (!load_for_release(engine, id, &row, &m, error) ||
        !find_worked(engine, row, m, &rivals, error))
        return false;
    if (rivals.of.v)
        return err_set(error, ERR_NEVER,
                       "mail %" PRId64 " says the same as mail %" PRId64
                       ", which was let in before: see 'postrider mail show #%" PRId64 "'",
                       id.v, rivals.of.v, rivals.of.v);
    return release_mail(engine, row, m, error);
}

/* Why this mail would be no work if it came now; j->state says what it is then. */
static const char *
no_work(const Engine *engine, const MsgRow *row, const Message *m, Judgement *j)
{
    const ConfRole *role = config_role(engine->home->config, row->role);
    g_auto(Order) order = {0};
    if (!role) {
        j->state = MSG_IGNORED;
        return "history: its role is gone";
    }
    judge(engine->home, role, m, fetch_name_account(engine->home->config, row->file) != NULL,
          j);
    if (j->state != MSG_STORED)
        return j->why;
    order_parse(m, true, &order);
    if (order.kind == ORDER_NONE && (j->may & MAY_ASK))
        return NULL;
    j->state = order.kind == ORDER_NONE ? MSG_HELD : MSG_IGNORED;
    return order.kind == ORDER_NONE ? "the sender may not ask" : "an order of another time";
}

bool
release_judged(Engine *engine, MsgId id, bool *ret_released, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;
    g_autofree char *copy = NULL;
    g_auto(Rivals) rivals = {0};
    Judgement j;
    if (!load_for_release(engine, id, &row, &m, error) ||
        !find_worked(engine, row, m, &rivals, error))
        return false;
    const char *why = no_work(engine, row, m, &j);
    if (rivals.of.v) {
        j.state = MSG_IGNORED;
        why = copy = rivals_why(rivals.of);
    }
    *ret_released = why == NULL;
    if (!why)
        return release_mail(engine, row, m, error);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = messages_set_state(&txn, id, j.state, why, error);
    return txn.done;
}
