/*
 * Random orders against a model: what is claimed, marked, stopped, continued, cancelled, started and held, by hooks of sessions and
 * their agents, prompts, tasks and `plan run`, is what a few lines of plain C say it should be. After a cancel nothing is
 * held, started, taken or written, and a session that does not own the plan is never held. POSTRIDER_ORDERS=N tries that many.
 */
#include "plan/file/plan_rules.h"
#include "base/text.h"
#include "plan/file/plan_words.h"

#define TODOS 6
#define SESSIONS 4  /* 0 and 1 claim */
#define STRANGER 2  /* only ever wants to stop, until a prompt of it is CONTINUE */
#define RUNNER 3    /* that of `plan run` */
#define AGENTS 2    /* below each session */
#define PROCESSES 2 /* takers without a session */
#define TAKERS (SESSIONS + PROCESSES)
#define NOBODY (-1)
#define LIMIT 5

typedef struct ModelTodo {
    TodoStatus status;
    int holder; /* a taker, or NOBODY */
    int tries;
    unsigned after; /* bits of todos */
} ModelTodo;

typedef struct Model {
    PlanStatus status;
    bool polite;
    ModelTodo todos[TODOS];
    bool owner[SESSIONS];
    int idle[SESSIONS];
    int blocks[SESSIONS][AGENTS];
    char seen[SESSIONS][TODOS + 1]; /* what the todos were when it was held last; "": never */
    int count, total;
} Model;

static bool process_dead[PROCESSES];

static bool
fake_alive(const json_t *claim)
{
    int64_t pid = plan_number(claim, "pid");

    return pid == 0 || !process_dead[pid - 1000];
}

static const PlanNow now = {.time = "2026-01-18T10:30:00Z", .alive = fake_alive};
static const char *const session_names[] = {"s0", "s1", "s2", "run"};

static Taker
taker_of(int n)
{
    if (n < SESSIONS)
        return (Taker){.session = (char *)session_names[n], .boot = "b"};
    return (Taker){.process = {.pid = 1000 + n - SESSIONS, .start_time = 7}, .boot = "b"};
}

/* --- the model --- */

static bool
model_ready(const Model *m, int i)
{
    for (int k = 0; k < TODOS; k++) {
        if (m->todos[i].after & 1u << k && m->todos[k].status != TODO_COMPLETE)
            return false;
    }
    return true;
}

static bool
model_alive(int holder)
{
    return holder != NOBODY && (holder < SESSIONS || !process_dead[holder - SESSIONS]);
}

static bool
model_anothers(const Model *m, int i, int taker)
{
    return m->todos[i].status == TODO_IN_PROGRESS && m->todos[i].holder != taker &&
           model_alive(m->todos[i].holder);
}

static int
model_next(const Model *m, int taker)
{
    int best = -1, rank = 0;

    for (int i = 0; i < TODOS; i++) {
        const ModelTodo *t = &m->todos[i];
        int own = t->status == TODO_PENDING                              ? 1
                  : t->status != TODO_IN_PROGRESS                        ? 0
                  : t->holder == taker                                   ? 3
                                                                         : 2;
        if (!model_ready(m, i) || model_anothers(m, i, taker))
            own = 0;
        if (own > rank) {
            rank = own;
            best = i;
        }
    }
    return best;
}

static int
model_open(const Model *m)
{
    int n = 0;

    for (int i = 0; i < TODOS; i++)
        n += m->todos[i].status != TODO_COMPLETE;
    return n;
}

static bool
model_ended(const Model *m)
{
    return m->status == PLAN_CANCELLED || m->status == PLAN_DONE;
}

static void
model_settle(Model *m)
{
    if (model_open(m) == 0 && m->status <= PLAN_STOPPED)
        m->status = PLAN_COMPLETE;
    else if (model_open(m) > 0 && m->status == PLAN_COMPLETE)
        m->status = PLAN_ACTIVE;
}

static void
model_move(Model *m, int i, TodoStatus status)
{
    bool finished = status == TODO_COMPLETE && m->todos[i].status != TODO_COMPLETE;

    m->todos[i].status = status;
    m->todos[i].tries += finished;
    if (status != TODO_IN_PROGRESS)
        m->todos[i].holder = NOBODY;
    model_settle(m);
    if (finished && m->polite && m->status == PLAN_ACTIVE)
        m->status = PLAN_PAUSED;
}

static void
model_end(Model *m, PlanStatus status)
{
    m->status = status;
    for (int i = 0; i < TODOS; i++)
        m->todos[i].holder = NOBODY;
    for (int s = 0; s < SESSIONS; s++) {
        m->owner[s] = false;
        m->idle[s] = 0;
        m->seen[s][0] = '\0';
        for (int a = 0; a < AGENTS; a++)
            m->blocks[s][a] = 0;
    }
}

static void
model_snapshot(const Model *m, char *ret)
{
    for (int i = 0; i < TODOS; i++)
        ret[i] = (char)('0' + m->todos[i].status);
    ret[TODOS] = '\0';
}

static bool
model_can_go_on(const Model *m)
{
    for (int i = 0; i < TODOS; i++) {
        if (m->todos[i].status != TODO_COMPLETE && m->todos[i].status != TODO_BLOCKED &&
            model_ready(m, i))
            return true;
    }
    return false;
}

static PlanVerdict
model_pause(Model *m)
{
    m->status = PLAN_PAUSED;
    return JUDGED_PAUSED;
}

/* True when no todo has changed too often in a row. */
static bool
model_is_idle(Model *m, int s)
{
    char seen[TODOS + 1];

    model_snapshot(m, seen);
    m->idle[s] = g_str_equal(seen, m->seen[s]) ? m->idle[s] + 1 : 0;
    g_strlcpy(m->seen[s], seen, sizeof seen);
    return m->idle[s] >= PLAN_IDLE_MAX;
}

static PlanVerdict
model_hold(Model *m, int s)
{
    m->count++;
    m->total++;
    for (int i = 0; i < TODOS; i++)
        m->todos[i].tries += m->todos[i].status == TODO_IN_PROGRESS && m->todos[i].holder == s;
    return JUDGED_HELD;
}

static PlanVerdict
model_stop(Model *m, int s, bool waits)
{
    if (!m->owner[s] || waits || m->status != PLAN_ACTIVE || model_open(m) == 0)
        return JUDGED_FREE;
    if (!model_can_go_on(m) || m->count >= LIMIT || model_is_idle(m, s))
        return model_pause(m);
    return model_hold(m, s);
}

static PlanVerdict
model_agent(Model *m, int s, int agent, bool coder)
{
    bool works = false;

    for (int i = 0; i < TODOS; i++)
        works |= m->todos[i].status == TODO_IN_PROGRESS && m->todos[i].holder == s;
    if (!m->owner[s] || m->status != PLAN_ACTIVE || !works || !coder || m->count >= LIMIT ||
        m->blocks[s][agent] >= PLAN_AGENT_BLOCKS)
        return JUDGED_FREE;
    m->blocks[s][agent]++;
    return model_hold(m, s);
}

/* *ret_todo: which one `plan run` starts an agent on; -1: none. */
static PlanVerdict
model_start(Model *m, int *ret_todo)
{
    int i = model_next(m, RUNNER);

    *ret_todo = -1;
    if (m->status != PLAN_ACTIVE || model_open(m) == 0)
        return JUDGED_FREE;
    if (!model_can_go_on(m))
        return model_pause(m);
    if (i < 0)
        return JUDGED_FREE;
    if (m->count >= LIMIT)
        return model_pause(m);
    m->owner[RUNNER] = true;
    if (model_is_idle(m, RUNNER))
        return model_pause(m);
    m->todos[i].status = TODO_IN_PROGRESS;
    m->todos[i].holder = RUNNER;
    m->count++; /* and no try of the todo: its check says that */
    m->total++;
    model_snapshot(m, m->seen[RUNNER]);
    *ret_todo = i;
    return JUDGED_HELD;
}

static bool
model_continue(Model *m)
{
    if (model_ended(m))
        return false;
    m->count = 0;
    m->status = PLAN_ACTIVE;
    for (int s = 0; s < SESSIONS; s++) {
        m->idle[s] = 0;
        m->seen[s][0] = '\0';
    }
    model_settle(m);
    return true;
}

static bool
model_obey(Model *m, PlanPrompt order, int s)
{
    static const PlanStatus ends[] = {[PROMPT_STOP] = PLAN_STOPPED,
                                      [PROMPT_CANCEL] = PLAN_CANCELLED,
                                      [PROMPT_DONE] = PLAN_DONE};

    if (model_ended(m) || m->status == PLAN_COMPLETE || order == PROMPT_NONE)
        return false;
    if (order != PROMPT_CONTINUE) {
        model_end(m, ends[order]);
        return true;
    }
    (void)model_continue(m);
    m->owner[s] = true;
    return true;
}

/* --- both --- */

static char *
todo_id(int i)
{
    return g_strdup_printf("T-%d", i);
}

static json_t *
todo_at(const Plan *plan, int i)
{
    return json_array_get(plan->todos, (size_t)i);
}

static Plan *
begin(GRand *rand, Model *m)
{
    *m = (Model){.status = PLAN_ACTIVE, .polite = g_rand_int_range(rand, 0, 4) == 0};
    Plan *plan = plan_new(&(PlanNew){.branch = "",
                                     .plan_file = "p",
                                     .level = m->polite ? LEVEL_POLITE : LEVEL_NORMAL,
                                     .max_iterations = LIMIT});

    for (int i = 0; i < TODOS; i++) {
        g_autofree char *id = todo_id(i);
        json_t *todo = plan_add_todo(plan, id, NULL, NULL), *after = json_array();

        m->todos[i] = (ModelTodo){.holder = NOBODY};
        for (int k = 0; k < i; k++) {
            g_autofree char *other = todo_id(k);
            if (g_rand_int_range(rand, 0, 5) != 0)
                continue;
            m->todos[i].after |= 1u << k;
            json_array_append_new(after, json_string(other));
        }
        json_object_set_new(todo, "after", after);
    }
    for (int p = 0; p < PROCESSES; p++)
        process_dead[p] = false;
    return plan;
}

static int
holder_of(const json_t *todo)
{
    const json_t *claim = json_object_get(todo, "claim");

    for (int n = 0; claim && n < TAKERS; n++) {
        Taker taker = taker_of(n);
        if (taker_has(&taker, claim))
            return n;
    }
    return NOBODY;
}

static void
compare(const Plan *plan, const Model *m)
{
    g_assert_cmpint(plan_status(plan), ==, m->status);
    g_assert_cmpint((int)plan_number(plan->members, "iteration_count"), ==, m->count);
    g_assert_cmpint((int)plan_number(plan->members, "total_iterations"), ==, m->total);
    for (int i = 0; i < TODOS; i++) {
        g_assert_cmpint(todo_status(todo_at(plan, i)), ==, m->todos[i].status);
        g_assert_cmpint(holder_of(todo_at(plan, i)), ==, m->todos[i].holder);
        g_assert_cmpint((int)plan_number(todo_at(plan, i), "iteration"), ==, m->todos[i].tries);
    }
    for (int s = 0; s < SESSIONS; s++)
        g_assert_cmpint(plan_owner(plan, session_names[s]) != NULL, ==, m->owner[s]);
}

static void
try_claim(Plan *plan, Model *m, int who)
{
    Taker taker = taker_of(who);
    bool may = m->status == PLAN_ACTIVE || m->status == PLAN_COMPLETE;
    json_t *todo = plan_may_take(plan, NULL) ? plan_next(plan, &taker, NULL, &now) : NULL;
    int want = may ? model_next(m, who) : -1;

    g_assert_true(todo == (want < 0 ? NULL : todo_at(plan, want)));
    if (!todo)
        return;
    g_assert_true(plan_take(plan, todo, &taker, &now, NULL));
    m->todos[want].status = TODO_IN_PROGRESS;
    m->todos[want].holder = who;
    if (who < SESSIONS)
        m->owner[who] = true;
}

static void
try_mark(Plan *plan, Model *m, int who, int i, TodoStatus status)
{
    Taker taker = taker_of(who);
    bool want = !model_ended(m) && !model_anothers(m, i, who) &&
                (status != TODO_COMPLETE || model_ready(m, i));
    bool may = plan_may_mark(plan, NULL) &&
               plan_may_move(plan, todo_at(plan, i), status, &taker, &now, NULL);

    g_assert_cmpint(may, ==, want);
    if (!may || m->todos[i].status == status)
        return;
    plan_move(plan, todo_at(plan, i), status, NULL, &now);
    model_move(m, i, status);
}

static void
try_end_of_agent(Plan *plan, Model *m, int who)
{
    if (who >= SESSIONS) {
        process_dead[who - SESSIONS] = !process_dead[who - SESSIONS];
        return;
    }
    if (model_ended(m))
        return;
    (void)plan_release(plan, session_names[who]);
    for (int i = 0; i < TODOS; i++) {
        if (m->todos[i].holder == who)
            m->todos[i].holder = NOBODY;
    }
}

/* A task that begins takes its own todo, whichever is next. */
static void
try_task(Plan *plan, Model *m, int s, int i)
{
    Taker taker = taker_of(s);
    bool want = (m->status == PLAN_ACTIVE || m->status == PLAN_COMPLETE) &&
                !model_anothers(m, i, s) && model_ready(m, i);

    g_assert_cmpint(plan_take(plan, todo_at(plan, i), &taker, &now, NULL), ==, want);
    if (!want)
        return;
    if (m->todos[i].status != TODO_IN_PROGRESS)
        model_move(m, i, TODO_IN_PROGRESS);
    m->todos[i].holder = s;
    m->owner[s] = true;
}

/* `plan run` starts an agent, which a usage limit may send back at once. */
static void
try_start(Plan *plan, Model *m, bool limited)
{
    Taker taker = taker_of(RUNNER);
    json_t *todo;
    int i;
    PlanVerdict want = model_start(m, &i);

    g_assert_cmpint(plan_judge_start(plan, &taker, &todo, &now), ==, want);
    g_assert_true(todo == (i < 0 ? NULL : todo_at(plan, i)));
    if (want != JUDGED_HELD || !limited)
        return;
    plan_uncount(plan);
    m->count--;
    m->total--;
}

static void
try_prompt(Plan *plan, Model *m, int s, PlanPrompt order)
{
    Taker taker = taker_of(s);

    g_assert_cmpint(plan_obey(plan, order, &taker, &now), ==, model_obey(m, order, s));
}

static void
try_hook(GRand *rand, Plan *plan, Model *m, int s)
{
    static const char *const agents[AGENTS] = {"a", "b"};
    bool waits = g_rand_int_range(rand, 0, 8) == 0;
    bool coder = g_rand_int_range(rand, 0, 4) != 0;
    int a = g_rand_int_range(rand, 0, AGENTS);

    if (g_rand_int_range(rand, 0, 3) > 0) {
        g_assert_cmpint(plan_judge_stop(plan, session_names[s], waits), ==,
                        model_stop(m, s, waits));
        g_assert_cmpint(plan_judge_stop(plan, "", false), ==, JUDGED_FREE);
    } else {
        g_assert_cmpint(plan_judge_agent(plan, session_names[s], agents[a],
                                         coder ? "x:coder" : "tester"),
                        ==, model_agent(m, s, a, coder));
    }
}

static void
try_end(Plan *plan, Model *m, int order)
{
    static const PlanStatus ends[] = {PLAN_STOPPED, PLAN_CANCELLED, PLAN_DONE};
    static void (*const end[])(Plan *) = {plan_stop, plan_cancel, plan_call_done};

    if (!plan_may_mark(plan, NULL))
        return;
    end[order](plan);
    model_end(m, ends[order]);
}

static void
one_order(GRand *rand, Plan **plan, Model *m)
{
    int who = g_rand_int_range(rand, 0, TAKERS), i = g_rand_int_range(rand, 0, TODOS);
    int s = g_rand_int_range(rand, 0, SESSIONS), order = g_rand_int_range(rand, 0, 120);
    PlanPrompt said = (PlanPrompt)g_rand_int_range(rand, PROMPT_NONE, PROMPT_CONTINUE + 1);

    if (who == STRANGER)
        who = TAKERS - 1;
    if (order < 26)
        try_claim(*plan, m, who);
    else if (order < 54)
        try_mark(*plan, m, who, i, TODO_COMPLETE);
    else if (order < 58)
        try_mark(*plan, m, who, i, g_rand_boolean(rand) ? TODO_BLOCKED : TODO_PENDING);
    else if (order < 62)
        try_task(*plan, m, g_rand_int_range(rand, 0, STRANGER), i);
    else if (order < 84)
        try_hook(rand, *plan, m, s);
    else if (order < 96)
        try_start(*plan, m, g_rand_int_range(rand, 0, 4) == 0);
    else if (order < 103)
        try_end_of_agent(*plan, m, who);
    else if (order < 110)
        g_assert_cmpint(plan_continue(*plan, 0, -1, NULL), ==, model_continue(m));
    else if (order < 112)
        try_prompt(*plan, m, s, said);
    else if (order == 112)
        try_end(*plan, m, i % 3);
    else if (model_ended(m)) {
        plan_free(*plan);
        *plan = begin(rand, m);
    }
}

static void
test_model(void)
{
    const char *text = g_getenv("POSTRIDER_ORDERS");
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    int64_t orders = 3000;
    unsigned seen[PLAN_STATUSES] = {0};
    Model model;

    if (text)
        g_assert_true(text_parse_int(text, 1, INT64_MAX, &orders));
    Plan *plan = begin(rand, &model);
    for (int64_t n = 0; n < orders; n++) {
        g_autofree char *before = model.status == PLAN_CANCELLED ? plan_format(plan) : NULL;
        Plan *same = plan;

        one_order(rand, &plan, &model);
        compare(plan, &model);
        seen[model.status]++;
        if (before && plan == same && model.status == PLAN_CANCELLED) {
            g_autofree char *after = plan_format(plan);
            g_assert_cmpstr(after, ==, before); /* nothing is written after a cancel */
        }
        if (model.status == PLAN_COMPLETE && g_rand_int_range(rand, 0, 4) == 0) {
            plan_free(plan);
            plan = begin(rand, &model);
        }
    }
    plan_free(plan);
    for (int i = PLAN_ACTIVE; i <= PLAN_COMPLETE; i++)
        g_assert_cmpuint(seen[i], >, 0); /* the orders led everywhere */
}

static void
test_agents(void)
{
    g_autoptr(Plan) plan =
        plan_new(&(PlanNew){.branch = "", .plan_file = "p", .max_iterations = 3, .level = LEVEL_NORMAL});
    Taker taker = taker_of(0);

    (void)plan_add_todo(plan, "T-1", NULL, "coder");
    g_assert_true(plan_take(plan, plan_find_todo(plan, "T-1"), &taker, &now, NULL));
    g_assert_cmpint(plan_judge_agent(plan, "s1", "a", "coder"), ==, JUDGED_FREE);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "a", "tester"), ==, JUDGED_FREE);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "", "coder"), ==, JUDGED_FREE);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "a", "coder"), ==, JUDGED_HELD);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "a", "x:coder"), ==, JUDGED_HELD);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "a", "coder"), ==, JUDGED_FREE);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "b", "coder"), ==, JUDGED_HELD);
    g_assert_cmpint(plan_judge_agent(plan, "s0", "b", "coder"), ==, JUDGED_FREE); /* 3 of 3 */
    g_assert_cmpint(plan_judge_stop(plan, "s0", false), ==, JUDGED_PAUSED);
    g_assert_cmpstr(plan_text(plan->members, "why"), ==, PLAN_WHY_LIMIT);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan-rules/model", test_model);
    g_test_add_func("/plan-rules/agents", test_agents);
    return g_test_run();
}
