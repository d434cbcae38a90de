#pragma once

/*
 * A proposal is what a brain, a program or a face wants done, as plain structs; nothing in it
 * has happened. policy_check() is the only policy in the program; step_commit() the only way
 * from a proposal to the store. Both ends of the agent port and all faces pass here.
 *
 *   propose -> policy_check: one verdict per mail -> step_commit: one transaction ->
 * step_settle
 */
#include "engine/engine.h"
#include "store/jobs.h"
#include "store/messages.h"

typedef struct ProposedFile {
    char *filename, *content_type; /* type NULL: by name */
    GBytes *content;
} ProposedFile;

typedef struct ProposedMail {
    GPtrArray *to, *cc; /* char *: addr-specs; to empty: whoever asked */
    char *subject;      /* NULL: "Re: " of what it answers */
    char *body;
    char *in_reply_to; /* id; NULL: the newest mail that was shown */
    GPtrArray *files;  /* of ProposedFile */
} ProposedMail;
ProposedMail *proposed_mail_new(void);
void proposed_mail_free(ProposedMail *m);
void proposed_mail_attach(ProposedMail *m,
                          const char *filename,
                          const char *content_type,
                          GBytes *content);

typedef enum ProposalStatus { PROPOSE_CONTINUE, PROPOSE_COMPLETE, PROPOSE_FAIL } ProposalStatus;

typedef struct Proposal {
    ProposalStatus status;
    char *phase;      /* next phase; NULL: unchanged */
    char *because;    /* one paragraph; NULL */
    char *why;        /* for PROPOSE_FAIL: what the job's `why` says */
    GPtrArray *mails; /* of ProposedMail */
    GArray *settles;  /* of MsgId; empty with COMPLETE: all that was shown */
} Proposal;
Proposal *proposal_new(ProposalStatus status);
void proposal_free(Proposal *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Proposal, proposal_free)

/* What the step rests on. */
typedef struct StepInput {
    Trust floor;      /* the lowest trust of anything shown in this round */
    GPtrArray *shown; /* of MsgRow: the open mail that the brain was shown, oldest first */
    GBytes *answer, *manifest; /* kept with the step; NULL: none */
    Digest context;
    int64_t took_us, cost_micro;
    int64_t deadline_us; /* new deadline of the claim */
} StepInput;

typedef enum VerdictKind { VERDICT_ALLOWED, VERDICT_HELD, VERDICT_REFUSED } VerdictKind;
typedef struct Verdict {
    VerdictKind kind;
    char *why; /* NULL when allowed */
} Verdict;

/* One verdict per mail, in order; elements are Verdict, freed with the array. */
bool policy_check(Engine *engine,
                  const Job *job,
                  const StepInput *in,
                  const Proposal *p,
                  GArray **ret_verdicts,
                  GError **error);

typedef struct StepResult {
    int step;
    bool ended; /* the claim is over: done, failed, or queued again for mail that came meanwhile
                 */
    GPtrArray
        *msgids; /* char *: of the mails that were queued, in order; NULL entry: refused */
} StepResult;
void step_result_clear(StepResult *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StepResult, step_result_clear)

/* One transaction: check the claim, settle messages, outbox rows, effects, the step, the job's
 * next state. ERR_NEVER "fenced" or "answered already": someone else was faster; nothing
 * happened. */
bool step_commit(Engine *engine,
                 const JobClaim *claim,
                 const StepInput *in,
                 const Proposal *p,
                 const GArray *verdicts,
                 StepResult *ret,
                 GError **error);
/* After the commit: what is owed to files, then mail that waited for them, then a hint. Safe to
 * leave out; the sweep does it too. */
bool step_settle(Engine *engine, GError **error);
