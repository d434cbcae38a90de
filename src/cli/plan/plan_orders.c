/* The life of a plan: execute, continue, stop, cancel, done, close. */
#include "base/file.h"
#include "base/limits.h"
#include "cli/cmds.h"
#include "cli/plan/plan_cmd.h"
#include "cli/plan/plan_paths.h"
#include "plan/file/findings.h"
#include "plan/file/plan_words.h"

static void
take_session(Cli *cli, PlanCmd *cmd)
{
    taker_clear(&cmd->site.taker);
    cmd->site.taker = taker_of_caller(cli_text(cli, "session"));
}

static json_t *
line_of(const PlanCmd *cmd, const char *act)
{
    json_t *line = json_pack("{s:s}", "act", act);

    plan_set_text(line, "session", cmd->site.taker.session);
    return line;
}

/* --- stop, cancel, done --- */

/* Ids of todos that are open, as an array. */
static json_t *
open_todos(const Plan *plan)
{
    json_t *ids = json_array();

    PLAN_EACH_TODO(plan, todo)
    {
        if (todo_status(todo) != TODO_COMPLETE)
            json_array_append_new(ids, json_string(plan_text(todo, "id")));
    }
    return ids;
}

static int
end_plan(Cli *cli, const char *act, void (*end)(Plan *), const char *words, bool person)
{
    g_auto(PlanCmd) cmd = {0};
    g_auto(PlanEdit) edit = {.lock = -1};
    int status = plan_cmd_open(cli, &cmd);

    if (status || (status = plan_cmd_edit(cli, &cmd, &edit)))
        return status;
    if (!plan_may_mark(edit.plan, &cli->error))
        return cli_failed(cli, 0);
    if (person && !plan_cmd_is_person(&cmd, edit.plan))
        return plan_cmd_refuse(cli, "calling a plan done");
    json_t *line = line_of(&cmd, act);
    json_object_set_new(line, "open", open_todos(edit.plan));
    end(edit.plan);
    if (!plan_edit_commit(&edit, line, &cli->error))
        return cli_failed(cli, 0);
    cli_print(cli, "%s\n", words);
    return 0;
}

int
cmd_plan_stop(Cli *cli, int argc, char **argv)
{
    return end_plan(cli, "stop", plan_stop, PLAN_WORDS_STOPPED, false);
}

int
cmd_plan_cancel(Cli *cli, int argc, char **argv)
{
    return end_plan(cli, "cancel", plan_cancel, PLAN_WORDS_CANCELLED, false);
}

int
cmd_plan_done(Cli *cli, int argc, char **argv)
{
    return end_plan(cli, "done", plan_call_done, PLAN_WORDS_DONE, true);
}

/* --- close --- */

static int
refuse_close(Cli *cli, const Plan *plan)
{
    g_autoptr(GString) ids = g_string_new(NULL);

    PLAN_EACH_TODO(plan, todo)
    {
        if (todo_status(todo) != TODO_COMPLETE)
            g_string_append_printf(ids, "%s%s", ids->len ? ", " : "", plan_text(todo, "id"));
    }
    return cli_fail(EX_DATAERR, "%u todos are not complete: %s", plan_open(plan), ids->str);
}

int
cmd_plan_close(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *moved = NULL;
    int status = plan_cmd_open(cli, &cmd);

    if (status || (status = plan_cmd_sync(cli, &cmd)) ||
        (status = plan_cmd_edit(cli, &cmd, &edit)))
        return status;
    PlanStatus now = plan_status(edit.plan);
    if (now == PLAN_CANCELLED || now == PLAN_CLOSED)
        return cli_fail(EX_DATAERR, "the plan is %s", plan_status_names[now]);
    if (!plan_check_branch(cmd.project, edit.plan, &cli->error))
        return cli_failed(cli, 0);
    if (now != PLAN_DONE && plan_open(edit.plan) > 0)
        return refuse_close(cli, edit.plan);
    if (!plan_path_move(cmd.project, plan_text(edit.plan->members, "plan_file"), "done", &moved,
                        &cli->error))
        return cli_failed(cli, 0);
    plan_set_text(edit.plan->members, "plan_file", moved);
    plan_set_status(edit.plan, PLAN_CLOSED, NULL);
    json_object_set_new(edit.plan->members, "sessions", json_array());
    if (!plan_edit_commit(&edit, line_of(&cmd, "close"), &cli->error))
        return cli_failed(cli, 0);
    cli_print_line(cli, "closed: %s", moved);
    return 0;
}

/* --- continue --- */

/* An agent may go on with what is active; after a stop, and for a new count of iterations, a person has to say so. */
static int
check_continue(Cli *cli, const PlanCmd *cmd, const Plan *plan)
{
    PlanStatus status = plan_status(plan);

    if (!plan_check_branch(cmd->project, plan, &cli->error) ||
        !plan_may_mark(plan, &cli->error))
        return cli_failed(cli, 0);
    if ((status == PLAN_PAUSED || status == PLAN_STOPPED) &&
        plan_is_below_owner(plan, &cmd->site.taker))
        return plan_cmd_refuse(cli, "going on after a pause or a stop");
    return 0;
}

static int
continue_plan(Cli *cli, PlanCmd *cmd, const char *act)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(cmd->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};
    int max, level, status = plan_cmd_env(cli, &max, &level);

    if (status || (status = plan_cmd_edit(cli, cmd, &edit)) ||
        (status = check_continue(cli, cmd, edit.plan)))
        return status;
    bool agent = plan_is_below_owner(edit.plan, &cmd->site.taker);
    if (!agent && !plan_continue(edit.plan, max, level, &cli->error))
        return cli_failed(cli, 0);
    (void)plan_enter(edit.plan, &cmd->site.taker, &now);
    if (!plan_edit_commit(&edit, line_of(cmd, act), &cli->error))
        return cli_failed(cli, 0);
    if (cli->json)
        cli_print_json(cli, json_incref(edit.plan->members));
    else
        plan_cmd_print_summary(cli, cmd, edit.plan);
    return 0;
}

int
cmd_plan_continue(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    int status = plan_cmd_open(cli, &cmd);

    if (status)
        return status;
    take_session(cli, &cmd);
    if ((status = plan_cmd_sync(cli, &cmd)))
        return status;
    return continue_plan(cli, &cmd, "continue");
}

/* --- execute --- */

/* Is there a plan that goes on? typed NULL: any will do. *ret: yes. */
static int
find_open_plan(Cli *cli, const PlanCmd *cmd, const char *path, bool *ret)
{
    g_autoptr(Plan) plan = NULL;

    *ret = false;
    if (!cmd->file)
        return 0;
    if (!plan_file_read(cmd->file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd->file);
    if (!plan || plan_status(plan) > PLAN_STOPPED)
        return 0;
    const char *own = plan_text(plan->members, "plan_file");
    *ret = !path || g_str_equal(path, own);
    return *ret ? 0
                : cli_fail(
                      EX_TEMPFAIL,
                      "'%s' is %s: close or cancel it first, or run: postrider plan continue",
                      own, plan_status_names[plan_status(plan)]);
}

static void
print_findings(const TodoItems *items)
{
    g_autoptr(GPtrArray) findings = todo_findings(items);

    for (guint i = 0; i < findings->len; i++)
        (void)cli_fail(0, "finding: %s", (const char *)g_ptr_array_index(findings, i));
}

/* The todos of a file, with an id each. *ret_text is the file as it should be then. */
static int
read_plan(Cli *cli, const PlanCmd *cmd, const char *path, char **ret_text, TodoItems **ret)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(TodoItems) raw = NULL;

    if (!file_read(cmd->project->fd, path, LIMIT_PLAN_BYTES, &bytes, &cli->error))
        return cli_failed(cli, 0);
    if (!bytes)
        return cli_fail(EX_NOINPUT, "there is no '%s'", path);
    g_autofree char *text = text_from_bytes(bytes);
    if (!todo_items_parse(text, g_bytes_get_size(bytes), &raw, &cli->error))
        goto bad;
    if (raw->len == 0)
        return cli_fail(EX_DATAERR,
                        "'%s' has no todos: a todo is a line such as '- [ ] SC-1: text'", path);
    *ret_text = todo_items_number(text, raw);
    if (todo_items_parse(*ret_text, strlen(*ret_text), ret, &cli->error))
        return 0;
bad:
    (void)err_prefix(&cli->error, "'%s'", path);
    return cli_failed(cli, EX_DATAERR);
}

/* A plan needs no home: where there is none, or none that can be read, it is the usual number. */
static int
usual_iterations(Cli *cli)
{
    g_autofree char *path = cli->home ? NULL : home_find(cli->home_option, NULL);

    if (!cli->home && (!path || !home_open(path, &cli->home, NULL)))
        return PLAN_ITERATIONS;
    return (int)cli->home->config->plan_max_iterations;
}

/* A state for these todos, checked before anything is written. NULL after a message. */
static Plan *
make_plan(Cli *cli, const PlanCmd *cmd, const TodoItems *items, int max, int level)
{
    g_autofree char *branch = project_branch(cmd->project);
    g_autoptr(Plan) plan =
        plan_new(&(PlanNew){.branch = branch,
                            .plan_file = "",
                            .max_iterations = max ? max : usual_iterations(cli),
                            .level = level < 0 ? LEVEL_NORMAL : (PlanLevel)level});

    (void)plan_add_items(plan, items);
    if (plan_check_todos(plan, &cli->error))
        return g_steal_pointer(&plan);
    (void)cli_failed(cli, EX_DATAERR);
    return NULL;
}

/* Moves the file first: a plan in in_progress without a state is found by the next `execute`. */
static int
place_plan(Cli *cli, PlanCmd *cmd, const char *path, const char *text, char **ret_path)
{
    g_autofree char *moved = NULL;

    if (!project_prepare(cmd->project, &cli->error) ||
        !plan_path_move(cmd->project, path, "in_progress", &moved, &cli->error) ||
        !file_replace(cmd->project->fd, moved, text, strlen(text), 0666, &cli->error) ||
        (!cmd->file && !plan_file_open(cmd->project, true, &cmd->file, &cli->error)))
        return cli_failed(cli, 0);
    cmd->site.file = cmd->file;
    *ret_path = g_steal_pointer(&moved);
    return 0;
}

static int
commit_plan(Cli *cli, PlanCmd *cmd, Plan *take_plan, const char *path)
{
    g_autoptr(Plan) plan = take_plan;
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(cmd->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};

    if (!plan_edit_begin(cmd->file, PLAN_WAIT_MS, &edit, &cli->error))
        return cli_failed(cli, 0);
    if (edit.plan && plan_status(edit.plan) <= PLAN_STOPPED)
        return cli_fail(EX_TEMPFAIL, "somebody else has begun '%s' just now",
                        plan_text(edit.plan->members, "plan_file"));
    int64_t epoch = edit.plan ? plan_number(edit.plan->members, "epoch") + 1 : 0;
    plan_free(edit.plan);
    edit.plan = g_steal_pointer(&plan);
    plan_set_number(edit.plan->members, "epoch", epoch);
    plan_set_text(edit.plan->members, "plan_file", path);
    (void)plan_enter(edit.plan, &cmd->site.taker, &now);
    return plan_edit_commit(&edit, line_of(cmd, "execute"), &cli->error) ? 0
                                                                         : cli_failed(cli, 0);
}

static int
print_begun(Cli *cli, PlanCmd *cmd)
{
    g_autoptr(Plan) plan = NULL;
    int status = plan_cmd_sync(cli, cmd); /* boxes that are ticked already */

    if (status)
        return status;
    if (!plan_file_read(cmd->file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    if (cli->json)
        cli_print_json(cli, json_incref(plan->members));
    else
        plan_cmd_print_summary(cli, cmd, plan);
    return 0;
}

static int
begin_plan(Cli *cli, PlanCmd *cmd, const char *path)
{
    g_autofree char *text = NULL, *placed = NULL;
    g_autoptr(TodoItems) items = NULL;
    int max, level, status = plan_cmd_env(cli, &max, &level);

    if (status || (status = read_plan(cli, cmd, path, &text, &items)))
        return status;
    g_autoptr(Plan) plan = make_plan(cli, cmd, items, max, level);
    if (!plan)
        return EX_DATAERR;
    print_findings(items);
    if ((status = place_plan(cli, cmd, path, text, &placed)) ||
        (status = commit_plan(cli, cmd, g_steal_pointer(&plan), placed)))
        return status;
    return print_begun(cli, cmd);
}

int
plan_cmd_begin(Cli *cli, PlanCmd *cmd, const char *typed, bool *ret_goes_on)
{
    g_autofree char *path = NULL;
    int status;

    if (typed && !(path = project_path(cmd->project, cmd->cwd, typed, &cli->error)))
        return cli_failed(cli, EX_DATAERR);
    if ((status = find_open_plan(cli, cmd, path, ret_goes_on)) || *ret_goes_on)
        return status;
    if (!path && !(path = plan_path_only(cmd->project, &cli->error)))
        return cli_failed(cli, EX_NOINPUT);
    return begin_plan(cli, cmd, path);
}

int
cmd_plan_execute(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    bool goes_on;
    int status = plan_cmd_open_any(cli, &cmd);

    if (status)
        return status;
    take_session(cli, &cmd);
    if ((status = plan_cmd_begin(cli, &cmd, argv[1], &goes_on)) || !goes_on)
        return status;
    status = plan_cmd_sync(cli, &cmd);
    return status ? status : continue_plan(cli, &cmd, "execute");
}
