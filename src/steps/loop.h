#pragma once

/*
 * A model at work: prompt.c says what it is shown, answer.c reads what it
 * says, gather.c fetches what it asks for, and here all of that becomes a proposal.
 *
 * What the model claims to have done counts for nothing; the next context tells it what became
 * of its notes and mails, from the commit.
 */
#include "engine/run/commit.h"

/* So many steps in a row without new notes, mail or facts end the loop with a question. */
#define LOOP_IDLE_MAX 3u

/* Makes a proposal of the model's answer to this step: notes, mails, acts, how the step ends, and the
 * state that the next step begins with. Fetches what the answer asks for, by reading alone; the
 * commit carries the rest out. Caller frees *ret_p. ERR_NEVER, ERR_LIMIT: the answer can't be
 * used, and the text tells the brain why. */
bool loop_answer(Engine *engine,
                 const Job *job,
                 const StepInput *in,
                 const char *answer,
                 Proposal **ret_p,
                 GError **error);
