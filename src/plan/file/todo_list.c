#include "plan/file/todo_list.h"
#include "base/limits.h"

void
todo_item_free(TodoItem *item)
{
    if (!item)
        return;
    g_strfreev(item->after);
    free_all(item->id, item->title, item->owner, item->check, item);
}

const TodoItem *
todo_items_find(const TodoItems *items, const char *id)
{
    LIST_EACH(const TodoItem, item, items) {
        if (g_strcmp0(item->id, id) == 0)
            return item;
    }
    return NULL;
}

/* --- one line --- */

/* "- [ ] ", "* [x] ", indented or not: where the box's character is, else 0. */
static size_t
find_box(const char *line)
{
    size_t at = strspn(line, " \t");

    if (!line[at] || !strchr("-*+", line[at]) || line[at + 1] != ' ')
        return 0;
    at += 1 + strspn(line + at + 1, " ");
    if (line[at] != '[' || !line[at + 1] || !strchr(" xX", line[at + 1]) ||
        line[at + 2] != ']' || (line[at + 3] != ' ' && line[at + 3] != '\t'))
        return 0;
    return at + 1;
}

/* The bracket that opens the last attribute of the text, which ends with its closing one; NULL: there is none. */
static char *
last_opening(char *text)
{
    int depth = 0;

    for (char *p = text + strlen(text) - 1; p >= text; p--) {
        depth += (*p == ')') - (*p == '(');
        if (depth == 0)
            return p;
    }
    /* A command with a bracket that is never opened: the attribute begins where its name stands. */
    return g_strrstr(text, "(check:");
}

/* What stands in "(name: value)" if the name is this one; caller frees. */
static char *
attribute(const char *opening, const char *name)
{
    size_t len = strlen(name);
    const char *p = opening + 1;

    if (g_ascii_strncasecmp(p, name, len) != 0 || p[len] != ':')
        return NULL;
    char *value = g_strdup(p + len + 1);
    value[strlen(value) - 1] = '\0';
    return g_strstrip(value);
}

/* Takes the last attribute off the text. False: it ends with no attribute of ours. */
static bool
take_attribute(TodoItem *item, char *text)
{
    if (!g_str_has_suffix(text, ")"))
        return false;
    char *opening = last_opening(text);
    if (!opening)
        return false;
    g_autofree char *owner = attribute(opening, "owner"), *after = attribute(opening, "after");
    g_autofree char *check = attribute(opening, "check");

    if (owner && !item->owner) {
        item->owner = g_steal_pointer(&owner);
    } else if (check && !item->check) {
        item->check = g_steal_pointer(&check);
    } else if (after && !item->after) {
        item->after = text_words(after, ", \t");
    } else {
        return false;
    }
    *opening = '\0';
    (void)g_strchomp(text);
    return true;
}

/* "SC-3: text": takes the id off. What is in front of a colon and no id is text. */
static const char *
take_id(TodoItem *item, const char *text)
{
    size_t len = strcspn(text, ": \t");
    g_autofree char *id = g_strndup(text, len);

    if (text[len] != ':' || (text[len + 1] && !g_ascii_isspace(text[len + 1])) ||
        !todo_id_valid(id) || !strpbrk(id, "0123456789"))
        return text;
    item->id = g_steal_pointer(&id);
    return text + len + 1 + strspn(text + len + 1, " \t");
}

static TodoItem *
parse_line(const char *line, size_t offset)
{
    size_t box = find_box(line);

    if (box == 0)
        return NULL;
    TodoItem *item = g_new0(TodoItem, 1);
    size_t text = box + 2 + strspn(line + box + 2, " \t");
    g_autofree char *rest = g_strchomp(g_strdup(line + text));
    item->ticked = line[box] != ' ';
    item->box = offset + box;
    item->text = offset + text;
    while (take_attribute(item, rest))
        ;
    item->title = g_strdup(take_id(item, rest));
    return item;
}

/* --- the text --- */

static bool
begins_with(const char *line, const char *mark)
{
    return g_str_has_prefix(line + strspn(line, " \t"), mark);
}

/* Which lines are no list: fenced code, and comments of HTML. */
typedef struct Aside {
    bool fenced, comment;
} Aside;

static bool
is_aside(Aside *a, const char *line)
{
    if (!a->comment && (begins_with(line, "```") || begins_with(line, "~~~"))) {
        a->fenced = !a->fenced;
        return true;
    }
    if (a->fenced || (!a->comment && !begins_with(line, "<!--")))
        return a->fenced;
    a->comment = !strstr(line, "-->");
    return true;
}

static bool
check_text(const char *text, size_t len, GError **error)
{
    if (len > LIMIT_PLAN_BYTES)
        return err_set(error, ERR_LIMIT, "is larger than the limit of %u bytes",
                       LIMIT_PLAN_BYTES);
    if (memchr(text, '\0', len))
        return err_set(error, ERR_NEVER, "has a NUL byte in it");
    if (!g_utf8_validate(text, (gssize)len, NULL))
        return err_set(error, ERR_NEVER, "is no text (UTF-8)");
    return true;
}

static bool
add_item(TodoItems *items, GHashTable *ids, TodoItem *take_item, GError **error)
{
    todo_items_add(items, take_item); /* the list owns it from here, whatever follows */
    if (items->len > LIMIT_TODOS)
        return err_set(error, ERR_LIMIT, "has more than %u todos", LIMIT_TODOS);
    if (take_item->id && !g_hash_table_add(ids, take_item->id))
        return err_set(error, ERR_NEVER, "todo '%s' is there twice", take_item->id);
    return true;
}

bool
todo_items_parse(const char *text, size_t len, TodoItems **ret, GError **error)
{
    g_autoptr(TodoItems) items = todo_items_new();
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    Aside aside = {0};

    if (!check_text(text, len, error))
        return false;
    for (size_t at = 0; at < len;) {
        size_t n = 0;
        while (at + n < len && text[at + n] != '\n')
            n++;
        g_autofree char *line = g_strndup(text + at, n);
        TodoItem *item;

        if (!is_aside(&aside, line) && (item = parse_line(line, at)) &&
            !add_item(items, ids, item, error))
            return false;
        at += n + 1;
    }
    *ret = g_steal_pointer(&items);
    return true;
}

char *
todo_items_number(const char *text, const TodoItems *items)
{
    GString *out = g_string_new(NULL);
    size_t copied = 0;
    unsigned next = 0;

    LIST_EACH(const TodoItem, item, items) {
        if (item->id)
            continue;
        g_autofree char *id = NULL;
        do {
            g_free(id);
            id = g_strdup_printf("SC-%u", ++next);
        } while (todo_items_find(items, id));
        g_string_append_len(out, text + copied, (gssize)(item->text - copied));
        g_string_append_printf(out, "%s: ", id);
        copied = item->text;
    }
    g_string_append(out, text + copied);
    return g_string_free(out, FALSE);
}

char *
todo_items_tick(const char *text, const char *id, bool ticked, GError **error)
{
    g_autoptr(TodoItems) items = NULL;

    if (!todo_items_parse(text, strlen(text), &items, error))
        return NULL;
    const TodoItem *item = todo_items_find(items, id);
    if (!item || item->ticked == ticked)
        return NULL;
    char *copy = g_strdup(text);
    copy[item->box] = ticked ? 'x' : ' ';
    return copy;
}

char *
todo_item_format(const TodoItem *item)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "- [%c] ", item->ticked ? 'x' : ' ');
    if (item->id)
        g_string_append_printf(out, "%s: ", item->id);
    g_string_append(out, item->title);
    if (item->owner)
        g_string_append_printf(out, " (owner: %s)", item->owner);
    if (item->check)
        g_string_append_printf(out, " (check: %s)", item->check);
    if (item->after && *item->after) {
        g_autofree char *after = g_strjoinv(", ", item->after);
        g_string_append_printf(out, " (after: %s)", after);
    }
    g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}

/* --- with a plan --- */

/* Is there something about this line that the plan does not know? */
static bool
is_news(const Plan *plan, const char *line)
{
    char id[LIMIT_TODO_ID + 1];
    size_t box = find_box(line);

    if (box == 0)
        return false;
    const char *text = line + box + 2 + strspn(line + box + 2, " \t");
    size_t len = strcspn(text, ": \t\n");
    if (text[len] != ':' || len > LIMIT_TODO_ID)
        return true; /* the whole reader knows what it is */
    memcpy(id, text, len);
    id[len] = '\0';
    const json_t *todo = plan_find_todo(plan, id);
    return !todo || (line[box] != ' ' && todo_status(todo) != TODO_COMPLETE);
}

bool
todo_text_has_news(const Plan *plan, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += line != text;
        if (is_news(plan, line))
            return true;
    }
    return false;
}

bool
plan_add_items(Plan *plan, const TodoItems *items)
{
    bool any = false;

    LIST_EACH(const TodoItem, item, items) {
        if (!item->id || plan_find_todo(plan, item->id))
            continue;
        json_t *todo = plan_add_todo(plan, item->id, item->title, item->owner);
        plan_set_text(todo, "check", item->check);
        if (item->after && *item->after) {
            json_t *after = json_array();
            for (char **id = item->after; *id; id++)
                json_array_append_new(after, json_string(*id));
            json_object_set_new(todo, "after", after);
        }
        any = true;
    }
    return any;
}

bool
todo_item_differs(const TodoItem *item, const json_t *todo)
{
    return !g_str_equal(item->check ? item->check : "", plan_text(todo, "check"));
}
