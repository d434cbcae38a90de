/* Plans as files: new, import, list; and what there is to see of the one at work: show, log. */
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cmds.h"
#include "cli/job/step_view.h"
#include "cli/plan/plan_cmd.h"
#include "cli/plan/plan_paths.h"
#include "plan/file/findings.h"
#include "plan/file/plan_log.h"
#include "plan/file/todo_import.h"
#include "store/plan_rows.h"
#include "view/job_rows.h"

/* --- new, import --- */

static int
read_source(Cli *cli, const char *file, GBytes **ret)
{
    if (!g_str_equal(file, "-") && strchr(file, ' ') && !g_file_test(file, G_FILE_TEST_EXISTS))
        return cli_fail(EX_NOINPUT,
                        "no file '%s'; a goal in words: postrider plan new --goal '%s'", file,
                        file);
    if (!g_str_equal(file, "-"))
        return cli_read_file(cli, "", file, LIMIT_PLAN_BYTES, ret);
    if (file_read_fd(STDIN_FILENO, LIMIT_PLAN_BYTES, ret, &cli->error))
        return 0;
    (void)err_prefix(&cli->error, "standard input");
    return cli_failed(cli, 0);
}

/* Todos that can't be: an id twice is told by the parser, a ring by the plan. 0, or 65 after a message. */
static int
check_plan(Cli *cli, const char *text)
{
    g_autoptr(TodoItems) items = NULL;
    g_autoptr(Plan) plan =
        plan_new(&(PlanNew){.branch = "", .plan_file = "", .max_iterations = 1});

    if (!todo_items_parse(text, strlen(text), &items, &cli->error))
        return cli_failed(cli, EX_DATAERR);
    (void)plan_add_items(plan, items);
    if (!plan_check_todos(plan, &cli->error))
        return cli_failed(cli, EX_DATAERR);
    g_autoptr(GPtrArray) findings = todo_findings(items);
    for (guint i = 0; i < findings->len; i++)
        (void)cli_fail(0, "finding: %s", (const char *)g_ptr_array_index(findings, i));
    return 0;
}

static int
save_plan(Cli *cli, const char *name, const char *text)
{
    g_auto(PlanCmd) cmd = {0};
    int status = check_plan(cli, text);

    if (status || (status = plan_cmd_open_any(cli, &cmd)))
        return status;
    if (!project_prepare(cmd.project, &cli->error))
        return cli_failed(cli, 0);
    g_autofree char *slug = plan_path_slug(name);
    g_autofree char *path = plan_path_free_name(cmd.project, "pending", slug);
    if (!file_create(cmd.project->fd, path, text, strlen(text), 0666, &cli->error))
        return cli_failed(cli, 0);
    cli_print_line(cli, "%s", path);
    return 0;
}

/* Todos are the agent's or the person's to write: the file says how. */
static char *
skeleton(const char *goal)
{
    return g_strdup_printf(
        "# %s\n\n"
        "<!-- One line per todo, each for one owner, one file and at most %d minutes:\n"
        "     - [ ] SC-N: what to do (owner: coder) (check: make test) (after: SC-M) -->\n\n",
        goal, TODO_MINUTES);
}

int
cmd_plan_new(Cli *cli, int argc, char **argv)
{
    const char *goal = cli_text(cli, "goal"), *name = cli_text(cli, "name");
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *text = NULL;

    if (!goal && argc < 2)
        return cli_usage(cli, "needs --goal or a file");
    if (goal && strpbrk(goal, "\r\n"))
        return cli_usage(cli, "--goal is one line");
    if (argc < 2) {
        text = skeleton(goal);
        return save_plan(cli, name ? name : goal, text);
    }
    int status = read_source(cli, argv[1], &bytes);
    if (status)
        return status;
    g_autofree char *stem = g_path_get_basename(argv[1]);
    stem[strcspn(stem, ".")] = '\0';
    text = todo_import(goal ? goal : *stem ? stem : "Plan", bytes, &cli->error);
    if (!text) {
        (void)err_prefix(&cli->error, "'%s'", argv[1]);
        return cli_failed(cli, EX_DATAERR);
    }
    return save_plan(cli, name ? name : goal ? goal : stem, text);
}

int
cmd_plan_import(Cli *cli, int argc, char **argv)
{
    return cmd_plan_new(cli, argc, argv);
}

/* --- list --- */

static void
count_todos(const Project *project, const char *path, json_t *row)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(TodoItems) items = NULL;
    int n = 0;

    if (!file_read(project->fd, path, LIMIT_PLAN_BYTES, &bytes, NULL) || !bytes)
        return;
    g_autofree char *text = text_from_bytes(bytes);
    if (!todo_items_parse(text, g_bytes_get_size(bytes), &items, NULL))
        return;
    LIST_EACH(const TodoItem, item, items)
        n += item->ticked;
    plan_set_number(row, "todos", items->len);
    plan_set_number(row, "complete", n);
}

static json_t *
list_row(const Project *project, const char *folder, const char *path, const Plan *active)
{
    bool is_active = active && g_str_equal(plan_text(active->members, "plan_file"), path);
    json_t *row = json_pack("{s:s, s:s}", "plan", path, "status",
                            is_active ? plan_status_names[plan_status(active)] : folder);

    count_todos(project, path, row);
    return row;
}

/* The job's state as people read it. */
static char *
job_cell(Cli *cli, const json_t *row, const char *member)
{
    JobState state;

    if (!g_str_equal(member, "state") || !job_state_parse(cli_member(row, "state"), &state))
        return NULL;
    return g_strdup(job_state_words(state));
}

/* What jobs work on, or have worked on, in all projects that the home knows. */
static int
list_everywhere(Cli *cli)
{
    static const CliColumn columns[] = {
        {"JOB", "job", 0},    {"STATE", "state", 10},          {"PROJECT", "project", 50},
        {"PLAN", "plan", 40}, {"WAITS FOR", "waiting_for", 0}, {0}};
    g_autoptr(PlanLines) lines = NULL;
    bool known;
    int status = cli_db(cli, DB_READ);

    if (status)
        return status;
    if (!plan_known(cli->db, &known, &cli->error) ||
        (known && !plan_lines(cli->db, false, &lines, &cli->error)))
        return cli_failed(cli, 0);
    cli_print_list(cli, lines ? shape_list_json(&plan_line_shape, lines) : json_array(),
                   columns, "no job works on a plan; postrider plan run", job_cell);
    return 0;
}

int
cmd_plan_list(Cli *cli, int argc, char **argv)
{
    if (cli_flag(cli, "all"))
        return list_everywhere(cli);
    static const char *const folders[] = {"in_progress", "pending", "done"};
    static const CliColumn columns[] = {{"PLAN", "plan", 0},
                                        {"STATUS", "status", 0},
                                        {"TODOS", "todos", 0},
                                        {"COMPLETE", "complete", 0},
                                        {0}};
    g_auto(PlanCmd) cmd = {0};
    g_autoptr(Plan) plan = NULL;
    json_t *rows;
    int status = plan_cmd_open_any(cli, &cmd);

    if (status)
        return status;
    if (cmd.file && !plan_file_read(cmd.file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd.file);
    rows = json_array();
    const char *own = plan ? plan_text(plan->members, "plan_file") : "";
    if (*own && !g_str_has_prefix(own, PROJECT_PLANS "/"))
        json_array_append_new(rows, list_row(cmd.project, "", own, plan));
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autoptr(GPtrArray) names = plan_path_list(cmd.project, folders[i]);

        LIST_EACH(const char, name, names) {
            g_autofree char *path = g_strdup_printf(PROJECT_PLANS "/%s/%s", folders[i], name);
            json_array_append_new(rows, list_row(cmd.project, folders[i], path, plan));
        }
    }
    cli_print_list(cli, rows, columns, "no plans here; postrider plan new --goal TEXT", NULL);
    return 0;
}

/* --- show --- */

#define BAR_CELLS 20u

static void
print_bar(Cli *cli, const Plan *plan)
{
    size_t total = json_array_size(plan->todos), complete = total - plan_open(plan);
    size_t full = total ? complete * BAR_CELLS / total : 0;

    for (size_t i = 0; isatty(STDOUT_FILENO) && i < BAR_CELLS; i++)
        cli_print(cli, "%s%s", i < full ? "█" : "░", i + 1 == BAR_CELLS ? " " : "");
    cli_print(cli, "%zu of %zu complete\n", complete, total);
}

static void
print_head(Cli *cli, const Plan *plan)
{
    const json_t *m = plan->members;
    const char *why = plan_text(m, "why"), *branch = plan_text(m, "branch");

    cli_print_line(cli, "%s%s%s: %s%s%s", plan_text(m, "plan_file"), *branch ? " on " : "",
                   branch, plan_status_names[plan_status(plan)], *why ? ": " : "", why);
    cli_print_line(cli,
                   "iteration %" PRId64 " of %" PRId64 ", %" PRId64 " in all, %s, session %s",
                   plan_number(m, "iteration_count"), plan_number(m, "max_iterations"),
                   plan_number(m, "total_iterations"), plan_level_names[plan_level(plan)],
                   plan_text(m, "session_id"));
    print_bar(cli, plan);
}

/* What a person should know of a todo beside its status. Caller frees. */
static char *
todo_note(const Plan *plan, const json_t *todo, const TodoItem *item)
{
    const json_t *claim = json_object_get(todo, "claim");
    const char *why = plan_text(todo, "why");
    g_autofree char *who = json_is_object(claim) ? claim_words(claim) : NULL;

    if (item && todo_item_differs(item, todo))
        return g_strdup("its check was changed: postrider plan accept");
    if (todo_status(todo) == TODO_IN_PROGRESS && who)
        return g_strdup_printf("%s%s%s%s", who, claim_is_alive(claim) ? "" : ", which is gone",
                               *why ? "; last try: " : "", why);
    if (todo_status(todo) == TODO_PENDING && !todo_is_ready(plan, todo))
        return g_strdup_printf("waits for %s", todo_waits_for(plan, todo));
    return g_strdup(why);
}

static json_t *
show_rows(const Plan *plan, const TodoItems *items)
{
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);
    json_t *rows = json_array();

    for (guint i = 0; items && i < items->len; i++) {
        if (items->pdata[i]->id)
            g_hash_table_insert(by_id, items->pdata[i]->id, items->pdata[i]);
    }
    PLAN_EACH_TODO(plan, todo)
    {
        g_autofree char *note =
            todo_note(plan, todo, g_hash_table_lookup(by_id, plan_text(todo, "id")));
        json_t *row = json_copy(todo);

        json_object_set_new(row, "note", json_string(note));
        json_array_append_new(rows, row);
    }
    return rows;
}

int
cmd_plan_show(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"TODO", "id", 0},
                                        {"STATUS", "status", 0},
                                        {"OWNER", "owner", 20},
                                        {"TRIES", "iteration", 0},
                                        {"TITLE", "title", 60},
                                        {"NOTE", "note", 0},
                                        {0}};
    g_auto(PlanCmd) cmd = {0};
    g_autoptr(Plan) plan = NULL;
    g_autoptr(TodoItems) items = NULL;
    int status = plan_cmd_open(cli, &cmd);

    if (status)
        return status;
    if (!plan_file_read(cmd.file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd.file);
    if (!plan)
        return plan_cmd_no_state();
    (void)plan_read_items(cmd.project, plan, &items, NULL,
                          NULL); /* without it nothing has changed */
    if (cli->json) {
        json_t *all = json_copy(plan->members);
        json_object_set_new(all, "todos", show_rows(plan, items));
        plan_set_number(all, "open", plan_open(plan));
        cli_print_json(cli, all);
        return 0;
    }
    print_head(cli, plan);
    cli_print_list(cli, show_rows(plan, items), columns, "no todos", NULL);
    return 0;
}

/* --- log --- */

#define LOG_LINES 50
#define SESSION_SHOWN 12 /* characters of its id, at a terminal */

/* What came of it; and for a terminal the time and the session in short. */
static char *
log_cell(Cli *cli, const json_t *row, const char *member)
{
    const char *why = plan_text(row, "why"), *check = plan_text(row, "check");
    int64_t at;

    if (step_columns() > 0 && g_str_equal(member, "session"))
        return text_shorten(plan_text(row, member), SESSION_SHOWN);
    if (step_columns() > 0 && g_str_equal(member, "at") &&
        clock_parse_iso(plan_text(row, member), &at))
        return step_time(at);
    if (!g_str_equal(member, "outcome"))
        return NULL;
    return g_strdup_printf("%s%s%s%s%s", plan_text(row, "todo_status"),
                           *check ? " check: " : "", check, *why ? " " : "", why);
}

int
cmd_plan_log(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"AT", "at", 0},           {"REV", "revision", 0},
                                        {"ACT", "act", 0},         {"TODO", "todo", 0},
                                        {"OWNER", "owner", 20},    {"ITER", "iteration", 0},
                                        {"BRANCH", "branch", 30},  {"SESSION", "session", 40},
                                        {"OUTCOME", "outcome", 0}, {0}};
    g_auto(PlanCmd) cmd = {0};
    json_t *rows = NULL;
    int n = cli_number(cli, "limit", LOG_LINES), status = plan_cmd_open(cli, &cmd);

    if (status)
        return status;
    if (!plan_log_read(cmd.file->state_fd, n > 0 ? (size_t)n : 0, &rows, &cli->error))
        return cli_failed(cli, 0);
    cli_print_list(cli, rows, columns, "nothing happened yet", log_cell);
    return 0;
}
