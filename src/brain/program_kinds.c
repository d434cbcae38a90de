#include "brain/program.h"
#include <math.h>

#define HOOK_SECONDS 60

static void
add(GPtrArray *argv, const char *word)
{
    g_ptr_array_add(argv, g_strdup(word));
}

static void
add_pair(GPtrArray *argv, const char *option, const char *value)
{
    if (!value || !*value)
        return;
    add(argv, option);
    add(argv, value);
}

/* The folder above, in place of the one that is given; false: it is that of a repository, or there
 * is none above. */
static bool
go_up(char **folder)
{
    g_autofree char *git = g_build_filename(*folder, ".git", NULL);

    if (g_file_test(git, G_FILE_TEST_EXISTS) || g_str_equal(*folder, "/"))
        return false;
    char *up = g_path_get_dirname(*folder);
    g_free(*folder);
    *folder = up;
    return true;
}

/* Does the command itself have one of these words? A person who says what the program may do is not overruled. */
static bool
says(const BrainAsk *ask, const char *const *words)
{
    for (const char *const *word = ask->conf->command; *word; word++) {
        if (g_strv_contains(words, *word))
            return true;
    }
    return false;
}

static bool
is_limited(const BrainAsk *ask)
{
    return ask->budget_micro > 0 && ask->budget_micro < INT64_MAX;
}

/* --- claude --- */

/* The hook is asked about every call. Where it does not answer in time, Claude Code asks on the
 * pipe, and the answer there is no unless everything is permitted. */
static char *
claude_settings(const char *hook)
{
    g_autoptr(json_t) settings =
        json_pack("{s:{s:[{s:s, s:[{s:s, s:s, s:i}]}]}}", "hooks", "PreToolUse", "matcher", "*",
                  "hooks", "type", "command", "command", hook, "timeout", HOOK_SECONDS);

    return settings ? json_format(settings) : NULL;
}

/* The words behind the program of an argv, as JSON. */
static json_t *
words_json(const char *const *words)
{
    json_t *list = json_array();

    for (; *words; words++)
        json_array_append_new(list, json_string(*words));
    return list;
}

static char *
claude_servers(const char *const *mcp)
{
    g_autoptr(json_t) servers =
        json_pack("{s:{s:{s:s, s:o}}}", "mcpServers", "postrider", "command", mcp[0], "args",
                  words_json(mcp + 1));

    return servers ? json_format(servers) : NULL;
}

/* --setting-sources user: .claude/settings.json of a repository is read without any question
 * otherwise, and its hooks run. bypassPermissions is refused to root, so what everybody may do is
 * answered on the pipe instead (brain/stream_claude.c). AskUserQuestion exists only with
 * --permission-prompt-tool. */
static void
claude_args(const BrainAsk *ask, GPtrArray *argv)
{
    static const char *const fixed[] = {"-p",
                                        "--output-format",
                                        "stream-json",
                                        "--verbose",
                                        "--input-format",
                                        "stream-json",
                                        "--permission-prompt-tool",
                                        "stdio",
                                        NULL};
    static const char *const modes[] = {"--permission-mode", "--dangerously-skip-permissions", NULL};
    g_autofree char *settings = ask->hook ? claude_settings(ask->hook) : NULL;
    g_autofree char *servers = ask->mcp ? claude_servers(ask->mcp) : NULL;

    for (const char *const *word = fixed; *word; word++)
        add(argv, *word);
    if (!ask->users_env) { /* whose project it is, that person's settings count */
        add_pair(argv, "--setting-sources", "user");
        add(argv, "--strict-mcp-config");
    }
    add_pair(argv, "--model", ask->conf->model);
    if (ask->session)
        add_pair(argv, "--resume", ask->session);
    else
        add_pair(argv, "--session-id", ask->new_session);
    add_pair(argv, "--settings", settings);
    add_pair(argv, "--mcp-config", servers);
    if (ask->permit == BRAIN_PERMIT_EDIT && !ask->hook && !says(ask, modes))
        add_pair(argv, "--permission-mode", "acceptEdits");
    if (is_limited(ask)) {
        char dollars[G_ASCII_DTOSTR_BUF_SIZE];
        add_pair(argv, "--max-budget-usd",
                 g_ascii_formatd(dollars, sizeof dollars, "%.6f",
                                 (double)ask->budget_micro / 1e6));
    }
}

static char **
claude_env(const BrainAsk *ask, char **env)
{
    const char *key = g_environ_getenv(env, "ANTHROPIC_API_KEY");

    /* The token of a subscription (`claude setup-token`) has a variable of its own. */
    if (key && g_str_has_prefix(key, "sk-ant-oat")) {
        env = g_environ_setenv(env, "CLAUDE_CODE_OAUTH_TOKEN", key, TRUE);
        env = g_environ_unsetenv(env, "ANTHROPIC_API_KEY");
    }
    if (*ask->conf->url)
        env = g_environ_setenv(env, "ANTHROPIC_BASE_URL", ask->conf->url, TRUE);
    return env;
}

/* --- codex --- */

/* A basic string of TOML; JSON's has the same escapes. */
static char *
toml_string(const char *text)
{
    g_autoptr(json_t) value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    char *copy = g_strdup(quoted ? quoted : "\"\"");

    free(quoted);
    return copy;
}

/* Settings and hooks of a repository (.codex) count only in a folder that is trusted, and with
 * --dangerously-bypass-hook-trust in one of which nothing is said. So each folder from where it
 * works up to the repository's own is said not to be. */
static char *
codex_distrust(const char *cwd)
{
    g_autoptr(GString) out = g_string_new("projects={");
    g_autofree char *folder = g_canonicalize_filename(cwd, NULL);

    do {
        g_autofree char *quoted = toml_string(folder);
        g_string_append_printf(out, "%s%s={trust_level=\"untrusted\"}",
                               g_str_has_suffix(out->str, "{") ? "" : ",", quoted);
    } while (go_up(&folder));
    g_string_append_c(out, '}');
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static void
codex_hook(const char *hook, GPtrArray *argv)
{
    g_autofree char *command = toml_string(hook);
    g_autofree char *setting =
        g_strdup_printf("hooks.PreToolUse=[{matcher=\"*\",hooks=[{type=\"command\",command=%s,"
                        "timeout=%d}]}]",
                        command, HOOK_SECONDS);

    add_pair(argv, "-c", setting);
    add(argv, "--dangerously-bypass-hook-trust");
}

/* Who is not asked here is asked by nobody: what leaves is decided by the run. */
static void
codex_server(const char *const *mcp, GPtrArray *argv)
{
    g_autofree char *command = toml_string(mcp[0]);
    g_autoptr(json_t) args = words_json(mcp + 1);
    g_autofree char *words = json_format(args);
    g_autofree char *setting =
        g_strdup_printf("mcp_servers.postrider={command=%s,args=%s,"
                        "default_tools_approval_mode=\"approve\"}",
                        command, words);

    add_pair(argv, "-c", setting);
}

static void
codex_provider(const ConfBrain *conf, GPtrArray *argv)
{
    g_autofree char *url = toml_string(conf->url);
    bool key = *conf->key_file || *conf->key_env;
    g_autofree char *setting = g_strdup_printf(
        "model_providers.postrider={name=\"postrider\",base_url=%s,wire_api=\"responses\"%s}",
        url, key ? ",env_key=\"OPENAI_API_KEY\"" : "");

    add_pair(argv, "-c", setting);
    add_pair(argv, "-c", "model_provider=\"postrider\"");
}

/* One wall: inside of ours its own does not work. Without one it keeps its own unless everything
 * is permitted; that wall forbids the way to the agent port unless network access is given.
 * AGENTS.md of the folder is not read: what the base commit says stands in the prompt. */
static void
codex_args(const BrainAsk *ask, GPtrArray *argv)
{
    static const char *const sandboxes[] = {"-s", "--sandbox", "--dangerously-bypass-approvals-and-sandbox", NULL};
    bool open = ask->walled || ask->permit == BRAIN_PERMIT_ALL, said = says(ask, sandboxes);
    g_autofree char *distrust = codex_distrust(ask->cwd);

    add(argv, "exec");
    add(argv, "--json");
    add(argv, "--skip-git-repo-check");
    bool asks_nobody = ask->permit == BRAIN_PERMIT_ASK && !ask->hook;
    if (!said)
        add_pair(argv, "-s",
                 open          ? "danger-full-access"
                 : asks_nobody ? "read-only"
                               : "workspace-write");
    if (!open && !said)
        add_pair(argv, "-c", "sandbox_workspace_write.network_access=true");
    if (!ask->users_env) {
        add_pair(argv, "-c", "project_doc_max_bytes=0");
        add_pair(argv, "-c", distrust);
    }
    add_pair(argv, "-m", ask->conf->model);
    if (*ask->conf->url)
        codex_provider(ask->conf, argv);
    if (ask->hook)
        codex_hook(ask->hook, argv);
    if (ask->mcp)
        codex_server(ask->mcp, argv);
    add_pair(argv, "resume", ask->session);
    add(argv, "-");
}

/* `exec` reads its key from a variable of its own, a provider of the settings from its own. */
static char **
codex_env(const BrainAsk *ask, char **env)
{
    const char *key = g_environ_getenv(env, "OPENAI_API_KEY");

    return key && (*ask->conf->key_file || *ask->conf->key_env)
               ? g_environ_setenv(env, "CODEX_API_KEY", key, FALSE)
               : env;
}

/* --- opencode --- */

static void
opencode_args(const BrainAsk *ask, GPtrArray *argv)
{
    add(argv, "run");
    add_pair(argv, "--format", "json");
    add_pair(argv, "-m", ask->conf->model);
    add_pair(argv, "-s", ask->session);
}

/* Without settings opencode permits everything. */
static json_t *
opencode_rules(const BrainAsk *ask)
{
    json_t *rules = NULL;

    if (ask->rules && json_parse(ask->rules, strlen(ask->rules), 0, &rules, NULL))
        return rules;
    if (ask->permit == BRAIN_PERMIT_ALL)
        return json_pack("{s:s}", "*", "allow");
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "*", "ask", "read", "allow", "grep",
                     "allow", "glob", "allow", "list", "allow", "edit",
                     ask->permit == BRAIN_PERMIT_EDIT ? "allow" : "ask");
}

/* "anthropic" of the model "anthropic/some-model". */
static char *
opencode_provider(const ConfBrain *conf)
{
    return g_strndup(conf->model, strcspn(conf->model, "/"));
}

static bool
has_plugins(const char *folder, const char *below)
{
    static const char *const names[] = {"plugin", "plugins", NULL};

    for (const char *const *name = names; *name; name++) {
        g_autofree char *path = g_build_filename(folder, below, *name, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return true;
    }
    return false;
}

static bool
names_plugins(const char *folder, const char *file)
{
    g_autofree char *path = g_build_filename(folder, file, NULL), *text = NULL;

    return g_file_get_contents(path, &text, NULL, NULL) && strstr(text, "\"plugin");
}

/* opencode imports the plugins of a repository and runs them, whatever it is told. */
static char *
opencode_refuse(const BrainAsk *ask)
{
    static const char *const files[] = {"opencode.json", "opencode.jsonc",
                                        ".opencode/opencode.json", ".opencode/opencode.jsonc",
                                        NULL};
    g_autofree char *folder = g_canonicalize_filename(ask->cwd, NULL);

    do {
        const char *found = has_plugins(folder, ".opencode") ? ".opencode" : NULL;
        for (const char *const *file = files; *file && !found; file++)
            found = names_plugins(folder, *file) ? *file : NULL;
        if (found)
            return g_strdup_printf("'%s/%s' has plugins, which opencode would run: take them out "
                                   "of the repository, or give the role another brain",
                                   folder, found);
    } while (go_up(&folder));
    return NULL;
}

/* The settings go by a variable; what `env` puts into it stays, but for the permissions. */
static char **
opencode_env(const BrainAsk *ask, char **env)
{
    static const char name[] = "OPENCODE_CONFIG_CONTENT";
    const char *given = g_environ_getenv(env, name);
    g_autofree char *provider = opencode_provider(ask->conf);
    g_autoptr(json_t) settings = NULL;

    if (!given || !json_parse(given, strlen(given), 0, &settings, NULL) ||
        !json_is_object(settings)) {
        g_clear_pointer(&settings, json_decref);
        settings = json_object();
    }
    (void)json_object_set_new(settings, "permission", opencode_rules(ask));
    if (ask->mcp) {
        g_autoptr(json_t) server =
            json_pack("{s:{s:{s:s, s:o, s:b}}}", "mcp", "postrider", "type", "local", "command",
                      words_json(ask->mcp), "enabled", true);
        (void)json_object_update_recursive(settings, server);
    }
    if (*ask->conf->url && *provider) {
        g_autoptr(json_t) own = json_pack("{s:{s:{s:{s:s}}}}", "provider", provider, "options",
                                          "baseURL", ask->conf->url);
        (void)json_object_update_recursive(settings, own);
    }
    g_autofree char *text = json_format(settings);
    g_autofree char *key_name = g_ascii_strup(provider, -1);
    g_autofree char *variable = g_strconcat(key_name, "_API_KEY", NULL);
    const char *key = g_environ_getenv(env, "OPENCODE_API_KEY");
    if (key && *key_name)
        env = g_environ_setenv(env, variable, key, FALSE);
    return g_environ_setenv(env, name, text, TRUE);
}

/* --- the table --- */

static const char *const claude_always[] = {"DISABLE_AUTOUPDATER=1", NULL};
/* Nothing of the project, nothing of another agent's, nothing fetched. */
static const char *const opencode_always[] = {"OPENCODE_DISABLE_PROJECT_CONFIG=1",
                                              "OPENCODE_PURE=1",
                                              "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
                                              "OPENCODE_DISABLE_CLAUDE_CODE=1",
                                              "OPENCODE_DISABLE_SHARE=1",
                                              "OPENCODE_DISABLE_AUTOUPDATE=1",
                                              "OPENCODE_DISABLE_MODELS_FETCH=1",
                                              "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
                                              NULL};

static const ProgramKind kinds[] = {
    {.kind = BRAIN_COMMAND},
    {.kind = BRAIN_CLAUDE,
     .parser = CONF_PARSER_CLAUDE,
     .key_env = "ANTHROPIC_API_KEY",
     .keeps_session = true,
     .two_way = true,
     .has_budget = true,
     .env = claude_always,
     .add_args = claude_args,
     .add_env = claude_env},
    {.kind = BRAIN_CODEX,
     .parser = CONF_PARSER_CODEX,
     .key_env = "OPENAI_API_KEY",
     .keeps_session = true,
     .priced = true,
     .add_args = codex_args,
     .add_env = codex_env},
    {.kind = BRAIN_OPENCODE,
     .parser = CONF_PARSER_OPENCODE,
     .key_env = "OPENCODE_API_KEY",
     .keeps_session = true,
     .env = opencode_always,
     .add_args = opencode_args,
     .refuse = opencode_refuse,
     .add_env = opencode_env},
};

const ProgramKind *
program_kind(BrainKind kind)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (kinds[i].kind == kind)
            return &kinds[i];
    }
    return NULL;
}

bool
brain_keeps_session(const ConfBrain *conf)
{
    const ProgramKind *kind = program_kind(conf->kind);

    return kind && kind->keeps_session;
}
