#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/cmds.h"
#include "cli/plan/plan_cmd.h"

/* The state that is meant: --state-dir, else the project's. make: it may be new. */
static int
open_state(Cli *cli, bool make, PlanCmd *ret)
{
    const char *folder = cli_text(cli, "state-dir");
    int status = make     ? plan_cmd_open_any(cli, ret)
                 : folder ? plan_cmd_open_any(cli, ret)
                          : plan_cmd_open(cli, ret);

    if (status)
        return status;
    if (folder) {
        g_clear_pointer(&ret->file, plan_file_close);
        if (!plan_file_open_dir(folder, make, &ret->file, &cli->error))
            return cli_failed(cli, 0);
    } else if (make && !ret->file &&
               (!project_prepare(ret->project, &cli->error) ||
                !plan_file_open(ret->project, true, &ret->file, &cli->error))) {
        return cli_failed(cli, 0);
    }
    ret->site.file = ret->file;
    return ret->file ? 0 : plan_cmd_no_state();
}

int
cmd_state_read(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {.looks = true};
    g_autoptr(Plan) plan = NULL;
    g_autoptr(GBytes) bytes = NULL;
    int status = open_state(cli, false, &cmd);

    if (status)
        return status;
    if (!plan_file_read(cmd.file, &plan, &bytes, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd.file);
    if (!plan)
        return plan_cmd_no_state();
    cli_print_bytes(cli, bytes);
    return 0;
}

int
cmd_state_backup(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    int status = open_state(cli, false, &cmd);

    if (status)
        return status;
    if (!plan_file_backup(cmd.file, &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    plan_cmd_notice(cmd.file);
    return 0;
}

/* --- write --- */

typedef struct StateWrite {
    char *plan_file;   /* relative to the project; NULL: as it is */
    json_t *todos;     /* NULL: as they are */
    int64_t iteration; /* -1: as it is */
} StateWrite;

static void
state_write_clear(StateWrite *w)
{
    g_clear_pointer(&w->plan_file, g_free);
    g_clear_pointer(&w->todos, json_decref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StateWrite, state_write_clear)

/* "-" is standard input: an argument has room for some hundred todos. */
static int
read_todos(Cli *cli, const char *text, json_t **ret)
{
    g_autoptr(GBytes) bytes = NULL;
    bool in = g_str_equal(text, "-");

    if (in && !file_read_fd(STDIN_FILENO, LIMIT_PLAN_BYTES, &bytes, &cli->error))
        (void)err_prefix(&cli->error, "standard input");
    else if (in ? json_parse_bytes(bytes, LIMIT_PLAN_BYTES, ret, &cli->error)
                : json_parse(text, strlen(text), LIMIT_PLAN_BYTES, ret, &cli->error))
        return 0;
    (void)err_prefix(&cli->error, "--todos");
    return cli_failed(cli, EX_DATAERR);
}

static int
read_options(Cli *cli, const PlanCmd *cmd, StateWrite *ret)
{
    const char *path = cli_text(cli, "plan-file"), *todos = cli_text(cli, "todos");
    const char *iteration = cli_text(cli, "iteration");

    ret->iteration = -1;
    if (iteration && !text_parse_int(iteration, 0, INT32_MAX, &ret->iteration))
        return cli_usage(cli, "--iteration '%s' is no number", iteration);
    if (path && !(ret->plan_file = project_path(cmd->project, cmd->cwd, path, &cli->error)))
        return cli_failed(cli, EX_DATAERR);
    return todos ? read_todos(cli, todos, &ret->todos) : 0;
}

/* What the plan knows of a todo and the list does not say stays: its title, check, claim. */
static void
keep_members(const Plan *old, json_t *todos)
{
    for (size_t i = 0; i < json_array_size(todos); i++) {
        json_t *todo = json_array_get(todos, i);
        const json_t *before =
            json_is_object(todo) ? plan_find_todo(old, plan_text(todo, "id")) : NULL;

        if (before)
            (void)json_object_update_missing(todo, (json_t *)before);
    }
}

/* A check that was fixed stays as it is, and what is said to be complete is not yet: the check tells. *ret_ids: ids of the
 * todos that are to be marked. */
static void
hold_back(const Plan *old, json_t *todos, GPtrArray *ids)
{
    for (size_t i = 0; i < json_array_size(todos); i++) {
        json_t *todo = json_array_get(todos, i);
        const json_t *before = plan_find_todo(old, plan_text(todo, "id"));
        bool was = before && todo_status(before) == TODO_COMPLETE;

        if (before)
            plan_set_text(todo, "check", plan_text(before, "check"));
        if (todo_status(todo) != TODO_COMPLETE || was || !*plan_text(todo, "check"))
            continue;
        plan_set_text(todo, "status",
                      before ? plan_text(before, "status") : todo_status_names[TODO_PENDING]);
        g_ptr_array_add(ids, g_strdup(plan_text(todo, "id")));
    }
}

/* An agent may not get rid of a todo that it does not want to do. */
static int
check_dropped(Cli *cli, const PlanCmd *cmd, const Plan *old, const json_t *todos)
{
    g_autoptr(GHashTable) kept = g_hash_table_new(g_str_hash, g_str_equal);

    for (size_t i = 0; i < json_array_size(todos); i++)
        g_hash_table_add(kept, (void *)plan_text(json_array_get(todos, i), "id"));
    if (!plan_is_below_owner(old, &cmd->site.taker))
        return 0;
    PLAN_EACH_TODO(old, todo)
    {
        if (todo_status(todo) != TODO_COMPLETE &&
            !g_hash_table_contains(kept, plan_text(todo, "id")))
            return cli_fail(EX_NOPERM,
                            "'%s' is open and not in --todos: a session that works on the plan "
                            "may not drop it",
                            plan_text(todo, "id"));
    }
    return 0;
}

static int
take_todos(Cli *cli, const PlanCmd *cmd, Plan *plan, const StateWrite *w, GPtrArray *ids)
{
    if (!w->todos)
        return 0;
    keep_members(plan, w->todos);
    g_autoptr(Plan) trial =
        plan_new(&(PlanNew){.branch = "", .plan_file = "x", .max_iterations = 1});
    if (!plan_set_todos(trial, json_incref(w->todos), &cli->error)) /* valid from here on */
        return cli_failed(cli, EX_DATAERR);
    int status = check_dropped(cli, cmd, plan, w->todos);
    if (status)
        return status;
    hold_back(plan, w->todos, ids);
    return plan_set_todos(plan, json_incref(w->todos), &cli->error) ? 0 : cli_failed(cli, 0);
}

static Plan *
new_plan(const PlanCmd *cmd, const StateWrite *w, int max, int level)
{
    g_autofree char *branch = project_branch(cmd->project);

    return plan_new(&(PlanNew){.branch = branch,
                               .plan_file = w->plan_file,
                               .max_iterations = max ? max : PLAN_ITERATIONS,
                               .level = level < 0 ? LEVEL_NORMAL : (PlanLevel)level});
}

/* The plan that is written to: the one that is there, or a new one. */
static int
prepare_plan(Cli *cli, const PlanCmd *cmd, const StateWrite *w, PlanEdit *edit)
{
    int max, level, status = plan_cmd_env(cli, &max, &level);

    if (status)
        return status;
    if (!edit->plan && !w->plan_file)
        return cli_usage(cli, "needs --plan-file: there is no state yet");
    if (!edit->plan) {
        edit->plan = new_plan(cmd, w, max, level);
        return 0;
    }
    if (!plan_check_branch(cmd->project, edit->plan, &cli->error) ||
        !plan_may_mark(edit->plan, &cli->error))
        return cli_failed(cli, 0);
    if (w->plan_file)
        plan_set_text(edit->plan->members, "plan_file", w->plan_file);
    return 0;
}

/* The count only grows: a person's `continue` begins it anew. */
static void
take_iteration(Plan *plan, int64_t iteration)
{
    int64_t old = plan_number(plan->members, "iteration_count");
    int64_t more = MAX(iteration - old, 0);

    plan_set_number(plan->members, "iteration_count", old + more);
    plan_set_number(plan->members, "total_iterations",
                    plan_number(plan->members, "total_iterations") + more);
}

static int
write_state(Cli *cli, PlanCmd *cmd, const StateWrite *w, GPtrArray *ids)
{
    g_auto(PlanEdit) edit = {.lock = -1};

    if (!plan_edit_begin(cmd->file, PLAN_WAIT_MS, &edit, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd->file);
    int status = prepare_plan(cli, cmd, w, &edit);
    if (status == 0)
        status = take_todos(cli, cmd, edit.plan, w, ids);
    if (status)
        return status;
    take_iteration(edit.plan, w->iteration);
    plan_settle(edit.plan);
    json_t *line = json_pack("{s:s}", "act", "write");
    plan_set_text(line, "session", cmd->site.taker.session);
    return plan_edit_commit(&edit, line, &cli->error) ? 0 : cli_failed(cli, 0);
}

int
cmd_state_write(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    g_auto(StateWrite) w = {0};
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    int status;

    if (!cli_text(cli, "plan-file") && !cli_text(cli, "todos") && !cli_text(cli, "iteration"))
        return cli_usage(cli, "has nothing to write");
    if ((status = plan_cmd_open_any(cli, &cmd)) || (status = read_options(cli, &cmd, &w)))
        return status;
    plan_cmd_clear(&cmd);
    if ((status = open_state(cli, true, &cmd)) || (status = write_state(cli, &cmd, &w, ids)))
        return status;
    for (guint i = 0; i < ids->len; i++) {
        int one = plan_cmd_complete(cli, &cmd, g_ptr_array_index(ids, i), "write");
        status = status ? status : one;
    }
    return status;
}
