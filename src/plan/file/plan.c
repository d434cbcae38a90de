#include "plan/file/plan.h"
#include "base/json.h"
#include "base/limits.h"

const char *const plan_status_names[] = {"active", "paused",   "stopped", "cancelled",
                                         "done",   "complete", "closed",  NULL};
const char *const todo_status_names[] = {"pending", "in_progress", "complete", "blocked", NULL};
const char *const plan_level_names[] = {"aggressive", "normal", "polite", NULL};

int
plan_word(const char *const *names, const char *name)
{
    for (int i = 0; name && names[i]; i++) {
        if (g_str_equal(names[i], name))
            return i;
    }
    return -1;
}

/* --- members --- */

const char *
plan_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

int64_t
plan_number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

void
plan_set_text(json_t *object, const char *name, const char *value)
{
    if (value && *value)
        json_object_set_new(object, name, json_string(value));
    else
        json_object_del(object, name);
}

void
plan_set_number(json_t *object, const char *name, int64_t value)
{
    json_object_set_new(object, name, json_integer(value));
}

PlanStatus
plan_status(const Plan *plan)
{
    int status = plan_word(plan_status_names, plan_text(plan->members, "status"));

    return status < 0 ? PLAN_ACTIVE : (PlanStatus)status;
}

void
plan_set_status(Plan *plan, PlanStatus status, const char *why)
{
    plan_set_text(plan->members, "status", plan_status_names[status]);
    plan_set_text(plan->members, "why", why);
}

PlanLevel
plan_level(const Plan *plan)
{
    int level = plan_word(plan_level_names, plan_text(plan->members, "continuation_level"));

    return level < 0 ? LEVEL_NORMAL : (PlanLevel)level;
}

TodoStatus
todo_status(const json_t *todo)
{
    return (TodoStatus)plan_word(todo_status_names, plan_text(todo, "status"));
}

json_t *
plan_find_todo(const Plan *plan, const char *id)
{
    return g_hash_table_lookup(plan->by_id, id);
}

const char *
todo_waits_for(const Plan *plan, const json_t *todo)
{
    const json_t *after = json_object_get(todo, "after");

    for (size_t i = 0; i < json_array_size(after); i++) {
        const json_t *before =
            plan_find_todo(plan, json_string_value(json_array_get(after, i)));

        if (before && todo_status(before) != TODO_COMPLETE)
            return plan_text(before, "id");
    }
    return NULL;
}

bool
todo_is_ready(const Plan *plan, const json_t *todo)
{
    return !todo_waits_for(plan, todo);
}

unsigned
plan_open(const Plan *plan)
{
    unsigned n = 0;

    PLAN_EACH_TODO(plan, todo)
    n += todo_status(todo) != TODO_COMPLETE;
    return n;
}

/* --- validation: what comes from a file or a command line --- */

bool
todo_id_valid(const char *id)
{
    const char *p = id;

    while (g_ascii_isalnum(*p) || *p == '.' || *p == '_' || *p == '-')
        p++;
    return *p == '\0' && p - id <= LIMIT_TODO_ID && g_ascii_isalpha(*id);
}

static bool
check_word(const json_t *object,
           const char *path,
           const char *name,
           const char *const *words,
           GError **error)
{
    const char *word = NULL;

    if (!json_find_string(object, path, name, &word, error))
        return false;
    if (!word || plan_word(words, word) >= 0)
        return true;
    g_autofree char *all = g_strjoinv(", ", (char **)words);
    return err_set(error, ERR_NEVER, "%s%s%s: '%s' is none of %s", path, *path ? "." : "", name,
                   word, all);
}

static bool
check_after(const json_t *todo, const char *path, GError **error)
{
    const json_t *after = json_object_get(todo, "after");

    if (after && !json_is_array(after))
        return err_set(error, ERR_NEVER, "%s.after: must be an array", path);
    for (size_t i = 0; i < json_array_size(after); i++) {
        if (!json_is_string(json_array_get(after, i)))
            return err_set(error, ERR_NEVER, "%s.after[%zu]: must be a string", path, i);
    }
    return true;
}

static bool
check_texts(const json_t *object, const char *path, const char *const *names, GError **error)
{
    const char *text;

    for (; *names; names++) {
        if (!json_find_string(object, path, *names, &text, error))
            return false;
    }
    return true;
}

static bool
check_todo(const json_t *todo, const char *path, GError **error)
{
    static const char *const texts[] = {"owner", "title", "check", "completed_at", "why", NULL};
    const json_t *claim = json_object_get(todo, "claim");
    const char *id, *status;
    int64_t number;

    if (!json_get_string(todo, path, "id", &id, error) ||
        !json_get_string(todo, path, "status", &status, error) ||
        !check_word(todo, path, "status", todo_status_names, error) ||
        !json_find_int(todo, path, "iteration", 0, INT32_MAX, &number, error) ||
        !check_texts(todo, path, texts, error) || !check_after(todo, path, error))
        return false;
    if (!todo_id_valid(id))
        return err_set(error, ERR_NEVER, "%s.id: '%s' is no id of a todo (SC-1)", path, id);
    if (claim && !json_is_object(claim) && !json_is_null(claim))
        return err_set(error, ERR_NEVER, "%s.claim: must be an object", path);
    return true;
}

/* Colours of a search for rings: not seen, on the way, known to end. */
typedef enum Colour { WHITE, GREY, BLACK } Colour;

typedef struct RingSearch {
    GHashTable *by_id;
    GHashTable *colours; /* todo -> Colour */
} RingSearch;

static bool ends_somewhere(RingSearch *s, const json_t *todo, unsigned depth, GError **error);

static bool
others_end(RingSearch *s, const json_t *todo, unsigned depth, GError **error)
{
    const json_t *after = json_object_get(todo, "after");

    for (size_t i = 0; i < json_array_size(after); i++) {
        const char *id = json_string_value(json_array_get(after, i));
        const json_t *before = g_hash_table_lookup(s->by_id, id);

        if (!before)
            return err_set(error, ERR_NEVER, "'%s' waits for '%s', which is no todo here",
                           plan_text(todo, "id"), id);
        if (!ends_somewhere(s, before, depth + 1, error))
            return false;
    }
    return true;
}

static bool
ends_somewhere(RingSearch *s, const json_t *todo, unsigned depth, GError **error)
{
    Colour colour = (Colour)GPOINTER_TO_INT(g_hash_table_lookup(s->colours, todo));

    if (colour == BLACK)
        return true;
    if (colour == GREY)
        return err_set(error, ERR_NEVER, "todos wait for each other in a ring: see '%s'",
                       plan_text(todo, "id"));
    if (depth > LIMIT_TODOS)
        return err_set(error, ERR_LIMIT, "todos wait for each other too deeply");
    g_hash_table_insert(s->colours, (void *)todo, GINT_TO_POINTER(GREY));
    if (!others_end(s, todo, depth, error))
        return false;
    g_hash_table_insert(s->colours, (void *)todo, GINT_TO_POINTER(BLACK));
    return true;
}

/* Only todos that wait for others can be part of a ring. */
static bool
check_rings(GHashTable *by_id, const json_t *todos, GError **error)
{
    g_autoptr(GHashTable) colours = g_hash_table_new(NULL, NULL);
    RingSearch search = {.by_id = by_id, .colours = colours};

    for (size_t i = 0; i < json_array_size(todos); i++) {
        const json_t *todo = json_array_get(todos, i);

        if (json_object_get(todo, "after") && !ends_somewhere(&search, todo, 0, error))
            return false;
    }
    return true;
}

static bool
check_todos(const json_t *todos, GHashTable *by_id, GError **error)
{
    if (json_array_size(todos) > LIMIT_TODOS)
        return err_set(error, ERR_LIMIT, "todos: more than the limit of %u", LIMIT_TODOS);
    for (size_t i = 0; i < json_array_size(todos); i++) {
        json_t *todo = json_array_get(todos, i);

        if (!check_todo(todo, "", NULL)) {
            g_autofree char *path = g_strdup_printf("todos[%zu]", i);
            return check_todo(todo, path, error);
        }
        if (!g_hash_table_insert(by_id, (void *)plan_text(todo, "id"), todo))
            return err_set(error, ERR_NEVER, "todos[%zu].id: '%s' is there twice", i,
                           plan_text(todo, "id"));
    }
    return check_rings(by_id, todos, error);
}

static bool
check_sessions(const json_t *members, GError **error)
{
    const json_t *sessions = json_object_get(members, "sessions");
    const char *id;

    if (sessions && !json_is_array(sessions))
        return err_set(error, ERR_NEVER, "sessions: must be an array");
    for (size_t i = 0; i < json_array_size(sessions); i++) {
        char path[32];

        (void)g_snprintf(path, sizeof path, "sessions[%zu]", i);
        if (!json_get_string(json_array_get(sessions, i), path, "id", &id, error))
            return false;
    }
    return true;
}

/* The path in a state file leads to a file of the project, whoever wrote it. */
static bool
check_plan_file(const char *path, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);

    if (*path == '/' || g_strv_contains((const char *const *)parts, ".."))
        return err_set(error, ERR_NEVER, "plan_file: '%s' leads out of the project", path);
    return true;
}

static bool
check_members(const json_t *members, GError **error)
{
    static const char *const counts[] = {"iteration_count", "total_iterations", "revision",
                                         "epoch", NULL};
    static const char *const texts[] = {"session_id", "branch", "last_checkpoint", "why", NULL};
    const char *version, *plan_file;
    const json_t *todos;
    int64_t number;

    if (!json_get_string(members, "", "version", &version, error))
        return false;
    if (!g_str_equal(version, PLAN_VERSION))
        return err_set(error, ERR_NEVER, "version: '%s' is not '" PLAN_VERSION "'", version);
    for (const char *const *name = counts; *name; name++) {
        if (!json_find_int(members, "", *name, 0, INT64_MAX / 2, &number, error))
            return false;
    }
    return json_get_string(members, "", "plan_file", &plan_file, error) &&
           check_plan_file(plan_file, error) &&
           json_get_array(members, "", "todos", &todos, error) &&
           json_find_int(members, "", "max_iterations", 1, LIMIT_PLAN_ITERATIONS, &number,
                         error) &&
           check_texts(members, "", texts, error) &&
           check_word(members, "", "continuation_level", plan_level_names, error) &&
           check_word(members, "", "status", plan_status_names, error) &&
           check_sessions(members, error);
}

/* --- the document --- */

void
plan_free(Plan *plan)
{
    if (!plan)
        return;
    g_clear_pointer(&plan->by_id, g_hash_table_unref);
    json_decref(plan->members);
    g_free(plan);
}

static Plan *
plan_wrap(json_t *take_members)
{
    Plan *plan = g_new0(Plan, 1);

    plan->members = take_members;
    plan->todos = json_object_get(take_members, "todos");
    plan->by_id = g_hash_table_new(g_str_hash, g_str_equal);
    return plan;
}

Plan *
plan_new(const PlanNew *with)
{
    g_autofree char *uuid = g_uuid_string_random();

    return plan_wrap(json_pack(
        "{s:s, s:s, s:s, s:s, s:[], s:i, s:i, s:s, s:s, s:i, s:I, s:s, s:i, s:[]}", "version",
        PLAN_VERSION, "session_id", with->session_id ? with->session_id : uuid, "branch",
        with->branch, "plan_file", with->plan_file, "todos", "iteration_count", 0,
        "max_iterations", with->max_iterations, "last_checkpoint", "", "continuation_level",
        plan_level_names[with->level], "revision", 0, "epoch", (json_int_t)with->epoch,
        "status", plan_status_names[PLAN_ACTIVE], "total_iterations", 0, "sessions"));
}

bool
plan_parse(GBytes *bytes, Plan **ret, GError **error)
{
    g_autoptr(json_t) members = NULL;

    if (!json_parse_bytes(bytes, LIMIT_PLAN_BYTES, &members, error)) {
        if (error && *error)
            (*error)->code = ERR_DAMAGE;
        return false;
    }
    if (!json_is_object(members))
        return err_set(error, ERR_DAMAGE, "is no JSON object");
    if (!check_members(members, error))
        return false;

    g_autoptr(Plan) plan = plan_wrap(g_steal_pointer(&members));
    if (!check_todos(plan->todos, plan->by_id, error))
        return false;
    *ret = g_steal_pointer(&plan);
    return true;
}

/* One line each: people find a todo, and nobody reads more blanks than text. */
static void
append_todos(GString *out, const json_t *todos)
{
    g_string_append_c(out, '[');
    for (size_t i = 0; i < json_array_size(todos); i++) {
        g_string_append(out, i > 0 ? ",\n    " : "\n    ");
        json_append(out, json_array_get(todos, i));
    }
    g_string_append(out, json_array_size(todos) > 0 ? "\n  ]" : "]");
}

/* What most todos take; more than that only makes the text grow. */
#define TODO_BYTES 200

char *
plan_format(const Plan *plan)
{
    GString *out = g_string_sized_new(1024 + json_array_size(plan->todos) * TODO_BYTES);
    const char *name;
    json_t *value;

    g_string_append_c(out, '{');

    json_object_foreach(plan->members, name, value)
    {
        g_autoptr(json_t) key = json_string(name);
        g_autofree char *quoted = json_format(key);

        g_string_append_printf(out, "%s\n  %s: ", out->len > 1 ? "," : "", quoted);
        if (value == plan->todos) {
            append_todos(out, value);
        } else {
            json_append(out, value);
        }
    }
    g_string_append(out, "\n}\n");
    return g_string_free(out, FALSE);
}

bool
plan_set_todos(Plan *plan, json_t *take_todos, GError **error)
{
    g_autoptr(json_t) todos = take_todos;
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);

    if (!json_is_array(todos))
        return err_set(error, ERR_NEVER, "todos: must be an array");
    if (!check_todos(todos, by_id, error))
        return false;
    json_object_set(plan->members, "todos", todos);
    plan->todos = todos;
    g_hash_table_unref(plan->by_id);
    plan->by_id = g_steal_pointer(&by_id);
    return true;
}

bool
plan_check_todos(const Plan *plan, GError **error)
{
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);

    return check_todos(plan->todos, by_id, error);
}

json_t *
plan_add_todo(Plan *plan, const char *id, const char *title, const char *owner)
{
    json_t *todo =
        json_pack("{s:s, s:s, s:i, s:s}", "id", id, "status", todo_status_names[TODO_PENDING],
                  "iteration", 0, "owner", owner && *owner ? owner : PLAN_OWNER);

    plan_set_text(todo, "title", title);
    json_array_append_new(plan->todos, todo);
    g_hash_table_insert(plan->by_id, (void *)plan_text(todo, "id"), todo);
    return todo;
}
