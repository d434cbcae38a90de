#include "cli/plan/plan_cmd.h"
#include "base/limits.h"
#include "plan/file/plan_words.h"

void
plan_cmd_clear(PlanCmd *cmd)
{
    taker_clear(&cmd->site.taker);
    g_clear_pointer(&cmd->file, plan_file_close);
    g_clear_pointer(&cmd->project, project_free);
    g_clear_pointer(&cmd->cwd, g_free);
}

int
plan_cmd_no_state(void)
{
    return cli_fail(EX_NOINPUT,
                    "Continuation state file not found; run: postrider plan execute "
                    "(/02_execute)");
}

void
plan_cmd_notice(PlanFile *file)
{
    if (file && file->notice)
        (void)cli_fail(0, "%s", file->notice);
    if (file)
        g_clear_pointer(&file->notice, g_free);
}

static int
open_project(Cli *cli, bool make, PlanCmd *ret)
{
    ret->cwd = g_get_current_dir();
    if (!project_find(ret->cwd, make, &ret->project, &cli->error))
        return cli_failed(cli, 0);
    if (ret->project && !plan_file_open(ret->project, false, &ret->file, &cli->error))
        return cli_failed(cli, 0);
    ret->site = (PlanSite){.project = ret->project,
                           .file = ret->file,
                           .wait_ms = PLAN_WAIT_MS,
                           .taker = ret->looks ? (Taker){0} : taker_of_caller(NULL)};
    return 0;
}

int
plan_cmd_open(Cli *cli, PlanCmd *ret)
{
    int status = open_project(cli, false, ret);

    if (status)
        return status;
    return ret->file ? 0 : plan_cmd_no_state();
}

int
plan_cmd_open_any(Cli *cli, PlanCmd *ret)
{
    return open_project(cli, true, ret);
}

int
plan_cmd_edit(Cli *cli, PlanCmd *cmd, PlanEdit *ret)
{
    if (!plan_edit_begin(cmd->file, PLAN_WAIT_MS, ret, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd->file);
    return ret->plan ? 0 : plan_cmd_no_state();
}

int
plan_cmd_env(Cli *cli, int *ret_max, int *ret_level)
{
    const char *max = g_getenv("MAX_ITERATIONS"), *level = g_getenv("CONTINUATION_LEVEL");
    int64_t number = 0;

    if (max && *max && !text_parse_int(max, 1, LIMIT_PLAN_ITERATIONS, &number))
        return cli_fail(EX_USAGE, "MAX_ITERATIONS='%s' is no number from 1 to %d", max,
                        LIMIT_PLAN_ITERATIONS);
    *ret_max = (int)number;
    *ret_level = -1;
    if (level && *level && (*ret_level = plan_word(plan_level_names, level)) < 0)
        return cli_fail(EX_USAGE,
                        "CONTINUATION_LEVEL='%s' is none of aggressive, normal, polite", level);
    return 0;
}

bool
plan_cmd_is_person(const PlanCmd *cmd, const Plan *plan)
{
    return isatty(STDIN_FILENO) && !plan_is_below_owner(plan, &cmd->site.taker);
}

int
plan_cmd_refuse(const Cli *cli, const char *what)
{
    return cli_fail(
        EX_NOPERM,
        "%s: %s is for a person: at a terminal outside of the agent, or as a prompt "
        "of the word alone",
        cli->row->name, what);
}

int
plan_cmd_sync(Cli *cli, PlanCmd *cmd)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

    if (!plan_sync(&cmd->site, words, &cli->error))
        return cli_failed(cli, 0);
    plan_cmd_notice(cmd->file);
    for (guint i = 0; i < words->len; i++)
        (void)cli_fail(0, "%s", (const char *)g_ptr_array_index(words, i));
    return 0;
}

void
plan_cmd_print_summary(Cli *cli, const PlanCmd *cmd, const Plan *plan)
{
    PlanNow now = {.time = "", .alive = claim_is_alive};
    const json_t *next = plan_next(plan, &cmd->site.taker, NULL, &now);
    unsigned open = plan_open(plan);
    g_autofree char *words = next ? todo_words(next) : NULL;

    cli_print_line(cli, "%s: %zu todos, %u open, iteration %d of %d",
                   plan_text(plan->members, "plan_file"), json_array_size(plan->todos), open,
                   (int)plan_number(plan->members, "iteration_count"),
                   (int)plan_number(plan->members, "max_iterations"));
    if (words)
        cli_print_line(cli, "next: %s", words);
}
