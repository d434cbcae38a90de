#include "plan/file/plan_rules.h"
#include "base/digest.h"
#include "plan/file/plan_words.h"

/* --- sessions --- */

static json_t *
sessions_of(const Plan *plan)
{
    return json_object_get(plan->members, "sessions");
}

json_t *
plan_owner(const Plan *plan, const char *session)
{
    json_t *all = sessions_of(plan);

    for (size_t i = 0; session && *session && i < json_array_size(all); i++) {
        json_t *entry = json_array_get(all, i);

        if (g_str_equal(plan_text(entry, "id"), session))
            return entry;
    }
    return NULL;
}

bool
plan_enter(Plan *plan, const Taker *taker, const PlanNow *now)
{
    json_t *entry, *all = sessions_of(plan);

    if (!taker->session || !*taker->session)
        return false;
    if (!all) {
        all = json_array();
        json_object_set_new(plan->members, "sessions", all);
    }
    json_t *old = plan_owner(plan, taker->session);
    entry = taker_claim(taker, now->time);
    json_object_del(entry, "session");
    json_object_set_new(entry, "id", json_string(taker->session));
    if (old) { /* its client may be another process by now */
        json_object_del(entry, "since");
        (void)json_object_update(old, entry);
        json_decref(entry);
        return false;
    }
    json_array_append_new(all, entry);
    while (json_array_size(all) > PLAN_SESSIONS_MAX)
        json_array_remove(all, 0);
    return true;
}

static bool
is_below_one(const json_t *sessions, const Taker *taker)
{
    for (size_t i = 0; i < json_array_size(sessions); i++) {
        const json_t *entry = json_array_get(sessions, i);

        if (g_strcmp0(plan_text(entry, "id"), taker->session) == 0 || taker_is_below(entry))
            return true;
    }
    return false;
}

bool
plan_is_below_owner(const Plan *plan, const Taker *taker)
{
    return is_below_one(sessions_of(plan), taker) ||
           is_below_one(json_object_get(plan->members, "stopped"), taker);
}

/* Hooks of Codex have no CODEX_SESSION_ID: its model's commands have. Hooks of Claude Code have the id that their input has. */
static bool
is_told_by_agent(const json_t *sessions, const char *session)
{
    const char *claude = g_getenv("CLAUDE_CODE_SESSION_ID"),
               *codex = g_getenv("CODEX_SESSION_ID");

    for (size_t i = 0; i < json_array_size(sessions); i++) {
        const json_t *entry = json_array_get(sessions, i);
        const char *id = plan_text(entry, "id");

        if (g_strcmp0(id, codex) == 0 ||
            (g_strcmp0(id, claude) == 0 && !g_str_equal(id, session)) ||
            (taker_is_below(entry) && !taker_is_hook_of(entry)))
            return true;
    }
    return false;
}

/* An agent that works by itself has the port of its run. A person at the terminal of a role has one, too. */
static bool
is_run_of_role(void)
{
    return g_getenv("POSTRIDER_PORT") && !g_getenv("POSTRIDER_ATTENDED");
}

bool
plan_was_typed(const Plan *plan, const char *session)
{
    return !g_getenv(TAKER_SESSION_ENV) && !is_run_of_role() &&
           !is_told_by_agent(sessions_of(plan), session) &&
           !is_told_by_agent(json_object_get(plan->members, "stopped"), session);
}

bool
plan_release(Plan *plan, const char *session)
{
    Taker taker = {.session = (char *)session};
    bool any = false;

    PLAN_EACH_TODO(plan, todo)
    {
        if (session && taker_has(&taker, json_object_get(todo, "claim")))
            any |= json_object_del(todo, "claim") == 0;
    }
    return any;
}

/* --- todos --- */

bool
plan_may_mark(const Plan *plan, GError **error)
{
    PlanStatus status = plan_status(plan);

    if (status == PLAN_CANCELLED || status == PLAN_DONE || status == PLAN_CLOSED)
        return err_set(error, ERR_NEVER,
                       "the plan is %s; postrider plan execute (/02_execute) begins anew",
                       plan_status_names[status]);
    return true;
}

bool
plan_may_take(const Plan *plan, GError **error)
{
    PlanStatus status = plan_status(plan);
    const char *why = plan_text(plan->members, "why");

    if (!plan_may_mark(plan, error))
        return false;
    if (status == PLAN_STOPPED || status == PLAN_PAUSED)
        return err_set(error, ERR_LATER, "the plan is %s%s%s; Use /00_continue to resume",
                       plan_status_names[status], *why ? ": " : "", why);
    return true;
}

static bool
is_of_owner(const json_t *todo, const char *owner)
{
    return !owner || g_str_equal(plan_text(todo, "owner"), owner);
}

/* Somebody who lives has it, and it is not this taker. */
static bool
is_anothers(const json_t *todo, const Taker *taker, const PlanNow *now)
{
    const json_t *claim = json_object_get(todo, "claim");

    return todo_status(todo) == TODO_IN_PROGRESS && json_is_object(claim) &&
           !taker_has(taker, claim) && now->alive(claim);
}

/* Which todo comes first; 0: it can't be taken. */
static int
rank(const Plan *plan, const json_t *todo, const Taker *taker, const PlanNow *now)
{
    TodoStatus status = todo_status(todo);

    if (status == TODO_COMPLETE || status == TODO_BLOCKED || is_anothers(todo, taker, now) ||
        !todo_is_ready(plan, todo))
        return 0;
    if (status == TODO_PENDING)
        return 1;
    return taker_has(taker, json_object_get(todo, "claim")) ? 3 : 2;
}

json_t *
plan_next(const Plan *plan, const Taker *taker, const char *owner, const PlanNow *now)
{
    json_t *best = NULL;
    int highest = 0;

    PLAN_EACH_TODO(plan, todo)
    {
        int own = is_of_owner(todo, owner) ? rank(plan, todo, taker, now) : 0;

        if (own > highest) {
            highest = own;
            best = todo;
        }
    }
    return best;
}

bool
plan_may_move(const Plan *plan,
              const json_t *todo,
              TodoStatus status,
              const Taker *taker,
              const PlanNow *now,
              GError **error)
{
    const char *id = plan_text(todo, "id");

    if (is_anothers(todo, taker, now)) {
        g_autofree char *who = claim_words(json_object_get(todo, "claim"));
        return err_set(error, ERR_LATER, "'%s' is taken by %s", id, who);
    }
    if ((status == TODO_IN_PROGRESS || status == TODO_COMPLETE) && !todo_is_ready(plan, todo))
        return err_set(error, ERR_LATER, "'%s' waits for '%s'", id, todo_waits_for(plan, todo));
    return true;
}

bool
plan_take(Plan *plan, json_t *todo, const Taker *taker, const PlanNow *now, GError **error)
{
    if (!plan_may_take(plan, error) ||
        !plan_may_move(plan, todo, TODO_IN_PROGRESS, taker, now, error))
        return false;
    if (todo_status(todo) != TODO_IN_PROGRESS)
        plan_move(plan, todo, TODO_IN_PROGRESS, NULL, now);
    json_object_set_new(todo, "claim", taker_claim(taker, now->time));
    (void)plan_enter(plan, taker, now);
    return true;
}

void
plan_settle(Plan *plan)
{
    PlanStatus status = plan_status(plan);
    unsigned open = plan_open(plan);

    if (open == 0 && json_array_size(plan->todos) > 0 && status <= PLAN_STOPPED)
        plan_set_status(plan, PLAN_COMPLETE, NULL);
    else if (open > 0 && status == PLAN_COMPLETE)
        plan_set_status(plan, PLAN_ACTIVE, NULL);
}

static void
pause_politely(Plan *plan, const json_t *todo)
{
    if (plan_level(plan) != LEVEL_POLITE || plan_status(plan) != PLAN_ACTIVE)
        return;
    g_autofree char *why =
        g_strdup_printf("%s is complete, %u to go", plan_text(todo, "id"), plan_open(plan));
    plan_set_status(plan, PLAN_PAUSED, why);
}

void
plan_move(Plan *plan, json_t *todo, TodoStatus status, const char *why, const PlanNow *now)
{
    bool finished = status == TODO_COMPLETE && todo_status(todo) != TODO_COMPLETE;

    plan_set_text(todo, "status", todo_status_names[status]);
    plan_set_text(todo, "why", why);
    if (status != TODO_IN_PROGRESS)
        (void)json_object_del(todo, "claim");
    if (status != TODO_COMPLETE)
        (void)json_object_del(todo, "completed_at");
    if (finished) {
        plan_set_text(todo, "completed_at", now->time);
        plan_set_number(todo, "iteration", plan_number(todo, "iteration") + 1);
    }
    plan_settle(plan);
    if (finished)
        pause_politely(plan, todo);
}

void
plan_count_attempt(json_t *todo, const char *why)
{
    plan_set_number(todo, "iteration", plan_number(todo, "iteration") + 1);
    plan_set_text(todo, "why", why);
}

/* --- orders --- */

static void
end_work(Plan *plan, PlanStatus status)
{
    json_t *m = plan->members;

    plan_set_status(plan, status, NULL);
    plan_set_number(m, "epoch", plan_number(m, "epoch") + 1);
    if (status == PLAN_STOPPED && json_array_size(sessions_of(plan)) > 0)
        json_object_set(m, "stopped", sessions_of(plan));
    json_object_set_new(m, "sessions", json_array());
    PLAN_EACH_TODO(plan, todo)
    (void)json_object_del(todo, "claim");
}

void
plan_stop(Plan *plan)
{
    end_work(plan, PLAN_STOPPED);
}

void
plan_cancel(Plan *plan)
{
    end_work(plan, PLAN_CANCELLED);
}

void
plan_call_done(Plan *plan)
{
    end_work(plan, PLAN_DONE);
}

bool
plan_continue(Plan *plan, int max_iterations, int level, GError **error)
{
    json_t *m = plan->members;

    if (!plan_may_mark(plan, error))
        return false;
    plan_set_number(m, "iteration_count", 0);
    (void)json_object_del(m, "stopped");
    if (max_iterations > 0)
        plan_set_number(m, "max_iterations", max_iterations);
    if (level >= 0)
        plan_set_text(m, "continuation_level", plan_level_names[level]);
    json_t *all = sessions_of(plan);
    for (size_t i = 0; i < json_array_size(all); i++) {
        (void)json_object_del(json_array_get(all, i), "idle");
        (void)json_object_del(json_array_get(all, i), "mark");
    }
    plan_set_status(plan, PLAN_ACTIVE, NULL);
    plan_settle(plan);
    return true;
}

bool
plan_obey(Plan *plan, PlanPrompt order, const Taker *taker, const PlanNow *now)
{
    PlanStatus status = plan_status(plan);

    if (status == PLAN_CANCELLED || status == PLAN_DONE || status == PLAN_CLOSED ||
        status == PLAN_COMPLETE)
        return false;
    switch (order) {
    case PROMPT_STOP:
        plan_stop(plan);
        return true;
    case PROMPT_CANCEL:
        plan_cancel(plan);
        return true;
    case PROMPT_DONE:
        plan_call_done(plan);
        return true;
    case PROMPT_CONTINUE:
        (void)plan_continue(plan, 0, -1, NULL);
        (void)plan_enter(plan, taker, now);
        return true;
    case PROMPT_NONE:
        break;
    }
    return false;
}

/* --- may an agent stop? --- */

/* There are no rings, so whatever can become ready waits for something that is ready now. */
bool
plan_can_go_on(const Plan *plan)
{
    PLAN_EACH_TODO(plan, todo)
    {
        TodoStatus status = todo_status(todo);

        if (status != TODO_COMPLETE && status != TODO_BLOCKED && todo_is_ready(plan, todo))
            return true;
    }
    return false;
}

/* What changes when a todo does, and not when an iteration is counted. */
static char *
progress_mark(const Plan *plan)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Digest digest;

    PLAN_EACH_TODO(plan, todo)
    {
        g_string_append(text, plan_text(todo, "id"));
        g_string_append_c(text, ' ');
        g_string_append(text, plan_text(todo, "status"));
        g_string_append_c(text, '\n');
    }
    digest_of(text->str, text->len, &digest);
    return digest_token(&digest, 16);
}

/* How often in a row the session wanted to stop while no todo had changed. */
static int64_t
count_idle(const Plan *plan, json_t *entry)
{
    g_autofree char *mark = progress_mark(plan);
    bool same = g_str_equal(plan_text(entry, "mark"), mark);
    int64_t idle = same ? plan_number(entry, "idle") + 1 : 0;

    plan_set_text(entry, "mark", mark);
    plan_set_number(entry, "idle", idle);
    return idle;
}

static bool
is_at_limit(const Plan *plan)
{
    int64_t max = plan_number(plan->members, "max_iterations");

    return plan_number(plan->members, "iteration_count") >= (max > 0 ? max : PLAN_ITERATIONS);
}

static PlanVerdict
pause_plan(Plan *plan, const char *why)
{
    plan_set_status(plan, PLAN_PAUSED, why);
    return JUDGED_PAUSED;
}

/* An iteration of the plan, and a try of what the session works on. */
static void
count_iteration(Plan *plan, const char *session)
{
    json_t *m = plan->members;
    Taker taker = {.session = (char *)session};

    plan_set_number(m, "iteration_count", plan_number(m, "iteration_count") + 1);
    plan_set_number(m, "total_iterations", plan_number(m, "total_iterations") + 1);
    PLAN_EACH_TODO(plan, todo)
    {
        if (todo_status(todo) == TODO_IN_PROGRESS &&
            taker_has(&taker, json_object_get(todo, "claim")))
            plan_set_number(todo, "iteration", plan_number(todo, "iteration") + 1);
    }
}

PlanVerdict
plan_judge_stop(Plan *plan, const char *session, bool waits)
{
    json_t *entry = plan_owner(plan, session);

    if (!entry || waits || plan_status(plan) != PLAN_ACTIVE || plan_open(plan) == 0)
        return JUDGED_FREE;
    if (!plan_can_go_on(plan))
        return pause_plan(plan, PLAN_WHY_BLOCKED);
    if (is_at_limit(plan))
        return pause_plan(plan, PLAN_WHY_LIMIT);
    if (count_idle(plan, entry) >= PLAN_IDLE_MAX)
        return pause_plan(plan, PLAN_WHY_IDLE);
    count_iteration(plan, session);
    plan_set_number(entry, "blocks", plan_number(entry, "blocks") + 1);
    return JUDGED_HELD;
}

PlanVerdict
plan_judge_start(Plan *plan, const Taker *taker, json_t **ret_todo, const PlanNow *now)
{
    *ret_todo = NULL;
    if (plan_status(plan) != PLAN_ACTIVE || plan_open(plan) == 0)
        return JUDGED_FREE;
    if (!plan_can_go_on(plan))
        return pause_plan(plan, PLAN_WHY_BLOCKED);
    json_t *todo = plan_next(plan, taker, NULL, now);
    if (!todo)
        return JUDGED_FREE;
    if (is_at_limit(plan))
        return pause_plan(plan, PLAN_WHY_LIMIT);
    (void)plan_enter(plan, taker, now);
    if (count_idle(plan, plan_owner(plan, taker->session)) >= PLAN_IDLE_MAX)
        return pause_plan(plan, PLAN_WHY_IDLE);
    if (!plan_take(plan, todo, taker, now, NULL))
        return JUDGED_FREE;
    count_iteration(plan, NULL); /* whether it is a try of the todo, its check says */
    /* Taking the todo is no progress of the agent's. */
    g_autofree char *mark = progress_mark(plan);
    plan_set_text(plan_owner(plan, taker->session), "mark", mark);
    *ret_todo = todo;
    return JUDGED_HELD;
}

void
plan_uncount(Plan *plan)
{
    static const char *const counts[] = {"iteration_count", "total_iterations"};

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        plan_set_number(plan->members, counts[i],
                        MAX(plan_number(plan->members, counts[i]) - 1, 0));
}

/* "postrider:coder" is the coder of a plugin. */
static const char *
agent_name(const char *type)
{
    const char *colon = strrchr(type, ':');

    return colon ? colon + 1 : type;
}

static bool
works_as(const Plan *plan, const char *session, const char *owner)
{
    Taker taker = {.session = (char *)session};

    PLAN_EACH_TODO(plan, todo)
    {
        if (todo_status(todo) == TODO_IN_PROGRESS && is_of_owner(todo, owner) &&
            taker_has(&taker, json_object_get(todo, "claim")))
            return true;
    }
    return false;
}

PlanVerdict
plan_judge_agent(
    Plan *plan, const char *session, const char *agent_id, const char *agent_type)
{
    json_t *entry = plan_owner(plan, session);

    if (!entry || !*agent_id || plan_status(plan) != PLAN_ACTIVE ||
        !works_as(plan, session, agent_name(agent_type)))
        return JUDGED_FREE;
    if (is_at_limit(plan))
        return JUDGED_FREE; /* the session's own stop pauses the plan */
    json_t *agents = json_object_get(entry, "agents");
    if (!json_is_object(agents)) {
        agents = json_object();
        json_object_set_new(entry, "agents", agents);
    }
    int64_t blocks = plan_number(agents, agent_id);
    if (blocks >= PLAN_AGENT_BLOCKS)
        return JUDGED_FREE;
    plan_set_number(agents, agent_id, blocks + 1);
    count_iteration(plan, session);
    return JUDGED_HELD;
}
