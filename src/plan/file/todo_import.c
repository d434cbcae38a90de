#include "plan/file/todo_import.h"
#include "base/json.h"
#include "base/limits.h"
#include "plan/file/todo_list.h"

static void
set_text(char **member, const char *value)
{
    g_free(*member);
    *member = g_strdup(value);
}

/* --- spec-kit --- */

/* "T001 [P] [US1] Text": true when the title begins with such an id. */
static bool
is_task_id(const char *word)
{
    return word[0] == 'T' && word[1] && strspn(word + 1, "0123456789") == strlen(word + 1);
}

static bool
is_spec_kit(const TodoItems *items)
{
    LIST_EACH(const TodoItem, item, items) {
        g_autofree char *word = g_strndup(item->title, strcspn(item->title, " "));
        if (!item->id && is_task_id(word))
            return true;
    }
    return false;
}

/* Takes "T001", "[P]" and the like off the title. *ret_parallel: [P] was there. */
static void
take_marks(TodoItem *item, bool *ret_parallel)
{
    g_autofree char *word = g_strndup(item->title, strcspn(item->title, " "));
    const char *rest = item->title;

    *ret_parallel = false;
    if (is_task_id(word)) {
        set_text(&item->id, word);
        rest += strlen(word) + strspn(rest + strlen(word), " ");
    }
    while (*rest == '[' && strchr(rest, ']')) {
        *ret_parallel |= g_str_has_prefix(rest, "[P]");
        rest = strchr(rest, ']') + 1;
        rest += strspn(rest, " ");
    }
    g_autofree char *title = g_strdup(rest);
    set_text(&item->title, title);
}

/* since: ids from the last task that was not parallel on. */
static void
set_after(TodoItem *item, bool parallel, const GPtrArray *since)
{
    guint n = since->len > 0 ? (parallel ? 1 : since->len) : 0;

    g_strfreev(item->after);
    item->after = g_new0(char *, n + 1);
    for (guint i = 0; i < n; i++)
        item->after[i] = g_strdup(g_ptr_array_index(since, i));
}

static void
read_spec_kit(TodoItems *items)
{
    g_autoptr(GPtrArray) since = g_ptr_array_new();
    bool barrier = false; /* since begins with a task that was not parallel */

    LIST_EACH(TodoItem, item, items) {
        bool parallel;

        take_marks(item, &parallel);
        if (!item->id)
            continue;
        if (!parallel || barrier)
            set_after(item, parallel, since);
        if (!parallel) {
            g_ptr_array_set_size(since, 0);
            barrier = true;
        }
        g_ptr_array_add(since, item->id);
    }
}

/* --- beads --- */

static char **
blockers_of(const json_t *issue, GHashTable *known)
{
    const json_t *all = json_object_get(issue, "dependencies");
    g_autoptr(GPtrArray) ids = g_ptr_array_new();

    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *type = plan_text(one, *plan_text(one, "type") ? "type" : "dependency_type");
        const char *id =
            plan_text(one, *plan_text(one, "depends_on_id") ? "depends_on_id" : "id");

        if ((!*type || g_str_equal(type, "blocks")) && g_hash_table_contains(known, id))
            g_ptr_array_add(ids, g_strdup(id));
    }
    g_ptr_array_add(ids, NULL);
    return (char **)g_ptr_array_steal(ids, NULL);
}

static bool
read_issue(const json_t *issue, GHashTable *known, TodoItems *items, GError **error)
{
    const char *id, *title;

    if (!json_get_string(issue, "", "id", &id, error) ||
        !json_get_string(issue, "", "title", &title, error))
        return false;
    if (!todo_id_valid(id))
        return err_set(error, ERR_NEVER, "'%s' is no id of a todo", id);
    TodoItem *item = g_new0(TodoItem, 1);
    item->id = g_strdup(id);
    item->title = g_strdelimit(g_strdup(title), "\r\n\t", ' ');
    item->owner = *plan_text(issue, "assignee") ? g_strdup(plan_text(issue, "assignee")) : NULL;
    item->ticked = g_str_equal(plan_text(issue, "status"), "closed");
    item->after = blockers_of(issue, known);
    todo_items_add(items, item);
    return true;
}

static bool
read_beads(const json_t *all, TodoItems **ret, GError **error)
{
    g_autoptr(TodoItems) items = todo_items_new();
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);

    if (!json_is_array(all) || json_array_size(all) > LIMIT_TODOS)
        return err_set(error, ERR_NEVER, "is no list of issues as 'bd list --json' prints it");
    for (size_t i = 0; i < json_array_size(all); i++)
        g_hash_table_add(known, (void *)plan_text(json_array_get(all, i), "id"));
    for (size_t i = 0; i < json_array_size(all); i++) {
        if (!read_issue(json_array_get(all, i), known, items, error))
            return err_prefix(error, "issue %zu", i + 1);
    }
    *ret = g_steal_pointer(&items);
    return true;
}

/* --- either --- */

static char *
format(const char *heading, const TodoItems *items)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "# %s\n\n", heading);
    LIST_EACH(const TodoItem, item, items) {
        g_autofree char *line = todo_item_format(item);
        g_string_append(out, line);
    }
    return g_string_free(out, FALSE);
}

/* The text of a person stays, with a heading where it has none. */
static char *
with_heading(const char *heading, const char *text)
{
    return g_str_has_prefix(text, "# ") ? g_strdup(text)
                                        : g_strdup_printf("# %s\n\n%s", heading, text);
}

static char *
import_markdown(const char *heading, GBytes *bytes, GError **error)
{
    g_autofree char *text = text_from_bytes(bytes);
    g_autoptr(TodoItems) items = NULL;

    if (!todo_items_parse(text, g_bytes_get_size(bytes), &items, error))
        return NULL;
    if (!is_spec_kit(items))
        return with_heading(heading, text);
    read_spec_kit(items);
    return format(heading, items);
}

static char *
import_beads(const char *heading, GBytes *bytes, GError **error)
{
    g_autoptr(json_t) json = NULL;
    g_autoptr(TodoItems) items = NULL;

    if (!json_parse_bytes(bytes, LIMIT_PLAN_BYTES, &json, error) ||
        !read_beads(json, &items, error))
        return NULL;
    return format(heading, items);
}

static bool
is_json(GBytes *bytes)
{
    gsize len;
    const char *text = g_bytes_get_data(bytes, &len);

    while (len > 0 && g_ascii_isspace(*text)) {
        text++;
        len--;
    }
    return len > 0 && (*text == '[' || *text == '{');
}

char *
todo_import(const char *heading, GBytes *bytes, GError **error)
{
    g_autofree char *text = is_json(bytes) ? import_beads(heading, bytes, error)
                                           : import_markdown(heading, bytes, error);
    g_autoptr(TodoItems) items = NULL;

    if (!text || !todo_items_parse(text, strlen(text), &items, error)) /* an id twice */
        return NULL;
    if (items->len == 0) {
        err_set(error, ERR_NEVER, "has no todos: a todo is a line such as '- [ ] SC-1: text'");
        return NULL;
    }
    return todo_items_number(text, items);
}
