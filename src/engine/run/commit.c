/*
 * From a proposal to the store: one transaction, and everything that the decision creates is in
 * it.
 *
 *   before   read what the mails answer                       no transaction
 *   T        claim still ours? notes, mails, messages, moves, the step, the job's next state;
 *            COMMIT, flushed
 *   after    step_settle(): moves of mail files; settle_notes() at the end of a run: note
 *            files, then the mail that waited for them
 *
 * A crash before T's commit leaves nothing; after it, the sweep finds what is owed.
 */
#include "base/crash.h"
#include "engine/act.h"
#include "engine/checkpoint/continuation.h"
#include "engine/face.h"
#include "engine/out/post.h"
#include "engine/people/hold.h"
#include "engine/role.h"
#include "engine/run/commit_internal.h"
#include "engine/run/settle.h"
#include "engine/run/space_wall.h"
#include "store/job/budget.h"
#include "store/job/doings.h"
#include "store/job/sessions.h"
#include "store/job/step_rows.h"
#include "store/job/timers.h"
#include "store/out/effects.h"
#include "store/out/outbox_smtp.h"
#include "store/spaces.h"

#define FOLDER_MAX 64
#define JOB_MAIL_MAX 10000

static void
forget_written(Commit *c)
{
    g_clear_pointer(&c->drafts, g_ptr_array_unref);
    g_clear_pointer(&c->results, g_ptr_array_unref);
    g_clear_pointer(&c->did, g_ptr_array_unref);
    g_clear_pointer(&c->msgids, g_ptr_array_unref);
    g_clear_pointer(&c->answered, g_array_unref);
    g_clear_pointer(&c->settled, g_array_unref);
    g_clear_pointer(&c->held, g_array_unref);
    g_clear_pointer(&c->outside, g_ptr_array_unref);
    c->owner_answered = false;
    c->notes_failed = c->mails_failed = c->mails_put = 0;
}

static void
commit_clear(Commit *c)
{
    job_free(c->job);
    commit_parent_free(c->original);
    g_clear_pointer(&c->parents, g_ptr_array_unref);
    g_clear_pointer(&c->spaces, g_ptr_array_unref);
    forget_written(c);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Commit, commit_clear)

void
commit_result(Commit *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_ptr_array_add(c->results, g_strdup_vprintf(fmt, args));
    va_end(args);
}

void
commit_did(Commit *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_ptr_array_add(c->did, g_strdup_vprintf(fmt, args));
    va_end(args);
}

static bool
is_end(ProposalStatus s)
{
    return s == PROPOSE_COMPLETE || s == PROPOSE_ESCALATE;
}

/* --- where mail lies --- */

static bool
owe_move(Txn *txn, const Job *job, const MsgRow *row, const char *folder, GError **error)
{
    return settle_owe_move(txn, job->id, row, folder, error);
}

/* "" for INBOX; NULL: no name for a folder. Sent and the folders that mean something to us
 * alone are not for agents to fill. */
static const char *
folder_name(const char *name)
{
    static const char *const ours[] = {"Sent", "Trash", "Drafts", NULL};
    size_t len = strlen(name);
    if (g_ascii_strcasecmp(name, "INBOX") == 0)
        return "";
    if (len == 0 || len > FOLDER_MAX || g_strv_contains(ours, name))
        return NULL;
    for (const char *p = name; *p; p++) {
        if (!g_ascii_isalnum(*p) && !strchr(" _-", *p))
            return NULL;
    }
    return name;
}

/* Where the proposal wants this mail; NULL: it does not say. */
static const ProposedMove *
move_of(const Proposal *p, const char *msgid)
{
    LIST_EACH(const ProposedMove, m, p->moves)
        if (g_strcmp0(m->msgid, msgid) == 0)
            return m;
    return NULL;
}

/* NULL: it may. A checkpoint is ours, and what another job works on stays where that looks for
 * it: in Done it would count as answered. Mail of other jobs is moved only for people who may
 * steer. */
static const char *
why_not_moved(const Commit *c, const MsgRow *row, const char *folder)
{
    if (!folder)
        return "there is no such folder";
    if (!row || !g_str_equal(row->role, c->job->role))
        return "there is no such mail";
    if (row->class == MSG_CHECKPOINT)
        return "it is a checkpoint";
    bool open = row->state == MSG_STORED || row->state == MSG_SHOWN;
    if (open && row->job.v != c->job->id.v)
        return "another job works on it";
    bool others = row->job.v && row->job.v != c->job->id.v;
    return others && round_below_steer(c->job, c->in) ? "it is of another job" : NULL;
}

static bool
move_one(Commit *c, Txn *txn, const ProposedMove *m, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    const char *folder = folder_name(m->folder);
    if (!messages_find(c->engine->db, &VIEWER_OF(c->job->role), m->msgid, &row, error))
        return false;
    const char *why = why_not_moved(c, row, folder);
    if (why) {
        commit_did(c, "did not move <%s>: %s", m->msgid, why);
        return true;
    }
    commit_did(c, "moved <%s> to %s", m->msgid, m->folder);
    return owe_move(txn, c->job, row, folder, error);
}

/* At the end of a job nothing of it stays in Active, unless the proposal says where it goes. */
static bool
clear_active(Commit *c, Txn *txn, GError **error)
{
    const MsgQuery q = {.job = c->job->id, .folder = "Active", .limit = JOB_MAIL_MAX};
    g_autoptr(MsgRows) rows = NULL;
    if (!messages_list(c->engine->db, &VIEWER_OF(c->job->role), &q, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows)
        if (row->state == MSG_HANDLED && !move_of(c->p, row->msgid) &&
            !owe_move(txn, c->job, row, "Done", error))
            return false;
    return true;
}

bool
commit_ends(const Commit *c)
{
    return is_end(c->status);
}

/* An act speaks of the whole step, as its mail does. */
static bool
acts_stand(const Commit *c)
{
    return !c->notes_failed && !c->mails_failed;
}

bool
commit_settles(const Commit *c, const MsgRow *row)
{
    const Proposal *p = c->p;
    if ((is_end(p->status) && !is_end(c->status)) || (p->acts->len > 0 && !acts_stand(c)))
        return false;
    if (p->settles->len == 0)
        return is_end(c->status) ||
               (c->status == PROPOSE_PARK && p->waiting_for && c->mails_put > 0);
    for (guint i = 0; i < p->settles->len; i++) {
        if (g_array_index(p->settles, MsgId, i).v == row->id.v)
            return true;
    }
    return false;
}

static bool
commit_message(Commit *c, Txn *txn, const MsgRow *row, GError **error)
{
    bool settled = commit_settles(c, row);
    if (settled && (!messages_settle(txn, c->job->id, c->step, &row->id, 1, error) ||
                    !faces_handled(c->engine, txn, c->job, row, error)))
        return false;
    if (settled)
        g_array_append_val(c->settled, row->id);
    if (c->status == PROPOSE_FAIL && !settled)
        return messages_set_state(txn, row->id, MSG_DEAD, c->p->why, error);
    if (settled && c->status != PROPOSE_PARK)
        return move_of(c->p, row->msgid) || owe_move(txn, c->job, row, "Done", error);
    return *row->folder || owe_move(txn, c->job, row, "Active", error);
}

/* Each mail that was shown: settled and filed in Done, dead with a job that failed, or in hand.
 */
static bool
commit_messages(Commit *c, Txn *txn, GError **error)
{
    if (!commit_flags(c, txn, error))
        return false;
    LIST_EACH(const MsgRow, row, c->in->shown)
        if (!commit_message(c, txn, row, error))
            return false;
    /* Whatever goes on with this job, its earlier checkpoints have had their day; so has a
     * document that an operator brought, which knows no seq. */
    if ((c->job->seq > 0 || c->status != PROPOSE_CONTINUE) &&
        !job_file_checkpoints(txn, c->job->id, error))
        return false;
    if (!is_end(c->status))
        return true;
    LIST_EACH(const ProposedMove, move, c->p->moves)
        if (!move_one(c, txn, move, error))
            return false;
    return clear_active(c, txn, error);
}

/* --- the step itself --- */

/* The step's line for people. */
static char *
describe(Commit *c)
{
    if (c->status == PROPOSE_FAIL)
        commit_did(c, GAVE_UP "%s", c->p->why);
    if (c->p->status == PROPOSE_CONTINUE && c->p->why)
        commit_did(c, "%s", c->p->why);
    if (c->status == PROPOSE_PARK)
        commit_did(c, "parked, waits for %s",
                   c->p->waiting_for ? c->p->waiting_for : "its next run");
    if (c->status == PROPOSE_LIMIT)
        commit_did(c, "stopped: %s", c->p->why);
    if (c->did->len == 0)
        return c->p->phase ? g_strdup_printf("went on to %s", c->p->phase) : g_strdup("worked");
    g_ptr_array_add(c->did, NULL);
    return g_strjoinv("; ", (char **)c->did->pdata);
}

static bool
put_step(Commit *c, Txn *txn, GError **error)
{
    const StepInput *in = c->in;
    const Proposal *p = c->p;
    g_autofree char *did = describe(c);
    g_autofree char *results = step_results_format(c->results);
    int64_t cost = 0;
    if (in->paid && !budget_book(txn, c->job->id, &cost, error))
        return false;
    Step s = {.job = c->job->id,
              .n = c->step,
              .round = c->job->round,
              .at_us = home_now(c->engine->home),
              .took_us = in->took_us,
              .brain = (char *)in->brain,
              .cost_micro = cost,
              .phase = p->phase ? p->phase : c->job->phase,
              .did = did,
              .because = p->because,
              .answer = in->answer,
              .manifest = in->manifest,
              .context = in->context,
              .state = p->state ? p->state : in->state,
              .results = results};
    return step_put(txn, &s, error);
}

/* The mail that a job goes on from. It is released when the notes of this step are on disk: the
 * mailbox and the notes must be enough to go on, also when the store is deleted a moment later.
 * That of a stopped job lies in Sent alone: nothing but an order wakes it. */
static bool
leave_checkpoint(Commit *c, Txn *txn, GError **error)
{
    g_autoptr(Job) job = NULL;
    g_autoptr(Compose) mail = NULL;
    if (!job_load(c->engine->db, &VIEWER_OPERATOR, c->job->id, &job, error))
        return false;
    CheckpointInput in = {.job = job,
                          .role = c->role,
                          .state = c->p->state ? c->p->state : c->in->state,
                          .results = c->results,
                          .original = &c->original->letter};
    Post post = post_of_job(job);
    post.step = c->step;
    post.floor = &c->in->floor;
    post.after = OUTBOX_AFTER_NOTES;
    post.copy_only = job->state == JOB_STOPPED;
    return continuation_compose(c->engine, &in, &mail, error) &&
           post_compose(c->engine, txn, MAIL_CHECKPOINT, mail, &post, NULL, NULL, error);
}

static bool
park(Commit *c, Txn *txn, GError **error)
{
    int64_t seq;
    return job_park(txn, c->claim, c->p->resume, c->p->waiting_for, &seq, error) &&
           job_wait(txn, c->job->id, c->p->wait_then, error) && leave_checkpoint(c, txn, error);
}

/* Who asks for a CONTINUE must be able to keep the word, also with a lost store. */
static bool
halt(Commit *c, Txn *txn, GError **error)
{
    return job_halt(txn, c->claim, c->p->why, error) &&
           ((!c->p->state && !c->in->state) || leave_checkpoint(c, txn, error));
}

static bool
next_state(Commit *c, Txn *txn, GError **error)
{
    switch (c->status) {
    case PROPOSE_CONTINUE:
        return true;
    case PROPOSE_COMPLETE:
        return job_end(txn, c->claim, JOB_DONE, NULL, error);
    case PROPOSE_ESCALATE:
        return job_end(txn, c->claim, JOB_DONE, "the owner was asked", error);
    case PROPOSE_FAIL:
        return job_end(txn, c->claim, JOB_FAILED, c->p->why, error);
    case PROPOSE_PARK:
        return park(c, txn, error);
    case PROPOSE_LIMIT:
        return halt(c, txn, error);
    }
    return err_set(error, ERR_NEVER, "no such end of a step");
}

/* An end that speaks of what did not happen is none: the brain hears of it and goes on. */
static void
judge_status(Commit *c)
{
    bool failed = c->notes_failed || c->mails_failed;
    c->status =
        step_hears(c->in) && failed && is_end(c->p->status) ? PROPOSE_CONTINUE : c->p->status;
}

/* The job has heard what became of held mail. What a person said while this step was under way
 * it has not: an end, or a wait, must not sleep over that. */
static bool
tell_job_news(Commit *c, Txn *txn, GError **error)
{
    const GArray *heard = c->in->heard, *lost = c->in->lost;
    bool shown = c->in->news && c->status != PROPOSE_FAIL && !c->in->bare;
    bool sleeps = is_end(c->status) || (c->status == PROPOSE_PARK && !c->in->bare);
    bool news = false, queued;
    if (shown && ((heard && !questions_told(txn, (const QuestionId *)(void *)heard->data,
                                            heard->len, error)) ||
                  (lost && !outbox_news_told(txn, (const int64_t *)(void *)lost->data,
                                             lost->len, error)) ||
                  (!sleeps && !job_instruct(txn, c->job->id, c->in->news, error))))
        return false;
    return !sleeps || (hold_has_news(c->engine->db, c->job->id, &news, error) &&
                       (!news || job_go_on(txn, c->job->id, &queued, error)));
}

/* The first of all: is the claim still ours? */
static bool
count_step(Commit *c, Txn *txn, bool bare, GError **error)
{
    const char *phase = c->p->phase ? c->p->phase : c->job->phase;
    c->step = c->job->steps;
    return bare ? job_check(txn, c->claim, c->in->deadline_us, error)
                : job_count_step(txn, c->claim, c->in->deadline_us, phase, &c->step, error);
}

static StepResult
result_of(const Commit *c)
{
    return (StepResult){.step = c->step,
                        .status = c->status,
                        .verdicts = c->verdicts,
                        .bare = c->in->bare,
                        .ended = c->status != PROPOSE_CONTINUE,
                        .msgids = c->msgids,
                        .settled = c->settled};
}

/* From now on the job is behind the walls of what it was shown. */
static bool
enter_spaces(const Commit *c, Txn *txn, GError **error)
{
    LIST_EACH(const char, space, c->spaces)
        if (!job_space_add(txn, c->job->id, space, error))
            return false;
    return true;
}

/* Tells the face that leads the job the result of the step. */
static bool
commit_face(Commit *c, Txn *txn, GError **error)
{
    const FaceOps *face = engine_face(c->engine, c->job->face);
    const StepResult result = result_of(c);
    return !face || !face->commit || result.bare ||
           face->commit(c->engine, txn, c->job, c->in, c->p, &result, error);
}

/* The turn of a program is over: its session knows what it was shown and what it has
 * written. */
static bool
commit_session(Commit *c, Txn *txn, GError **error)
{
    const StepInput *in = c->in;
    if (c->status == PROPOSE_CONTINUE)
        return true;
    return (!in->session || in->bare ||
            session_told(txn, in->session, c->step, error)) &&
           (!in->said || doings_forget(txn, c->job->id, error));
}

/* Asks about tool calls here, since nobody may be asked before the step that waits for the
 * answer is committed. */
static bool
ask_about_calls(Commit *c, Txn *txn, GError **error)
{
    if (c->p->calls->len == 0)
        return true;
    commit_did(c, "asked about %u tool call%s", c->p->calls->len,
               c->p->calls->len == 1 ? "" : "s");
    return hold_ask_calls(c->engine, txn, c->job, &c->original->letter, c->p->calls,
                          c->p->calls_said, c->step, error);
}

static bool
commit_acts(Commit *c, Txn *txn, GError **error)
{
    const StepResult result = result_of(c);
    LIST_EACH(ProposedAct, act, c->p->acts) {
        const ActCall call = {c->engine, c->job, c->in, act, NULL, txn, &result};
        g_autofree char *did = NULL;
        if (!act->ops->outside && !acts_stand(c)) {
            commit_did(c, "did not %s", act->ops->name);
            commit_result(c, "%s was not done: a note or a mail of the same step failed",
                          act->ops->name);
            continue;
        }
        if (act->ops->commit && !act->ops->commit(&call, &did, error))
            return false;
        commit_did(c, "%s", did ? did : act->ops->name);
        commit_result(c, act->ops->outside ? "done: %s" : ACT_DONE "%s",
                      did ? did : act->ops->name);
    }
    return true;
}

/* Whoever asks for the same mail again hears what this step has answered. */
static bool
commit_once(const Commit *c, Txn *txn, GError **error)
{
    const char *msgid = c->p->once ? g_ptr_array_index(c->msgids, 0) : NULL;
    const Verdict *v = msgid ? &g_array_index(c->verdicts, Verdict, 0) : NULL;
    return !msgid || sent_once_put(txn, c->p->once, msgid,
                                   v->kind == VERDICT_HELD ? v->why : NULL, error);
}

static bool
write_all(Commit *c, Txn *txn, GError **error)
{
    bool bare = c->in->bare;
    forget_written(c);
    c->results = g_ptr_array_new_with_free_func(g_free);
    c->did = g_ptr_array_new_with_free_func(g_free);
    c->msgids = g_ptr_array_new_with_free_func(g_free);
    c->answered = g_array_new(FALSE, FALSE, sizeof(int64_t));
    c->settled = g_array_new(FALSE, FALSE, sizeof(MsgId));
    c->held = g_array_new(FALSE, FALSE, sizeof(OutId));
    c->outside = g_ptr_array_new_with_free_func(commit_outside_free);
    if (!count_step(c, txn, bare, error) ||
        (c->in->floor < c->job->floor &&
         !job_lower_floor(txn, c->claim, c->in->floor, error)) ||
        !enter_spaces(c, txn, error) || !commit_notes(c, txn, error) || !commit_compose_mails(c, error))
        return false;
    judge_status(c);
    return commit_put_mails(c, txn, error) && commit_once(c, txn, error) &&
           commit_tell_people(c, txn, error) && ask_about_calls(c, txn, error) && commit_messages(c, txn, error) &&
           commit_acts(c, txn, error) && (bare || put_step(c, txn, error)) &&
           (c->mails_put == 0 || timer_drop(txn, c->job->id, TIMER_ACK, error)) &&
           commit_face(c, txn, error) && commit_session(c, txn, error) &&
           next_state(c, txn, error) && tell_job_news(c, txn, error) &&
           (c->p->status != PROPOSE_FAIL || bare ||
            faces_failed(c->engine, txn, c->job, c->p->why, error));
}

/* A brain that hears of it in its next step asks no more when too much is asked already. What
 * ends a round by our own rule is asked about in any case. */
static bool
count_questions(Commit *c, GError **error)
{
    bool hears = step_hears(c->in) && c->in->answer && c->p->status != PROPOSE_FAIL &&
                 c->p->status != PROPOSE_LIMIT;
    return !hears || !policy_holds(c->verdicts) ||
           hold_may_ask(c->engine, c->job->id, &c->no_question, error);
}

static bool
prepare(Commit *c, GError **error)
{
    g_auto(Snapshot) reads = {0};
    snapshot_begin(c->engine->db, &reads);
    if (!job_load(c->engine->db, &VIEWER_OPERATOR, c->claim->job, &c->job, error))
        return false;
    if (!c->job)
        return err_set(error, ERR_NEVER, "job %" G_GINT64_FORMAT " is gone", c->claim->job.v);
    if (!space_wall_shown(c->engine, c->in->manifest, &c->spaces, error))
        return false;
    c->role = role_get(c->engine, c->job->role, error);
    if (c->role && c->in->brain && !g_str_equal(c->in->brain, c->role->brain))
        c->job->deputy = c->in->brain;
    if (!c->role || !commit_load_parents(c, error) || !count_questions(c, error))
        return false;
    if (c->p->status != PROPOSE_PARK && c->p->status != PROPOSE_LIMIT &&
        !commit_speaks_to_owner(c))
        return true;
    c->original = commit_parent_load(c->engine, c->job, c->job->original_msgid, error);
    return c->original != NULL;
}

bool
step_commit(Engine *engine,
            const JobClaim *claim,
            const StepInput *in,
            const Proposal *p,
            const GArray *verdicts,
            StepResult *ret,
            GError **error)
{
    g_auto(Commit)
        c = {.engine = engine, .claim = claim, .in = in, .p = p, .verdicts = verdicts};
    if (!prepare(&c, error))
        return false;
    CRASH_POINT("step-composed");
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    bool owes = false;
    while (txn_again(&txn, error))
        txn.ok = write_all(&c, &txn, error) && effects_owed_here(engine->db, &owes, error);
    if (!txn.done)
        return false;
    CRASH_POINT("step-committed");
    *ret = result_of(&c);
    ret->owes = owes;
    ret->settled = NULL; /* goes with c */
    c.msgids = NULL;
    return true;
}

/* Whether anybody else has something to do now. */
static bool
is_news(const StepResult *result)
{
    bool news = result->ended;
    for (guint i = 0; i < result->msgids->len; i++)
        news |= g_ptr_array_index(result->msgids, i) != NULL;
    return news;
}

bool
step_settle(Engine *engine, const StepResult *result, GError **error)
{
    unsigned n = 0;
    if (is_news(result))
        db_hint(engine->db);
    bool ok = !result->owes || settle_local(engine, &n, error);
    CRASH_POINT("step-settled");
    if (!ok || n > 0)
        db_hint(engine->db);
    return ok;
}
