#pragma once

/*
 * Plain conversation, for programs, which run a loop of their own: mail is a question, what the
 * brain says is the answer, and it settles all mail that was shown.
 *
 * What the brain is shown, in this order: who it is and how to answer; what a person added with
 * an order; the conversation so far, the mail that is answered in full and the others in full
 * while there is room, newest first, then up to 15 as headers; each new mail in full.
 */
#include "engine/face.h"

bool letter_context(Engine *engine,
                    const Job *job,
                    const ConfRole *role,
                    const StepInput *in,
                    const char *workdir,
                    Context *c,
                    GError **error);
/* A new mail as it was shown; NULL: it is gone. To be asked in the order of showing: the names
 * of files depend on those before. */
bool letter_recall(Recall *r, const MsgRow *row, char **ret, GError **error);
/* ERR_NEVER: it said nothing. */
bool letter_propose(Engine *engine,
                    const Job *job,
                    const StepInput *in,
                    const char *answer,
                    Proposal **ret_p,
                    GError **error);
