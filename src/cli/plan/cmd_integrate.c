/*
 * `integrate`: makes coding agents know the plugin, by their own commands where they have some, and takes it away again.
 *
 * A settings file is somebody else's. What a client's command rewrites is put back byte for byte, with our members or tables added;
 * its bytes of before are kept (a record in the state folder of the user), so that --remove gives them back exactly, unless
 * somebody has changed the file since: then only our members are taken out.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/proc.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/plan/json_text.h"
#include "plan/file/project.h"
#include "setup/setup.h"
#include <glib/gstdio.h>
#include <sys/stat.h>

#define PLUGIN "postrider@postrider"
#define COMMAND_US (120 * USEC_PER_SEC)
#define FOLDER "@" /* in a command, and as a string in JSON: the plugin's folder */

/* A member of a settings file that is ours, and what it is. */
typedef struct Ours {
    const char *in, *key, *value;
} Ours;

typedef const char *const *Argv;
typedef struct Client {
    const char *name, *program;
    const char *variable, *folder, *file; /* the settings: $variable/file, else ~/folder/file */
    const Ours *ours;                     /* ends with NULL; NULL: the file is not JSON */
    const char *sign;  /* not JSON: what the file has when the plugin is there */
    Argv add[3], drop[3];
    const char *then; /* what a person does next */
} Client;

static const char *const market_add[] = {"plugin", "marketplace", "add", FOLDER, NULL};
static const char *const market_remove[] = {"plugin", "marketplace", "remove", "postrider",
                                            NULL};
static const char *const claude_install[] = {"plugin", "install", PLUGIN, NULL};
static const char *const claude_uninstall[] = {"plugin", "uninstall", PLUGIN, NULL};
static const char *const codex_install[] = {"plugin", "add", PLUGIN, NULL};
static const char *const codex_remove[] = {"plugin", "remove", PLUGIN, NULL};
static const Ours claude_ours[] = {
    {"extraKnownMarketplaces", "postrider",
     "{\"source\": {\"source\": \"directory\", \"path\": \"" FOLDER "\"}}"},
    {"enabledPlugins", PLUGIN, "true"},
    {NULL}};
static const Ours opencode_ours[] = {
    {"mcp", "postrider",
     "{\"type\": \"local\", \"command\": [\"postrider\", \"mcp\"], \"enabled\": true}"},
    {NULL}};

static const Client claude = {
    .name = "claude-code",
    .program = "claude",
    .variable = "CLAUDE_CONFIG_DIR",
    .folder = ".claude",
    .file = "settings.json",
    .ours = claude_ours,
    .add = {market_add, claude_install},
    .drop = {claude_uninstall, market_remove},
    .then = "Sessions that begin from now on have /00_plan and /02_execute."};
static const Client codex = {.name = "codex",
                             .program = "codex",
                             .variable = "CODEX_HOME",
                             .folder = ".codex",
                             .file = "config.toml",
                             .sign = "[plugins.\"" PLUGIN "\"]",
                             .add = {market_add, codex_install},
                             .drop = {codex_remove, market_remove},
                             .then =
                                 "Its hooks run once you trust them: look at /hooks in Codex."};
static const Client opencode = {
    .name = "opencode",
    .program = "opencode",
    .folder = "opencode",
    .file = "opencode.json",
    .ours = opencode_ours,
    .then = "Sessions that begin from now on have its tools and prompts."};

/* --- the settings file --- */

typedef struct Settings {
    char *path, *folder;
    mode_t mode;
} Settings;

static void
settings_clear(Settings *settings)
{
    free_all(settings->path, settings->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Settings, settings_clear)

static void
find_settings(const Client *client, Settings *ret)
{
    const char *told = client->variable ? g_getenv(client->variable) : NULL;
    const char *base = client->variable ? g_get_home_dir() : g_get_user_config_dir();

    ret->folder = told && *told ? g_strdup(told) : g_build_filename(base, client->folder, NULL);
    ret->path = g_build_filename(ret->folder, client->file, NULL);
    ret->mode = 0600;
}

/* *ret is NULL, with true, when there is none. ERR_NEVER: it is one that we do not touch. */
static bool
read_settings(const Client *client, Settings *settings, char **ret, GError **error)
{
    g_autoptr(json_t) parsed = NULL;
    g_autofree char *text = NULL;
    struct stat st;
    gsize len;

    *ret = NULL;
    if (lstat(settings->path, &st) < 0)
        return errno == ENOENT || err_set_errno(error, errno, "'%s'", settings->path);
    if (S_ISLNK(st.st_mode))
        return err_set(
            error, ERR_NEVER,
            "'%s' is a symbolic link, whose file is somebody else's: nothing was changed",
            settings->path);
    if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_CONFIG_BYTES)
        return err_set(error, ERR_NEVER, "'%s' is no settings file: nothing was changed",
                       settings->path);
    if (!(st.st_mode & 0222))
        return err_set(error, ERR_NEVER, "'%s' is read-only: nothing was changed",
                       settings->path);
    g_autoptr(GError) why = NULL;
    if (!g_file_get_contents(settings->path, &text, &len, &why))
        return err_set(error, ERR_NEVER, "%s", why->message);
    if (client->ours && !json_parse(text, len, LIMIT_CONFIG_BYTES, &parsed, error))
        return err_prefix(error, "'%s' is broken, and nothing was changed", settings->path);
    if (parsed && !json_is_object(parsed))
        return err_set(error, ERR_NEVER, "'%s' is no JSON object, and nothing was changed",
                       settings->path);
    settings->mode = st.st_mode & 0777;
    *ret = g_steal_pointer(&text);
    return true;
}

/* NULL: there was none, so there is none again. */
static bool
write_settings(const Settings *settings, const char *text, GError **error)
{
    g_autofree char *name = g_path_get_basename(settings->path);

    if (!text)
        return g_unlink(settings->path) == 0 || errno == ENOENT ||
               err_set_errno(error, errno, "'%s'", settings->path);
    if (g_mkdir_with_parents(settings->folder, 0700) < 0)
        return err_set_errno(error, errno, "'%s'", settings->folder);
    auto_fd fd = dir_open(settings->folder, error);
    return fd >= 0 && file_replace(fd, name, text, strlen(text), settings->mode, error);
}

static bool
is_integrated(const Client *client, const char *text)
{
    g_autoptr(json_t) parsed = NULL;

    if (!text || !client->ours)
        return text && strstr(text, client->sign);
    if (!json_parse(text, strlen(text), 0, &parsed, NULL))
        return false;
    for (const Ours *o = client->ours; o->in; o++)
        if (!json_object_get(json_object_get(parsed, o->in), o->key))
            return false;
    return true;
}

/* The text of before with our members, as the client has written them. NULL: that would not be the same. */
static char *
keep_bytes(const Client *client, const char *before, const char *after)
{
    g_autoptr(json_t) wanted = NULL, made = NULL;
    g_autofree char *text = g_strdup(before);

    if (!json_parse(after, strlen(after), 0, &wanted, NULL))
        return NULL;
    for (const Ours *o = client->ours; o->in && text; o++) {
        json_t *value = json_object_get(json_object_get(wanted, o->in), o->key);
        g_autofree char *words = value ? json_format(value) : NULL;
        char *next = words ? json_text_put(text, o->in, o->key, words) : NULL;
        g_free(text);
        text = next;
    }
    return text && json_parse(text, strlen(text), 0, &made, NULL) && json_equal(made, wanted)
               ? g_steal_pointer(&text)
               : NULL;
}

/* --- TOML --- */

static const char *
skip_blanks(const char *line)
{
    return line + strspn(line, " \t\r");
}

/* The first line of one of our tables, or of one below it? */
static bool
is_our_head(const char *line)
{
    static const char *const names[] = {"marketplaces.postrider", "plugins.\"" PLUGIN "\""};
    const char *name = line + strspn(line, "[");

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(name, names[i]) && strchr("].", name[strlen(names[i])]))
            return true;
    return false;
}

/* Which lines are ours: each table from the blank line before its head to its last value. Comments and blanks behind that
 * belong to what follows. Caller frees. */
static bool *
find_ours(char **lines)
{
    bool *ours = g_new0(bool, g_strv_length(lines) + 1);
    bool inside = false;
    int last = -1;

    for (int i = 0; lines[i]; i++) {
        const char *line = skip_blanks(lines[i]);
        if (*line == '[') {
            inside = is_our_head(line);
            last = i > 0 && !*skip_blanks(lines[i - 1]) ? i - 2 : i - 1;
        }
        if (inside && *line && *line != '#')
            while (last < i)
                ours[++last] = true;
    }
    return ours;
}

/* The lines of our tables, or those of all others. Caller frees. */
static char *
toml_part(const char *text, bool ours)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree bool *mine = find_ours(lines);
    GString *part = g_string_new(NULL);

    for (int i = 0; lines[i]; i++)
        if (mine[i] == ours && (lines[i + 1] || *lines[i]))
            g_string_append_printf(part, "%s%s", lines[i], lines[i + 1] ? "\n" : "");
    return g_string_free(part, false);
}

static bool
same_but_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " \t\r\n");
        b += strspn(b, " \t\r\n");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* As keep_bytes(): our tables behind the text of before, where the client has changed nothing else but blanks. */
static char *
keep_toml(const char *before, const char *after)
{
    g_autofree char *ours = toml_part(after, true), *others = toml_part(after, false);

    if (!*ours || !same_but_blanks(before, others))
        return NULL;
    return g_strconcat(before, !*before || g_str_has_suffix(before, "\n") ? "" : "\n",
                       *before ? "\n" : "", ours + strspn(ours, "\r\n"), NULL);
}

static char *
take_out(const Client *client, const char *text)
{
    char *made = client->ours ? g_strdup(text) : toml_part(text, false);

    if (!client->ours)
        return made;

    for (const Ours *o = client->ours; o->in && made; o++) {
        char *next = json_text_drop(made, o->in, o->key);
        g_free(made);
        made = next;
    }
    return made;
}

/* --- the record --- */

static char *
record_path(const Client *client)
{
    g_autofree char *name = g_strdup_printf("integrate-%s.json", client->name);

    return g_build_filename(g_get_user_state_dir(), "postrider", name, NULL);
}

static bool
save_record(const Client *client,
            const Settings *settings,
            const char *before,
            const char *after,
            GError **error)
{
    g_autofree char *path = record_path(client), *folder = g_path_get_dirname(path),
                    *name = g_path_get_basename(path);
    g_autoptr(json_t) record = json_pack("{s:s, s:s?, s:s?}", "file", settings->path, "before",
                                         before, "after", after);

    if (!record)
        return err_set(error, ERR_NEVER, "'%s' is no text", settings->path);
    if (g_mkdir_with_parents(folder, 0700) < 0)
        return err_set_errno(error, errno, "'%s'", folder);
    g_autofree char *text = json_format(record);
    auto_fd fd = dir_open(folder, error);
    return fd >= 0 && file_replace(fd, name, text, strlen(text), 0600, error);
}

/* The record of this file, if its bytes are still those that we left; NULL. */
static json_t *
load_record(const Client *client, const Settings *settings, const char *now)
{
    g_autofree char *path = record_path(client), *text = NULL;
    g_autoptr(json_t) record = NULL;

    if (!g_file_get_contents(path, &text, NULL, NULL) ||
        !json_parse(text, strlen(text), 4 * LIMIT_CONFIG_BYTES, &record, NULL) ||
        g_strcmp0(json_string_value(json_object_get(record, "file")), settings->path) != 0 ||
        g_strcmp0(json_string_value(json_object_get(record, "after")), now) != 0)
        return NULL;
    return g_steal_pointer(&record);
}

/* --- the client's commands --- */

static char *
plugin_folder(GError **error)
{
    static const char *const places[] = {"integrations/plugin", "share/postrider/plugin", NULL};
    g_autofree char *dir = g_file_read_link("/proc/self/exe", NULL);

    for (int level = 0; dir && level < 3; level++) {
        char *up = g_path_get_dirname(dir);
        g_free(dir);
        dir = up;
        for (const char *const *place = places; *place; place++) {
            g_autofree char *folder = g_build_filename(dir, *place, NULL);
            if (g_file_test(folder, G_FILE_TEST_IS_DIR))
                return g_steal_pointer(&folder);
        }
    }
    g_autofree char *installed = g_build_filename(POSTRIDER_DATADIR, "plugin", NULL);
    if (g_file_test(installed, G_FILE_TEST_IS_DIR))
        return g_steal_pointer(&installed);
    err_set(error, ERR_CONFIG, "there is no plugin at '%s'", installed);
    return NULL;
}

/* What the client said last, for a message; caller frees. */
static char *
last_line(const ProcEnd *end)
{
    g_autofree char *err = text_valid_bytes(end->err), *out = text_valid_bytes(end->out);
    char *said = g_strchomp(*g_strchomp(err) ? err : out);
    char *line = strrchr(said, '\n');

    return text_vis(line ? line + 1 : said, false);
}

static bool
run_command(const Client *client, Argv words, const char *folder, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(Proc) proc = NULL;

    g_ptr_array_add(argv, (char *)client->program);
    for (; *words; words++)
        g_ptr_array_add(argv, (char *)(g_str_equal(*words, FOLDER) ? folder : *words));
    g_ptr_array_add(argv, NULL);
    const ProcSpec spec = {.argv = (const char *const *)argv->pdata,
                           .limits = {.time_us = COMMAND_US}};
    if (!proc_run(&spec, &proc, error))
        return false;
    if (!proc_result(proc)->why)
        return true;
    g_autofree char *said = last_line(proc_result(proc)),
                    *all = g_strjoinv(" ", (char **)argv->pdata);
    return err_set(error, ERR_NEVER, "'%s': %s: %s", all, proc_result(proc)->why, said);
}

static bool
run_commands(const Client *client, const Argv commands[3], const char *folder, GError **error)
{
    for (int i = 0; i < 3 && commands[i]; i++)
        if (!run_command(client, commands[i], folder, error))
            return false;
    return true;
}

/* --- both ways --- */

static void
show_diff(Cli *cli, const Settings *settings, const char *before, const char *after)
{
    g_autofree char *diff = setup_diff(before ? before : "", after ? after : "");

    cli_print_line(cli, "%s:", settings->path);
    cli_print_vis(cli, diff, true);
}

/* What the client has made of its settings, with foreign bytes as they were. */
static bool
settle(const Client *client, Settings *settings, const char *before, char **ret, GError **error)
{
    g_autofree char *after = NULL;

    if (!read_settings(client, settings, &after, error))
        return false;
    char *kept = !before || !after ? NULL
                 : client->ours    ? keep_bytes(client, before, after)
                                   : keep_toml(before, after);
    *ret = kept ? kept : g_steal_pointer(&after);
    return !kept || write_settings(settings, kept, error);
}

/* The settings as they will be, so that a person sees it before anything is changed; NULL: there is no place for ours in them. Caller
 * frees. */
static char *
predict(const Client *client, const char *before, const char *folder)
{
    g_autoptr(json_t) path = json_string(folder);
    g_autofree char *quoted = path ? json_format(path) : g_strdup("\"\"");
    char *text = g_strdup(before ? before : client->ours ? "{}\n" : "");

    if (!client->ours) {
        g_autofree char *old = text;
        const char *ends = !*old ? "" : g_str_has_suffix(old, "\n") ? "\n" : "\n\n";
        return g_strdup_printf("%s%s[marketplaces.postrider]\nsource_type = \"local\"\n"
                               "source = %s\n\n%s\nenabled = true\n",
                               old, ends, quoted, client->sign);
    }
    for (const Ours *o = client->ours; o->in && text; o++) {
        g_auto(GStrv) parts = g_strsplit(o->value, "\"" FOLDER "\"", -1);
        g_autofree char *value = g_strjoinv(quoted, parts);
        char *next = json_text_put(text, o->in, o->key, value);
        g_free(text);
        text = next;
    }
    return text;
}

/* Do both say the same, however they are written? */
static bool
same_settings(const Client *client, const char *a, const char *b)
{
    g_autoptr(json_t) one = NULL, other = NULL;

    if (!a || !b || !client->ours)
        return a && b && same_but_blanks(a, b);
    return json_parse(a, strlen(a), 0, &one, NULL) &&
           json_parse(b, strlen(b), 0, &other, NULL) && json_equal(one, other);
}

static bool
add(const Client *client,
    Settings *settings,
    const char *before,
    const char *want,
    const char *folder,
    char **ret,
    GError **error)
{
    if (!client->add[0]) {
        *ret = g_strdup(want);
        return write_settings(settings, want, error);
    }
    if (run_commands(client, client->add, folder, error))
        return settle(client, settings, before, ret, error);
    (void)run_commands(client, client->drop, folder, NULL);
    (void)write_settings(settings, before, NULL);
    return false;
}

/* A project that has plans already gets the scripts that read and write their state. */
static void
install_scripts(Cli *cli)
{
    g_autofree char *here = g_get_current_dir();
    g_autoptr(Project) project = NULL;
    g_autoptr(GError) failed = NULL;

    if (!project_find(here, false, &project, NULL) || !project ||
        faccessat(project->fd, PROJECT_FOLDER, F_OK, 0) < 0)
        return;
    if (project_prepare(project, &failed))
        cli_print_line(cli, "%s/" PROJECT_SCRIPTS ": state_read.sh, state_write.sh, state_backup.sh",
                       project->path);
    else
        (void)cli_fail(0, "%s", failed->message);
}

static int
install(Cli *cli, const Client *client, Settings *settings, const char *before)
{
    g_autofree char *after = NULL, *folder = NULL, *want = NULL;

    install_scripts(cli);
    if (is_integrated(client, before)) {
        cli_print_line(cli, "%s knows postrider already; nothing was changed.", client->name);
        return 0;
    }
    if (!(folder = client->add[0] ? plugin_folder(&cli->error) : g_strdup("")))
        return cli_failed(cli, 0);
    if (!(want = predict(client, before, folder)))
        return cli_fail(EX_DATAERR, "'%s': \"%s\" is no object, and nothing was changed",
                        settings->path, client->ours->in);
    show_diff(cli, settings, before, want);
    (void)cli_flush(cli);
    if (!add(client, settings, before, want, folder, &after, &cli->error) ||
        !save_record(client, settings, before, after, &cli->error))
        return cli_failed(cli, 0);
    if (!same_settings(client, want, after)) {
        cli_print_line(cli, "%s has written it otherwise:", client->program);
        show_diff(cli, settings, want, after);
    }
    cli_print_line(cli, "%s knows postrider now. %s", client->name, client->then);
    return 0;
}

static int
take_away(Cli *cli, const Client *client, Settings *settings, const char *now)
{
    g_autoptr(json_t) record = load_record(client, settings, now);
    g_autofree char *path = record_path(client), *left = NULL, *want = NULL;

    if (!is_integrated(client, now)) {
        cli_print_line(cli, "%s does not know postrider; nothing was changed.", client->name);
        return 0;
    }
    if (record)
        want = g_strdup(json_string_value(json_object_get(record, "before")));
    else
        want = take_out(client, now);
    show_diff(cli, settings, now, want);
    (void)cli_flush(cli);
    if (!run_commands(client, client->drop, "", &cli->error) ||
        !read_settings(client, settings, &left, &cli->error) ||
        !write_settings(settings, want, &cli->error))
        return cli_failed(cli, 0);
    (void)g_unlink(path);
    cli_print_line(cli, "%s does not know postrider any more.", client->name);
    return 0;
}

static int
integrate(Cli *cli, const Client *client)
{
    g_auto(Settings) settings = {0};
    g_autofree char *now = NULL, *program = g_find_program_in_path(client->program);

    if (!program && client->add[0])
        return cli_fail(EX_UNAVAILABLE, "there is no '%s' in PATH: install it first",
                        client->program);
    find_settings(client, &settings);
    if (!read_settings(client, &settings, &now, &cli->error))
        return cli_failed(cli, 0);
    return (cli_flag(cli, "remove") ? take_away : install)(cli, client, &settings, now);
}

int
cmd_integrate(Cli *cli, int argc, char **argv)
{
    return cli_usage(cli, "which client?");
}

int
cmd_integrate_claude_code(Cli *cli, int argc, char **argv)
{
    return integrate(cli, &claude);
}

int
cmd_integrate_codex(Cli *cli, int argc, char **argv)
{
    return integrate(cli, &codex);
}

int
cmd_integrate_opencode(Cli *cli, int argc, char **argv)
{
    return integrate(cli, &opencode);
}
