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

/* ERR_NEVER: the answer can't be used; its text tells the brain why. */
bool loop_answer(Engine *engine,
                 const Job *job,
                 const StepInput *in,
                 const char *answer,
                 Proposal **ret_p,
                 GError **error);
