/*
 * The run, from claim to commit:
 *
 *   C  claim (durable: fence + 1, attempts + 1)
 *   B  context, shown marks (lazy), the brain thinks
 *   T  step_commit: everything or nothing
 *   S  step_settle: files follow
 *
 * A crash before T: the owner is dead, the job is queued again, and at most this call is lost.
 * After T: the sweep settles.
 *
 * A brain whose answer is of no use is asked once more, then the job fails and whoever asked is
 * told. A brain that is broken (no such program) pauses: its jobs stay queued, the owner is
 * told once. One at the usage limit of its provider pauses until that ends, one that is away
 * until it is back, and no attempt counts. A program that failed is run again, three times. A
 * job that brought down max-attempts runs is given up with a word to whoever asked.
 */
#include "engine/run/run.h"
#include "base/crash.h"
#include "base/living.h"
#include "base/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/recover.h"
#include "engine/in/every.h"
#include "engine/keep.h"
#include "engine/mail_load.h"
#include "engine/people/delivery_failure.h"
#include "engine/people/hold.h"
#include "engine/people/waits.h"
#include "engine/role.h"
#include "engine/run/demand.h"
#include "engine/context/manifest.h"
#include "engine/run/orphans.h"
#include "engine/run/run_internal.h"
#include "engine/run/settle.h"
#include "engine/run/view_files.h"
#include "engine/run/workplace.h"
#include "notes/notes.h"
#include "store/job/pauses.h"
#include "store/job/seats.h"
#include "store/job/timers.h"
#include <signal.h>
#include <sys/signalfd.h>

#define JOBS_PER_PROCESS 100
#define WORKDIR_WAIT_US (5 * USEC_PER_SEC) /* until a folder in which another job works is tried again */
#define CLAIM_SPARE_US (60 * USEC_PER_SEC) /* beyond the brain's own time: context, commit */

/* Frees all that belongs to one step only. */
static void
input_clear(StepInput *in)
{
    g_clear_pointer(&in->shown, msg_rows_free);
    g_clear_pointer(&in->answer, g_bytes_unref);
    g_clear_pointer(&in->manifest, g_bytes_unref);
    g_clear_pointer(&in->state, g_bytes_unref);
    g_clear_pointer(&in->results, g_ptr_array_unref);
    g_clear_pointer(&in->acts, g_ptr_array_unref);
    g_clear_pointer(&in->news, g_free);
    g_clear_pointer(&in->heard, g_array_unref);
    g_clear_pointer(&in->lost, g_array_unref);
    g_clear_pointer(&in->session, session_free);
    *in = (StepInput){0};
}

static void
step_clear(Task *t)
{
    g_clear_pointer(&t->job, job_free);
    g_clear_pointer(&t->context, context_free);
    g_clear_pointer(&t->cwd, g_free);
    input_clear(&t->in);
}

void
task_clear(Task *t)
{
    step_clear(t);
    g_clear_pointer(&t->memo, context_memo_free);
    g_clear_pointer(&t->schema, g_free);
    g_clear_pointer(&t->schema_acts, g_ptr_array_unref);
}

static int64_t
claim_deadline(const Run *run, const ConfBrain *brain)
{
    int64_t brain_us = brain ? brain->timeout_us : 0;
    if (brain && brain_us == 0)
        return USEC_NEVER; /* it may think for as long as it likes */
    return home_now(run->engine->home) + RUN_BRAIN_TRIES * brain_us + CLAIM_SPARE_US;
}

/* Views show who works on what. What can't be written now a sweep writes. */
static void
show_lease(Engine *engine)
{
    g_autoptr(GError) left = NULL;
    if (!settle_views(engine, &left))
        log_event(LOG_WARN, "a view can't be written", "why", left->message, NULL);
}

static bool
claim(Run *run, JobId want, JobClaim *ret, bool *ret_got, GError **error)
{
    g_auto(Txn) txn = {.db = run->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        txn.ok = job_claim(&txn, want, claim_deadline(run, NULL), run->limits.mark, ret,
                           ret_got, error);
        if (txn.ok && !*ret_got)
            return true;
        CRASH_POINT("run-before-claim");
    }
    if (!txn.done)
        return false;
    CRASH_POINT("run-claimed");
    return true;
}

bool
run_release(Task *t, Due ready, JobTry counts, const char *why, GError **error)
{
    g_auto(Txn) txn = {.db = t->run->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            job_release(&txn, &t->claim, ready, counts, why, error) &&
            (counts != TRY_FAILED || faces_failed(t->run->engine, &txn, t->job, why, error));
    if (txn.done)
        show_lease(t->run->engine);
    return txn.done;
}

/* --- commit --- */

/* A person may have edited a note since it was shown: their version counts. */
static bool
import_edits(Task *t, const Proposal *p, GError **error)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new();
    LIST_EACH(const ProposedNote, n, p->notes) {
        g_ptr_array_add(keys, n->key);
        if (n->to)
            g_ptr_array_add(keys, n->to);
    }
    g_ptr_array_add(keys, NULL);
    return p->notes->len == 0 || notes_import(t->run->engine->home, t->run->engine->db,
                                              (const char *const *)keys->pdata, error);
}

/* Settles the effects of the step. What could not be settled now is left to a sweep, since the
 * step has been committed. */
static void
settle(Engine *engine, const StepResult *result)
{
    g_autoptr(GError) left = NULL;
    if (!step_settle(engine, result, &left) ||
        (result->ended && !settle_written_notes(engine, &left)))
        log_event(LOG_WARN, "the step is committed, not all of it is settled; a sweep will",
                  "why", left->message, NULL);
}

bool
run_commit(Task *t, Proposal *p, StepResult *ret, GError **error)
{
    g_autoptr(GArray) verdicts = NULL;
    /* The time of the next step begins with the end of this one. */
    t->in.deadline_us = claim_deadline(t->run, t->brain);
    t->in.brain = t->in.took_us && t->brain ? t->brain->name : NULL;
    g_auto(Snapshot) reads = {0}; /* until the transaction */
    snapshot_begin(t->run->engine->db, &reads);
    if (!import_edits(t, p, error) ||
        !policy_check(t->run->engine, t->job, &t->in, p, &verdicts, error) ||
        !step_commit(t->run->engine, &t->claim, &t->in, p, verdicts, ret, error))
        return false;
    t->run->stats->steps += !ret->bare;
    settle(t->run->engine, ret);
    if (t->mode && t->mode->led && !ret->bare && t->run->limits.committed)
        t->run->limits.committed(t->run->engine, t->claim.job);
    return true;
}

bool
run_fail(Task *t, const char *why, const char *log, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_FAIL);
    g_auto(StepResult) result = {0};
    if (!proposal_fail(p, t->run->engine, t->job, why, log, error))
        return false;
    t->run->stats->failed++;
    log_event(LOG_WARN, "job failed", "role", t->job->role, "why", why, NULL);
    return run_commit(t, p, &result, error);
}

/* --- before the question --- */

/* True when there is mail that no brain was shown before. */
static bool
has_unseen(const MsgRows *shown)
{
    LIST_EACH(const MsgRow, row, shown)
        if (row->state == MSG_STORED)
            return true;
    return false;
}

/* Marks what is shown, and at the first step of a run sets the deadline of this brain, and the
 * timers of the first word and of those about long work. Later steps mostly have nothing to
 * mark: the commit before has set their deadline, and has looked at the claim. */
bool
run_mark_shown(Task *t, GError **error)
{
    Engine *engine = t->run->engine;
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(MsgId));
    if (t->job->iteration > 0 && !has_unseen(t->in.shown))
        return true;
    LIST_EACH(const MsgRow, row, t->in.shown)
        g_array_append_val(ids, row->id);
    bool first = t->job->total_iterations == 0 && t->claim.attempts + t->job->failures <= 1;
    int64_t now = home_now(engine->home), every = engine->home->config->progress_every_us;
    int64_t ack_us = now + t->role->ack_after_us;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, &t->claim, t->in.deadline_us, error) &&
                 messages_mark_shown(&txn, (const MsgId *)(void *)ids->data, ids->len, error) &&
                 (!first || t->role->ack_after_us == 0 ||
                  timer_set_own(&txn, t->job->id, TIMER_ACK, ack_us, error)) &&
                 (t->job->iteration > 0 || every == 0 ||
                  timer_begin(&txn, t->job->id, TIMER_PROGRESS, now + every, error));
    return txn.done;
}

static Trust
floor_of(const MsgRows *shown)
{
    Trust floor = TRUST_OPERATOR;
    LIST_EACH(const MsgRow, row, shown)
        floor = MIN(floor, row->floor);
    return floor;
}

/* Loads what people decided about held mail, and which mail did not arrive. Both are shown
 * among the instructions. */
static bool
load_news(Task *t, GError **error)
{
    Db *db = t->run->engine->db;
    g_autofree char *held = NULL, *lost = NULL;
    if (!hold_news(db, t->claim.job, &held, &t->in.heard, error) ||
        !delivery_failure_news(db, t->claim.job, &lost, &t->in.lost, error))
        return false;
    if (held && lost)
        t->in.news = g_strjoin("\n", held, lost, NULL);
    else
        t->in.news = g_strdup(held ? held : lost);
    if (!t->in.news)
        return true;
    g_autofree char *before = g_steal_pointer(&t->job->instruction);
    t->job->instruction =
        before && *before ? g_strjoin("\n", before, t->in.news, NULL) : g_strdup(t->in.news);
    return true;
}

bool
run_load(Task *t, GError **error)
{
    Engine *engine = t->run->engine;
    g_auto(Snapshot) reads = {0};
    step_clear(t);
    mails_keep(engine);
    snapshot_begin(engine->db, &reads);
    if (!job_load(engine->db, &VIEWER_OPERATOR, t->claim.job, &t->job, error) ||
        !messages_open(engine->db, t->claim.job, &t->in.shown, error) || !load_news(t, error))
        return false;
    t->role = role_find(engine, t->job->role);
    t->mode = engine_mode(engine, t->role);
    t->face = engine_face(engine, t->job->face);
    t->brain = t->role ? config_brain(engine->home->config, t->role->brain) : NULL;
    t->in.deadline_us = claim_deadline(t->run, t->brain);
    t->in.floor = MIN(floor_of(t->in.shown), t->job->floor);
    return true;
}

/* The floor of a round is the lowest of anything that was shown since it began. */
static bool
lower_floor(Task *t, GError **error)
{
    Trust shown;
    if (!context_floor(t->context, t->run->engine, t->job->role, &shown, error))
        return false;
    t->in.floor = MIN(t->in.floor, shown);
    return true;
}

char *
run_context(Task *t, const char *workdir, GError **error)
{
    const Home *home = t->run->engine->home;
    g_autoptr(Context) c = context_new(home, t->job, run_budget(t));
    if (!t->memo)
        t->memo = context_memo_new();
    context_set_memo(c, t->memo);
    context_set_takes(c, context_role_takes(t->run->engine, t->job->role));
    if (t->face && t->face->frame && !t->face->frame(t->run->engine, t->job, &t->in, c, error))
        return NULL;
    if (!faces_page(t->run->engine, t->job, &t->in, c, error) ||
        !t->mode->context(t->run->engine, t->job, t->role, &t->in, workdir, c, error))
        return NULL;
    context_digest(c, &t->in.context);
    g_clear_pointer(&t->in.manifest, g_bytes_unref);
    t->in.manifest = context_manifest(c);
    g_clear_pointer(&t->context, context_free);
    t->context = g_steal_pointer(&c);
    return lower_floor(t, error) ? g_strdup(context_text(t->context)) : NULL;
}

/* An earlier run of this job did not come to its end: what its program started may still work.
 */
static void
end_orphans(const Task *t)
{
    g_autofree char *path = workplace_path(t->run->engine->home, t->job);
    unsigned n = t->claim.attempts > 1 ? orphans_end(path) : 0;
    if (n > 0)
        log_say(LOG_WARN, "ended %u processes that a run which died had left", n);
}

/* Another job works in the folder. No attempt counts: this one has not begun. */
static bool
wait_for_workdir(Task *t, const Workplace *place, GError **error)
{
    g_autofree char *why = g_strdup_printf("another job works in '%s'", place->cwd);
    return run_release(t, (Due){.us = home_now(t->run->engine->home) + WORKDIR_WAIT_US}, TRY_NONE,
                       why, error);
}

static bool
work(Task *t, GError **error)
{
    g_autoptr(Workplace) place = NULL;
    end_orphans(t);
    if (!workplace_open(t->run->engine, t->job, t->role, &t->claim, &place, error))
        return false;
    if (place->busy)
        return wait_for_workdir(t, place, error);
    if (!workplace_fill(place, t->run->engine, t->in.shown, error) ||
        !run_session_find(t, place, error))
        return false;
    g_autofree char *prompt = run_context(t, place->path, error);
    if (!prompt || !run_mark_shown(t, error))
        return false;

    return run_ask(t, place, prompt, NULL, error);
}

/* The face works by itself. What it has not ended when we are asked to stop is put back. */
static bool
work_by_face(Task *t, GError **error)
{
    g_autoptr(JobSession) s =
        session_of_claim(t->run->engine, &t->claim, g_steal_pointer(&t->job), t->role, &t->in,
                         t->run->signal_fd);
    bool ok = t->face->work(s, error);
    int64_t again_us = s->draining ? 0 : s->again_us;
    const char *again_why = s->again_why;
    t->run->draining |= s->draining;
    t->run->stats->steps += s->over;
    t->job = g_steal_pointer(&s->job);
    if (!ok || s->over || s->lost)
        return ok || s->lost;
    return run_release(t, (Due){.us = again_us ? again_us : home_now(t->run->engine->home)},
                       TRY_NONE, again_us ? again_why : "put back: postrider stops", error);
}

/* A role without a brain: the face decides. Where one more step is to follow, the next run
 * takes it. */
static bool
work_decided(Task *t, GError **error)
{
    g_autoptr(Proposal) p = NULL;
    g_auto(StepResult) result = {0};
    return run_mark_shown(t, error) &&
           t->face->decide(t->run->engine, t->job, &t->in, &p, error) &&
           run_commit(t, p, &result, error) &&
           (result.ended || run_release(t, (Due){.us = home_now(t->run->engine->home)}, TRY_NONE,
                                        "one more step", error));
}

static bool
work_claimed(Task *t, GError **error)
{
    g_auto(Pause) pause = {0};
    if (!run_load(t, error))
        return false;
    if (!t->role)
        return err_set(error, ERR_CONFIG, "there is no role '%s' any more", t->job->role);
    if (t->claim.attempts > t->role->max_attempts) {
        g_autofree char *why = g_strdup_printf("%d runs of it were ended before they finished",
                                               t->claim.attempts - 1);
        return run_fail(t, why, NULL, error);
    }
    if (*t->job->face && !t->face)
        return err_set(error, ERR_CONFIG, "it is led by '%s', which this program does not know",
                       t->job->face);
    int64_t until = 0;
    if (t->face && t->face->ready && !t->face->ready(t->run->engine, t->job, &until, error))
        return false;
    if (until)
        return run_release(t, (Due){.us = until}, TRY_NONE, RUN_NOT_YET, error);
    show_lease(t->run->engine);
    if (t->face && t->face->work)
        return work_by_face(t, error);
    if (!*t->role->brain && t->face && t->face->decide)
        return work_decided(t, error);
    if (!t->brain || !t->mode)
        return err_set(error, ERR_CONFIG, "role '%s' has no brain that this program knows",
                       t->job->role);
    if (!run_choose_brain(t, t->brain, &pause, error))
        return false;
    if (pause.kind != PAUSE_NONE)
        return run_join_wait(t, &pause, error);
    if (!demand_ancestors(t->run->engine, t->job, t->in.shown, error))
        return false;
    if (t->mode->led && (t->in.shown->len > 0 || t->job->total_iterations > 0))
        return run_steps(t, error);
    if (t->in.shown->len == 0 && !t->job->instruction && !t->job->parked) {
        g_autoptr(Proposal) nothing = proposal_new(PROPOSE_COMPLETE);
        g_auto(StepResult) result = {0};
        return run_commit(t, nothing, &result, error);
    }
    return work(t, error);
}

static bool
is_still_ours(const Task *t)
{
    bool ours;
    return job_claim_holds(t->run->engine->db, &t->claim, &ours, NULL) && ours;
}

/* At once where somebody has answered by hand meanwhile; later where it fails every time. */
static int64_t
try_again_us(const Task *t)
{
    return home_now(t->run->engine->home) + (t->claim.attempts > 1 ? BROKEN_WAIT_US : 0);
}

/* Errors of a claimed job end here: fenced is no news, anything else puts the job back for
 * later. */
static bool
survive(Task *t, GError *take_failed, GError **error)
{
    g_autoptr(GError) failed = take_failed;
    if (err_is(failed, ERR_NEVER) && !is_still_ours(t)) {
        log_event(LOG_INFO, "somebody else was faster; ending quietly", "why", failed->message,
                  NULL);
        return true;
    }
    log_event(LOG_ERROR, "a run failed, the job waits", "why", failed->message, NULL);
    if (err_is(failed, ERR_CONFIG))
        return run_release(t, (Due){.us = home_now(t->run->engine->home) + BROKEN_WAIT_US},
                           TRY_NONE, failed->message, error);
    if (err_is(failed, ERR_NEVER))
        return run_release(t, (Due){.us = try_again_us(t)}, TRY_LOST, failed->message, error);
    return err_pass(error, g_steal_pointer(&failed));
}

/* Acts on the timers that are due. A mail that can't be written now does not keep the job from
 * its work. */
static void
act_on_timers(Run *run)
{
    g_autoptr(GError) failed = NULL;
    unsigned said;
    if (!waits_act(run->engine, &said, &failed))
        log_event(LOG_WARN, "a timer could not be acted on, the next run tries again", "why",
                  failed->message, NULL);
    else
        run->stats->said += said;
    g_clear_error(&failed);
    if (!every_fire(run->engine, &said, &failed))
        log_event(LOG_WARN, "a schedule could not be mailed, the next run tries again", "why",
                  failed->message, NULL);
    run->stats->said += said;
}

/* A parked job goes on by its time only where its checkpoint still is: what is missed waits. */
static bool
look_before(Run *run, GError **error)
{
    Engine *engine = run->engine;
    for (bool missed = true; missed;) {
        JobId next;
        g_autoptr(Job) job = NULL;
        if (!seats_next(engine->db, home_now(engine->home), run->limits.mark, &next, error) ||
            (next.v && !job_load(engine->db, &VIEWER_OPERATOR, next, &job, error)))
            return false;
        missed = false;
        if (job && job->state == JOB_PARKED && !checkpoint_check(engine, job, &missed, error))
            return false;
    }
    return true;
}

bool
run_before_claim(Run *run, JobId want, GError **error)
{
    if (!living_check(run->engine->home, false, error))
        return false;
    if (want.v)
        return true;
    act_on_timers(run);
    return look_before(run, error);
}

static bool
run_claimed(Run *run, JobId want, bool *ret_got, GError **error)
{
    g_auto(Task) t = {.run = run};
    GError *failed = NULL;
    if (!run_before_claim(run, want, error) || !claim(run, want, &t.claim, ret_got, error))
        return false;
    if (!*ret_got)
        return true;
    run->stats->jobs++;
    log_about_job(t.claim.job.v);
    log_say(LOG_DEBUG, "at work");
    bool ok = work_claimed(&t, &failed) || survive(&t, failed, error);
    mails_forget(run->engine);
    log_about_job(0);
    return ok;
}

const int run_signals[] = {SIGTERM, SIGINT, SIGUSR1, 0};

bool
run_called_off(Run *run)
{
    struct signalfd_siginfo info;
    while (read(run->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        run->draining |= info.ssi_signo != SIGUSR1; /* the commit tells whose the job is */
    return run->draining;
}

bool
run_one(Engine *engine,
        JobId want,
        const RunLimits *limits,
        RunStats *stats,
        bool *ret_got,
        GError **error)
{
    sigset_t before;
    auto_fd signals = proc_watch_signals(run_signals, &before);
    Run run = {.engine = engine, .signal_fd = signals, .stats = stats, .limits = *limits};
    bool ok = run_claimed(&run, want, ret_got, error);
    bool off = run_called_off(&run);
    /* SIGUSR1 may end what our caller waits for next. But a process that found our pid beside
     * the job may send the signal late, and that must not end us. */
    sigaddset(&before, SIGUSR1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!ok)
        return false;
    if (off)
        return err_set(error, ERR_CANCELLED, "stopped");
    return true;
}

/* Somebody may have died between a commit and its files; whoever has nothing else to do looks
 * after that. */
static void
sweep(Engine *engine)
{
    RecoverStats found;
    g_autoptr(GError) error = NULL;
    if (!recover_sweep(engine, &found, &error) || !keep_prune(engine, &error))
        log_event(LOG_WARN, "a sweep failed, the next run tries again", "why", error->message,
                  NULL);
    else if (found.jobs || found.effects)
        db_hint(engine->db);
}

int
run_timers(Engine *engine)
{
    RunStats stats = {0};
    Run run = {.engine = engine, .signal_fd = -1, .stats = &stats};
    g_autoptr(GError) error = NULL;
    if (!living_check(engine->home, false, &error)) {
        log_event(LOG_ERROR, error->message, NULL);
        return err_exit_status(error);
    }
    unsigned looked;
    if (!faces_look(engine, &looked, &error))
        log_event(LOG_WARN, "files could not be looked at", "why", error->message, NULL);
    act_on_timers(&run);
    return 0;
}

int
run_main(Engine *engine, JobId want, int max_iterations)
{
    RunStats stats = {0};
    auto_fd signals = proc_watch_signals(run_signals, NULL);
    Run run = {.engine = engine,
               .signal_fd = signals,
               .stats = &stats,
               .limits = {.max_iterations = max_iterations, .mark = JOB_NO_MARK}};
    for (int i = 0; i < JOBS_PER_PROCESS && !run_called_off(&run); i++) {
        g_autoptr(GError) error = NULL;
        bool got;
        if (home_outdated(engine->home))
            return ENGINE_AGAIN;
        if (!run_claimed(&run, want, &got, &error)) {
            log_event(LOG_ERROR, "run ends", "why", error->message, NULL);
            return err_exit_status(error);
        }
        if (!got && !want.v)
            sweep(engine);
        if (!got)
            return want.v && stats.jobs == 0 ? 75 : 0;
        if (want.v)
            break;
    }
    return 0;
}
