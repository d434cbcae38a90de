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

/* The first todo whose check the text has otherwise than the state; NULL: none. Borrowed from the plan. */
static const char *
changed_check(const Plan *plan, const char *text)
{
    g_autoptr(TodoItems) items = NULL;

    if (!todo_items_parse(text, strlen(text), &items, NULL))
        return NULL;
    LIST_EACH(const TodoItem, item, items) {
        const json_t *todo = item->id ? plan_find_todo(plan, item->id) : NULL;
        if (todo && todo_item_differs(item, todo))
            return plan_text(todo, "id");
    }
    return NULL;
}

static char *
refuse_check(const Project *project, const Plan *plan, const json_t *tool)
{
    g_autoptr(TodoItems) items = NULL;
    g_autofree char *text = NULL;

    if (!plan_read_items(project, plan, &items, &text, NULL) || !text)
        return NULL;
    g_autofree char *after = text_after(tool, text);
    const char *id = changed_check(plan, after);
    if (!id || changed_check(plan, text)) /* a person changed one before */
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

char *
hook_tool_refusal(const Project *project, const Plan *plan, const json_t *input)
{
    static const char *const readers[] = {"Read", "Grep", "Glob", "LS", "NotebookRead", NULL};
    const json_t *tool = json_object_get(input, "tool_input");
    g_autofree char *path = written_path(project, input), *command = command_of(tool);
    g_autofree char *own =
        g_build_filename(project->path, plan_text(plan->members, "plan_file"), NULL);

    if (g_strv_contains(readers, plan_text(input, "tool_name")))
        return NULL;
    if (writes_state(command) || (path && is_below(project, path, PROJECT_STATE)))
        return g_strdup(BY_COMMAND);
    return path && g_str_equal(path, own) ? refuse_check(project, plan, tool) : NULL;
}
