#include "plan/file/hook_tool.h"
#include "plan/file/hook_command.h"

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

/* A patch in Codex's form, while PLAN.md is changed as it says. */
typedef struct Patch {
    const HookFiles *files;
    char **kept;    /* the lines that PLAN.md has */
    GString *added; /* what is added to it stands in front, which is the same for its todos */
    bool inside, touched, anew;
    const char *why; /* it may not be */
} Patch;

/* The file that the line begins to change, or names as its new place; NULL: it does neither. Borrowed. */
static const char *
patched_file(const char *line, bool *ret_moves)
{
    static const char *const heads[] = {"*** Add File: ", "*** Update File: ",
                                        "*** Delete File: ", "*** Move to: "};

    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        *ret_moves = i + 1 == G_N_ELEMENTS(heads);
        if (g_str_has_prefix(line, heads[i]))
            return line + strlen(heads[i]);
    }
    return NULL;
}

static void
read_patch_line(Patch *patch, char *line)
{
    bool moves;
    const char *file = patched_file(g_strchomp(line), &moves);

    if (file && hook_means_state(patch->files, file))
        patch->why = HOOK_BY_COMMAND;
    if (file && moves && (patch->inside || hook_means_plan(patch->files, file)))
        patch->why = "the file of a plan stays where it is: change it in its place";
    if (file && !moves) {
        patch->inside = hook_means_plan(patch->files, file);
        patch->touched |= patch->inside;
        patch->anew |= patch->inside && g_str_has_prefix(line, "*** Add");
    } else if (patch->inside && *line == '+') {
        g_string_append_printf(patch->added, "%s\n", line + 1);
    } else if (patch->inside && *line == '-') {
        for (char **old = patch->kept; *old; old++) {
            if (g_str_equal(*old, line + 1))
                **old = '\0';
        }
    }
}

/* *ret: PLAN.md as a patch would leave it, as far as its todos go; NULL: the patch does not touch
 * it. Returns why the patch may not be at all; NULL: nothing speaks against it. */
static const char *
text_patched(const HookFiles *files, const char *text, const char *by, char **ret)
{
    g_auto(GStrv) lines = g_strsplit(by, "\n", -1), kept = g_strsplit(text, "\n", -1);
    Patch patch = {.files = files, .kept = kept, .added = g_string_new(NULL)};

    for (char **old = kept; *old; old++)
        g_strchomp(*old);
    for (char **line = lines; *line; line++)
        read_patch_line(&patch, *line);
    for (char **old = kept; *old && !patch.anew; old++)
        g_string_append_printf(patch.added, "%s\n", *old);
    *ret = g_string_free(patch.added, !patch.touched);
    return patch.why;
}

/* The first todo whose check the items have otherwise than the plan, and than the file has it
 * now, since a person may have changed that; NULL: none. Borrowed from the plan. */
static const char *
changed_check(const Plan *plan, const TodoItems *before, const TodoItems *items)
{
    LIST_EACH(const TodoItem, item, items) {
        const json_t *todo = item->id ? plan_find_todo(plan, item->id) : NULL;
        const TodoItem *old = todo ? todo_items_find(before, item->id) : NULL;

        if (todo && todo_item_differs(item, todo) &&
            !(old && g_strcmp0(old->check, item->check) == 0))
            return plan_text(todo, "id");
    }
    return NULL;
}

/* before: the todos of PLAN.md, which the tool would leave as this text. */
static char *
refuse_text(const Plan *plan, const TodoItems *before, const char *text)
{
    g_autoptr(TodoItems) items = NULL;
    g_autoptr(GError) error = NULL;

    if (!todo_items_parse(text, strlen(text), &items, &error))
        return g_strdup_printf("the todos of the plan could not be read afterwards: %s",
                               error->message);
    const char *id = changed_check(plan, before, items);
    if (!id)
        return NULL;
    return g_strdup_printf(
        "the check of %s was fixed when the plan began: a person changes it, and "
        "accepts it by postrider plan accept",
        id);
}

/* path: what the tool writes, NULL where it names nothing; patch: NULL where it has none. */
static char *
refuse_check(const Project *project,
             const Plan *plan,
             const HookFiles *files,
             const json_t *tool,
             const char *path,
             const char *patch)
{
    g_autoptr(TodoItems) items = NULL;
    g_autofree char *text = NULL, *after = NULL;
    const char *why = NULL;

    bool has_text = plan_read_items(project, plan, &items, &text, NULL) && text;
    if (patch)
        why = text_patched(files, has_text ? text : "", patch, &after);
    else if (path && g_str_equal(path, files->plan) && has_text)
        after = text_after(tool, text);
    if (why)
        return g_strdup(why);
    return after && has_text ? refuse_text(plan, items, after) : NULL;
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

/* The same as a shell would take it. Caller frees. */
static char *
command_line_of(const json_t *tool)
{
    const json_t *command = json_object_get(tool, "command");
    GString *line = g_string_new(plan_text(tool, "command"));

    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        g_autofree char *quoted = g_shell_quote(word ? word : "");
        g_string_append_printf(line, "%s ", quoted);
    }
    return g_string_free(line, FALSE);
}

char *
hook_tool_refusal(const Project *project, const Plan *plan, const json_t *input)
{
    static const char *const readers[] = {"Read", "Grep", "Glob", "LS", "NotebookRead", NULL};
    const json_t *tool = json_object_get(input, "tool_input");
    const char *name = plan_text(input, "tool_name"), *cwd = plan_text(input, "cwd"),
               *file = plan_text(plan->members, "plan_file");
    g_autofree char *path = written_path(project, input), *command = command_of(tool),
                    *line = command_line_of(tool),
                    *own = *file ? g_build_filename(project->path, file, NULL) : g_strdup(""),
                    *folder = g_build_filename(project->path, PROJECT_FOLDER, NULL),
                    *state = g_build_filename(project->path, PROJECT_STATE, NULL);
    const HookFiles files = {
        .cwd = *cwd ? cwd : project->path, .plan = own, .folder = folder, .state = state};
    bool is_tool = g_str_equal(name, "apply_patch");
    bool patches = is_tool || strstr(command, "*** Begin Patch");

    if (g_strv_contains(readers, name))
        return NULL;
    if (path && hook_means_state(&files, path))
        return g_strdup(HOOK_BY_COMMAND);
    char *why = refuse_check(project, plan, &files, tool, path, patches ? command : NULL);
    return why || is_tool ? why : hook_command_refusal(&files, line);
}
