/* Todos: the plan file of the project, as `plan next` and `plan mark` use it. */
#include "mcp/mcp_internal.h"

#define CHECKS_MAX 16

/* A todo between the two halves of plan_mark(). */
struct McpMark {
    McpPlan plan;
    MarkOrder order;
    char *id, *why;
    MarkTry attempt;
};

/* Claude Code says its session by the environment, Codex with each call. */
const char *
mcp_session(const McpCall *call)
{
    const json_t *meta = rpc_meta(call->rpc);
    const json_t *turn = json_object_get(meta, "x-codex-turn-metadata");
    const char *session = json_string_value(json_object_get(turn, "session_id"));

    if (g_getenv("CLAUDE_CODE_SESSION_ID"))
        return g_getenv("CLAUDE_CODE_SESSION_ID");
    return session ? session : json_string_value(json_object_get(meta, "threadId"));
}

void
mcp_plan_clear(McpPlan *plan)
{
    taker_clear(&plan->site.taker);
    g_clear_pointer(&plan->file, plan_file_close);
    g_clear_pointer(&plan->project, project_free);
}

static bool
find_plan(const char *folder, McpPlan *ret, GError **error)
{
    return project_find(folder, false, &ret->project, error) &&
           (!ret->project || plan_file_open(ret->project, false, &ret->file, error));
}

bool
mcp_plan_find(const McpServer *server, McpPlan *ret, GError **error)
{
    const char *told = g_getenv("CLAUDE_PROJECT_DIR");

    if (!find_plan(server->start->folder, ret, error))
        return false;
    if (ret->file || !told || !g_file_test(told, G_FILE_TEST_IS_DIR))
        return true;
    mcp_plan_clear(ret);
    return find_plan(told, ret, error);
}

bool
mcp_plan_open(const McpCall *call, McpPlan *ret, GError **error)
{
    if (!mcp_plan_find(call->server, ret, error))
        return false;
    if (!ret->file)
        return err_set(
            error, ERR_NEVER,
            "There is no plan in '%s'. Make one with the prompt 00_plan or 'postrider plan "
            "new', and begin it with 'postrider plan execute'",
            call->server->start->folder);
    ret->site = (PlanSite){.project = ret->project,
                           .file = ret->file,
                           .wait_ms = PLAN_WAIT_HOOK_MS,
                           .taker = taker_of_caller(mcp_session(call))};
    if (ret->site.taker.process.pid == 0)
        (void)proc_ident_of(getppid(), &ret->site.taker.process);
    return true;
}

static json_t *
todo_json(const json_t *todo)
{
    static const char *const members[] = {"id",    "title", "status", "owner",
                                          "check", "after", "why",    NULL};
    json_t *made = json_object();

    for (const char *const *name = members; *name; name++) {
        json_t *value = json_object_get(todo, *name);
        if (value)
            json_object_set(made, *name, value);
    }
    if (json_object_get(todo, "claim")) {
        g_autofree char *who = claim_words(json_object_get(todo, "claim"));
        json_object_set_new(made, "taken_by", json_string(who));
    }
    return made;
}

json_t *
mcp_todos(const McpCall *call, bool all, GError **error)
{
    g_auto(McpPlan) at = {0};
    g_autoptr(Plan) plan = NULL;
    PlanNow now = {.time = "", .alive = claim_is_alive};

    if (!mcp_plan_open(call, &at, error) || !plan_file_read(at.file, &plan, NULL, error))
        return NULL;
    if (!plan) {
        err_set(
            error, ERR_NEVER,
            "Continuation state file not found. Begin the plan with 'postrider plan execute'");
        return NULL;
    }
    json_t *list = json_array();
    PLAN_EACH_TODO(plan, todo)
    if (all || todo_status(todo) != TODO_COMPLETE)
        json_array_append_new(list, todo_json(todo));
    const json_t *next =
        plan_may_take(plan, NULL) ? plan_next(plan, &at.site.taker, NULL, &now) : NULL;
    json_t *made = json_pack(
        "{s:s, s:s, s:I, s:I, s:o}", "plan", plan_text(plan->members, "plan_file"), "status",
        plan_status_names[plan_status(plan)], "open", (json_int_t)plan_open(plan), "total",
        (json_int_t)json_array_size(plan->todos), "todos", list);
    if (*plan_text(plan->members, "why"))
        json_object_set_new(made, "why", json_string(plan_text(plan->members, "why")));
    if (next)
        json_object_set_new(made, "next", json_string(plan_text(next, "id")));
    return made;
}

/* --- todo_update --- */

void
mcp_mark_free(struct McpMark *mark)
{
    if (!mark)
        return;
    mark_try_clear(&mark->attempt);
    mcp_plan_clear(&mark->plan);
    free_all(mark->id, mark->why, mark);
}

Proc *
mcp_mark_check(const struct McpMark *mark)
{
    return mark->attempt.check;
}

static void
say_mark_error(McpCall *call, const GError *error)
{
    mcp_tool_error(call, error->message,
                   err_is(error, ERR_LATER) ? "todo_list shows which todo is ready for you"
                                            : NULL);
}

static void
say_moved(McpCall *call, const struct McpMark *mark)
{
    g_autoptr(GError) error = NULL;
    json_t *todos = mcp_todos(call, false, &error);
    json_t *made = json_pack("{s:s, s:s}", "id", mark->id, "status",
                             todo_status_names[mark->order.status]);

    json_object_set(made, "open", json_object_get(todos, "open"));
    json_object_set(made, "next", json_object_get(todos, "next"));
    json_decref(todos);
    mcp_tool_result(call, made);
}

static void
say_failed(McpCall *call, const struct McpMark *mark, const MarkResult *result)
{
    g_autofree char *what =
        g_strdup_printf("'%s' is not complete: its check failed (%s)\n%s\n", mark->id,
                        result->failure, result->output ? result->output : "");

    mcp_tool_error(
        call, what,
        "Mend what it says and call todo_update with complete again; what can't be done is "
        "`blocked` with `why`");
}

void
mcp_mark_end(McpCall *call)
{
    struct McpMark *mark = g_steal_pointer(&call->mark);
    g_auto(MarkResult) result = {0};
    g_autoptr(GError) error = NULL;

    if (!plan_mark_end(&mark->plan.site, &mark->order, &mark->attempt, &result, &error))
        say_mark_error(call, error);
    else if (result.failure)
        say_failed(call, mark, &result);
    else
        say_moved(call, mark);
    mcp_mark_free(mark);
}

static bool
read_order(const json_t *arguments, struct McpMark *mark, GError **error)
{
    const char *id, *status, *why = NULL;

    if (!json_get_string(arguments, "", "id", &id, error) ||
        !json_get_string(arguments, "", "status", &status, error) ||
        !json_find_string(arguments, "", "why", &why, error))
        return false;
    int word = plan_word(todo_status_names, status);
    if (word < 0)
        return err_set(error, ERR_NEVER,
                       "status: '%s' is none of pending, in_progress, complete, blocked",
                       status);
    if (word == TODO_BLOCKED && (!why || !*why))
        return err_set(error, ERR_NEVER, "why: say what is missing, for a person to read");
    mark->id = g_strdup(id);
    mark->why = g_strdup(why);
    mark->order = (MarkOrder){
        .id = mark->id, .why = mark->why, .status = (TodoStatus)word, .act = "mark"};
    return true;
}

static unsigned
checks_running(const McpServer *server)
{
    unsigned n = 0;

    LIST_EACH(const McpCall, call, server->calls)
        n += call->mark != NULL;
    return n;
}

void
mcp_todo_update(McpCall *call, const json_t *arguments)
{
    g_autoptr(GError) error = NULL;
    struct McpMark *mark = g_new0(struct McpMark, 1);

    mark->plan.site.taker = (Taker){0};
    if (checks_running(call->server) >= CHECKS_MAX) {
        mcp_tool_error(call, "16 checks run already",
                       "Call it again when one of them has ended");
    } else if (!read_order(arguments, mark, &error)) {
        mcp_tool_error(call, error->message, "Change the arguments and call it again");
    } else if (!mcp_plan_open(call, &mark->plan, &error) ||
               !plan_mark_begin(&mark->plan.site, &mark->order, &mark->attempt, &error)) {
        say_mark_error(call, error);
    } else {
        call->mark = mark;
        if (!mark->attempt.check)
            mcp_mark_end(call);
        return;
    }
    mcp_mark_free(mark);
}
