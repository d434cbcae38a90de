#pragma once

/*
 * A face turns mail into questions for a brain and answers into proposals. The engine owns the
 * loop and knows faces only by this table; cli lists them. No face sees another, a socket or a
 * key.
 */
#include "engine/run/commit.h"
#include "engine/run/context.h"

struct FaceOps {
    const char *name;   /* steps, report, plan, workflow */
    const char *schema; /* JSON schema of an answer in steps mode; NULL: free text */
    /* Is this stored mail yours? First true wins; the last face takes what is left. */
    bool (*claims)(const Engine *engine, const MsgNew *in, const Message *m);
    /* Fills the context for the open mail of this step (in->shown). workdir: where the program
     * will work. */
    bool (*context)(Engine *engine,
                    const Job *job,
                    const ConfRole *role,
                    const StepInput *in,
                    const char *workdir,
                    Context *c,
                    GError **error);
    /* Turns the answer into a proposal. Files that the program left are attached by the engine.
     * ERR_NEVER: the answer says nothing that can be used; the reason goes to the next try. */
    bool (*answer)(Engine *engine,
                   const Job *job,
                   const StepInput *in,
                   const char *answer,
                   Proposal **ret_p,
                   GError **error);
    /* What the next round keeps of the state that the last one left (StepInput.state): caller
     * unrefs; NULL: nothing. NULL as a member: never anything. */
    GBytes *(*next_round)(GBytes *state);
    /* The text of a part that context() has shown, by what the manifest says of it. */
    ContextRecall *recall;
};
