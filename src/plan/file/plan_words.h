#pragma once

/*
 * What people and agents are told about a plan, in the words that users of plans know. All of it is made of the state; the
 * caller frees what is returned.
 */
#include "plan/file/plan.h"

#define PLAN_WHY_LIMIT "max iterations reached"
#define PLAN_WHY_IDLE "no progress"
#define PLAN_WHY_BLOCKED "blocked"
#define PLAN_WORDS_STOPPED "Work stopped. Use /00_continue to resume."
#define PLAN_WORDS_CANCELLED "Work cancelled. Use /02_execute to start anew."
#define PLAN_WORDS_DONE "Work is called done."

/* Why the plan is paused, which todos are left, and how to go on. */
char *plan_words_paused(const Plan *plan);
/* "<CODER_COMPLETE>", "<TESTER_BLOCKED>": what an agent answers. owner NULL or "": coder. */
char *plan_marker(const char *owner, bool complete);
/* Whose marker says how the plan stands: the owner of the first open todo, else of the one that was completed last. Borrowed. */
const char *plan_speaker(const Plan *plan);
/* Why an agent may not stop, in one line: what is open, what is next, and the command that says that it is done. next may
 * be NULL. */
char *plan_words_held(const Plan *plan, const json_t *next);
/* What a session that comes back should know. */
char *plan_words_back(const Plan *plan, const json_t *next);
/* "SC-3: Write the tests". */
char *todo_words(const json_t *todo);
