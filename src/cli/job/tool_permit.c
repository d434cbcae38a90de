#include "cli/job/tool_permit.h"
#include "base/json.h"
#include "port/port_client.h"

/* As Claude Code and Codex read it. */
static void
say(Cli *cli, const char *decision, const char *reason, json_t *input)
{
    json_t *said = json_pack("{s:s, s:s}", "hookEventName", "PreToolUse", "permissionDecision",
                             decision);
    if (reason)
        json_object_set_new(said, "permissionDecisionReason", json_string(reason));
    if (json_is_object(input))
        json_object_set(said, "updatedInput", input);
    g_autoptr(json_t) whole = json_pack("{s:o}", "hookSpecificOutput", said);
    g_autofree char *line = json_format(whole);
    cli_print(cli, "%s\n", line);
}

/* The call as the client tells it, as a request; NULL with an error. */
static json_t *
make_request(const json_t *told, GError **error)
{
    const char *tool = NULL, *session = NULL, *call = NULL, *cwd = NULL;
    if (!json_get_string(told, "", "tool_name", &tool, error) ||
        !json_find_string(told, "", "session_id", &session, error) ||
        !json_find_string(told, "", "tool_use_id", &call, error) ||
        !json_find_string(told, "", "cwd", &cwd, error))
        return NULL;
    json_t *input = json_object_get(told, "tool_input");
    if (!json_is_object(input)) {
        err_set(error, ERR_NEVER, "tool_input: must be an object");
        return NULL;
    }
    return json_pack("{s:s, s:s, s:O, s:s*, s:s*, s:s*}", "verb", "permit", "tool", tool, "input",
                     input, "session", session, "call", call, "cwd", cwd);
}

static bool
ask_run(Cli *cli, const json_t *told, GError **error)
{
    json_t *request = make_request(told, error);
    g_autoptr(json_t) answer = NULL;
    const char *decision, *reason = NULL;
    if (!request || !port_call(port_client_path(), request, &answer, NULL, error) ||
        !json_get_string(answer, "", "decision", &decision, error) ||
        !json_find_string(answer, "", "reason", &reason, error))
        return false;
    if (*decision)
        say(cli, decision, reason, json_object_get(answer, "input"));
    return true;
}

void
tool_permit_deny(Cli *cli, const GError *why)
{
    g_autofree char *reason =
        g_strdup_printf("Not allowed: postrider could not be asked about this call (%s).",
                        why->message);
    say(cli, "deny", reason, NULL);
}

void
tool_permit(Cli *cli, const json_t *told)
{
    g_autoptr(GError) error = NULL;
    if (!ask_run(cli, told, &error))
        tool_permit_deny(cli, error);
}
