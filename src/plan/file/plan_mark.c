#include "plan/file/plan_mark.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"

void
mark_result_clear(MarkResult *result)
{
    g_clear_pointer(&result->failure, g_free);
    g_clear_pointer(&result->output, g_free);
}

bool
plan_no_todo(const Plan *plan, const char *id, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    PLAN_EACH_TODO(plan, todo)
    g_ptr_array_add(names, (char *)plan_text(todo, "id"));
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = text_did_you_mean(id, (const char *const *)names->pdata);
    return err_set(error, ERR_NEVER, "there is no todo '%s'%s", id,
                   *hint ? hint : "; see: postrider plan show");
}

bool
plan_check_branch(const Project *project, const Plan *plan, GError **error)
{
    g_autofree char *now = project_branch(project);
    const char *own = plan_text(plan->members, "branch");

    return project_branch_fits(own, now) ||
           err_set(error, ERR_NEVER,
                   "Branch mismatch error: the plan belongs to '%s', and '%s' is checked out; "
                   "git checkout %s, or start fresh: rm " PROJECT_STATE "/" PLAN_STATE,
                   own, now, own);
}

/* --- PLAN.md --- */

/* *ret NULL, with true: there is none. Caller frees. */
static bool
read_text(
    const Project *project, const Plan *plan, char **ret, size_t *ret_len, GError **error)
{
    const char *path = plan_text(plan->members, "plan_file");
    g_autoptr(GBytes) bytes = NULL;

    *ret = NULL;
    if (*path && !file_read(project->fd, path, LIMIT_PLAN_BYTES, &bytes, error))
        return false;
    if (bytes) {
        *ret = text_from_bytes(bytes);
        *ret_len = g_bytes_get_size(bytes);
    }
    return true;
}

bool
plan_read_items(
    const Project *project, const Plan *plan, TodoItems **ret, char **ret_text, GError **error)
{
    g_autofree char *text = NULL;
    size_t len;

    *ret = NULL;
    if (!read_text(project, plan, &text, &len, error))
        return false;
    if (!text)
        return true;
    if (!todo_items_parse(text, len, ret, error))
        return err_prefix(error, "'%s'", plan_text(plan->members, "plan_file"));
    if (ret_text)
        *ret_text = g_steal_pointer(&text);
    return true;
}

/* The box in PLAN.md follows the state, as far as the file can be written. */
static void
plan_tick(const Project *project, const Plan *plan, const char *id, bool ticked)
{
    const char *path = plan_text(plan->members, "plan_file");
    g_autoptr(TodoItems) items = NULL;
    g_autofree char *text = NULL, *changed = NULL;

    if (!plan_read_items(project, plan, &items, &text, NULL) || !text)
        return;
    changed = todo_items_tick(text, id, ticked, NULL);
    if (changed)
        (void)file_replace(project->fd, path, changed, strlen(changed), 0666, NULL);
}

/* --- one todo --- */

static bool
may_mark(PlanSite *site,
         const Plan *plan,
         const MarkOrder *order,
         const PlanNow *now,
         GError **error)
{
    static const Taker nobody = {0};
    const json_t *todo = plan ? plan_find_todo(plan, order->id) : NULL;

    if (!plan)
        return err_set(
            error, ERR_NEVER,
            "Continuation state file not found; run: postrider plan execute (/02_execute)");
    if (!plan_check_branch(site->project, plan, error) || !plan_may_mark(plan, error))
        return false;
    if (!todo)
        return plan_no_todo(plan, order->id, error);
    if (order->force)
        return true;
    if (order->status == TODO_IN_PROGRESS && !plan_may_take(plan, error))
        return false;
    if (order->anybody && todo_is_ready(plan, todo))
        return true;
    return plan_may_move(plan, todo, order->status, order->anybody ? &nobody : &site->taker,
                         now, error);
}

/* Starts the check where there is one that counts. */
static bool
start_check(
    PlanSite *site, const json_t *todo, const MarkOrder *order, Proc **ret, GError **error)
{
    const CheckSpec check = {.command = plan_text(todo, "check"),
                             .cwd = site->checks_in ? site->checks_in : site->project->path,
                             .wall = site->wall};

    if (order->status != TODO_COMPLETE || order->force || !*check.command ||
        todo_status(todo) == TODO_COMPLETE)
        return true;
    return check_start(&check, ret, error) ||
           err_prefix(error, "the check of '%s'", order->id);
}

static json_t *
log_line(const PlanSite *site, const json_t *todo, const MarkOrder *order, const CheckEnd *end)
{
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:s}", "act", order->act, "todo", order->id, "todo_status",
                  plan_text(todo, "status"), "owner", plan_text(todo, "owner"));

    plan_set_text(line, "session", site->taker.session);
    plan_set_text(line, "why", order->why);
    if (order->force)
        json_object_set_new(line, "forced", json_true());
    if (end && end->output) {
        json_object_set_new(line, "check", json_string(end->why ? end->why : "exit 0"));
        plan_set_text(line, "output", end->output);
    }
    return line;
}

/* Is the plan still the one for which the check was run? */
static bool
is_same(const Plan *before, const Plan *now, const char *id, GError **error)
{
    const json_t *old = plan_find_todo(before, id), *todo = plan_find_todo(now, id);

    if (plan_number(before->members, "epoch") == plan_number(now->members, "epoch") &&
        g_str_equal(plan_text(before->members, "session_id"),
                    plan_text(now->members, "session_id")) &&
        todo && g_str_equal(plan_text(old, "check"), plan_text(todo, "check")))
        return true;
    return err_set(error, ERR_LATER, "the plan changed while the check of '%s' ran", id);
}

/* The move itself. *ret_changed: false when it was so already. */
static bool
move(PlanEdit *edit,
     PlanSite *site,
     const MarkOrder *order,
     const PlanNow *now,
     bool *ret_changed,
     GError **error)
{
    json_t *todo = plan_find_todo(edit->plan, order->id);
    bool same = todo_status(todo) == order->status;

    *ret_changed = !same || order->status == TODO_IN_PROGRESS || order->why;
    if (order->status == TODO_IN_PROGRESS && !order->force)
        return plan_take(edit->plan, todo, &site->taker, now, error);
    if (*ret_changed)
        plan_move(edit->plan, todo, order->status, order->why, now);
    return true;
}

static bool
commit_mark(PlanSite *site,
            const Plan *before,
            const MarkOrder *order,
            const CheckEnd *end,
            bool ran,
            MarkResult *ret,
            GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(site->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};
    bool failed = ran && end->why, changed = true;

    if (!plan_edit_begin(site->file, site->wait_ms, &edit, error) ||
        !may_mark(site, edit.plan, order, &now, error) ||
        (ran && !is_same(before, edit.plan, order->id, error)))
        return false;
    json_t *todo = plan_find_todo(edit.plan, order->id);
    if (failed)
        plan_count_attempt(todo, end->why);
    else if (!move(&edit, site, order, &now, &changed, error))
        return false;
    if (!changed)
        return true;
    if (!plan_edit_commit(&edit, log_line(site, todo, order, ran ? end : NULL), error))
        return false;
    ret->moved = !failed;
    ret->failure = failed ? g_strdup(end->why) : NULL;
    ret->output = failed ? g_strdup(end->output) : NULL;
    plan_tick(site->project, edit.plan, order->id, todo_status(todo) == TODO_COMPLETE);
    return true;
}

void
mark_try_clear(MarkTry *mark)
{
    g_clear_pointer(&mark->before, plan_free);
    g_clear_pointer(&mark->check, proc_free);
}

bool
plan_mark_begin(PlanSite *site, const MarkOrder *order, MarkTry *ret, GError **error)
{
    g_autofree char *time = plan_file_now(site->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};

    return plan_file_read(site->file, &ret->before, NULL, error) &&
           may_mark(site, ret->before, order, &now, error) &&
           start_check(site, plan_find_todo(ret->before, order->id), order, &ret->check, error);
}

bool
plan_mark_end(PlanSite *site,
              const MarkOrder *order,
              const MarkTry *mark,
              MarkResult *ret,
              GError **error)
{
    g_auto(CheckEnd) end = {0};

    if (mark->check)
        check_end(mark->check, &end);
    return commit_mark(site, mark->before, order, &end, mark->check != NULL, ret, error);
}

bool
plan_mark(PlanSite *site, const MarkOrder *order, MarkResult *ret, GError **error)
{
    g_auto(MarkTry) mark = {0};

    return plan_mark_begin(site, order, &mark, error) &&
           (!mark.check || proc_wait(mark.check, error)) &&
           plan_mark_end(site, order, &mark, ret, error);
}

/* --- what people wrote into PLAN.md --- */

/* Ids of todos that are ticked there and open here; borrowed. *ret_new: there are todos that the plan does not know. */
static GPtrArray *
find_ticks(const Plan *plan, const TodoItems *items, bool *ret_new)
{
    GPtrArray *ids = g_ptr_array_new();

    *ret_new = false;
    LIST_EACH(const TodoItem, item, items) {
        const json_t *todo = item->id ? plan_find_todo(plan, item->id) : NULL;

        *ret_new |= item->id && !todo;
        if (item->id && item->ticked && (!todo || todo_status(todo) != TODO_COMPLETE))
            g_ptr_array_add(ids, item->id);
    }
    return ids;
}

static bool
add_new(PlanSite *site, const TodoItems *items, GError **error)
{
    g_auto(PlanEdit) edit = {.lock = -1};

    if (!plan_edit_begin(site->file, site->wait_ms, &edit, error))
        return false;
    if (!edit.plan || !plan_add_items(edit.plan, items))
        return true;
    return plan_check_todos(edit.plan, error) &&
           plan_edit_commit(&edit, json_pack("{s:s}", "act", "add"), error);
}

static void
say(GPtrArray *words, char *take_line)
{
    if (words)
        g_ptr_array_add(words, take_line);
    else
        g_free(take_line);
}

/* What can't be marked now is told, and looked at again next time. */
static void
take_tick(PlanSite *site, const char *id, GPtrArray *words)
{
    MarkOrder order = {.id = id, .status = TODO_COMPLETE, .act = "tick", .anybody = true};
    g_auto(MarkResult) result = {0};
    g_autoptr(GError) why = NULL;

    if (!plan_mark(site, &order, &result, &why))
        say(words, g_strdup_printf("'%s' is ticked, but: %s", id, why->message));
    else if (result.failure)
        say(words,
            g_strdup_printf("'%s' was ticked, but its check failed: %s", id, result.failure));
}

/* Nobody waits for words: where nothing is new, nothing is made of a long list. */
static bool
is_quiet(PlanSite *site, const Plan *plan)
{
    g_autofree char *text = NULL;
    size_t len;

    return read_text(site->project, plan, &text, &len, NULL) &&
           (!text || (strlen(text) == len && !todo_text_has_news(plan, text)));
}

bool
plan_sync(PlanSite *site, GPtrArray *words, GError **error)
{
    g_autoptr(Plan) plan = NULL;
    g_autoptr(TodoItems) items = NULL;
    bool is_new;

    if (!plan_file_read(site->file, &plan, NULL, error))
        return false;
    if (!plan || !plan_may_mark(plan, NULL) || !plan_check_branch(site->project, plan, NULL))
        return true;
    if (!words && is_quiet(site, plan)) {
        plan_file_give_back(site->file, g_steal_pointer(&plan));
        return true;
    }
    if (!plan_read_items(site->project, plan, &items, NULL, error))
        return false;
    if (!items)
        return true;
    g_autoptr(GPtrArray) ticks = find_ticks(plan, items, &is_new);
    if (is_new && !add_new(site, items, error))
        return false;
    plan_file_give_back(site->file, g_steal_pointer(&plan));
    for (guint i = 0; i < ticks->len; i++)
        take_tick(site, g_ptr_array_index(ticks, i), words);
    return true;
}
