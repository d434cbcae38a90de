/* The hooks of coding agents. Whatever happens to a plan here, the agent goes on: exit status 0, and a remark in the log. */
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/cmds.h"
#include "cli/job/tool_permit.h"
#include "cli/plan/plan_cmd.h"
#include "plan/file/hook.h"
#include "plan/file/plan_log.h"

/* A hook that fails is remarked where its plan is, if there is one, and on stderr, which clients show in their logs. */
static int
fail_open(Cli *cli, const PlanCmd *cmd, const char *name)
{
    if (cmd->file) {
        g_autofree char *now = plan_file_now(cmd->file);
        g_autoptr(json_t) line =
            json_pack("{s:s, s:s, s:s, s:s}", "at", now, "act", "hook-error", "hook", name,
                      "why", cli->error->message);
        plan_log_remark(cmd->file->state_fd, line);
    }
    (void)cli_failed(cli, 0);
    return 0;
}

/* The plan of the folder that the client names, else of the one that it was started in. */
static bool
open_plan(Cli *cli, const json_t *input, PlanCmd *ret)
{
    const char *started = g_getenv("CLAUDE_PROJECT_DIR"), *cwd = plan_text(input, "cwd");
    g_autofree char *here = g_get_current_dir();
    const char *const places[] = {*cwd ? cwd : here, started && *started ? started : NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(places) && places[i] && !ret->file; i++) {
        g_clear_pointer(&ret->project, project_free);
        if (!g_file_test(places[i], G_FILE_TEST_IS_DIR))
            continue;
        if (!project_find(places[i], false, &ret->project, &cli->error) ||
            (ret->project && !plan_file_open(ret->project, false, &ret->file, &cli->error)))
            return false;
    }
    ret->site = (PlanSite){.project = ret->project,
                           .file = ret->file,
                           .wait_ms = PLAN_WAIT_HOOK_MS,
                           .taker = taker_of_caller(plan_text(input, "session_id"))};
    return true;
}

static bool
read_input(Cli *cli, json_t **ret)
{
    g_autoptr(GBytes) bytes = NULL;

    if (!file_read_fd(STDIN_FILENO, LIMIT_PLAN_BYTES, &bytes, &cli->error) ||
        !json_parse_bytes(bytes, LIMIT_PLAN_BYTES, ret, &cli->error))
        return err_prefix(&cli->error, "the hook's input");
    return json_is_object(*ret) ||
           err_set(&cli->error, ERR_NEVER, "the hook's input is no JSON object");
}

/* What the plan of this folder says to it; 0 where there is none. */
static int
answer_hook(Cli *cli, HookKind kind, const char *name, const json_t *input)
{
    g_auto(PlanCmd) cmd = {0};
    g_autoptr(GString) err = g_string_new(NULL);
    HookAnswer answer = {.out = cli->out, .err = err};

    if (!open_plan(cli, input, &cmd))
        return fail_open(cli, &cmd, name);
    if (!cmd.file)
        return 0;
    if (!hook_answer(&cmd.site, kind, input, &answer, &cli->error)) {
        g_string_truncate(cli->out, 0);
        return fail_open(cli, &cmd, name);
    }
    if (cmd.file->notice)
        (void)cli_fail(0, "%s", cmd.file->notice);
    (void)file_write_all(STDERR_FILENO, err->str, err->len, NULL);
    return answer.status;
}

static int
run_hook(Cli *cli, HookKind kind, const char *name)
{
    json_keep_all();
    g_auto(PlanCmd) cmd = {0};
    g_autoptr(json_t) input = NULL, nothing = json_object();

    if (read_input(cli, &input))
        return answer_hook(cli, kind, name, input);
    (void)open_plan(cli, nothing, &cmd);
    return fail_open(cli, &cmd, name);
}

int
cmd_hook(Cli *cli, int argc, char **argv)
{
    return cli_usage(cli, "which one?");
}

/* The forms whose answer is the plan's alone, by what stands behind "hook". */
int
cmd_hook_plan(Cli *cli, int argc, char **argv)
{
    static const char *const names[] = {
        [HOOK_STOP] = "stop",
        [HOOK_SUBAGENT_STOP] = "subagent-stop",
        [HOOK_SESSION_START] = "session-start",
        [HOOK_SESSION_END] = "session-end",
        [HOOK_USER_PROMPT] = "user-prompt",
        [HOOK_TASK] = "task",
    };
    const char *name = strchr(cli->row->name, ' ') + 1;
    HookKind kind = 0;

    while (kind < G_N_ELEMENTS(names) && !g_str_equal(names[kind], name))
        kind++;
    g_assert(kind < G_N_ELEMENTS(names));
    return run_hook(cli, kind, name);
}

/* The plan's rule needs the folder alone; what it does not refuse is for the run that started the client to judge. */
int
cmd_hook_pre_tool(Cli *cli, int argc, char **argv)
{
    g_autoptr(json_t) input = NULL;

    if (!cli_in_agent())
        return run_hook(cli, HOOK_PRE_TOOL, "pre-tool");
    if (!read_input(cli, &input)) {
        tool_permit_deny(cli, cli->error);
        return 0;
    }
    int status = answer_hook(cli, HOOK_PRE_TOOL, "pre-tool", input);
    if (status == 0)
        tool_permit(cli, input);
    return status;
}
