/* What agents call while they work: next, mark; and accept, which is a person's. */
#include "base/json.h"
#include "cli/cmds.h"
#include "cli/plan/plan_cmd.h"
#include "plan/file/plan_words.h"

/* --session, which counts more than what the environment says. */
static void
take_session(Cli *cli, PlanCmd *cmd)
{
    taker_clear(&cmd->site.taker);
    cmd->site.taker = taker_of_caller(cli_text(cli, "session"));
}

/* --- next --- */

static void
print_todo(Cli *cli, const json_t *todo)
{
    g_autofree char *words = todo_words(todo);

    if (cli->json) {
        cli_print_json(cli, json_incref((json_t *)todo));
        return;
    }
    cli_print_line(cli, "%s", words);
    cli_print_line(cli, "owner: %s", plan_text(todo, "owner"));
    if (*plan_text(todo, "check"))
        cli_print_line(cli, "check: %s", plan_text(todo, "check"));
    if (*plan_text(todo, "why"))
        cli_print_line(cli, "last try: %s", plan_text(todo, "why"));
    cli_print_line(cli, "when it is done: postrider plan mark %s complete",
                   plan_text(todo, "id"));
}

/* No todo for this taker: all are complete (66), or nothing is ready now (75). */
static int
nothing_next(Cli *cli, const Plan *plan, const char *owner)
{
    bool complete = plan_open(plan) == 0, stuck = !plan_can_go_on(plan);
    g_autofree char *marker = plan_marker(owner, complete);

    if (!cli->json && (complete || stuck))
        cli_print(cli, "%s\n", marker);
    if (complete)
        return cli_fail(EX_NOINPUT, "all todos are complete");
    return cli_fail(EX_TEMPFAIL, stuck
                                     ? "no open todo can be worked on: see postrider plan show"
                                     : "no todo is ready: others are at work, or it waits");
}

static int
refuse_paused(Cli *cli, const Plan *plan, const char *owner)
{
    if (!cli->json && plan_status(plan) == PLAN_PAUSED) {
        g_autofree char *marker = plan_marker(owner, false), *words = plan_words_paused(plan);
        cli_print(cli, "%s\n", marker);
        cli_print_vis(cli, words, true);
        cli_print(cli, "\n");
    }
    return cli_failed(cli, 0);
}

static int
claim_next(Cli *cli, PlanCmd *cmd, const char *owner)
{
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autofree char *time = plan_file_now(cmd->file);
    PlanNow now = {.time = time, .alive = claim_is_alive};
    int status = plan_cmd_edit(cli, cmd, &edit);

    if (status)
        return status;
    if (!plan_check_branch(cmd->project, edit.plan, &cli->error))
        return cli_failed(cli, 0);
    if (!plan_may_take(edit.plan, &cli->error))
        return refuse_paused(cli, edit.plan, owner);
    json_t *todo = plan_next(edit.plan, &cmd->site.taker, owner, &now);
    if (!todo)
        return nothing_next(cli, edit.plan, owner);
    if (!plan_take(edit.plan, todo, &cmd->site.taker, &now, &cli->error))
        return cli_failed(cli, 0);
    json_t *line = json_pack("{s:s, s:s, s:s}", "act", "claim", "todo", plan_text(todo, "id"),
                             "owner", plan_text(todo, "owner"));
    json_object_set(line, "claim", json_object_get(todo, "claim"));
    plan_set_text(line, "session", cmd->site.taker.session);
    if (!plan_edit_commit(&edit, line, &cli->error))
        return cli_failed(cli, 0);
    print_todo(cli, todo);
    return 0;
}

/* Looking takes nothing, and makes nobody an owner. */
static int
look_next(Cli *cli, PlanCmd *cmd, const char *owner)
{
    g_autoptr(Plan) plan = NULL;
    PlanNow now = {.time = "", .alive = claim_is_alive};

    if (!plan_file_read(cmd->file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    if (!plan)
        return plan_cmd_no_state();
    if (!plan_may_take(plan, &cli->error))
        return refuse_paused(cli, plan, owner);
    const json_t *todo = plan_next(plan, &cmd->site.taker, owner, &now);
    if (!todo)
        return nothing_next(cli, plan, owner);
    print_todo(cli, todo);
    return 0;
}

int
cmd_plan_next(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    const char *owner = cli_text(cli, "owner");
    int status = plan_cmd_open(cli, &cmd);

    if (status || (status = plan_cmd_sync(cli, &cmd)))
        return status;
    take_session(cli, &cmd);
    return (cli_flag(cli, "claim") ? claim_next : look_next)(cli, &cmd, owner);
}

/* --- mark --- */

static int
report(Cli *cli, const char *id, const MarkResult *result)
{
    if (!result->failure)
        return 0;
    if (*result->output) {
        cli_print_vis(cli, result->output, true);
        cli_print(cli, "%s", g_str_has_suffix(result->output, "\n") ? "" : "\n");
    }
    return cli_fail(1, "'%s' is not complete: its check failed (%s)", id, result->failure);
}

static int
mark(Cli *cli, PlanCmd *cmd, const MarkOrder *order)
{
    g_auto(MarkResult) result = {0};

    if (!plan_mark(&cmd->site, order, &result, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd->file);
    return report(cli, order->id, &result);
}

int
plan_cmd_complete(Cli *cli, PlanCmd *cmd, const char *id, const char *act)
{
    return mark(cli, cmd, &(MarkOrder){.id = id, .status = TODO_COMPLETE, .act = act});
}

/* A person may go past a check and a claim; whoever is below the agent's session may not. */
static int
check_force(Cli *cli, const PlanCmd *cmd)
{
    g_autoptr(Plan) plan = NULL;

    if (!plan_file_read(cmd->file, &plan, NULL, &cli->error))
        return cli_failed(cli, 0);
    if (!plan)
        return plan_cmd_no_state();
    return plan_cmd_is_person(cmd, plan) ? 0 : plan_cmd_refuse(cli, "--force");
}

int
cmd_plan_mark(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    int word = plan_word(todo_status_names, argv[2]);
    int status = plan_cmd_open(cli, &cmd);

    if (status)
        return status;
    if (word < 0) {
        g_autofree char *hint = text_did_you_mean(argv[2], todo_status_names);
        return cli_usage(cli, "no status '%s'%s", argv[2],
                         *hint ? hint : "; there are pending, in_progress, complete, blocked");
    }
    if (cli_flag(cli, "force") && (status = check_force(cli, &cmd)))
        return status;
    take_session(cli, &cmd);
    return mark(cli, &cmd,
                &(MarkOrder){.id = argv[1],
                             .status = (TodoStatus)word,
                             .why = cli_text(cli, "why"),
                             .act = "mark",
                             .force = cli_flag(cli, "force")});
}

/* --- accept --- */

/* Takes over the check that PLAN.md has for this todo. True when it is another one. */
static bool
accept_check(Cli *cli, json_t *todo, const TodoItem *item)
{
    if (!item || !todo_item_differs(item, todo))
        return false;
    cli_print_line(cli, "%s: check: %s", plan_text(todo, "id"),
                   item->check ? item->check : "none");
    plan_set_text(todo, "check", item->check);
    return true;
}

static int
accept_named(Cli *cli, const Plan *plan, const TodoItems *items, char **ids, json_t *accepted)
{
    for (; *ids; ids++) {
        json_t *todo = plan_find_todo(plan, *ids);

        if (!todo) {
            (void)plan_no_todo(plan, *ids, &cli->error);
            return cli_failed(cli, EX_NOINPUT);
        }
        if (accept_check(cli, todo, todo_items_find(items, *ids)))
            json_array_append_new(accepted, json_string(*ids));
    }
    return 0;
}

static void
accept_all(Cli *cli, const Plan *plan, const TodoItems *items, json_t *accepted)
{
    LIST_EACH(const TodoItem, item, items) {
        json_t *todo = item->id ? plan_find_todo(plan, item->id) : NULL;

        if (todo && accept_check(cli, todo, item))
            json_array_append_new(accepted, json_string(item->id));
    }
}

int
cmd_plan_accept(Cli *cli, int argc, char **argv)
{
    g_auto(PlanCmd) cmd = {0};
    g_auto(PlanEdit) edit = {.lock = -1};
    g_autoptr(TodoItems) items = NULL;
    g_autoptr(json_t) accepted = json_array();
    int status = plan_cmd_open(cli, &cmd);

    if (status || (status = plan_cmd_edit(cli, &cmd, &edit)))
        return status;
    if (!plan_cmd_is_person(&cmd, edit.plan))
        return plan_cmd_refuse(cli, "accepting a check");
    if (!plan_may_mark(edit.plan, &cli->error) ||
        !plan_read_items(cmd.project, edit.plan, &items, NULL, &cli->error))
        return cli_failed(cli, 0);
    if (!items)
        return cli_fail(EX_NOINPUT, "'%s' is not there",
                        plan_text(edit.plan->members, "plan_file"));
    if (argc > 1)
        status = accept_named(cli, edit.plan, items, argv + 1, accepted);
    else
        accept_all(cli, edit.plan, items, accepted);
    if (status || json_array_size(accepted) == 0)
        return status;
    json_t *line = json_pack("{s:s, s:O}", "act", "accept", "todos", accepted);
    return plan_edit_commit(&edit, line, &cli->error) ? 0 : cli_failed(cli, 0);
}
