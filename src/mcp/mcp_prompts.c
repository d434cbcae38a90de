/* The commands for plans as prompts. Their texts are those of the plugin's skills, with the places filled that Claude Code
 * fills there. */
#include "mcp/mcp_internal.h"

#define SESSION "${CLAUDE_SESSION_ID}"

static const struct Prompt {
    const char *name, *description, *argument, *text;
} prompts[] = {
#include "mcp/mcp_prompts_data.h"
};

/* "<goal>" is required, "[plan file]" is not; the name is the first word. */
static json_t *
prompt_arguments(const struct Prompt *prompt)
{
    g_autofree char *name = g_strdup(prompt->argument + (*prompt->argument != '\0'));

    name[strcspn(name, " >]")] = '\0';
    if (!*name)
        return json_array();
    return json_pack("[{s:s, s:b}]", "name", name, "required", *prompt->argument == '<');
}

void
mcp_prompts_list(McpCall *call)
{
    json_t *list = json_array();

    for (size_t i = 0; i < G_N_ELEMENTS(prompts); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", prompts[i].name,
                                              "description", prompts[i].description,
                                              "arguments", prompt_arguments(&prompts[i])));
    mcp_result(call, json_pack("{s:o}", "prompts", list));
}

static void
replace(GString *text, const char *place, const char *with)
{
    (void)g_string_replace(text, place, with, 0);
}

/* Where nobody knows the session, the commands do without. */
static char *
fill(const McpCall *call, const char *text, const char *argument)
{
    const char *session = mcp_session(call);
    GString *filled = g_string_new(text);

    if (!session || !*session) {
        replace(filled, "Session: " SESSION "\n\n", "");
        replace(filled, " --session " SESSION, "");
        replace(filled, " --session\n   " SESSION, "");
    }
    replace(filled, SESSION, session ? session : "");
    if (!*argument)
        replace(filled, " $ARGUMENTS", "");
    replace(filled, "$ARGUMENTS", argument);
    return g_string_free(filled, FALSE);
}

void
mcp_prompt_get(McpCall *call)
{
    const char *name = rpc_text(call->rpc, "name");
    const json_t *given = json_object_get(call->rpc->params, "arguments");
    const struct Prompt *found = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(prompts); i++)
        if (g_str_equal(prompts[i].name, name))
            found = &prompts[i];
    if (!found) {
        mcp_fail(call, RPC_PARAMS, "there is no such prompt; prompts/list names them", NULL);
        return;
    }
    g_autoptr(json_t) takes = prompt_arguments(found);
    const char *wanted = json_string_value(json_object_get(json_array_get(takes, 0), "name"));
    const char *argument = wanted ? json_string_value(json_object_get(given, wanted)) : NULL;
    if (*found->argument == '<' && (!argument || !*argument)) {
        g_autofree char *why = g_strdup_printf("arguments.%s: must be there", wanted);
        mcp_fail(call, RPC_PARAMS, why, NULL);
        return;
    }
    g_autofree char *text = fill(call, found->text, argument ? argument : "");
    mcp_result(call,
               json_pack("{s:s, s:[{s:s, s:{s:s, s:s}}]}", "description", found->description,
                         "messages", "role", "user", "content", "type", "text", "text", text));
}
