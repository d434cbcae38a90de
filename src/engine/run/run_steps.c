/*
 * The loop of a brain that is led. Each step is a question, an answer, a commit;
 * between two of them new mail joins, orders count, and limits are looked at:
 *
 *   steps of this run spent          park, with a checkpoint mail: the next run goes on
 *   steps or money of the round      stopped; whoever asked is told what was reached, and asked
 *   money of the day                 likewise
 *
 * A limit is a commit of its own without a question, so that whatever the last step did, or
 * failed to do, is committed first.
 */
#include "base/file.h"
#include "base/log.h"
#include "engine/act.h"
#include "engine/people/words.h"
#include "engine/run/run_internal.h"
#include "engine/run/settle.h"
#include "mail/address.h"
#include "store/job/artifact_money.h"
#include "store/job/budget.h"
#include "store/job/steering.h"
#include "store/job/step_rows.h"
#include "store/out/outbox.h"

#define MORE_STEPS 12
#define MORE_MONEY "$1"
#define MAILS_MAX 200

/* --- what the last step left --- */

/* A new round begins with what the mode keeps of the last one, and with no results. */
static bool
load_memory(Task *t, GError **error)
{
    g_autoptr(Step) last = NULL;
    if (!step_last(t->run->engine->db, t->job->id, &last, error))
        return false;
    bool same = last && last->round == t->job->round;
    if (same)
        t->in.state = g_steal_pointer(&last->state);
    else if (last && last->state && t->mode->next_round)
        t->in.state = t->mode->next_round(last->state);
    t->in.results = step_results_parse(same ? last->results : NULL);
    return true;
}

/* What the job wrote down in its state, for people; caller frees. */
static char *
written_down(const Task *t, const Proposal *p)
{
    g_auto(ModeSummary) summary = {0};
    mode_summary(t->mode, p && p->state ? p->state : t->in.state, &summary);
    return g_steal_pointer(&summary.note);
}

/* --- limits --- */

static int64_t
step_limit(const Task *t)
{
    return t->job->step_limit ? t->job->step_limit : t->role->total_iterations;
}

static int64_t
cost_limit(const Task *t)
{
    return t->job->cost_limit_micro ? t->job->cost_limit_micro : t->role->max_cost_micro;
}

static int
run_limit(const Task *t)
{
    int given = t->run->limits.max_iterations;
    return given > 0 ? given : (int)t->role->max_iterations;
}

static char *
money_spent(const char *of, int64_t limit)
{
    g_autofree char *sum = text_money(limit);
    return g_strdup_printf("the %s of %s is spent", of, sum);
}

/* Why a round can't go on. */
typedef struct Limit {
    char *why;        /* NULL: it can */
    const char *more; /* what CONTINUE must say */
    unsigned may;     /* the right that takes (MAY_...) */
} Limit;

static void
limit_clear(Limit *l)
{
    g_clear_pointer(&l->why, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Limit, limit_clear)

/* What is left of the money of the day, and how much that is in all. INT64_MAX: a day has no limit, and
 * the store is not asked. */
static bool
find_day_left(const Task *t, int64_t *ret, int64_t *ret_day, GError **error)
{
    int64_t today;
    *ret = INT64_MAX;
    *ret_day = 0;
    if (t->run->engine->home->config->max_cost_per_day_micro == 0)
        return true;
    if (!budget_today(t->run->engine->db, ret_day, &today, error))
        return false;
    *ret = MAX(*ret_day - today, 0);
    return true;
}

static bool
find_money_limit(const Task *t, Limit *ret, GError **error)
{
    int64_t left, day;
    *ret = (Limit){.more = MORE_MONEY, .may = MAY_STEER};
    if (cost_limit(t) > 0 && t->job->round_cost_micro >= cost_limit(t)) {
        ret->why = money_spent("budget", cost_limit(t));
        return true;
    }
    if (!find_day_left(t, &left, &day, error))
        return false;
    if (left == 0) {
        ret->why = money_spent("budget of the day", day);
        ret->may = MAY_APPROVE;
    }
    return true;
}

bool
run_money_left(const Task *t, int64_t *ret, GError **error)
{
    int64_t day;
    if (!find_day_left(t, ret, &day, error))
        return false;
    if (cost_limit(t) > 0)
        *ret = MIN(*ret, MAX(cost_limit(t) - t->job->round_cost_micro, 0));
    if (t->role->max_cost_per_day_micro > 0) {
        if (!budget_role_today(t->run->engine->db, t->role->name, &day, error))
            return false;
        *ret = MIN(*ret, MAX(t->role->max_cost_per_day_micro - day, 0));
    }
    g_autoptr(ArtifactMoney) money = NULL;
    if (!artifact_money_of_job(t->run->engine->db, t->job->id, &money, error))
        return false;
    if (money)
        *ret = MIN(*ret, MAX(money->limit_micro - money->spent_micro, 0));
    return true;
}

/* Counts what the brain is told of its limits. */
static bool
count_left(Task *t, GError **error)
{
    if (!run_money_left(t, &t->in.money_left_micro, error))
        return false;
    t->in.round_left = (int)MAX(step_limit(t) - t->job->total_iterations, 0);
    t->in.iterations_left = MAX(run_limit(t) - t->job->iteration, 0);
    return true;
}

static bool
find_limit(const Task *t, Limit *ret, GError **error)
{
    if (t->job->total_iterations < step_limit(t))
        return find_money_limit(t, ret, error);
    *ret = (Limit){.more = G_STRINGIFY(MORE_STEPS), .may = MAY_STEER};
    ret->why =
        g_strdup_printf("the limit of %" G_GINT64_FORMAT " steps is reached", step_limit(t));
    return true;
}

/* True when the asker can't raise this limit, so that the owner must know of it. */
static bool
needs_owner(const Task *t, const Limit *limit)
{
    const Config *config = t->run->engine->home->config;
    const char *asker = t->job->asker;
    Trust trust = config_role_at(config, asker) ? TRUST_ROLE : TRUST_PRINCIPAL;
    return !address_equal(asker, config->owner) &&
           !(rights_of(config, asker, trust) & limit->may);
}

/* Stops, and asks whoever asked. */
static bool
halt(Task *t, const Limit *limit, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_LIMIT);
    ProposedMail *mail = proposal_add_mail(p);
    const char *why = limit->why;
    g_autofree char *note = written_down(t, NULL);
    g_auto(StepResult) result = {0};
    t->in.bare = true;
    p->why = g_strdup(why);
    g_ptr_array_add(mail->to, g_strdup(t->job->asker));
    if (needs_owner(t, limit))
        g_ptr_array_add(mail->cc, g_strdup(t->run->engine->home->config->owner));
    mail->in_reply_to = g_strdup(t->job->original_msgid);
    mail->body = g_strdup_printf(WORDS_RUN_HALTED, why,
                                 *note ? note : WORDS_RUN_NOTHING_WRITTEN, limit->more);
    log_event(LOG_WARN, "a limit is reached", "role", t->job->role, "why", why, NULL);
    return run_commit(t, p, &result, error);
}

bool
run_halt_if_spent(Task *t, bool *ret_halted, GError **error)
{
    g_auto(Limit) limit = {0};
    if (!find_money_limit(t, &limit, error))
        return false;
    *ret_halted = limit.why != NULL;
    return !limit.why || halt(t, &limit, error);
}

bool
run_halt_spent(Task *t, GError **error)
{
    g_auto(Limit) limit = {0};
    if (!find_money_limit(t, &limit, error))
        return false;
    if (!limit.why)
        limit.why = g_strdup("the money that was left for it is spent");
    return halt(t, &limit, error);
}

/* The run has had its steps; the next one goes on from here. */
static bool
park(Task *t, GError **error)
{
    const Home *home = t->run->engine->home;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    g_auto(StepResult) result = {0};
    t->in.bare = true;
    p->resume = (Due){.us = home_now(home) + home->config->continue_after_us};
    return run_commit(t, p, &result, error);
}

/* --- the loop --- */

static bool
goes_to(const Proposal *p, const char *asker, const char *spec)
{
    LIST_EACH(const ProposedMail, m, p->mails) {
        if (m->to->len ? address_in(m->to, spec) : address_equal(asker, spec))
            return true;
    }
    return false;
}

/* The question of an escalation reaches the owner, whatever the agent wrote. */
static void
ask_owner(Task *t, Proposal *p)
{
    const char *owner = t->run->engine->home->config->owner;
    if (goes_to(p, t->job->asker, owner))
        return;
    g_autofree char *note = written_down(t, p);
    ProposedMail *ask = proposal_add_mail(p);
    g_ptr_array_add(ask->to, g_strdup(owner));
    ask->in_reply_to = g_strdup(t->job->original_msgid);
    ask->body =
        g_strdup_printf(WORDS_RUN_NEEDS_YOU, p->because ? p->because : WORDS_RUN_NO_REASON,
                        *note ? WORDS_RUN_WROTE : "", note);
}

/* *ret is true when the asker has heard anything in this round: a mail of a step, or that a
 * mail is held. */
static bool
has_heard(const Task *t, bool *ret, GError **error)
{
    const OutQuery q = {.job = t->job->id, .all = true, .limit = MAILS_MAX};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(t->run->engine->db, &VIEWER_OF(t->job->role), &q, &rows, error))
        return false;
    *ret = false;
    LIST_EACH(const OutRow, row, rows) {
        bool told = address_equal(row->address, t->job->asker) || row->state == OUT_HELD;
        *ret |= told && row->round == t->job->round && row->step > 0;
    }
    return true;
}

/* *ret is true when a mail of this very step will be held. People then hear of that
 * (commit_owner.c). */
static bool
is_held(const Task *t, Proposal *p, bool *ret, GError **error)
{
    g_autoptr(GArray) verdicts = NULL;
    if (!policy_check(t->run->engine, t->job, &t->in, p, &verdicts, error))
        return false;
    *ret = policy_holds(verdicts);
    return true;
}

/* The note that the step before this one could not save and this step does not try again; NULL:
 * there is none. */
static bool
find_unsaved(const Task *t, const Proposal *p, char **ret, GError **error)
{
    g_autoptr(Step) last = NULL;
    *ret = NULL;
    if (p->notes->len > 0)
        return true;
    if (!step_last(t->run->engine->db, t->job->id, &last, error))
        return false;
    if (!last || last->round != t->job->round)
        return true;
    const char *found = strstr(last->did, COULD_NOT_CHANGE);
    *ret = found ? g_strndup(found, strcspn(found, ";")) : NULL;
    return true;
}

/* A job that ends without a word to whoever asked, or without one since something was not
 * saved, does not end in silence. What strangers may hear is for the agent and the policy to
 * say. */
static bool
say_last_word(Task *t, Proposal *p, GError **error)
{
    const char *asker = t->job->asker;
    bool heard = false, held = false, listens, silent;
    g_autofree char *unsaved = NULL;
    if (!asker_listens(t->run->engine, t->job, &listens, error))
        return false;
    if (!listens || goes_to(p, asker, asker) || address_equal(asker, t->role->address) ||
        acts_say(p->acts) || p->acted)
        return true;
    if (!find_unsaved(t, p, &unsaved, error) || !has_heard(t, &heard, error) ||
        (!heard && p->mails->len > 0 && !is_held(t, p, &held, error)) ||
        !step_may_be_silent(t->run->engine, &t->in, &silent, error))
        return false;
    silent &= p->status == PROPOSE_COMPLETE;
    if ((heard || held || silent) && !unsaved)
        return true;
    bool why = !heard && p->because;
    ProposedMail *mail = proposal_add_mail(p);
    mail->at_end = mail->plain = true;
    mail->body = g_strdup_printf("%s%s%s%s%s%s",
                                 p->status == PROPOSE_ESCALATE ? WORDS_RUN_WITH_OWNER
                                 : heard || held               ? WORDS_RUN_DONE
                                                               : WORDS_RUN_DONE_SILENT,
                                 why ? ": " : ".", why ? p->because : "",
                                 unsaved ? WORDS_RUN_ONE_FAILED : "", unsaved ? unsaved : "",
                                 unsaved ? "." : "");
    return true;
}

bool
run_steps_adjust(Task *t, Proposal *p, GError **error)
{
    if (p->status == PROPOSE_ESCALATE)
        ask_owner(t, p);
    return (p->status != PROPOSE_ESCALATE && p->status != PROPOSE_COMPLETE) ||
           say_last_word(t, p, error);
}

/* A program that is led has a folder of its own to sit in, not the home. */
bool
run_make_cwd(Task *t, GError **error)
{
    const Home *home = t->run->engine->home;
    if (!config_is_program(t->brain) || t->cwd)
        return true;
    t->cwd = workplace_path(home, t->job);
    return dir_make(home->fd, t->cwd + strlen(home->path) + 1, 0700, error);
}

static bool
look_at_limits(Task *t, Limit *ret, GError **error)
{
    return load_memory(t, error) && acts_offered(t->run->engine, t->job, &t->in.acts, error) &&
           count_left(t, error) && find_limit(t, ret, error);
}

/* Loads what the last step left, and chooses the brain that is asked next. */
static bool
load_again(Task *t, GError **error)
{
    g_auto(Pause) pause = {0};
    return run_load(t, error) && run_choose_brain(t, t->brain, &pause, error);
}

/* Makes the page. *ret NULL with true: a limit is reached, and that is committed. */
static bool
prepare(Task *t, bool again, char **ret_prompt, GError **error)
{
    g_auto(Limit) limit = {0};
    *ret_prompt = NULL;
    if ((again && !load_again(t, error)) || !look_at_limits(t, &limit, error))
        return false;
    if (limit.why)
        return halt(t, &limit, error);
    if (t->in.iterations_left == 0)
        return park(t, error);
    *ret_prompt = run_context(t, NULL, error);
    return *ret_prompt != NULL;
}

/* Does one step; again: the step is not the first of this run. *ret_next: another step is to
 * follow. */
static bool
step(Task *t, bool again, bool *ret_next, GError **error)
{
    g_autofree char *prompt = NULL;
    g_auto(Snapshot) reads = {0}; /* until the question is asked */
    *ret_next = false;
    snapshot_begin(t->run->engine->db, &reads);
    if (!prepare(t, again, &prompt, error))
        return false;
    if (!prompt)
        return true;
    if (!run_make_cwd(t, error) || !run_mark_shown(t, error))
        return false;
    return run_ask(t, NULL, prompt, ret_next, error);
}

bool
run_steps(Task *t, GError **error)
{
    bool next = true;
    g_autoptr(GError) unsynced = NULL;
    /* Takes in what people wrote into the files of notes since the last run. */
    if (!settle_notes(t->run->engine, &unsynced))
        log_event(LOG_WARN, "notes could not be read from their files", "why",
                  unsynced->message, NULL);
    for (bool again = false;; again = true) {
        if (!step(t, again, &next, error))
            return false;
        if (!next)
            return true;
        if (run_called_off(t->run))
            return run_release(t, (Due){.us = home_now(t->run->engine->home)}, TRY_NONE,
                               "put back: postrider stops", error);
    }
}
