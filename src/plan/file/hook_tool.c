#include "plan/file/hook_tool.h"

#define BY_COMMAND                                                                             \
    "use postrider plan mark or postrider state write: the state of a plan is not written by " \
    "hand"

/* The path that the tool writes, absolute; NULL: it names none. Caller frees. */
static char *
written_path(const Project *project, const json_t *input)
{
    static const char *const names[] = {"file_path", "notebook_path", "path"};
    const json_t *tool = json_object_get(input, "tool_input");
    const char *cwd = plan_text(input, "cwd");

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *path = plan_text(tool, names[i]);
        if (*path)
            return g_canonicalize_filename(path, *cwd ? cwd : project->path);
    }
    return NULL;
}

static bool
is_below(const Project *project, const char *path, const char *folder)
{
    g_autofree char *whole = g_build_filename(project->path, folder, NULL);
    size_t len = strlen(whole);

    return strncmp(path, whole, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* --- PLAN.md --- */

/* The text that the file would have after one replacement, or after all of them. Caller frees. */
static char *
replaced(const char *text, const char *old, const char *new, bool all)
{
    const char *at = *old ? strstr(text, old) : NULL;

    if (!at)
        return g_strdup(text);
    if (!all) {
        g_autofree char *before = g_strndup(text, (gsize)(at - text));
        return g_strconcat(before, new, at + strlen(old), NULL);
    }
    g_auto(GStrv) parts = g_strsplit(text, old, -1);
    return g_strjoinv(new, parts);
}

/* PLAN.md as the tool would leave it: Write has the whole text, Edit one change, MultiEdit several. Caller frees. */
static char *
text_after(const json_t *tool, const char *text)
{
    const json_t *edits = json_object_get(tool, "edits");
    char *after;

    if (json_is_string(json_object_get(tool, "content")))
        return g_strdup(plan_text(tool, "content"));
    after = replaced(text, plan_text(tool, "old_string"), plan_text(tool, "new_string"),
                     json_is_true(json_object_get(tool, "replace_all")));
    for (size_t i = 0; i < json_array_size(edits); i++) {
        const json_t *edit = json_array_get(edits, i);
        char *next =
            replaced(after, plan_text(edit, "old_string"), plan_text(edit, "new_string"),
                     json_is_true(json_object_get(edit, "replace_all")));
        g_free(after);
        after = next;
    }
    return after;
}

/* PLAN.md as a patch in Codex's form would leave it, as far as its todos go: what is added stands in front. NULL: the patch does
 * not touch it. Caller frees. */
static char *
text_patched(const char *patch, const char *cwd, const char *own, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(patch, "\n", -1), kept = g_strsplit(text, "\n", -1);
    GString *after = g_string_new(NULL);
    bool inside = false, touched = false, anew = false;

    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "*** ")) {
            const char *name = strstr(*line, " File: ");
            g_autofree char *path =
                name ? g_canonicalize_filename(name + strlen(" File: "), cwd) : NULL;
            inside = path && g_str_equal(path, own);
            touched |= inside;
            anew |= inside && g_str_has_prefix(*line, "*** Add");
        } else if (inside && **line == '+') {
            g_string_append_printf(after, "%s\n", *line + 1);
        } else if (inside && **line == '-') {
            for (char **old = kept; *old; old++) {
                if (g_str_equal(*old, *line + 1))
                    **old = '\0';
            }
        }
    }
    for (char **old = kept; *old && !anew; old++)
        g_string_append_printf(after, "%s\n", *old);
    return g_string_free(after, !touched);
}

/* The first todo whose check the text has otherwise than the plan, and than the file has it now, since a person may have changed
 * that; NULL: none. Borrowed from the plan. */
static const char *
changed_check(const Plan *plan, const TodoItems *before, const char *text)
{
    g_autoptr(TodoItems) items = NULL;

    if (!todo_items_parse(text, strlen(text), &items, NULL))
        return NULL;
    LIST_EACH(const TodoItem, item, items) {
        const json_t *todo = item->id ? plan_find_todo(plan, item->id) : NULL;
        const TodoItem *old = todo ? todo_items_find(before, item->id) : NULL;

        if (todo && todo_item_differs(item, todo) &&
            !(old && g_strcmp0(old->check, item->check) == 0))
            return plan_text(todo, "id");
    }
    return NULL;
}

/* path: what the tool writes, NULL where it names nothing; patch: NULL where it has none. */
static char *
refuse_check(const Project *project,
             const Plan *plan,
             const json_t *input,
             const char *path,
             const char *patch)
{
    g_autofree char *own =
        g_build_filename(project->path, plan_text(plan->members, "plan_file"), NULL);
    const char *cwd = plan_text(input, "cwd");
    g_autoptr(TodoItems) items = NULL;
    g_autofree char *text = NULL, *after = NULL;

    if (!plan_read_items(project, plan, &items, &text, NULL) || !text)
        return NULL;
    if (path && g_str_equal(path, own))
        after = text_after(json_object_get(input, "tool_input"), text);
    else
        after = text_patched(patch, *cwd ? cwd : project->path, own, text);
    const char *id = after ? changed_check(plan, items, after) : NULL;
    if (!id)
        return NULL;
    return g_strdup_printf(
        "the check of %s was fixed when the plan began: a person changes it, and "
        "accepts it by postrider plan accept",
        id);
}

/* --- commands --- */

/* The words of a command, which Codex gives as a list too. Caller frees. */
static char *
command_of(const json_t *tool)
{
    const json_t *command = json_object_get(tool, "command");
    GString *words = g_string_new(plan_text(tool, "command"));

    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        g_string_append_printf(words, "%s ", word ? word : "");
    }
    g_string_append(words, plan_text(tool, "input")); /* a patch */
    return g_string_free(words, FALSE);
}

/* Does it name the state, and a way to write? Reading it, and our own scripts, are fine. */
static bool
writes_state(const char *command)
{
    static const char *const ways[] = {">",
                                       "tee ",
                                       "mv ",
                                       "cp ",
                                       "rm ",
                                       "ln ",
                                       "sed -i",
                                       "truncate ",
                                       "dd ",
                                       "perl ",
                                       "python",
                                       "install ",
                                       "rsync ",
                                       "*** Update File",
                                       "*** Add File",
                                       "*** Delete File"};

    if (!strstr(command, PROJECT_STATE) && !strstr(command, "continuation.json"))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        if (strstr(command, ways[i]))
            return true;
    }
    return false;
}

/* Where a simple command ends: at ; & | or a newline that is not quoted. What it is fed in place belongs to it. */
static size_t
command_length(const char *text)
{
    char quote = '\0';
    size_t i;

    if (strstr(text, "<<"))
        return strlen(text);
    for (i = 0; text[i]; i++) {
        if (quote ? text[i] == quote : text[i] == '"' || text[i] == '\'')
            quote = quote ? '\0' : text[i];
        else if (text[i] == '\\' && quote != '\'' && text[i + 1])
            i++;
        else if (!quote && strchr(";&|\n", text[i]) && !(i > 0 && text[i - 1] == '>'))
            break;
    }
    return i;
}

/* The next place at which the name stands alone, or as the end of a path; NULL: none. */
static const char *
find_name(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name)); at++) {
        char after = at[strlen(name)];

        if ((at == text || strchr("/ \t\n\"'=(>;&|", at[-1])) &&
            (!after || strchr(" \t\n\"')>;&|", after)))
            return at;
    }
    return NULL;
}

/* Is what the path at this place stands for written to by a redirection? */
static bool
is_redirected_to(const char *text, const char *at)
{
    while (at > text && !strchr(" \t>", at[-1]))
        at--;
    while (at > text && strchr(" \t", at[-1]))
        at--;
    return at > text && at[-1] == '>';
}

/* Does this simple command change the file, by its words? */
static bool
changes(const char *command, const char *name)
{
    static const char *const programs[] = {"tee",  "mv",     "cp",       "rm",    "ln",
                                           "dd",   "perl",   "truncate", "rsync", "install",
                                           "ed",   "ex",     "patch",    "shred", "unlink",
                                           "python", "python3"};
    const char *at = find_name(command, name);

    if (!at)
        return false;
    for (; at; at = find_name(at + 1, name)) {
        if (is_redirected_to(command, at))
            return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
        if (find_name(command, programs[i]))
            return true;
    }
    return (find_name(command, "sed") &&
            (strstr(command, " -i") || strstr(command, "--in-place"))) ||
           (find_name(command, "find") && strstr(command, "-delete"));
}

/* Why one of the command's simple commands may not be. Caller frees. */
static char *
refuse_command(const Plan *plan, const char *command)
{
    static const char *const folders[] = {PROJECT_FOLDER, PROJECT_FOLDER "/",
                                          PROJECT_FOLDER "/*"};
    const char *path = plan_text(plan->members, "plan_file");
    g_autofree char *file = g_path_get_basename(path);

    for (const char *p = command; *p; p += *p != '\0') {
        size_t len = command_length(p);
        g_autofree char *one = g_strndup(p, len);

        p += len;
        if (strstr(one, TAKER_HOOK))
            return g_strdup("a prompt is for a person to type");
        for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
            if (changes(one, folders[i]))
                return g_strdup(BY_COMMAND);
        }
        if (*path && changes(one, file))
            return g_strdup_printf("change %s by a tool that edits files: what a command writes "
                                   "can't be looked at before, and checks are fixed",
                                   file);
    }
    return NULL;
}

char *
hook_tool_refusal(const Project *project, const Plan *plan, const json_t *input)
{
    static const char *const readers[] = {"Read", "Grep", "Glob", "LS", "NotebookRead", NULL};
    const json_t *tool = json_object_get(input, "tool_input");
    g_autofree char *path = written_path(project, input), *command = command_of(tool);

    if (g_strv_contains(readers, plan_text(input, "tool_name")))
        return NULL;
    if (writes_state(command) || (path && is_below(project, path, PROJECT_STATE)))
        return g_strdup(BY_COMMAND);
    char *why = refuse_check(project, plan, input, path, command);
    return why || g_str_equal(plan_text(input, "tool_name"), "apply_patch")
               ? why
               : refuse_command(plan, command);
}
