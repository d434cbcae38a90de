#pragma once

/*
 * A plan's state as a document: the members that `.pilot/state/continuation.json` has had from the beginning (version,
 * session_id, branch, plan_file, todos, iteration_count, max_iterations, last_checkpoint, continuation_level; of a todo id,
 * status, iteration, owner) and ours:
 *
 *   revision          raised by each write
 *   epoch             raised by stop, cancel and done, and by a new plan in the same file
 *   status            a PlanStatus; not there: active
 *   why               what the status is for, in words for people
 *   total_iterations  of all counts: iteration_count begins anew with `continue`
 *   sessions          the sessions of coding agents that own the plan: [{id, since, pid, …}], plan/file/plan_rules.h
 *   stopped           the sessions that owned it when it was stopped: none of them may go on by itself
 *   todos[].title, check, after ([id, …]), claim (plan/file/taker.h), completed_at, why
 *
 * Members that we do not know are kept as they are. A Plan was validated when it was parsed, so reading a member can't
 * fail; a todo is its JSON object, borrowed from the plan. Nothing here touches a file.
 */
#include <jansson.h>

#define PLAN_VERSION "1.0"
#define PLAN_ITERATIONS 7 /* max_iterations where nobody says otherwise */
#define PLAN_OWNER "coder"

typedef enum PlanStatus {
    PLAN_ACTIVE, /* agents work on it */
    PLAN_PAUSED, /* waits for a person: limit, no progress, a polite pause; `continue` goes on */
    PLAN_STOPPED,   /* a person stopped it; `continue` goes on */
    PLAN_CANCELLED, /* nothing goes on; `execute` begins anew */
    PLAN_DONE,      /* a person called it done, with todos open */
    PLAN_COMPLETE,  /* all todos are complete */
    PLAN_CLOSED,    /* and its file lies in .pilot/plan/done */
    PLAN_STATUSES,
} PlanStatus;

typedef enum TodoStatus {
    TODO_PENDING,
    TODO_IN_PROGRESS,
    TODO_COMPLETE,
    TODO_BLOCKED,
    TODO_STATUSES,
} TodoStatus;

typedef enum PlanLevel {
    LEVEL_AGGRESSIVE, /* checkpoints at the end and at limits */
    LEVEL_NORMAL,     /* and after each todo */
    LEVEL_POLITE,     /* and after each iteration; after each todo it pauses and asks */
    PLAN_LEVELS,
} PlanLevel;

extern const char *const plan_status_names[]; /* end with NULL, as the next two */
extern const char *const todo_status_names[];
extern const char *const plan_level_names[];
/* The place of the name among them; -1: it is none of them. */
int plan_word(const char *const *names, const char *name);

typedef struct Plan {
    json_t *members;
    json_t *todos;     /* borrowed from members */
    GHashTable *by_id; /* id -> todo, borrowed */
} Plan;

typedef struct PlanNew {
    const char *session_id; /* NULL: a new one */
    const char *branch, *plan_file;
    PlanLevel level;
    int max_iterations;
    int64_t epoch;
} PlanNew;

/* A plan without todos; revision 0. */
Plan *plan_new(const PlanNew *with);
/* ERR_DAMAGE: it is no JSON, or no object: the backup may help. ERR_NEVER: a member is wrong, and the text names it. */
bool plan_parse(GBytes *bytes, Plan **ret, GError **error);
/* As it lies in the file, with a newline at the end; caller frees. */
char *plan_format(const Plan *plan);
void plan_free(Plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plan, plan_free)

/* Takes over a list of todos, which may come from anybody: ERR_NEVER names what is wrong. Takes the list. */
bool plan_set_todos(Plan *plan, json_t *todos, GError **error);
/* Holds the todos against each other again, after some were added: rings, and ids that are not there. */
bool plan_check_todos(const Plan *plan, GError **error);
/* An id is letters, digits, '.', '_' and '-', and begins with a letter. */
bool todo_id_valid(const char *id);
/* A new todo at the end; its id must be new. Borrowed. */
json_t *plan_add_todo(Plan *plan, const char *id, const char *title, const char *owner);
json_t *plan_find_todo(const Plan *plan, const char *id);
#define PLAN_EACH_TODO(plan, todo)                                                             \
    for (size_t todo##_i = 0; todo##_i < json_array_size((plan)->todos); todo##_i++)           \
        for (json_t *todo = json_array_get((plan)->todos, todo##_i); todo; todo = NULL)

/* --- members of the plan, and of a todo, which are both objects --- */

/* A text member; "" where there is none. Borrowed. */
const char *plan_text(const json_t *object, const char *name);
int64_t plan_number(const json_t *object, const char *name);
/* NULL or "" takes the member out. */
void plan_set_text(json_t *object, const char *name, const char *value);
void plan_set_number(json_t *object, const char *name, int64_t value);

PlanStatus plan_status(const Plan *plan);
void plan_set_status(Plan *plan, PlanStatus status, const char *why);
PlanLevel plan_level(const Plan *plan);
TodoStatus todo_status(const json_t *todo);
/* The first todo that it waits for, since that is not complete; NULL: it waits for none. Borrowed. */
const char *todo_waits_for(const Plan *plan, const json_t *todo);
bool todo_is_ready(const Plan *plan, const json_t *todo);
/* Todos that are not complete. */
unsigned plan_open(const Plan *plan);
