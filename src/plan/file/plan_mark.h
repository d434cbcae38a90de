#pragma once

/*
 * Moving todos for good: the check, the state, its log and the box in PLAN.md together. Whoever says that a todo is complete
 * (`plan mark`, `state write`, a tick, the task hook) comes through here, so that complete means: its check exited 0.
 *
 * A check runs without the lock, since it may take minutes. Afterwards the state is read again: where the plan was stopped,
 * cancelled or changed in between, what the check said is not used.
 */
#include "plan/file/plan_file.h"
#include "plan/file/plan_rules.h"
#include "plan/file/todo_list.h"

/* What a command or a hook works with. */
typedef struct PlanSite {
    const Project *project;
    PlanFile *file;
    Taker taker;
    int wait_ms; /* for the lock */
    const char *checks_in;   /* the folder that checks run in; NULL: the project */
    const char *const *wall; /* in front of checks (base/sandbox.h); NULL: they see what we see */
} PlanSite;

typedef struct MarkOrder {
    const char *id;
    TodoStatus status;
    const char *why; /* NULL: nothing to say */
    const char *act; /* for the log: "mark", "tick", "task" */
    bool force;      /* a person goes past the check, past a claim and past `after` */
    bool anybody;    /* a tick: nobody knows who made it, so claims do not count */
} MarkOrder;

typedef struct MarkResult {
    bool moved;
    char *failure; /* the check's: "exit 2"; NULL: it passed, or there is none */
    char *output;  /* the end of what it printed */
} MarkResult;
void mark_result_clear(MarkResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MarkResult, mark_result_clear)

/* True with `failure` when the check failed: the try was counted and nothing else changed. Marking what is so already
 * changes nothing. ERR_NEVER: no such todo; ERR_LATER: another has it, or it waits. */
bool plan_mark(PlanSite *site, const MarkOrder *order, MarkResult *ret, GError **error);

/* The same in two halves, for whoever has a poll loop of his own: between them the check, if there is one, has to be waited
 * for (proc_poll(), proc_work()). Who clears it before has marked nothing, and the check is killed. */
typedef struct MarkTry {
    Plan *before;
    Proc *check; /* NULL: nothing to wait for */
} MarkTry;
void mark_try_clear(MarkTry *mark);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MarkTry, mark_try_clear)
bool plan_mark_begin(PlanSite *site, const MarkOrder *order, MarkTry *ret, GError **error);
bool plan_mark_end(PlanSite *site,
                   const MarkOrder *order,
                   const MarkTry *mark,
                   MarkResult *ret,
                   GError **error);

/* "There is no todo 'SC-9'", with the nearest one. False. */
bool plan_no_todo(const Plan *plan, const char *id, GError **error);
/* ERR_NEVER when the plan belongs to another branch than the one that is checked out: names both, and both ways out. */
bool plan_check_branch(const Project *project, const Plan *plan, GError **error);

/* The plan's own file. *ret is NULL, with true, when there is none. */
bool plan_read_items(
    const Project *project, const Plan *plan, TodoItems **ret, char **ret_text, GError **error);

/* Takes over what people wrote into PLAN.md: new todos, and ticks, which count as `plan mark ID complete`. A tick whose check
 * fails is taken back. words: lines for whoever asked, each owned by the list; may be NULL. */
bool plan_sync(PlanSite *site, GPtrArray *words, GError **error);
