#pragma once

/*
 * Tool calls of one run of a program agent. Before each call the client asks its hook, the hook
 * asks the agent port (verb `permit`), and that asks here:
 *
 *   permit_judge()   the role's own rules            yes, ask or no
 *   one yes          to exactly this call            used in a durable commit, then allowed
 *   a standing one   that covers it                  counted likewise
 *   otherwise        the call waits for a person: it is put down here, and asked about by one mail
 *                    in the commit that ends the run (engine/people/question_permit.c)
 *
 * (1) Nothing is allowed before the use of its yes is on disk. A crash in between means that it
 *     did not run and is asked about again.
 * (2) A question is put in the step's commit and nowhere else. A crash before that means that
 *     nobody was asked, and the model proposes the call again.
 * (3) Claude Code keeps one deferred call of an answer, the last: so the first call that must
 *     be asked about is deferred, and the others are denied. Codex can't wait: its call is
 *     denied, and passes when the model repeats it. opencode asks nobody: it is given its rules
 *     before it starts.
 */
#include "engine/permit/permit_policy.h"
#include "engine/run/commit.h"
#include "engine/run/workplace.h"

typedef struct PermitDesk PermitDesk;

/* What a job waits for meanwhile. */
#define PERMIT_WAITS_YES "a person's yes"
#define PERMIT_WAITS_ANSWER "an answer to its question"

/* Borrows all arguments until it is freed. NULL: this kind of brain knows no permissions. */
PermitDesk *permit_desk_new(Engine *engine,
                            const Job *job,
                            const JobClaim *claim,
                            const StepInput *in,
                            const ConfRole *role,
                            const ConfBrain *brain,
                            const Workplace *place);
void permit_desk_free(PermitDesk *desk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PermitDesk, permit_desk_free)

/* Sets permit, hook and rules of the question to the brain; they live as long as the desk. For
 * opencode the yes of a person is used here, before the program starts. */
bool permit_set_up(PermitDesk *desk, BrainAsk *ask, GError **error);

/* In the client's own words. */
typedef struct PermitReply {
    const char *decision; /* allow, deny, defer; "": nothing is said, and the client goes on */
    char *reason;         /* for the model; NULL */
    json_t *input;        /* instead of the call's own; NULL: as it was */
} PermitReply;
void permit_reply_clear(PermitReply *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PermitReply, permit_reply_clear)
/* Decides about one call; ret is to be cleared with permit_reply_clear(). Commits the use of a
 * yes before it returns. */
bool
permit_decide(PermitDesk *desk, const PermitCall *call, PermitReply *ret, GError **error);

/* To be called when the client has ended with a call that waits. Notes the call where the port
 * was not asked about it: opencode tells of such a call by its stream alone. */
bool permit_deferred(PermitDesk *desk, const BrainAnswer *answer, GError **error);
/* True when a person is to be asked about a call. */
bool permit_waits(const PermitDesk *desk);
/* The proposal that asks and parks the job; said: what the agent said at last. */
Proposal *permit_propose(const PermitDesk *desk, const char *said);

/* Changes a proposal that would end a job with open questions of this kind: the job goes on
 * waiting. */
bool permit_keep_waiting(Engine *engine, const Job *job, Proposal *p, GError **error);

/* *ret: the call that waits in this job's session was decided, and nothing else has come for
 * the job since. Then the session is resumed without a prompt. */
bool permit_resumes_bare(Engine *engine,
                         const Job *job,
                         const ConfBrain *brain,
                         bool *ret,
                         GError **error);
