#include "engine/permit/permit_policy.h"
#include "engine/permit/shell_words.h"
#include <limits.h>
#include <sys/stat.h>

#define LINKS_MAX 40u /* as many as the kernel follows */

typedef enum ToolClass {
    TOOL_UNKNOWN,
    TOOL_READ,
    TOOL_EDIT,
    TOOL_PATCH, /* a patch that names its files by itself */
    TOOL_SHELL,
    TOOL_NET,
    TOOL_HARMLESS, /* changes nothing outside of the client's own session */
    TOOL_QUESTION,
    TOOL_OURS, /* of `postrider mcp` */
} ToolClass;

typedef struct Tool {
    const char *name;
    ToolClass class;
    const char *member; /* that holds its path or command; NULL: it has neither */
    bool needs;         /* the member; otherwise it is the folder where the client stands */
} Tool;

/* By the names that Claude Code, Codex and opencode (in lower case) use. Agents that a client
 * starts by itself pass here with each call of their own. */
static const Tool tools[] = {
    {"Read", TOOL_READ, "file_path", true},
    {"NotebookRead", TOOL_READ, "notebook_path", true},
    {"view_image", TOOL_READ, "path", true},
    {"Glob", TOOL_READ, "path", false},
    {"Grep", TOOL_READ, "path", false},
    {"LS", TOOL_READ, "path", false},
    {"Edit", TOOL_EDIT, "file_path", true},
    {"MultiEdit", TOOL_EDIT, "file_path", true},
    {"Write", TOOL_EDIT, "file_path", true},
    {"NotebookEdit", TOOL_EDIT, "notebook_path", true},
    {"apply_patch", TOOL_PATCH, "command", true},
    {"Bash", TOOL_SHELL, "command", true},
    {"bash", TOOL_SHELL, "command", true},
    {"edit", TOOL_EDIT, "filePath", true},
    {"write", TOOL_EDIT, "filePath", true},
    {"read", TOOL_READ, "filePath", true},
    {"WebFetch", TOOL_NET, NULL, false},
    {"WebSearch", TOOL_NET, NULL, false},
    {"AskUserQuestion", TOOL_QUESTION, NULL, false},
    {"Agent", TOOL_HARMLESS, NULL, false},
    {"Task", TOOL_HARMLESS, NULL, false},
    {"TaskCreate", TOOL_HARMLESS, NULL, false},
    {"TaskUpdate", TOOL_HARMLESS, NULL, false},
    {"TaskGet", TOOL_HARMLESS, NULL, false},
    {"TaskList", TOOL_HARMLESS, NULL, false},
    {"TaskOutput", TOOL_HARMLESS, NULL, false},
    {"TaskStop", TOOL_HARMLESS, NULL, false},
    {"TodoWrite", TOOL_HARMLESS, NULL, false},
    {"ToolSearch", TOOL_HARMLESS, NULL, false},
    {"BashOutput", TOOL_HARMLESS, NULL, false},
    {"KillShell", TOOL_HARMLESS, NULL, false},
    {"EnterPlanMode", TOOL_HARMLESS, NULL, false},
    {"ExitPlanMode", TOOL_HARMLESS, NULL, false},
    {"update_plan", TOOL_HARMLESS, NULL, false},
    {"get_goal", TOOL_HARMLESS, NULL, false},
    {"create_goal", TOOL_HARMLESS, NULL, false},
    {"update_goal", TOOL_HARMLESS, NULL, false},
    {"spawn_agent", TOOL_HARMLESS, NULL, false},
};

/* Names of files that configure an agent or git, in lower case. A program that writes there
 * could have a command run about which nobody was asked. */
static const char *const protected_names[] = {".git",     ".claude",       ".codex",
                                              ".mcp.json", "opencode.json", "opencode.jsonc",
                                              ".opencode", NULL};

const char *const *
permit_protected(void)
{
    return protected_names;
}

static const Tool *
tool_find(const char *name)
{
    static const Tool unknown = {NULL, TOOL_UNKNOWN, NULL, false};
    static const Tool ours = {NULL, TOOL_OURS, NULL, false};
    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++) {
        if (g_str_equal(tools[i].name, name))
            return &tools[i];
    }
    return g_str_has_prefix(name, "mcp__postrider__") ? &ours : &unknown;
}

static const char *
text_member(const PermitCall *call, const char *name)
{
    return json_string_value(json_object_get(call->input, name));
}

/* --- verdicts --- */

static const PermitVerdict yes = {PERMIT_YES, NULL, false, false};

static PermitVerdict
ask(const char *why)
{
    return (PermitVerdict){PERMIT_ASK, why, false, false};
}

static PermitVerdict
ask_each_time(void)
{
    return (PermitVerdict){PERMIT_ASK, "it touches what configures an agent or git", true,
                           false};
}

static PermitVerdict
refuse(const char *why)
{
    return (PermitVerdict){PERMIT_NO, why, true, false};
}

/* The stricter of two. */
static PermitVerdict
worse(PermitVerdict a, PermitVerdict b)
{
    if (a.answer != b.answer)
        return a.answer > b.answer ? a : b;
    return b.each_time ? b : a;
}

/* --- paths --- */

/* Follows one part of a path: *at is where it begins, and what is left to follow is *rest.
 * False: too many links. */
static bool
follow_part(GString *at, const char *part, char **rest, unsigned *links)
{
    char target[PATH_MAX];
    if (!*part || g_str_equal(part, "."))
        return true;
    if (g_str_equal(part, "..")) {
        const char *slash = strrchr(at->str, '/');
        g_string_truncate(at, slash ? (size_t)(slash - at->str) : 0);
        return true;
    }
    size_t before = at->len;
    g_string_append_printf(at, "/%s", part);
    ssize_t n = readlink(at->str, target, sizeof target - 1);
    if (n < 0)
        return true; /* no link, or nothing at all */
    if (++*links > LINKS_MAX)
        return false;
    target[n] = '\0';
    g_string_truncate(at, *target == '/' ? 0 : before);
    char *more = g_strjoin("/", target, *rest, NULL);
    g_free(*rest);
    *rest = more;
    return true;
}

/* The path as the kernel would walk it, as far as it exists; NULL: it leads in a circle. Caller
 * frees. */
static char *
follow(const char *absolute)
{
    g_autoptr(GString) at = g_string_new(NULL);
    g_autofree char *rest = g_strdup(absolute);
    unsigned links = 0;
    while (*rest) {
        const char *slash = strchr(rest, '/');
        g_autofree char *part = slash ? g_strndup(rest, (size_t)(slash - rest)) : g_strdup(rest);
        char *behind = g_strdup(slash ? slash + 1 : "");
        g_free(rest);
        rest = behind;
        if (!follow_part(at, part, &rest, &links))
            return NULL;
    }
    if (at->len == 0)
        g_string_append_c(at, '/');
    return g_string_free(g_steal_pointer(&at), FALSE);
}

/* The part of the path behind the folder: "" for the folder itself; NULL: the path is not below
 * the folder. */
static const char *
below(const char *folder, const char *path)
{
    size_t len = strlen(folder);
    if (!g_str_has_prefix(path, folder) || (path[len] && path[len] != '/'))
        return NULL;
    return path[len] ? path + len + 1 : "";
}

static bool
is_protected(const char *relative)
{
    g_auto(GStrv) parts = g_strsplit(relative, "/", -1);
    for (char **part = parts; *part; part++) {
        g_autofree char *lower = g_ascii_strdown(*part, -1);
        if (g_strv_contains(protected_names, lower))
            return true;
    }
    return false;
}

typedef enum PathKind { PATH_INSIDE, PATH_PROTECTED, PATH_OUTSIDE } PathKind;

/* Judges the path as it is written; the folder itself may lead through links. */
static PathKind
kind_below(const char *folder, const char *path)
{
    const char *rest = below(folder, path);
    if (!rest)
        return PATH_OUTSIDE;
    return is_protected(rest) ? PATH_PROTECTED : PATH_INSIDE;
}

static PathKind
kind_in(const char *folder, const char *lexical, const char *followed)
{
    g_autofree char *real = folder ? follow(folder) : NULL;
    if (!real)
        return PATH_OUTSIDE;
    PathKind a = kind_below(folder, lexical), b = kind_below(real, followed);
    if (a == PATH_OUTSIDE) /* the agent may know its folder by its real name */
        a = kind_below(real, lexical);
    return MAX(a, b);
}

static char *
absolute_path(const PermitPlace *place, const PermitCall *call, const char *path)
{
    bool has_cwd = call->cwd && *call->cwd == '/';
    return *path == '/' ? g_strdup(path)
                        : g_build_filename(has_cwd ? call->cwd : place->root, path, NULL);
}

/* A client collapses a/../b by its text, the kernel by the folders: both must stay inside. */
static PathKind
path_kind(const PermitPlace *place, const PermitCall *call, const char *path, bool write)
{
    if (*path == '~')
        return PATH_OUTSIDE;
    g_autofree char *absolute = absolute_path(place, call, path);
    g_autofree char *lexical = g_canonicalize_filename(absolute, "/");
    g_autofree char *followed = follow(absolute);
    g_autofree char *both = followed ? follow(lexical) : NULL;
    if (!both || strlen(absolute) >= PATH_MAX)
        return PATH_OUTSIDE;
    PathKind kind = MAX(kind_in(place->root, lexical, followed),
                        kind_in(place->root, lexical, both));
    const char *other = write ? place->out : place->in;
    if (kind == PATH_OUTSIDE && other)
        kind = MAX(kind_in(other, lexical, followed), kind_in(other, lexical, both));
    if (kind == PATH_OUTSIDE && !write && place->out)
        kind = MAX(kind_in(place->out, lexical, followed), kind_in(place->out, lexical, both));
    return kind;
}

static PermitVerdict
judge_read_path(const PermitPlace *place, const PermitCall *call, const char *path)
{
    return path_kind(place, call, path, false) == PATH_OUTSIDE
               ? ask("it lies outside of the workplace")
               : yes;
}

static PermitVerdict
judge_write_path(const PermitRules *rules,
                 const PermitPlace *place,
                 const PermitCall *call,
                 const char *path)
{
    PathKind kind = path_kind(place, call, path, true);
    if (kind == PATH_PROTECTED)
        return ask_each_time();
    if (kind == PATH_OUTSIDE)
        return is_protected(path) ? ask_each_time() : ask("it lies outside of the workplace");
    return rules->level == BRAIN_PERMIT_ASK ? ask("this role asks before each change") : yes;
}

/* --- classes of tools --- */

static PermitVerdict
judge_read(const PermitPlace *place, const PermitCall *call, const Tool *tool)
{
    const char *path = text_member(call, tool->member);
    const char *pattern = text_member(call, "pattern");
    bool globs = g_str_equal(tool->name, "Glob");
    if (globs && pattern && (strchr("/~", *pattern) || strstr(pattern, "..")))
        return ask("it looks for files outside of the workplace");
    return judge_read_path(place, call, path ? path : ".");
}

/* Each file that the patch names by a line of its own. */
static PermitVerdict
judge_patch(const PermitRules *rules,
            const PermitPlace *place,
            const PermitCall *call,
            const char *patch)
{
    static const char *const heads[] = {"*** Add File: ", "*** Update File: ",
                                        "*** Delete File: ", "*** Move to: "};
    g_auto(GStrv) lines = g_strsplit(patch, "\n", -1);
    PermitVerdict verdict = yes;
    unsigned n = 0;
    for (char **line = lines; *line; line++) {
        const char *text = g_strstrip(*line);
        for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
            if (!g_str_has_prefix(text, heads[i]))
                continue;
            const char *path = text + strlen(heads[i]);
            verdict = worse(verdict, judge_write_path(rules, place, call, path));
            n++;
        }
    }
    return n > 0 ? verdict : ask("it names no file that could be looked at");
}

static bool
is_allowed(const PermitRules *rules, char *const *words)
{
    for (const char *const *p = rules->allow; p && *p; p++) {
        if (shell_has_prefix(words, *p))
            return true;
    }
    return false;
}

static PermitVerdict
judge_shell(const PermitRules *rules,
            const PermitPlace *place,
            const PermitCall *call,
            const char *command)
{
    g_auto(GStrv) words = NULL;
    if (shell_names(command, protected_names) || shell_sets_git(command))
        return ask_each_time();
    if (rules->level == BRAIN_PERMIT_ALL)
        return yes;
    if (json_is_true(json_object_get(call->input, "dangerouslyDisableSandbox")))
        return ask("it wants to leave the client's own sandbox");
    if (!shell_simple(command, &words))
        return ask("it is more than one simple command");
    if (!is_allowed(rules, words))
        return ask("it is none of the commands that `allow` lists");
    if (path_kind(place, call, ".", false) == PATH_OUTSIDE)
        return ask("it runs outside of the workplace");
    return yes;
}

/* Mail and notes ask the agent port, which has rules of its own. The check of a todo is a
 * command from a file that the agent may write, and no question could show it. */
static PermitVerdict
judge_ours(const PermitRules *rules, const PermitCall *call)
{
    const char *status = text_member(call, "status");
    bool checks = g_str_has_suffix(call->tool, "__todo_update") && g_strcmp0(status, "complete") == 0;
    return checks && rules->level != BRAIN_PERMIT_ALL
               ? refuse("it runs the check of the todo, a command that nobody was asked about. Say in "
                        "your answer that the todo is done")
               : yes;
}

static PermitVerdict
judge_known(const PermitRules *rules,
            const PermitPlace *place,
            const PermitCall *call,
            const Tool *tool)
{
    const char *value = tool->member ? text_member(call, tool->member) : NULL;
    switch (tool->class) {
    case TOOL_READ:
        return judge_read(place, call, tool);
    case TOOL_EDIT:
        return judge_write_path(rules, place, call, value);
    case TOOL_PATCH:
        return judge_patch(rules, place, call, value);
    case TOOL_SHELL:
        return judge_shell(rules, place, call, value);
    case TOOL_NET:
        return rules->level == BRAIN_PERMIT_ALL ? yes : ask("it goes to the network");
    case TOOL_HARMLESS:
        return yes;
    case TOOL_QUESTION:
        return (PermitVerdict){PERMIT_ASK, "it asks a person", true, true};
    case TOOL_OURS:
        return judge_ours(rules, call);
    case TOOL_UNKNOWN:
        break;
    }
    return ask("nothing is known about this tool");
}

PermitVerdict
permit_judge(const PermitRules *rules, const PermitPlace *place, const PermitCall *call)
{
    const Tool *tool = tool_find(call->tool);
    if (!*call->tool || !json_is_object(call->input))
        return refuse("the call can't be read: it has no tool or no input");
    const json_t *member = tool->member ? json_object_get(call->input, tool->member) : NULL;
    if ((member && !json_is_string(member)) || (tool->needs && !member))
        return refuse("the call can't be read: its input is not what this tool takes");
    if (tool->needs && !*json_string_value(member))
        return refuse("the call can't be read: its input is empty");
    return judge_known(rules, place, call, tool);
}

/* --- standing permissions --- */

const char *
permit_command(const PermitCall *call)
{
    const Tool *tool = tool_find(call->tool);
    return tool->class == TOOL_SHELL ? text_member(call, tool->member) : NULL;
}

static const char *
file_of(const PermitCall *call)
{
    const Tool *tool = tool_find(call->tool);
    return tool->needs && (tool->class == TOOL_READ || tool->class == TOOL_EDIT)
               ? text_member(call, tool->member)
               : NULL;
}

const char *
permit_covers_what(const PermitCall *call)
{
    return permit_command(call) ? "command" : file_of(call) ? "file" : "input";
}

/* The path without the root's in front, where it lies below. */
static char *
relative_to(const PermitPlace *place, const char *absolute)
{
    g_autofree char *followed = follow(absolute), *root = follow(place->root);
    const char *rest = followed && root ? below(root, followed) : NULL;
    return g_strdup(rest ? rest : followed ? followed : absolute);
}

char *
permit_covers(const PermitPlace *place, const PermitCall *call)
{
    const char *command = permit_command(call), *file = file_of(call);
    if (command)
        return g_strdup(command);
    if (!file)
        return json_format_sorted(call->input);
    g_autofree char *absolute = absolute_path(place, call, file);
    return relative_to(place, absolute);
}

char *
permit_folder(const PermitPlace *place, const PermitCall *call)
{
    g_autofree char *absolute = absolute_path(place, call, ".");
    g_autofree char *rest = relative_to(place, absolute);
    const char *top = place->workdir && *place->workdir ? place->workdir : place->root;
    if (*rest == '/')
        return g_steal_pointer(&rest);
    return *rest ? g_build_filename(top, rest, NULL) : g_strdup(top);
}
