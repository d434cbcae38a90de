#include "plan/plan_work.h"
#include "base/crash.h"
#include "base/lock.h"
#include "base/log.h"
#include "engine/run/orphans.h"
#include "plan/file/plan_words.h"
#include "plan/plan_agent.h"
#include "plan/plan_ask.h"
#include "plan/plan_prompt.h"
#include "store/job/role_pauses.h"

#define RUN_LOCK "run.lock"
#define OTHERS_WAIT_US (2 * USEC_PER_SEC) /* until todos that others have are looked at again */
#define PASS_EVERY_US (60 * USEC_PER_SEC) /* while a role that pauses is waited for */
#define ASKED_WAIT_US (500 * USEC_PER_MSEC) /* until a role's job is looked at again */
#define LIMIT_WAIT_US (300 * USEC_PER_SEC) /* where nobody says when a usage limit ends */
#define OUTPUT_TOLD 2000 /* bytes of a check's output that the agent is told */

#define PLAN_WHY_UNTIL "its time is over"
#define PLAN_WHY_BUDGET "its budget is spent"
#define PLAN_WHY_REFUSED "the mail that asks for a todo was refused"

typedef struct Loop {
    PlanWork *w;
    PlanSite site;
    char *run;        /* our session */
    char *reason;     /* what came of the last try; NULL */
    char *todo;       /* id of the last one; NULL */
    char *told;       /* the last line about what is waited for; NULL */
    RolePause *pause; /* of the job's role; NULL: it does not pause */
    int64_t pass_us;  /* on the monotonic clock: the next pass for that */
    bool waited;      /* a pass has just been made for it */
    int64_t epoch;    /* of the plan, when the agent was started */
    bool uncommitted; /* a todo was worked on since the last step */
    PlanAgent agent;
    char **wall; /* of checks, where the agent has one; NULL: not made yet */
} Loop;

static void
loop_clear(Loop *l)
{
    plan_agent_clear(&l->agent);
    taker_clear(&l->site.taker);
    g_strfreev(l->wall);
    free_all(l->run, l->reason, l->todo, l->told);
    role_pause_free(l->pause);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Loop, loop_clear)

static void say(const Loop *l, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static void
say(const Loop *l, const char *fmt, ...)
{
    va_list args;
    if (!l->w->say)
        return;
    va_start(args, fmt);
    g_autofree char *line = g_strdup_vprintf(fmt, args);
    va_end(args);
    l->w->say(l->w->data, line);
}

/* What is waited for, once. */
static void
say_waiting(Loop *l, char *take_line)
{
    if (g_strcmp0(take_line, l->told) != 0)
        say(l, "%s", take_line);
    g_free(l->told);
    l->told = take_line;
}

static void
set_reason(Loop *l, char *take_reason)
{
    g_free(l->reason);
    l->reason = take_reason;
}

/* The length of its first line, without the colon in front of a check's output. */
static int
reason_line(const Loop *l)
{
    size_t len = strcspn(l->reason, "\n");
    return (int)(len > 0 && l->reason[len] && l->reason[len - 1] == ':' ? len - 1 : len);
}

static int64_t
now_us(const Loop *l)
{
    const Engine *engine = l->w->session->engine;
    return engine ? home_now(engine->home) : clock_wall_us(&l->w->file->clock);
}

/* --- the plan --- */

static bool
begin_edit(Loop *l, PlanEdit *ret, GError **error)
{
    const JobSession *s = l->w->session;
    if (!plan_edit_begin(l->w->file, PLAN_WAIT_MS, ret, error))
        return false;
    if (!ret->plan)
        return err_set(
            error, ERR_NEVER,
            "Continuation state file not found; run: postrider plan execute (/02_execute)");
    if (s->engine && plan_agree(ret->plan, l->w->row, JOB_RUNNING) &&
        !plan_edit_commit(ret, json_pack("{s:s}", "act", "agree"), error))
        return false;
    return true;
}

static bool
put_row(Loop *l, GError **error)
{
    Engine *engine = l->w->session->engine;
    g_auto(Txn) txn = {.db = engine ? engine->db : NULL, .flush = TXN_DURABLE};
    if (!engine)
        return true;
    while (txn_again(&txn, error))
        txn.ok = plan_row_put(&txn, l->w->row, error);
    return txn.done;
}

/* What was spent of the budget outlives this loop. */
static bool
set_spent(Loop *l, int64_t spent_micro, GError **error)
{
    bool same = l->w->row->spent_micro == spent_micro;
    l->w->row->spent_micro = spent_micro;
    return same || put_row(l, error);
}

/* A person who lets the plan go on although its time is over, or its budget spent, takes the time away, and grants the budget
 * again. */
static bool
grant_again(Loop *l, GError **error)
{
    PlanRow *row = l->w->row;
    bool late = row->until_us <= now_us(l);
    bool spent = row->budget_micro > 0 && row->spent_micro >= row->budget_micro;
    if (late)
        row->until_us = USEC_NEVER;
    if (spent)
        row->spent_micro = 0;
    return (!late && !spent) || put_row(l, error);
}

/* A person's word ends a pause or a stop, and begins a new count. One that the file has heard already has begun it. */
static bool
go_on(Loop *l, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    if (!begin_edit(l, &edit, error))
        return false;
    PlanStatus status = plan_status(edit.plan);
    bool waits = status == PLAN_PAUSED || status == PLAN_STOPPED;
    bool anew = plan_number(edit.plan->members, "iteration_count") == 0;
    if ((waits || (l->w->foreground && anew)) && !grant_again(l, error))
        return false;
    if (!waits)
        return true;
    return plan_check_branch(l->w->project, edit.plan, error) &&
           plan_continue(edit.plan, l->w->max_iterations, l->w->level, error) &&
           plan_edit_commit(
               &edit, json_pack("{s:s, s:s}", "act", "continue", "session", l->run), error);
}

static bool
pause_for(Loop *l, const char *why, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    if (!begin_edit(l, &edit, error))
        return false;
    if (plan_status(edit.plan) != PLAN_ACTIVE)
        return true;
    plan_set_status(edit.plan, PLAN_PAUSED, why);
    return plan_edit_commit(
        &edit, json_pack("{s:s, s:s, s:s}", "act", "pause", "session", l->run, "why", why),
        error);
}

/* Why no more is spent: the time is over, or the money of this run or of the day is gone. NULL: more may be spent. Caller
 * frees. A role that pauses is waited for, as by its other jobs. */
static bool
find_spent(Loop *l, char **ret, GError **error)
{
    const PlanRow *row = l->w->row;
    JobSession *s = l->w->session;
    int64_t left = 1;
    *ret = NULL;
    g_clear_pointer(&l->pause, role_pause_free);
    if (s->engine && (!role_pause_find(s->engine->db, s->role->name, &l->pause, error) ||
                      !plan_agent_money(&l->agent, s, row, &left, error)))
        return false;
    if (row->until_us <= now_us(l))
        *ret = g_strdup(PLAN_WHY_UNTIL);
    else if (!l->pause &&
             (left <= 0 || (row->budget_micro > 0 && row->spent_micro >= row->budget_micro)))
        *ret = g_strdup(PLAN_WHY_BUDGET);
    return true;
}

static const ConfRole *
asked_role(const Loop *l, const json_t *todo)
{
    return plan_ask_role(l->w->session, *l->w->row->argv != '\0', plan_text(todo, "owner"));
}

/* What a role is asked for by mail is claimed also while no loop is there to wait for it. */
static void
claim_for_role(const Loop *l, json_t *todo, const char *time)
{
    const Taker taker = {.session = l->run};
    if (asked_role(l, todo))
        json_object_set_new(todo, "claim", taker_claim(&taker, time));
}

/* Claims the next todo and counts the iteration. *ret_todo NULL: there is none now; *ret_plan says why. */
static bool
begin_iteration(Loop *l, Plan **ret_plan, json_t **ret_todo, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(l->w->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};
    *ret_todo = NULL;
    if (!begin_edit(l, &edit, error) || (plan_status(edit.plan) == PLAN_ACTIVE &&
                                         !plan_check_branch(l->w->project, edit.plan, error)))
        return false;
    json_t *todo = NULL;
    PlanVerdict verdict =
        l->pause ? JUDGED_FREE : plan_judge_start(edit.plan, &l->site.taker, &todo, &now);
    if (verdict != JUDGED_FREE) {
        json_t *line =
            json_pack("{s:s, s:s}", "act", todo ? "run" : "pause", "session", l->run);
        plan_set_text(line, "why", plan_text(edit.plan->members, "why"));
        if (todo) {
            claim_for_role(l, todo, time);
            plan_set_text(line, "todo", plan_text(todo, "id"));
            plan_set_text(line, "owner", plan_text(todo, "owner"));
            json_object_set(line, "iteration",
                            json_object_get(edit.plan->members, "iteration_count"));
        }
        if (!plan_edit_commit(&edit, line, error))
            return false;
        CRASH_POINT("plan-counted");
    }
    if (l->w->session->engine &&
        !plan_row_follow(l->w->session->engine, l->w->row, edit.plan, error))
        return false;
    l->epoch = plan_number(edit.plan->members, "epoch");
    *ret_plan = g_steal_pointer(&edit.plan);
    *ret_todo = todo;
    return true;
}

/* --- while the agent works --- */

/* Was the plan stopped, cancelled, called done, or begun anew? And is the job still ours? */
static bool
may_go_on(void *data)
{
    Loop *l = data;
    JobSession *s = l->w->session;
    g_autoptr(Plan) plan = NULL;
    bool ours = true;
    if (s->engine && job_claim_holds(s->engine->db, &s->claim, &ours, NULL) && !ours) {
        s->lost = true;
        return false;
    }
    if (!plan_file_read(l->w->file, &plan, NULL, NULL))
        return true; /* half written by a script: the next look knows */
    bool same = plan && plan_number(plan->members, "epoch") == l->epoch;
    if (same)
        plan_file_give_back(l->w->file, g_steal_pointer(&plan));
    return same;
}

/* The agent's own session owns the plan too: its hook holds it. */
static bool
enter_agent(Loop *l, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(l->w->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};
    Taker taker = {.session = l->agent.id, .boot = l->site.taker.boot};
    if (!l->agent.id || l->agent.entered)
        return true;
    if (!begin_edit(l, &edit, error))
        return false;
    l->agent.entered = true;
    return !plan_enter(edit.plan, &taker, &now) ||
           plan_edit_commit(
               &edit, json_pack("{s:s, s:s}", "act", "enter", "session", l->agent.id), error);
}

static void
hear(void *data, const BrainEvent *event)
{
    Loop *l = data;
    if (event->kind == BRAIN_SAID_SESSION) {
        plan_agent_named(&l->agent, event->text);
        (void)plan_agent_keep(&l->agent, l->w->session, l->w->project->path, NULL);
        (void)enter_agent(l, NULL);
    } else if (event->kind == BRAIN_SAID_TEXT || event->kind == BRAIN_SAID_TOOL) {
        say(l, "  %s", event->text);
    }
}

/* --- after it --- */

/* A check starts what the agent may have written: it sees of the machine what the agent sees. */
static bool
set_wall(Loop *l, bool users, GError **error)
{
    JobSession *s = l->w->session;
    bool open = !s->engine || (l->w->foreground && users);
    if (!open && !l->wall) {
        const ConfBrain *brain = config_brain(s->engine->home->config, s->role->brain);
        if (!session_wall(s, brain, l->w->project->path, &l->wall, error))
            return false;
    }
    l->site.wall = open ? NULL : (const char *const *)l->wall;
    return true;
}

/* Did the agent leave its todo open? Then its check tells. */
static bool
check_todo(Loop *l, const char *failed, GError **error)
{
    g_autoptr(Plan) plan = NULL;
    g_auto(MarkResult) result = {0};
    g_autoptr(GError) why = NULL;
    if (!plan_file_read(l->w->file, &plan, NULL, error))
        return false;
    const json_t *todo = plan ? plan_find_todo(plan, l->todo) : NULL;
    if (!todo || plan_number(plan->members, "epoch") != l->epoch) {
        set_reason(l, NULL);
        return true;
    }
    TodoStatus status = todo_status(todo);
    if (status != TODO_IN_PROGRESS) {
        say(l, "%s: %s", l->todo, todo_status_names[status]);
        set_reason(l, NULL);
        return true;
    }
    if (!*plan_text(todo, "check")) {
        set_reason(l, g_strdup_printf("%s; %s was left open",
                                      failed ? failed : "the agent ended", l->todo));
        say(l, "%s: not complete: %s", l->todo, l->reason);
        return true;
    }
    MarkOrder order = {.id = l->todo, .status = TODO_COMPLETE, .act = "check"};
    if (!set_wall(l, l->agent.users, error))
        return false;
    if (!plan_mark(&l->site, &order, &result, &why))
        set_reason(l, g_strdup(why->message)); /* somebody changed the plan meanwhile */
    else if (!result.failure)
        set_reason(l, NULL);
    else {
        size_t len = strlen(result.output), from = len > OUTPUT_TOLD ? len - OUTPUT_TOLD : 0;
        g_autofree char *tail = g_utf8_make_valid(result.output + from, -1);
        set_reason(l, g_strdup_printf("the check of %s failed (%s)%s%s", l->todo,
                                      result.failure, *tail ? ":\n" : "", tail));
    }
    if (result.moved)
        say(l, "%s: complete", l->todo);
    else if (l->reason)
        say(l, "%s: not complete: %.*s", l->todo, reason_line(l), l->reason);
    return true;
}

static bool
give_back_iteration(Loop *l, const char *why, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    if (!begin_edit(l, &edit, error))
        return false;
    if (plan_number(edit.plan->members, "epoch") != l->epoch)
        return true;
    plan_uncount(edit.plan);
    Engine *engine = l->w->session->engine;
    return plan_edit_commit(
               &edit,
               json_pack("{s:s, s:s, s:s}", "act", "limit", "session", l->run, "why", why),
               error) &&
           (!engine || plan_row_follow(engine, l->w->row, edit.plan, error));
}

/* A step: the job's log, its cost, and what `watch` shows. */
static bool
commit_step(Loop *l, const Plan *plan, GError **error)
{
    JobSession *s = l->w->session;
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    if (!s->engine || !l->uncommitted)
        return true;
    p->phase = g_strdup_printf("%zu of %zu", json_array_size(plan->todos) - plan_open(plan),
                               json_array_size(plan->todos));
    p->why = l->reason ? g_strdup_printf("%.*s", reason_line(l), l->reason)
                       : g_strdup_printf("worked on %s", l->todo);
    s->in.brain = l->agent.name;
    s->in.took_us = l->agent.took_us;
    l->uncommitted = false;
    return session_commit(s, p, error);
}

/* By the level, where the last iteration came to something that is worth it. */
static bool
checkpoint(Loop *l, const Plan *plan, GError **error)
{
    const json_t *todo = plan_find_todo(plan, l->todo);
    bool complete = todo && todo_status(todo) == TODO_COMPLETE;
    PlanLevel level = plan_level(plan);
    if (level == LEVEL_AGGRESSIVE || (level == LEVEL_NORMAL && !complete))
        return true;
    return commit_step(l, plan, error);
}

typedef enum Next { NEXT_GO, NEXT_END, NEXT_ERROR } Next;

/* A usage limit, or a provider that is away: nothing is counted. */
static Next
wait_for_agent(Loop *l, const BrainAnswer *answer, PlanEnd *ret, GError **error)
{
    int64_t until = answer->retry.us > 0 ? answer->retry.us : now_us(l) + LIMIT_WAIT_US;
    SessionEnd end;
    if (!give_back_iteration(l, answer->failed, error))
        return NEXT_ERROR;
    g_autofree char *at = clock_format_iso(until);
    say(l, "%s; going on at %s", answer->failed, at);
    if (!l->w->foreground) {
        l->agent.retry_us = until;
        *ret = PLAN_END_LIMITED;
        return NEXT_END;
    }
    if (!session_wait(l->w->session, MAX(0, MIN(until, l->w->row->until_us) - now_us(l)),
                      may_go_on, l, &end, error))
        return NEXT_ERROR;
    return NEXT_GO;
}

static Next
judge_answer(Loop *l, SessionEnd end, const BrainAnswer *answer, PlanEnd *ret, GError **error)
{
    if (!session_pay(l->w->session, answer->cost_micro, error) ||
        !set_spent(l, l->w->row->spent_micro + answer->cost_micro, error))
        return NEXT_ERROR;
    if (end == SESSION_OFF || l->w->session->lost || l->w->session->draining) {
        *ret = PLAN_END_OFF;
        return NEXT_END;
    }
    if (end != SESSION_ANSWERED)
        return NEXT_GO;
    switch (answer->end) {
    case BRAIN_BROKEN:
        (void)give_back_iteration(l, answer->failed, NULL);
        (void)err_set(error, ERR_CONFIG, "%s", answer->failed);
        return NEXT_ERROR;
    case BRAIN_LIMITED:
    case BRAIN_STALLED:
        return wait_for_agent(l, answer, ret, error);
    case BRAIN_GONE:
    case BRAIN_LARGE:
        plan_agent_forget(&l->agent);
        break;
    default:
        break;
    }
    return check_todo(l, answer->failed, error) ? NEXT_GO : NEXT_ERROR;
}

/* --- the loop --- */

static Next
ask_agent(Loop *l, const Plan *plan, const json_t *todo, PlanEnd *ret, GError **error)
{
    JobSession *s = l->w->session;
    g_autoptr(BrainCall) call = NULL;
    g_autofree char *pid = g_strdup_printf(TAKER_PID_ENV "=%d", (int)getpid());
    g_autofree char *own = g_strdup_printf(TAKER_SESSION_ENV "=%s", l->run);
    g_autofree char *role = NULL;
    const char *env[] = {pid, own, NULL, NULL};
    SessionEnd end;
    if (!plan_agent_choose(&l->agent, s, plan_text(todo, "owner"), l->w->project->path,
                           error))
        return NEXT_ERROR;
    if (l->agent.role)
        env[2] = role = g_strdup_printf("POSTRIDER_ROLE=%s", l->agent.role);
    bool resume = l->agent.began;
    g_autofree char *prompt =
        resume ? plan_prompt_again(plan, todo, l->reason)
               : plan_prompt(plan, todo, l->w->project->path, l->reason, l->agent.notes, false);
    SessionAsk ask = {.brain = {.conf = l->agent.brain,
                                .prompt = prompt,
                                .cwd = l->w->project->path,
                                .session = resume ? l->agent.id : NULL,
                                .new_session = resume ? NULL : l->agent.id,
                                .env = env,
                                .users_env = l->w->foreground && l->agent.users,
                                .said = hear,
                                .said_data = l},
                      .until_us = l->w->row->until_us,
                      .go_on = may_go_on};
    if (!plan_agent_money(&l->agent, s, l->w->row, &ask.brain.budget_micro, error) ||
        !enter_agent(l, error))
        return NEXT_ERROR;
    int64_t began = clock_mono_us();
    if (!session_ask(s, &ask, &end, &call, error))
        return NEXT_ERROR;
    l->agent.took_us = clock_mono_us() - began;
    l->uncommitted = true;
    CRASH_POINT("plan-agent-ended");
    return judge_answer(l, end, brain_answer(call), ret, error);
}

/* --- a role with a model is asked by mail --- */

static Next
ask_role(Loop *l, const Plan *plan, const json_t *todo, const ConfRole *role, GError **error)
{
    g_autofree char *told =
        l->agent.told ? g_strdup_printf("A person says: %s", l->agent.told) : NULL;
    g_autofree char *prompt =
        plan_prompt(plan, todo, l->w->project->path, l->reason, told, true);
    const PlanAsking asking = {.row = l->w->row,
                               .plan = plan,
                               .todo = todo,
                               .role = role,
                               .prompt = prompt,
                               .spent_micro = l->w->row->spent_micro,
                               .front = l->w->foreground};
    bool sent;
    plan_agent_leave(&l->agent);
    l->uncommitted = l->waited = false;
    if (!plan_ask_send(l->w->session, &asking, &sent, error))
        return NEXT_ERROR;
    return sent || pause_for(l, PLAN_WHY_REFUSED, error) ? NEXT_GO : NEXT_ERROR;
}

/* It has worked on the todo, or nobody does any more. */
static Next
take_answer(Loop *l,
            const PlanAsk *ask,
            PlanAskState state,
            int64_t cost,
            const char *words,
            GError **error)
{
    g_autoptr(Plan) after = NULL;
    say(l, "  %s", words);
    l->uncommitted = true;
    /* Nothing else is paid for while it works, so that saying it twice does no harm. */
    if (!set_spent(l, MAX(l->w->row->spent_micro, ask->spent_micro + cost), error) ||
        !check_todo(l, words, error))
        return NEXT_ERROR;
    CRASH_POINT("plan-answered");
    if (!plan_ask_close(l->w->session->engine, ask, false, error) ||
        !plan_file_read(l->w->file, &after, NULL, error) ||
        (state == PLAN_ASK_DEAD && !pause_for(l, words, error)))
        return NEXT_ERROR;
    return !after || checkpoint(l, after, error) ? NEXT_GO : NEXT_ERROR;
}

static bool
is_called_for(void *data)
{
    Loop *l = data;
    return !session_called_off(l->w->session) && may_go_on(l);
}

/* Works off what waits in the home, where no service does. */
static bool
make_pass(Loop *l, bool *ret_made, GError **error)
{
    g_autoptr(Proc) child = NULL;
    *ret_made = false;
    if (!l->w->pass || !l->w->pass(l->w->data, &child, error))
        return !l->w->pass;
    *ret_made = child != NULL;
    if (child && plan_wait(child, is_called_for, l) && proc_result(child)->why)
        log_event(LOG_WARN, "the pass over the home failed", "why", proc_result(child)->why,
                  NULL);
    return true;
}

/* Who works on it, and what that waits for: once each. */
static bool
tell_waiting(Loop *l, const PlanAsk *ask, GError **error)
{
    g_autoptr(Job) by = NULL;
    if (ask->by.v &&
        !job_load(l->w->session->engine->db, &VIEWER_OPERATOR, ask->by, &by, error))
        return false;
    if (!by)
        return true;
    say_waiting(l, by->why && by->state == JOB_QUEUED
                       ? g_strdup_printf("  job %" G_GINT64_FORMAT " waits: %s", by->id.v, by->why)
                       : g_strdup_printf("  job %" G_GINT64_FORMAT " works on it", by->id.v));
    return true;
}

/* In the foreground. A pass that brought no answer is made again when something may have changed. */
static Next
wait_for_role(Loop *l, const PlanAsk *ask, PlanEnd *ret, GError **error)
{
    JobSession *s = l->w->session;
    SessionEnd end = SESSION_ANSWERED;
    bool made = false;
    if (!tell_waiting(l, ask, error))
        return NEXT_ERROR;
    bool waited = l->waited;
    if (!waited && !make_pass(l, &made, error))
        return NEXT_ERROR;
    l->waited = made;
    if (!made &&
        !session_wait(s, waited ? OTHERS_WAIT_US : ASKED_WAIT_US, may_go_on, l, &end, error))
        return NEXT_ERROR;
    if (end == SESSION_OFF || session_called_off(s)) {
        *ret = PLAN_END_OFF;
        return NEXT_END;
    }
    return NEXT_GO;
}

/* The plan has asked a role, now or before a crash. */
static Next
go_on_with(Loop *l, const PlanAsk *ask, PlanEnd *ret, GError **error)
{
    JobSession *s = l->w->session;
    g_autoptr(Plan) plan = NULL;
    g_autofree char *words = NULL;
    PlanAskState state;
    int64_t cost;
    if (!plan_file_read(l->w->file, &plan, NULL, error) ||
        !plan_ask_look(s->engine, ask, &state, &cost, &words, error))
        return NEXT_ERROR;
    PlanStatus status = plan ? plan_status(plan) : PLAN_CANCELLED;
    bool same = plan && g_str_equal(plan_text(plan->members, "session_id"), ask->session_id);
    bool on = same && (status == PLAN_ACTIVE || status == PLAN_PAUSED);
    if (!on && !(same && status == PLAN_COMPLETE && state != PLAN_ASK_OPEN))
        return plan_ask_close(s->engine, ask, !same || status != PLAN_COMPLETE, error)
                   ? NEXT_GO
                   : NEXT_ERROR;
    g_free(l->todo);
    l->todo = g_strdup(ask->todo);
    l->epoch = plan_number(plan->members, "epoch");
    if (state != PLAN_ASK_OPEN)
        return take_answer(l, ask, state, cost, words, error);
    if (status == PLAN_PAUSED) {
        *ret = PLAN_END_PAUSED;
        return NEXT_END;
    }
    if (l->w->foreground)
        return wait_for_role(l, ask, ret, error);
    *ret = PLAN_END_ASKED;
    return plan_ask_park(s, l->w->row, ask, error) ? NEXT_END : NEXT_ERROR;
}

/* Who works on it now waits for it, too. A person who says that the plan goes on has seen that the role's job was stopped. */
static bool
take_over_ask(Loop *l, bool go, GError **error)
{
    Engine *engine = l->w->session->engine;
    g_autoptr(PlanAsk) ask = NULL;
    g_autofree char *words = NULL;
    PlanAskState state;
    int64_t cost;
    if (!engine)
        return true;
    if (!plan_ask_open(engine->db, l->w->session->claim.job, &ask, error) ||
        (ask && !plan_ask_look(engine, ask, &state, &cost, &words, error)))
        return false;
    if (!ask)
        return true;
    if (go && state == PLAN_ASK_DEAD)
        return plan_ask_close(engine, ask, false, error);
    ask->front = l->w->foreground;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = plan_ask_put(&txn, ask, error);
    return txn.done;
}

static PlanEnd
end_of(const Plan *plan)
{
    switch (plan_status(plan)) {
    case PLAN_PAUSED:
        return PLAN_END_PAUSED;
    case PLAN_STOPPED:
        return PLAN_END_STOPPED;
    case PLAN_CANCELLED:
        return PLAN_END_CANCELLED;
    case PLAN_DONE:
        return PLAN_END_DONE;
    default:
        return PLAN_END_COMPLETE;
    }
}

/* In the foreground. A pass ends a pause whose day is over. */
static bool
wait_for_pause(Loop *l, GError **error)
{
    bool made;
    say_waiting(l, g_strdup_printf("  waits: role %s pauses: %s", l->pause->role, l->pause->why));
    if (clock_mono_us() < l->pass_us)
        return true;
    bool ok = make_pass(l, &made, error);
    l->pass_us = clock_mono_us() + PASS_EVERY_US;
    return ok;
}

/* The first todo that somebody else has, without which nothing goes on. */
static void
say_holder(Loop *l, const Plan *plan)
{
    PLAN_EACH_TODO(plan, todo)
    {
        const json_t *claim = json_object_get(todo, "claim");
        if (todo_status(todo) != TODO_IN_PROGRESS || !claim_is_alive(claim))
            continue;
        g_autofree char *who = claim_words(claim);
        say_waiting(l, g_strdup_printf("  waits: %s works on %s", who, plan_text(todo, "id")));
        return;
    }
}

/* Nothing is ready: the plan is over, its role pauses, or others are at work. */
static Next
nothing_ready(Loop *l, const Plan *plan, PlanEnd *ret, GError **error)
{
    SessionEnd end;
    if (plan_status(plan) != PLAN_ACTIVE) {
        *ret = end_of(plan);
        return NEXT_END;
    }
    if (l->pause && !l->w->foreground) {
        l->w->session->again_us = now_us(l);
        l->w->session->again_why = ROLE_WAITS;
        *ret = PLAN_END_OFF;
        return NEXT_END;
    }
    if (!l->pause)
        say_holder(l, plan);
    if ((l->pause && !wait_for_pause(l, error)) ||
        !session_wait(l->w->session, OTHERS_WAIT_US, may_go_on, l, &end, error))
        return NEXT_ERROR;
    if (end == SESSION_OFF || l->w->session->lost) {
        *ret = PLAN_END_OFF;
        return NEXT_END;
    }
    return NEXT_GO;
}

static Next
iterate(Loop *l, PlanEnd *ret, GError **error)
{
    JobSession *s = l->w->session;
    g_autoptr(Plan) plan = NULL, after = NULL;
    g_autoptr(PlanAsk) ask = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *spent = NULL;
    json_t *todo;
    if (session_called_off(l->w->session)) {
        *ret = PLAN_END_OFF;
        return NEXT_END;
    }
    if (!project_check_place(l->w->project, error) ||
        !set_wall(l, *l->w->row->argv != '\0', error) || !plan_sync(&l->site, words, error) ||
        !find_spent(l, &spent, error) || (spent && !pause_for(l, spent, error)) ||
        (s->engine && !plan_ask_open(s->engine->db, s->claim.job, &ask, error)))
        return NEXT_ERROR;
    if (ask)
        return go_on_with(l, ask, ret, error);
    if (!begin_iteration(l, &plan, &todo, error))
        return NEXT_ERROR;
    for (guint i = 0; i < words->len; i++)
        say(l, "%s", (const char *)g_ptr_array_index(words, i));
    if (!todo)
        return nothing_ready(l, plan, ret, error);
    if (g_strcmp0(l->todo, plan_text(todo, "id")) != 0)
        set_reason(l, *plan_text(todo, "why") ? g_strdup(plan_text(todo, "why")) : NULL);
    g_free(l->todo);
    l->todo = g_strdup(plan_text(todo, "id"));
    g_autofree char *title = todo_words(todo);
    say(l, "iteration %d of %d: %s (%s)", (int)plan_number(plan->members, "iteration_count"),
        (int)plan_number(plan->members, "max_iterations"), title, plan_text(todo, "owner"));
    const ConfRole *role = asked_role(l, todo);
    if (role)
        return ask_role(l, plan, todo, role, error);
    Next next = ask_agent(l, plan, todo, ret, error);
    if (next != NEXT_GO)
        return next;
    if (!plan_file_read(l->w->file, &after, NULL, error))
        return NEXT_ERROR;
    return !after || checkpoint(l, after, error) ? NEXT_GO : NEXT_ERROR;
}

/* --- the end, in the store --- */

static bool
commit_pause(Loop *l, const Plan *plan, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    p->resume = DUE_NEVER;
    p->waiting_for = g_strdup_printf("your word: %s", plan_text(plan->members, "why"));
    ProposedMail *mail = proposal_add_mail(p);
    mail->plain = true;
    mail->body = plan_mail_pause(plan);
    return session_commit(l->w->session, p, error);
}

static bool
commit_end(Loop *l, const Plan *plan, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
    ProposedMail *mail = proposal_add_mail(p);
    mail->plain = true;
    mail->body = plan_mail_end(plan);
    return session_commit(l->w->session, p, error);
}

static bool
commit_limited(Loop *l, GError **error)
{
    g_autoptr(Proposal) p = proposal_new(PROPOSE_PARK);
    p->resume = (Due){.us = l->agent.retry_us, .moment = true};
    p->waiting_for = g_strdup("the end of a usage limit");
    return session_commit(l->w->session, p, error);
}

/* What a person did to the plan in its folder, the job does too. */
static bool
commit_order(Loop *l, bool cancel, GError **error)
{
    JobSession *s = l->w->session;
    bool changed;
    g_auto(Txn) txn = {.db = s->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            plan_ask_end(&txn, s->job->id, error) &&
            (cancel ? job_cancel(&txn, s->job->id, "its plan was cancelled", &changed, error)
                    : job_stop(&txn, s->job->id, "its plan was stopped", &changed, error));
    s->over = true;
    return txn.done;
}

static bool
commit_over(Loop *l, PlanEnd end, const Plan *plan, GError **error)
{
    if (!l->w->session->engine || end == PLAN_END_OFF)
        return true;
    CRASH_POINT("plan-over");
    l->w->session->in.brain = l->uncommitted ? l->agent.name : NULL;
    l->w->session->in.took_us = l->uncommitted ? l->agent.took_us : 0;
    switch (end) {
    case PLAN_END_COMPLETE:
    case PLAN_END_DONE:
        return commit_end(l, plan, error);
    case PLAN_END_PAUSED:
        return commit_pause(l, plan, error);
    case PLAN_END_LIMITED:
        return commit_limited(l, error);
    case PLAN_END_STOPPED:
    case PLAN_END_CANCELLED:
        return commit_order(l, end == PLAN_END_CANCELLED, error);
    case PLAN_END_ASKED: /* parked already */
    case PLAN_END_OFF:
        break;
    }
    return true;
}

static bool
run_all(Loop *l, bool go, PlanEnd *ret_end, Plan **ret_plan, GError **error)
{
    Next next = NEXT_GO;
    if ((go && !go_on(l, error)) || !take_over_ask(l, go, error))
        return false;
    while (next == NEXT_GO)
        next = iterate(l, ret_end, error);
    if (next == NEXT_ERROR && l->w->session->lost) { /* an order was faster than a commit */
        g_clear_error(error);
        *ret_end = PLAN_END_OFF;
        next = NEXT_END;
    }
    if (next == NEXT_ERROR || !plan_file_read(l->w->file, ret_plan, NULL, error))
        return false;
    if (commit_over(l, *ret_end, *ret_plan, error))
        return true;
    if (!l->w->session->lost)
        return false;
    g_clear_error(error);
    *ret_end = PLAN_END_OFF;
    return true;
}

/* The lock's file names a loop that was killed: what its agent started may still work in the project. A loop that ends takes its
 * number out of the file. */
static void
end_leftovers(const Loop *l, pid_t before)
{
    g_autofree char *session = g_strdup_printf(TAKER_SESSION_ENV "=%s", l->run);
    g_autofree char *pid = g_strdup_printf(TAKER_PID_ENV "=%d", (int)before);
    const char *const variables[] = {session, pid, NULL};
    if (before > 0 && orphans_end_with(variables) > 0)
        log_say(LOG_WARN, "ended what an agent of a plan run that died had left");
}

bool
plan_work(PlanWork *work, bool go, PlanEnd *ret_end, Plan **ret_plan, GError **error)
{
    g_auto(Loop) l = {.w = work};
    auto_fd lock = -1;
    ProcIdent self = {0};
    pid_t before = lock_holder(work->file->state_fd, RUN_LOCK);
    if (!lock_take(work->file->state_fd, RUN_LOCK, 0, &lock, error))
        return err_prefix(error, "the plan is worked on already");
    (void)proc_ident_self(&self);
    l.run = g_strdup_printf(TAKER_RUN "%s", work->row->session_id);
    l.site = (PlanSite){.project = work->project,
                        .file = work->file,
                        .wait_ms = PLAN_WAIT_MS,
                        .taker = taker_of_caller(l.run)};
    l.site.taker.process = self;
    end_leftovers(&l, before);
    bool ok = (!work->session->engine || session_show(work->session, error)) &&
              plan_agent_open(&l.agent, work->session, work->row, error) &&
              run_all(&l, go, ret_end, ret_plan, error);
    if (ftruncate(lock, 0) < 0)
        log_say(LOG_WARN, "the end of this loop could not be written down");
    return ok;
}
