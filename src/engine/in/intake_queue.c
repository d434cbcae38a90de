/*
 * Where a mail goes that passed the judge: to the job whose conversation it is of, to a new
 * one, or, being an order, to no job at all.
 */
#include "engine/face.h"
#include "engine/in/intake_internal.h"
#include "engine/in/orders.h"
#include "engine/out/breaker.h"
#include "engine/out/outward.h"
#include "engine/people/hold.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "engine/role.h"
#include "mail/quote.h"
#include "store/job/jobs.h"
#include "store/job/steering.h"
#include "store/spaces.h"

/* Mails between roles on one job without a word of a person: more is a loop. */
#define ROLE_TALK_MAX 8

/* How many: a space has a number of its own. */
static bool
talk_max(Db *db, const char *space, unsigned *ret, GError **error)
{
    g_autoptr(Space) row = NULL;
    *ret = ROLE_TALK_MAX;
    if (space && !space_find(db, space, &row, error))
        return false;
    if (row && row->talk > 0)
        *ret = (unsigned)row->talk;
    return true;
}

/* *ret_too_long is true when roles have talked in this job for too long without a person. */
static bool
role_talk(Engine *engine, JobId job, const char *space, bool *ret_too_long, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    unsigned most;
    if (!talk_max(engine->db, space, &most, error))
        return false;
    MsgQuery q = {.job = job, .limit = most};
    if (!messages_list(engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    unsigned n = 0;
    while (n < rows->len && ((const MsgRow *)g_ptr_array_index(rows, n))->trust <= TRUST_ROLE)
        n++;
    *ret_too_long = n >= most;
    return true;
}

/* A stopped job stays stopped; the sender is told once per stop how to go on. */
static bool
say_stopped(Engine *engine, Txn *txn, const Job *job, const Message *m, GError **error)
{
    bool first;
    if (!job_tell_stopped(txn, job->id, job->epoch, &first, error))
        return false;
    if (!first)
        return true;
    const ConfRole *role = role_find(engine, job->role);
    const RoleMailParent parent = role_mail_parent(m);
    const Notice notice = {.role = role, .job = job, .to = m->from->spec, .parent = &parent};
    return notice_say(engine, txn, &notice, error, WORDS_ORDER_IS_STOPPED, job->id.v);
}

bool
intake_queue(
    Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId *io_job, GError **error)
{
    JobId job = *io_job;
    const Message *m = in->mail;
    JobNew fresh = {.role = in->role,
                    .subject = m->subject,
                    .asker = m->from->spec,
                    .original_msgid = m->id,
                    .thread = in->thread,
                    .original = id};
    int round = 1;
    if (job.v) {
        g_autoptr(Job) row = NULL;
        if (!job_take_mail(txn, job, &fresh, &round, error) ||
            !job_load(engine->db, &VIEWER_OPERATOR, job, &row, error))
            return false;
        if (row->state == JOB_STOPPED && in->trust >= TRUST_PRINCIPAL &&
            !say_stopped(engine, txn, row, m, error))
            return false;
    } else {
        fresh.face = faces_claim(engine, in);
        if (!job_create(txn, &fresh, &job, error))
            return false;
    }
    *io_job = job;
    return messages_set_job(txn, id, job, round, error);
}

/* By the tag of the address that it was sent to, which only somebody who got mail of the job
 * knows; else by what it answers. */
static bool
find_job(Engine *engine, const char *role, const Message *m, JobId *ret, GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(Job) tagged = NULL;
    JobId job = outward_job_of(&engine->home->key, config_role(engine->home->config, role), m);
    if (job.v && !job_load(engine->db, &viewer, job, &tagged, error))
        return false;
    if (!tagged)
        return messages_find_job(engine->db, role, m, ret, error);
    *ret = job;
    return true;
}

/* *ret is true when the sender may write into the conversation of this job. A role may that
 * takes part in it; of people those whose thread it is, and the owner into every thread. Into a
 * job of a space its members may write. */
static bool
is_theirs(
    Engine *engine, const Judgement *j, JobId job, const char *spec, bool *ret, GError **error)
{
    if (*j->space && (!space_takes(engine->db, j->space, spec, ret, error) ||
                      (*ret && !job_space_fits(engine->db, job, j->space, ret, error))))
        return false;
    if (*j->space)
        return true;
    if (j->trust < TRUST_PRINCIPAL)
        return messages_takes_part(engine->db, job, spec, false, ret, error);
    *ret = j->trust == TRUST_OPERATOR || address_equal(spec, engine->home->config->owner);
    return *ret || job_steered_by(engine->db, job, spec, ret, error);
}

/* *ret is true when the mail is a responder's and repeats words that came before. Its own words
 * are kept to be compared with the next mail. */
static bool
came_before(Engine *engine, JobId job, MsgNew *in, bool *ret, GError **error)
{
    const Message *m = in->mail;

    in->words_known = m->text && quote_own_words(m->text, &in->own_words);
    return breaker_in(engine->db, job, m, in->words_known ? &in->own_words : NULL, ret, error);
}

/* Decides what a mail that passed the judge becomes: an order, work, or held after all. */
bool
intake_direct(Engine *engine,
              const Judgement *j,
              MsgNew *in,
              Order *order,
              JobId *ret_job,
              GError **error)
{
    const Message *m = in->mail;
    JobId job;
    bool theirs = true;
    if (!find_job(engine, in->role, m, &job, error) ||
        (job.v && !is_theirs(engine, j, job, m->from->spec, &theirs, error)))
        return false;
    if (!theirs && (j->trust < TRUST_PRINCIPAL || *j->space))
        job.v = 0;
    *ret_job = job;
    if (job.v)
        in->class = MSG_REPLY;

    bool asked = false; /* about a mail that has no job */
    if (job.v == 0 && !hold_is_asked(engine->db, m, &asked, error))
        return false;
    if (!faces_order(engine, j, m, job, order, error))
        return false;
    bool own = order->kind == ORDER_FACE;
    if (!own && ((j->may & MAY_STEER) || j->trust >= TRUST_PRINCIPAL))
        order_parse(m, job.v != 0 || asked, order);
    if (asked && !own && order->kind != ORDER_APPROVE && order->kind != ORDER_REJECT) {
        order_clear(order);
        order_parse(m, false, order);
    }
    if (!own && !order_permitted(order, j->may)) {
        order_clear(order);
        order->kind = ORDER_NONE;
    }
    if (order->kind == ORDER_NONE && !hold_takes_words(engine, j, m, &order->said, error))
        return false;
    if (order->said && order->kind == ORDER_NONE)
        order->kind = ORDER_ANSWER;
    if (order->kind != ORDER_NONE) {
        in->class = MSG_ORDER;
        in->state = MSG_HANDLED;
        in->why = order_why(order);
        return true;
    }
    if (!theirs) { /* so it is work of its own */
        *ret_job = job = (JobId){0};
        in->class = MSG_TASK;
    }
    bool waits, too_long = false, same = false;
    if (!faces_wait(engine, in, &waits, error))
        return false;
    if (waits) {
        *ret_job = (JobId){0};
        in->class = MSG_EVENT;
        in->state = MSG_HANDLED;
        in->why = "it wakes nobody by itself";
        return true;
    }
    if ((j->trust <= TRUST_ROLE && job.v && !role_talk(engine, job, in->space, &too_long, error)) ||
        (!j->proved && job.v && !came_before(engine, job, in, &same, error)))
        return false;
    if (!(j->may & MAY_ASK) || too_long || same) {
        in->state = MSG_HELD;
        in->why = too_long ? "loop: roles talk without a person"
                  : same   ? "loop: the same text came before"
                           : "the sender may not ask";
    }
    return true;
}
