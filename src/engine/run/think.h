#pragma once

/*
 * One question to a brain, with everything that may happen meanwhile: the program talks to the
 * agent port and says what it does (live.h), a person must hear something (ack), more mail
 * comes for it (steer.h), the master wants to stop, an order took the claim away.
 */
#include "brain/brain.h"
#include "engine/context/context.h"
#include "engine/mode.h"
#include "engine/permit/permit.h"
#include "engine/run/commit.h"
#include "engine/run/workplace.h"

typedef enum ThinkEnd {
    THINK_ANSWERED, /* the brain is done, or has failed: see brain_answer(call) */
    THINK_LOST,    /* the claim is gone: an order, or another owner; nothing may be committed */
    THINK_DRAINED, /* we were asked to stop before it was done */
} ThinkEnd;

typedef struct Think {
    Engine *engine;
    const Job *job;
    const ConfRole *role;
    const ConfBrain *brain;
    const JobClaim *claim;
    const ModeOps *mode;
    StepInput *in;    /* mail that reaches a program in the middle of its turn is added to it */
    Workplace *place; /* NULL: the brain needs none, and no port */
    const char *cwd;        /* without a workplace: where a program works; NULL: the home */
    const char *prompt, *why_again, *last_answer; /* the last two as in BrainAsk */
    Context *context;   /* for the system text and the files, and as the record of what is shown;
                           NULL: neither */
    const char *schema;     /* of the answer; NULL: free text */
    unsigned lacks;         /* as in BrainAsk */
    int64_t budget_micro;   /* what it may cost; INT64_MAX: there is no limit */
    bool bare; /* the session goes on without a prompt: the call that waits in it was decided */
    int signal_fd;
    bool *draining; /* set once SIGTERM came; stays for the process */
} Think;

typedef struct Thought {
    ThinkEnd end;
    BrainCall *call;    /* holds the answer */
    bool port_answered; /* the program settled all that it was shown, through the port */
    unsigned port_steps;
    PermitDesk *desk; /* what it did not do without asking; NULL: its kind asks nobody */
} Thought;
void thought_clear(Thought *t);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Thought, thought_clear)

/* Asks, and returns when the brain is done or the run must end; until then it waits, so the
 * caller is in no transaction. A program that must end is ended before. *ret is {0} before, and
 * is to be cleared with thought_clear(). False: the question could not be asked, or the store
 * failed; no program of it runs any more. */
bool think(const Think *ask, Thought *ret, GError **error);
/* What the question may cost at most, as brain_most() says. Asks nobody. */
int64_t think_most(const Think *ask);
