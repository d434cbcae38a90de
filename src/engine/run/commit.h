#pragma once

/*
 * A proposal is what a brain, a program or a face wants done, as plain structs; nothing in it
 * has happened. policy_check() is the only policy in the program; step_commit() the only way
 * from a proposal to the store. Both ends of the agent port and all faces pass here.
 *
 *   propose -> policy_check()      one verdict per mail
 *           -> step_commit()       one transaction
 *           -> step_settle()       files follow
 */
#include "base/json.h"
#include "base/list.h"
#include "engine/engine.h"
#include "store/job/jobs.h"
#include "store/mail/messages.h"
#include "store/out/sent_once.h"

typedef struct ProposedFile {
    char *filename, *content_type; /* type NULL: by name */
    GBytes *content;               /* NULL: the newest version of note_key, read at commit */
    char *note_key;                /* NULL: content is given */
} ProposedFile;
void proposed_file_free(ProposedFile *f);
LIST_OF(ProposedFiles, proposed_files, ProposedFile, proposed_file_free)

typedef struct ProposedMail {
    GPtrArray *to, *cc; /* char *: addr-specs; to empty: whoever asked */
    char *subject;      /* NULL: "Re: " of what it answers */
    char *body;
    bool plain;        /* the words are ours and no Markdown: no HTML is made of them */
    char *in_reply_to; /* id; NULL: the newest mail that was shown */
    GPtrArray *answers_too; /* char *: ids of what it answers beside that (mail/parents.h) */
    ProposedFiles *files;
    bool at_end; /* speaks of the job's end: not sent if this step turns out not to end the job */
    bool apart;  /* no part of this conversation: whoever gets the mail begins a job with it */
} ProposedMail;
ProposedMail *proposed_mail_new(void);
void proposed_mail_free(ProposedMail *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProposedMail, proposed_mail_free)
LIST_OF(ProposedMails, proposed_mails, ProposedMail, proposed_mail_free)
/* Adds a mail that this mail answers; the first becomes in_reply_to. */
void proposed_mail_answer(ProposedMail *m, const char *id);
void proposed_mail_attach(ProposedMail *m,
                          const char *filename,
                          const char *content_type,
                          GBytes *content);

/* A change of a note. The runtime keeps optimistic concurrency: replace, rename and delete fail
 * when the newest version is not the one that this job was shown last; append has no condition.
 */
typedef enum NoteAct { NOTE_REPLACE, NOTE_APPEND, NOTE_RENAME, NOTE_DELETE } NoteAct;
typedef struct ProposedNote {
    NoteAct act;
    char *key;
    char *to;           /* NOTE_RENAME: the new key */
    GBytes *body;       /* NOTE_REPLACE, NOTE_APPEND */
    char *refused;      /* why the policy does not let it be made; NULL: it does */
    int64_t if_version; /* NOTE_REPLACE: refused also when the newest is another; 0: not said */
} ProposedNote;
void proposed_note_free(ProposedNote *n);
LIST_OF(ProposedNotes, proposed_notes, ProposedNote, proposed_note_free)
typedef struct NoteBy NoteBy; /* store/note/note_versions.h */
/* Makes the change in the caller's transaction. *ret_version 0: the change made no version of
 * that key. ERR_NEVER and ERR_LIMIT: the change can't be made. */
bool proposed_note_apply(
    Txn *txn, const ProposedNote *n, const NoteBy *by, int64_t *ret_version, GError **error);

/* A move of a mail to another folder. It is carried out only with COMPLETE and ESCALATE. */
typedef struct ProposedMove {
    char *msgid, *folder;
} ProposedMove;
void proposed_move_free(ProposedMove *m);
LIST_OF(ProposedMoves, proposed_moves, ProposedMove, proposed_move_free)

/* Something that a brain does beside notes and mail (engine/act.h). */
typedef struct ActOps ActOps;
typedef struct ProposedAct {
    const ActOps *ops;
    json_t *args; /* texts by name */
    gpointer plan; /* of the act's own: what it looked at before the transaction; NULL: nothing */
    GDestroyNotify plan_free;
} ProposedAct;
void proposed_act_free(ProposedAct *a);
LIST_OF(ProposedActs, proposed_acts, ProposedAct, proposed_act_free)

/* A tool call that a person is asked about (engine/permit/asked_call.h). */
typedef struct ProposedCall {
    json_t *doc;
    Digest digest;
} ProposedCall;
void proposed_call_free(ProposedCall *c);
LIST_OF(ProposedCalls, proposed_calls, ProposedCall, proposed_call_free)

typedef enum ProposalStatus {
    PROPOSE_CONTINUE, /* one more step */
    PROPOSE_COMPLETE, /* done; settles all that was shown */
    PROPOSE_ESCALATE, /* done, and the owner has the question; settles likewise */
    PROPOSE_PARK, /* leaves a checkpoint mail and goes on later; settles all that was shown when
                     it sent mail and waits */
    PROPOSE_LIMIT, /* a limit is spent: stopped until CONTINUE; its mail asks for that */
    PROPOSE_FAIL,  /* given up: open mail is dead until CONTINUE; its mail says why */
} ProposalStatus;

typedef struct Proposal {
    ProposalStatus status;
    char *phase;   /* next phase; NULL: unchanged */
    char *because; /* one paragraph; NULL */
    char *why;     /* LIMIT, FAIL: what the job's `why` says; CONTINUE: what was refused */
    ProposedNotes *notes; /* in order; before the mails */
    ProposedMails *mails; /* none is released when a note of this step failed */
    ProposedMoves *moves;
    ProposedActs *acts; /* behind the mails */
    bool acted;         /* an earlier step of this round did one */
    const SentOnce *once; /* what its only mail is the answer to, if that is sent once; borrowed */
    GArray *settles; /* of MsgId; empty with COMPLETE: all that was shown */
    GBytes *state;   /* JSON: what the mode wants back at the next step; NULL: nothing */
    Due resume;      /* PARK: when it goes on by itself, or wait_then is due; DUE_NEVER: mail or
                          an order only */
    WaitThen wait_then;
    char *waiting_for; /* PARK: for people; NULL: the step limit of a run */
    ProposedCalls *calls; /* PARK: one mail asks about all of them */
    char *calls_said;     /* what the agent said before it stopped for them; NULL: nothing */
} Proposal;
Proposal *proposal_new(ProposalStatus status);
void proposal_free(Proposal *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Proposal, proposal_free)
/* Adds a mail, or a change of a note, and returns it, borrowed; the caller fills in the
 * rest. */
ProposedMail *proposal_add_mail(Proposal *p);
ProposedNote *proposal_add_note(Proposal *p, NoteAct act, const char *key);
/* Turns the proposal into the end of the job without success, with the mail that tells whoever
 * asked, and the owner too, why and how to go on. Where a role asked whose own job has ended,
 * the owner alone is told: two roles that both fail would answer each other's failures. log:
 * what a program wrote last; NULL: nothing. */
bool proposal_fail(Proposal *p,
                   Engine *engine,
                   const Job *job,
                   const char *why,
                   const char *log,
                   GError **error);

/* What the step rests on. */
typedef struct StepInput {
    Trust floor;               /* the lowest trust of anything shown in this round */
    MsgRows *shown;            /* the open mail that the brain was shown, oldest first */
    GBytes *answer, *manifest; /* kept with the step; NULL: none */
    GBytes *page; /* of a program at work: the manifest of what its run was shown; NULL: none */
    Digest context;
    char *news;    /* what became of held mail, as it was shown; NULL: nothing did */
    GArray *heard; /* of QuestionId: what news speaks of; may be NULL */
    GArray *lost;  /* of int64_t: deliveries that news says did not arrive; may be NULL */
    bool bare; /* nobody was asked, since a limit is spent: parks or stops, and is no step */
    int64_t took_us;
    const char *brain; /* which was asked; NULL: none */
    bool
        paid; /* an answer cost something: this step's row takes it over (store/job/budget.h) */
    int64_t deadline_us; /* new deadline of the claim */
    /* A program that keeps one: the session that it goes on with, or begins; NULL: it keeps
     * none. */
    Session *session;
    bool resumed; /* the session knows what was said before: the page has only what is new */
    bool said;    /* the store has lines of what the program did (store/job/doings.h) */
    GPtrArray *acts; /* what the brain may do beside notes and mail: acts_offered(); NULL: nothing */
    /* Led: what the last step of this job left. */
    GBytes *state;            /* the mode's own, as it proposed it; NULL: first step */
    GPtrArray *results;       /* of char *: what became of its notes and mails; may be NULL */
    int iterations_left;      /* steps that this run may still take, this one included; 0: not
                            counted */
    int round_left;           /* the same for the round */
    int64_t money_left_micro; /* what the round may still cost; INT64_MAX: no limit */
} StepInput;

/* True when a next step follows that can hear of what failed in this step. */
static inline bool
step_hears(const StepInput *in)
{
    return in->iterations_left > 0;
}

/* Why what the round does is not the word of people who may steer: somebody who asked may not
 * steer, or mail of somebody unknown was read. NULL: it is their word. Static. */
const char *round_below_steer(const Job *job, const StepInput *in);
/* *ret: whoever asked is to get mail of the runtime itself, which no agent wrote. That is so
 * for people we work for, and for a role that still works on what it asked for: a role whose
 * job has ended would begin a round about the mail, whose end would be told here, and so on. It
 * is not so in a space, where nobody waits for an answer of each member. */
bool asker_listens(Engine *engine, const Job *job, bool *ret, GError **error);
/* May the round end without a word? Who is of a space hears all of it, and need not say
 * something each time; nor need who was only told. */
bool step_may_be_silent(Engine *engine, const StepInput *in, bool *ret, GError **error);

/* To whom a mail without To goes: to everybody whose mail is being answered, newest first, each
 * once; where all of that mail came by spaces, to the space of the newest; where no mail is
 * being answered, to whoever began the round. Elements are borrowed; caller unrefs. */
GPtrArray *step_askers(const Job *job, const StepInput *in);

typedef enum VerdictKind { VERDICT_ALLOWED, VERDICT_HELD, VERDICT_REFUSED } VerdictKind;
typedef struct Verdict {
    VerdictKind kind;
    char *why;   /* NULL when allowed */
    char *third; /* allowed: the first recipient outside this home who takes no part in the job;
                    NULL: there is none. The owner is told in the same step. */
    char *subject, *body; /* instead of what was proposed: some links in it must not work; NULL:
                             as proposed */
} Verdict;

/* Begins what a step did about a note that it wanted changed and that stayed as it was. */
#define COULD_NOT_CHANGE "could not change note "

/* Judges a proposal before it is committed: gives one verdict per mail, in order (elements are
 * Verdict, freed with the array); puts those into Cc who are to stay there (`reply-cc`); and
 * says in ProposedNote.refused why a note may not be changed. Reads the store, and writes
 * nothing. */
bool policy_check(Engine *engine,
                  const Job *job,
                  const StepInput *in,
                  Proposal *p,
                  GArray **ret_verdicts,
                  GError **error);
/* True when one of the mails is held. */
bool policy_holds(const GArray *verdicts);

typedef struct StepResult {
    int step;
    ProposalStatus status;  /* as it turned out */
    const GArray *verdicts; /* of Verdict, one per mail, as they were given: which are held */
    bool bare;              /* as the input's */
    bool ended;             /* the claim is over, whatever the job does next */
    bool owes;              /* there was something to be done to files when it was committed */
    GPtrArray *msgids;      /* char *: of the mails in order; NULL entry: it was not put */
    const GArray *settled;  /* of MsgId: mail that this step settled; for faces and acts */
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
/* To be called after the commit: does what the step owes to files, releases mail that waited
 * for them, and hints the master where somebody else has something to do. Optional: if the
 * caller crashes before this, the next sweep does the same work. */
bool step_settle(Engine *engine, const StepResult *result, GError **error);
