#pragma once

/*
 * The rules of a plan, as functions of its state alone: who may take which todo, what a move of a todo brings with it, when
 * the plan pauses, and whether an agent may stop. They touch no file, so that a test can hold them against a model with
 * thousands of orders; who asks has the lock and commits what they changed.
 *
 *            execute                 limit, no progress, polite
 *   (none) ----------> active <-------------------------------> paused
 *                      |  ^  ^                continue
 *            all todos |  |  '------------ stopped      stop: from active and paused
 *             complete v  | a todo opens
 *                     complete --> closed               cancel, done: from each of the above
 *
 * 1. Nothing is taken, counted or moved in a plan that is cancelled, done or closed. A stopped or paused plan gives no todo
 *    away, but what somebody has finished may be marked.
 * 2. A todo has one taker at a time: a claim of somebody who lives is his. What a dead one left is given away first.
 * 3. A todo is taken only when all that it waits for (`after`) is complete.
 * 4. A session owns the plan only if its id is in `sessions`. An empty id owns nothing.
 */
#include "plan/file/plan.h"
#include "plan/file/taker.h"

/* How many times in a row a session that owns the plan is held while no todo changes, and how many times in all an agent that
 * works below such a session. */
#define PLAN_IDLE_MAX 3
#define PLAN_AGENT_BLOCKS 2
#define PLAN_SESSIONS_MAX 100

typedef struct PlanNow {
    const char *time;                   /* as last_checkpoint has it */
    bool (*alive)(const json_t *claim); /* claim_is_alive() */
} PlanNow;

/* --- sessions --- */

/* The session's entry; NULL: it does not own the plan. Borrowed. */
json_t *plan_owner(const Plan *plan, const char *session);
/* Enters the taker's session, if it has one. True when it is new there. */
bool plan_enter(Plan *plan, const Taker *taker, const PlanNow *now);
/* True when the caller works below a session that owns the plan, or did until the plan was stopped: its environment
 * names one, or its process is a descendant of one. Such a caller may not go past a check, nor undo a stop. */
bool plan_is_below_owner(const Plan *plan, const Taker *taker);
/* False when the prompt that a hook was given for this session is no person's, as far as its environment and the processes
 * above it tell: nobody sits at an agent that works by itself for postrider, and the hook of a client that owns the plan is
 * started by the client alone, for its own session. */
bool plan_was_typed(const Plan *plan, const char *session);
/* Gives back what the session has claimed. True when there was something. */
bool plan_release(Plan *plan, const char *session);

/* --- todos --- */

/* May todos of this plan be taken, and may they be marked? False with ERR_LATER where `continue` helps, with ERR_NEVER where
 * nothing does. */
bool plan_may_take(const Plan *plan, GError **error);
bool plan_may_mark(const Plan *plan, GError **error);
/* The todo that the taker should work on: his own, else one whose taker is gone, else the first that nobody has; of this
 * owner (NULL: any). NULL: none is ready. */
json_t *plan_next(const Plan *plan, const Taker *taker, const char *owner, const PlanNow *now);
/* Takes it, and enters the taker's session. ERR_LATER: another has it, or it waits. */
bool
plan_take(Plan *plan, json_t *todo, const Taker *taker, const PlanNow *now, GError **error);
/* May this taker move the todo to that status? ERR_LATER: another has it, or it waits for others. */
bool plan_may_move(const Plan *plan,
                   const json_t *todo,
                   TodoStatus status,
                   const Taker *taker,
                   const PlanNow *now,
                   GError **error);
/* Moves it; what follows for the plan's status follows. why: for blocked; may be NULL. */
void
plan_move(Plan *plan, json_t *todo, TodoStatus status, const char *why, const PlanNow *now);
/* What the todos together say about the plan's status: all complete, or one opened again. */
void plan_settle(Plan *plan);
/* A try that came to nothing: its check failed. */
void plan_count_attempt(json_t *todo, const char *why);

/* --- orders --- */

void plan_stop(Plan *plan);
void plan_cancel(Plan *plan);
void plan_call_done(Plan *plan);
/* ERR_NEVER when it is cancelled, done or closed. Begins a new count. max_iterations and level: as the environment says; 0
 * and -1 leave them as they are. */
bool plan_continue(Plan *plan, int max_iterations, int level, GError **error);

/* A prompt that is one of these words and nothing else, in the session of this taker. False: it means nothing in this plan, and
 * nothing was changed. */
typedef enum PlanPrompt {
    PROMPT_NONE,
    PROMPT_STOP,
    PROMPT_CANCEL,
    PROMPT_DONE,
    PROMPT_CONTINUE
} PlanPrompt;
bool plan_obey(Plan *plan, PlanPrompt order, const Taker *taker, const PlanNow *now);

/* --- may an agent stop? --- */

typedef enum PlanVerdict {
    JUDGED_FREE,   /* yes, and nothing was changed */
    JUDGED_PAUSED, /* yes: the plan was paused just now, and plan->why says why */
    JUDGED_HELD,   /* no: an iteration was counted */
} PlanVerdict;
/* The same before an agent is started: HELD means that it may be, that the taker has the todo in *ret_todo, and that an
 * iteration was counted. FREE: nothing is ready for him now, since others are at work, or the plan is not active. */
PlanVerdict
plan_judge_start(Plan *plan, const Taker *taker, json_t **ret_todo, const PlanNow *now);
/* A start that came to nothing by nobody's fault (a usage limit) does not count. */
void plan_uncount(Plan *plan);
/* session: who wants to stop. waits: it has background tasks that will wake it. */
PlanVerdict plan_judge_stop(Plan *plan, const char *session, bool waits);
/* The same for an agent of a type (its owner's name) below the session. */
PlanVerdict plan_judge_agent(
    Plan *plan, const char *session, const char *agent_id, const char *agent_type);
/* Is something left that can be worked on: open, not blocked, and not waiting for something that is blocked? */
bool plan_can_go_on(const Plan *plan);
