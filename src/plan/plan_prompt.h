#pragma once

/* Texts about a plan: what the agents that work on it are told, and what people hear of it. The
 * caller frees each result. */
#include "plan/file/plan.h"

/* The whole question: who it works as, the todo, the check, how to say that it is done. reason: what came of the last
 * try; NULL. notes: what the owner's role instructs; NULL. by_act: a model is asked, which has no commands. */
char *plan_prompt(const Plan *plan,
                  const json_t *todo,
                  const char *project,
                  const char *reason,
                  const char *notes,
                  bool by_act);
/* The same for a session that knows the plan: what is wrong, and what to do now. */
char *plan_prompt_again(const Plan *plan, const json_t *todo, const char *reason);

/* The mail at the end: all todos are complete, or a person called the plan done. */
char *plan_mail_end(const Plan *plan);
/* The mail of a pause: the lines that users of plans know, with the marker, and what a reply can say. */
char *plan_mail_pause(const Plan *plan);
