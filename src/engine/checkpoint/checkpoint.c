#include "engine/checkpoint/checkpoint.h"
#include "base/log.h"
#include "engine/checkpoint/trail.h"
#include "engine/face.h"
#include "engine/mode.h"
#include "engine/role.h"
#include "mail/msgid.h"
#include "store/job/budget.h"
#include "store/job/sessions.h"
#include "store/job/step_rows.h"
#include "store/out/effects.h"
#include "store/spaces.h"

static bool
count_one(Txn *txn, const char *name, GError **error)
{
    g_autofree char *text = NULL;
    int64_t n = 0;
    if (!meta_get(txn->db, name, &text, error))
        return false;
    if (text)
        (void)text_parse_int(text, 0, INT64_MAX - 1, &n);
    g_autofree char *more = g_strdup_printf("%" G_GINT64_FORMAT, n + 1);
    return meta_set(txn, name, more, error);
}

bool
checkpoint_count_forged(Txn *txn, GError **error)
{
    return count_one(txn, CHECKPOINT_FORGED, error);
}

/* --- one mail --- */

static bool
hold_all(Txn *txn, const Continuation *c, GError **error)
{
    g_autofree char *held = NULL;
    if (!meta_get(txn->db, "hold-all", &held, error))
        return false;
    if (held)
        return true;
    g_autofree char *why = g_strdup_printf(
        "the store is older than the mail: checkpoint %" G_GINT64_FORMAT
        " of job %" G_GINT64_FORMAT
        " was written, and the store does not know it; look at what happened since the "
        "backup, then run: postrider doctor --accept-backup",
        c->seq, c->job.v);
    log_event(LOG_ERROR, why, NULL);
    return meta_set(txn, "hold-all", why, error);
}

/* The same mail may come again (resume): only its place is news then. */
static bool
store_row(Txn *txn, MsgNew *in, MsgId *ret_id, bool *ret_new, GError **error)
{
    in->class = MSG_CHECKPOINT;
    in->state = MSG_HANDLED;
    return messages_thread(txn, in->mail, &in->thread, error) &&
           messages_store(txn, in, ret_id, ret_new, error) &&
           (*ret_new || (messages_set_job(txn, *ret_id, in->job, in->round, error) &&
                         messages_trace(txn, *ret_id, "checkpoint", in->why, error)));
}

/* Ours come once, under the id that we gave them. */
static bool
is_replayed(const Home *home, const char *msgid, bool is_new)
{
    Minted minted;
    return !is_new || !msgid_read(&home->key, msgid, home->config->domain, &minted);
}

bool
checkpoint_take(Engine *engine,
                Txn *txn,
                MsgNew *in,
                const Continuation *c,
                bool *ret_forged,
                bool *ret_moves,
                GError **error)
{
    ContinuationFate fate;
    MsgId id;
    bool matched, is_new;
    g_autofree char *held = db_hold_all(engine->db);
    *ret_forged = *ret_moves = false;
    if (!continuation_judge(engine->db, c, in->role, home_now(engine->home), &fate, &in->why,
                            error))
        return false;
    if (fate == CONT_FOREIGN) {
        *ret_forged = true;
        return true;
    }
    if (fate != CONT_RESTORES) { /* a job that stays unknown: its number may become another's */
        in->job = c->job;
        in->round = c->round;
    }
    if (!store_row(txn, in, &id, &is_new, error))
        return false;
    switch (fate) {
    case CONT_WAKES:
    case CONT_EARLY:
        return job_seen(txn, c->job, c->epoch, c->seq, &matched, error);
    case CONT_AHEAD:
        return hold_all(txn, c, error);
    case CONT_RESTORES: /* restored before, or not worth it: a copy in Done is as new */
        if (held)
            return true; /* the store may be an old copy: who accepts it will look here */
        G_GNUC_FALLTHROUGH;
    case CONT_STALE:
        log_event(LOG_INFO, "a checkpoint mail is filed", "message", in->mail->id, "why",
                  in->why, NULL);
        *ret_moves = true;
        if (fate == CONT_STALE && is_replayed(engine->home, in->mail->id, is_new) &&
            !count_one(txn, CHECKPOINT_STALE, error))
            return false;
        return g_str_equal(in->folder, "Done") ||
               effect_put_move(txn, in->job, id, in->role, in->file, "Done", error);
    case CONT_FOREIGN:
        break;
    }
    return true;
}

/* --- jobs that come back --- */

static bool
put_session(Txn *txn, JobId job, const Continuation *c, GError **error)
{
    if (!c->session)
        return true;
    Session s = *c->session;
    s.job = job;
    return session_put(txn, &s, error);
}

/* Behind the walls that it was behind, whoever is a member now. */
static bool
put_spaces(Txn *txn, JobId job, const Continuation *c, GError **error)
{
    size_t i;
    const json_t *name;
    json_array_foreach(json_object_get(c->document, "spaces"), i, name)
    {
        if (json_is_string(name) && !job_space_add(txn, job, json_string_value(name), error))
            return false;
    }
    return true;
}

/* The step that the next one goes on from. */
static bool
put_state(Engine *engine, Txn *txn, JobId job, const Continuation *c, GError **error)
{
    const ModeOps *mode = engine_mode(engine, role_find(engine, c->role));
    g_autoptr(GBytes) state = NULL;
    if (mode && mode->restore && !mode->restore(c->document, &state, error))
        return false;
    Step s = {.job = job,
              .n = c->steps,
              .round = c->round,
              .at_us = home_now(engine->home),
              .phase = c->phase,
              .did = (char *)"came back from its checkpoint mail",
              .state = state,
              .results = c->results};
    const FaceOps *face = c->face ? engine_face(engine, c->face) : NULL;
    return step_put(txn, &s, error) && put_session(txn, job, c, error) && put_spaces(txn, job, c, error) &&
           (!face || !face->restored || face->restored(engine, txn, job, c->document, error));
}

static char *
asker_of(const Engine *engine, const Continuation *c)
{
    g_autoptr(Addresses) from = address_parse_list(c->original_from);
    const Address *first = from && from->len ? g_ptr_array_index(from, 0) : NULL;
    return g_strdup(first ? first->spec : engine->home->config->owner);
}

/* A thread is a set of ids: the original's is enough to find it again. */
static bool
thread_of(Txn *txn, const char *msgid, ThreadId *ret, GError **error)
{
    g_autofree char *head = g_strdup_printf("Message-ID: <%s>\n\n", msgid);
    g_autoptr(Message) m = message_parse(head, strlen(head), MESSAGE_HEADERS, NULL);
    return messages_thread(txn, m, ret, error);
}

/* A span that a clock ahead of now wrote down begins anew. */
static Due
resume_of(const Continuation *c, int64_t now_us)
{
    Due due = c->resume;
    if (!due.moment && due.us != USEC_NEVER && c->written_us > now_us)
        due.us += now_us - c->written_us;
    return due;
}

static JobNew
job_of(const Engine *engine, const Continuation *c, const char *asker)
{
    return (JobNew){.id = c->job,
                    .role = c->role,
                    .face = c->face ? c->face : "",
                    .phase = c->phase,
                    .subject = c->original_subject,
                    .asker = asker,
                    .original_msgid = c->original_msgid,
                    .waiting_for = c->waiting_for,
                    .round = MAX(c->round, 1),
                    .total_iterations = c->total_iterations,
                    .steps = c->steps,
                    .step_limit = c->step_limit,
                    .epoch = MAX(c->epoch, 1),
                    .seq = c->seq,
                    .created_us = c->born_us,
                    .round_cost_micro = c->round_cost_micro,
                    .floor = c->floor,
                    .may = c->may,
                    .resume = resume_of(c, home_now(engine->home)),
                    .wait_then = c->wait_then};
}

static bool
restore(Engine *engine, Txn *txn, const Continuation *c, JobId *ret, GError **error)
{
    g_autofree char *asker = asker_of(engine, c);
    JobNew in = job_of(engine, c, asker);
    return thread_of(txn, c->original_msgid, &in.thread, error) &&
           job_restore(txn, &in, ret, error) && put_state(engine, txn, *ret, c, error);
}

bool
checkpoint_put_back(Engine *engine, Txn *txn, JobId job, const Continuation *c, GError **error)
{
    const Viewer viewer = {.role = c->role};
    g_autofree char *asker = asker_of(engine, c);
    g_autoptr(MsgRow) original = NULL;
    g_autoptr(Step) last = NULL;
    JobNew in = job_of(engine, c, asker);
    return job_put_back(txn, job, &in, error) &&
           messages_find(engine->db, &viewer, c->original_msgid, &original, error) &&
           (!original || job_set_original(txn, job, original->id, error)) &&
           step_last(engine->db, job, &last, error) &&
           ((last && last->n >= c->steps) || put_state(engine, txn, job, c, error));
}

bool
checkpoint_adopt(Engine *engine, Txn *txn, const Continuation *c, MsgNew *in, GError **error)
{
    const Viewer viewer = {.role = in->role};
    g_autoptr(MsgRow) original = NULL;
    Continuation fresh = *c;
    fresh.role = (char *)in->role;
    fresh.job = (JobId){1}; /* the first number that is free */
    fresh.born_us = home_now(engine->home);
    fresh.resume = (Due){.us = fresh.born_us};
    return restore(engine, txn, &fresh, &in->job, error) &&
           messages_find(engine->db, &viewer, c->original_msgid, &original, error) &&
           (!original || job_set_original(txn, in->job, original->id, error));
}

/* A mail can't lower a counter: the highest in any copy counts. */
static void
raise_counters(const TrailJob *t, Continuation *c)
{
    const Continuation *most = t->most;
    if (!most)
        return;
    c->steps = MAX(c->steps, most->steps);
    c->epoch = MAX(c->epoch, most->epoch);
    if (c->round == most->round) {
        c->total_iterations = MAX(c->total_iterations, most->total_iterations);
        c->round_cost_micro = MAX(c->round_cost_micro, most->round_cost_micro);
        c->floor = MIN(c->floor, most->floor);
        c->may &= most->may;
    }
}

/* An order that was given after the newest checkpoint counts, though the store that knew of it
 * is lost. */
static bool
obey(Txn *txn, JobId job, const OrderMail *order, GError **error)
{
    bool changed;
    return !order ||
           (g_str_equal(order->word, "STOP")
                ? job_stop(txn, job, "stopped before the store was lost", &changed, error)
                : job_cancel(txn, job, "cancelled before the store was lost", &changed, error));
}

/* The lost job comes back from its checkpoint in INBOX, or stopped at the limit that it had
 * reached, unless it went on after that limit. */
static bool
restore_lost(
    Engine *engine, Txn *txn, Trail *trail, const TrailJob *t, bool *ret_did, GError **error)
{
    const Continuation *any = t->inbox ? t->inbox : t->halted;
    const char *why, *role = any ? any->role : NULL;
    ContinuationFate fate;
    JobId job;
    bool changed;
    *ret_did = false;
    Continuation *c =
        any ? trail_place(trail_of(trail, engine->home, any->job, any->born_us)) : NULL;
    if (!c)
        return true;
    if (!continuation_judge(engine->db, c, role, 0, &fate, &why, error))
        return false;
    if (fate != CONT_RESTORES)
        return true;
    raise_counters(t, c);
    if (!restore(engine, txn, c, &job, error) ||
        (c->stopped && !job_stop(txn, job, c->stopped, &changed, error)) ||
        !obey(txn, job, trail_order(t, c->epoch), error))
        return false;
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, job.v);
    log_event(LOG_WARN, "the store had lost a job; it came back from its checkpoint mail",
              "job", number, "role", role, NULL);
    *ret_did = true;
    return true;
}

bool
checkpoints_restore(
    Engine *engine, const ConfRole *role, Maildir *md, unsigned *ret_n, GError **error)
{
    g_auto(Trail) trail = {0};
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    *ret_n = 0;
    if (!trail_read(engine, role, md, &trail, error))
        return false;
    if (g_hash_table_size(trail.jobs) == 0)
        return true;
    g_autoptr(GList) jobs = g_hash_table_get_values(trail.jobs);
    while (txn_again(&txn, error)) {
        *ret_n = 0;
        txn.ok = budget_recall(&txn, trail.spent_micro, error);
        for (const GList *at = jobs; txn.ok && at; at = at->next) {
            bool did = false;
            txn.ok = restore_lost(engine, &txn, &trail, at->data, &did, error);
            *ret_n += did;
        }
    }
    return txn.done;
}
