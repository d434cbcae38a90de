#include "plan/file/hook.h"
#include "base/json.h"
#include "plan/file/hook_tool.h"
#include "plan/file/plan_log.h"
#include "plan/file/plan_words.h"

static const char *
text_of(const json_t *input, const char *name)
{
    return plan_text(input, name);
}

static void
add_json(GString *out, json_t *take_value)
{
    g_autoptr(json_t) value = take_value;
    g_autofree char *text = json_format(value);

    g_string_append(out, text);
    g_string_append_c(out, '\n');
}

static PlanNow
now_of(const char *time)
{
    return (PlanNow){.time = time, .alive = claim_is_alive};
}

/* The state, if this session owns the plan and the right branch is checked out; else NULL. */
static bool
read_owned(PlanSite *site, const char *session, Plan **ret, GError **error)
{
    g_autoptr(Plan) plan = NULL;

    *ret = NULL;
    if (!*session || !plan_file_mentions(site->file, session))
        return true;
    if (!plan_file_read(site->file, &plan, NULL, error))
        return false;
    if (plan && plan_owner(plan, session) && plan_check_branch(site->project, plan, NULL))
        *ret = g_steal_pointer(&plan);
    return true;
}

/* --- stop, subagent-stop --- */

/* Something that runs on will wake the session again: this is no end. */
static bool
waits_for_tasks(const json_t *input)
{
    return json_array_size(json_object_get(input, "background_tasks")) > 0 ||
           json_array_size(json_object_get(input, "session_crons")) > 0;
}

static void
answer_verdict(const Plan *plan, PlanVerdict verdict, const json_t *next, HookAnswer *answer)
{
    if (verdict == JUDGED_HELD) {
        g_autofree char *reason = plan_words_held(plan, next);
        add_json(answer->out, json_pack("{s:s, s:s}", "decision", "block", "reason", reason));
    } else if (verdict == JUDGED_PAUSED) {
        g_autofree char *words = plan_words_paused(plan);
        add_json(answer->out, json_pack("{s:s}", "systemMessage", words));
    }
}

static bool
judge(PlanSite *site, HookKind kind, const json_t *input, HookAnswer *answer, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(site->file);
    PlanNow now = now_of(time);
    const char *session = text_of(input, "session_id");

    if (!plan_edit_begin(site->file, site->wait_ms, &edit, error))
        return false;
    if (!edit.plan)
        return true;
    PlanVerdict verdict =
        kind == HOOK_STOP ? plan_judge_stop(edit.plan, session, waits_for_tasks(input))
                          : plan_judge_agent(edit.plan, session, text_of(input, "agent_id"),
                                             text_of(input, "agent_type"));
    if (verdict == JUDGED_FREE)
        return true;
    json_t *line = json_pack("{s:s, s:s}", "act", verdict == JUDGED_HELD ? "block" : "pause",
                             "session", session);
    const json_t *todo = plan_next(edit.plan, &site->taker, NULL, &now);
    plan_set_text(line, "todo", plan_text(todo, "id"));
    plan_set_text(line, "owner", plan_text(todo, "owner"));
    plan_set_text(line, "agent", text_of(input, "agent_type"));
    plan_set_text(line, "why", plan_text(edit.plan->members, "why"));
    if (!plan_edit_commit(&edit, line, error))
        return false;
    answer_verdict(edit.plan, verdict, todo, answer);
    return true;
}

/* Without a lock, and without a word, for everybody whom it does not concern. */
static bool
on_stop(PlanSite *site, HookKind kind, const json_t *input, HookAnswer *answer, GError **error)
{
    g_autoptr(Plan) plan = NULL;

    if (!read_owned(site, text_of(input, "session_id"), &plan, error))
        return false;
    if (!plan || plan_status(plan) != PLAN_ACTIVE)
        return true;
    plan_file_give_back(site->file, g_steal_pointer(&plan));
    if (kind == HOOK_STOP && !waits_for_tasks(input) && !plan_sync(site, NULL, error))
        return false;
    return judge(site, kind, input, answer, error);
}

/* --- session-start, session-end --- */

static bool
on_session_start(PlanSite *site, const json_t *input, HookAnswer *answer, GError **error)
{
    g_autoptr(Plan) plan = NULL;
    g_autofree char *time = plan_file_now(site->file);
    PlanNow now = now_of(time);

    if (!read_owned(site, text_of(input, "session_id"), &plan, error))
        return false;
    if (!plan || plan_status(plan) != PLAN_ACTIVE || plan_open(plan) == 0)
        return true;
    g_autofree char *words = plan_words_back(plan, plan_next(plan, &site->taker, NULL, &now));
    g_string_append_printf(answer->out, "%s\n", words);
    return true;
}

/* The session may come back, and owns the plan then; what it had taken others may take. */
static bool
on_session_end(PlanSite *site, const json_t *input, GError **error)
{
    const char *session = text_of(input, "session_id");
    g_autoptr(Plan) plan = NULL;
    g_auto(PlanEdit) edit = {.lock = -1};

    if (!read_owned(site, session, &plan, error))
        return false;
    if (!plan || !plan_release(plan, session))
        return true;
    if (!plan_edit_begin(site->file, site->wait_ms, &edit, error))
        return false;
    if (!edit.plan || !plan_may_mark(edit.plan, NULL) || !plan_release(edit.plan, session))
        return true;
    return plan_edit_commit(
        &edit, json_pack("{s:s, s:s}", "act", "session-end", "session", session), error);
}

/* --- user-prompt --- */

/* A prompt that is an order and nothing else. Those of skills reach us as they were typed; /stop alone never does. */
static PlanPrompt
prompt_order(const json_t *input)
{
    static const struct {
        const char *prompt;
        PlanPrompt order;
    } orders[] = {{"STOP", PROMPT_STOP},
                  {"/postrider:stop", PROMPT_STOP},
                  {"$stop", PROMPT_STOP},
                  {"CANCEL", PROMPT_CANCEL},
                  {"/cancel", PROMPT_CANCEL},
                  {"/postrider:cancel", PROMPT_CANCEL},
                  {"$cancel", PROMPT_CANCEL},
                  {"DONE", PROMPT_DONE},
                  {"/done", PROMPT_DONE},
                  {"/postrider:done", PROMPT_DONE},
                  {"$done", PROMPT_DONE},
                  {"CONTINUE", PROMPT_CONTINUE},
                  {"/00_continue", PROMPT_CONTINUE},
                  {"/postrider:00_continue", PROMPT_CONTINUE},
                  {"$00_continue", PROMPT_CONTINUE}};
    g_autofree char *prompt = g_strstrip(g_strdup(text_of(input, "prompt")));

    if (*text_of(input, "agent_id"))
        return PROMPT_NONE; /* an agent's prompt, that no person wrote */
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        if (g_str_equal(prompt, orders[i].prompt))
            return orders[i].order;
    }
    return PROMPT_NONE;
}

/* A client that nobody sits at was started by a program, perhaps by the agent itself: that may not go past a check. */
static bool
is_unattended(void)
{
    return g_strcmp0(g_getenv("CLAUDE_CODE_SESSION_ATTENDED"), "0") == 0;
}

/* What the person is told. Caller frees. */
static char *
words_of(const PlanSite *site, const Plan *plan, PlanPrompt order, const PlanNow *now)
{
    static const char *const words[] = {[PROMPT_STOP] = PLAN_WORDS_STOPPED,
                                        [PROMPT_CANCEL] = PLAN_WORDS_CANCELLED,
                                        [PROMPT_DONE] = PLAN_WORDS_DONE};

    return order == PROMPT_CONTINUE
               ? plan_words_back(plan, plan_next(plan, &site->taker, NULL, now))
               : g_strdup(words[order]);
}

/* An order that goes past a check, or undoes a stop, has to be a person's. What is refused is told, and remarked in the log. */
static void
refuse_order(const PlanSite *site, const char *act, const json_t *input, HookAnswer *answer)
{
    g_autofree char *time = plan_file_now(site->file);
    g_autoptr(json_t) line =
        json_pack("{s:s, s:s, s:s, s:s}", "at", time, "act", "refused", "order", act, "session",
                  text_of(input, "session_id"));
    g_autofree char *words = g_strdup_printf(
        "not carried out, since no person seems to have typed it; at a terminal outside of the "
        "agent: postrider plan %s",
        act);

    plan_log_remark(site->file->state_fd, line);
    add_json(answer->out, json_pack("{s:s}", "systemMessage", words));
}

static bool
on_user_prompt(PlanSite *site, const json_t *input, HookAnswer *answer, GError **error)
{
    static const char *const acts[] = {"", "stop", "cancel", "done", "continue"};
    PlanPrompt order = prompt_order(input);
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(site->file);
    PlanNow now = now_of(time);

    if (order == PROMPT_NONE || (order == PROMPT_DONE && is_unattended()))
        return true;
    if (!plan_edit_begin(site->file, site->wait_ms, &edit, error))
        return false;
    if (!edit.plan || !plan_check_branch(site->project, edit.plan, NULL))
        return true;
    if ((order == PROMPT_DONE || order == PROMPT_CONTINUE) &&
        !plan_was_typed(edit.plan, text_of(input, "session_id"))) {
        refuse_order(site, acts[order], input, answer);
        return true;
    }
    if (!plan_obey(edit.plan, order, &site->taker, &now))
        return true;
    json_t *line = json_pack("{s:s, s:s, s:s}", "act", acts[order], "by", "prompt", "session",
                             text_of(input, "session_id"));
    if (!plan_edit_commit(&edit, line, error))
        return false;
    g_autofree char *words = words_of(site, edit.plan, order, &now);
    if (order == PROMPT_CONTINUE) /* the agent has to see it, or nothing goes on */
        g_string_append_printf(answer->out, "%s\n", words);
    else
        add_json(answer->out, json_pack("{s:s, s:s}", "decision", "block", "reason", words));
    return true;
}

/* --- task --- */

/* The todo whose id begins the subject: "SC-3", "SC-3: text", "SC-3 text". Borrowed; NULL: none. */
static const json_t *
todo_of_subject(const Plan *plan, const char *subject)
{
    g_autofree char *id = g_strndup(subject, strcspn(subject, ": \t"));

    return plan_find_todo(plan, id);
}

static bool
remember_task(
    PlanSite *site, const char *session, const char *task, const char *id, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};

    if (!plan_edit_begin(site->file, site->wait_ms, &edit, error))
        return false;
    json_t *entry = edit.plan ? plan_owner(edit.plan, session) : NULL;
    if (!entry || !*task || !plan_may_mark(edit.plan, NULL))
        return true;
    json_t *tasks = json_object_get(entry, "tasks");
    if (!json_is_object(tasks)) {
        tasks = json_object();
        json_object_set_new(entry, "tasks", tasks);
    }
    if (g_str_equal(plan_text(tasks, task), id))
        return true;
    plan_set_text(tasks, task, id);
    return plan_edit_commit(&edit,
                            json_pack("{s:s, s:s, s:s, s:s}", "act", "task", "session", session,
                                      "todo", id, "task", task),
                            error);
}

static bool
finish_task(PlanSite *site, const char *id, HookAnswer *answer, GError **error)
{
    MarkOrder order = {.id = id, .status = TODO_COMPLETE, .act = "task"};
    g_auto(MarkResult) result = {0};

    if (!plan_mark(site, &order, &result, error))
        return false;
    if (result.failure) {
        answer->status = 2;
        g_string_append_printf(answer->err, "%s is not complete: its check failed (%s)\n%s\n",
                               id, result.failure, result.output);
    }
    return true;
}

/* Moves that are no end: the tool tells them only after the fact, by the number of the task. */
static bool
move_task(PlanSite *site, const Plan *plan, const json_t *input, GError **error)
{
    const json_t *entry = plan_owner(plan, text_of(input, "session_id"));
    const json_t *change =
        json_object_get(json_object_get(input, "tool_response"), "statusChange");
    const char *to = plan_text(change, "to");
    const char *task = plan_text(json_object_get(input, "tool_input"), "taskId");
    const char *id = plan_text(json_object_get(entry, "tasks"), task);
    int status = plan_word(todo_status_names, to);
    MarkOrder order = {.id = id, .status = (TodoStatus)status, .act = "task"};
    g_auto(MarkResult) result = {0};

    if (!*id || (status != TODO_PENDING && status != TODO_IN_PROGRESS))
        return true;
    return plan_mark(site, &order, &result, error);
}

static bool
on_task(PlanSite *site, const json_t *input, HookAnswer *answer, GError **error)
{
    const char *event = text_of(input, "hook_event_name"),
               *session = text_of(input, "session_id");
    g_autoptr(Plan) plan = NULL;

    if (!read_owned(site, session, &plan, error))
        return false;
    if (!plan || !plan_may_mark(plan, NULL))
        return true;
    if (g_str_equal(event, "PostToolUse"))
        return move_task(site, plan, input, error);
    const json_t *todo = todo_of_subject(plan, text_of(input, "task_subject"));
    if (!todo)
        return true;
    if (g_str_equal(event, "TaskCreated"))
        return remember_task(site, session, text_of(input, "task_id"), plan_text(todo, "id"),
                             error);
    if (g_str_equal(event, "TaskCompleted"))
        return finish_task(site, plan_text(todo, "id"), answer, error);
    return true;
}

/* --- pre-tool --- */

static bool
on_pre_tool(PlanSite *site, const json_t *input, HookAnswer *answer, GError **error)
{
    g_autoptr(Plan) plan = NULL;

    if (!read_owned(site, text_of(input, "session_id"), &plan, error))
        return false;
    g_autofree char *why = plan && plan_may_mark(plan, NULL)
                               ? hook_tool_refusal(site->project, plan, input)
                               : NULL;
    if (why) {
        answer->status = 2;
        g_string_append_printf(answer->err, "%s\n", why);
    }
    return true;
}

bool
hook_answer(
    PlanSite *site, HookKind kind, const json_t *input, HookAnswer *answer, GError **error)
{
    switch (kind) {
    case HOOK_STOP:
    case HOOK_SUBAGENT_STOP:
        return on_stop(site, kind, input, answer, error);
    case HOOK_SESSION_START:
        return on_session_start(site, input, answer, error);
    case HOOK_SESSION_END:
        return on_session_end(site, input, error);
    case HOOK_USER_PROMPT:
        return on_user_prompt(site, input, answer, error);
    case HOOK_TASK:
        return on_task(site, input, answer, error);
    case HOOK_PRE_TOOL:
        return on_pre_tool(site, input, answer, error);
    }
    return true;
}
