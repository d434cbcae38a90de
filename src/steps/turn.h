#pragma once

/*
 * A turn: one answer of a model on its way to a proposal, with what was asked, what the answer
 * says, and what becomes of it. loop.c makes a turn and owns what it points to; gather.c and
 * mails.c each do their part.
 */
#include "engine/run/commit.h"
#include "steps/answer.h"
#include "steps/state.h"
#include "store/job/jobs.h"

typedef struct Turn {
    Engine *engine;
    const Job *job;
    const StepInput *in;
    const Answer *answer;
    StepState *state; /* changed as the answer asks; its results are for the next step */
    Proposal *p;
    bool fresh; /* something was said, written or found that was not there in this round */
} Turn;
