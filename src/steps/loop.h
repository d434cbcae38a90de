#pragma once

/*
 * The steps face at work with a model: prompt.c says what it is shown, answer.c reads what it
 * says, gather.c fetches what it asks for, and here all of that becomes a proposal.
 *
 * What the model claims to have done counts for nothing; the next context tells it what became
 * of its notes and mails, from the commit.
 */
#include "engine/face.h"
#include "steps/state.h"

/* So many steps in a row without new notes, mail or facts end the loop with a question. */
#define LOOP_IDLE_MAX 3u

/* The state that the last step left, or a fresh one. */
bool loop_state(const StepInput *in, StepState **ret, GError **error);
/* FaceOps.next_round. */
GBytes *loop_next_round(GBytes *state);
/* ERR_NEVER: the answer can't be used; its text tells the brain why. */
bool loop_answer(Engine *engine,
                 const Job *job,
                 const StepInput *in,
                 const char *answer,
                 Proposal **ret_p,
                 GError **error);
