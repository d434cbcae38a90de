#pragma once

/* The inside of step_commit() (engine/run/commit.h), shared by the files of a commit, by
 * by_hand.c, and by fork.c for its first mail. */
#include "engine/out/role_mail.h"
#include "engine/run/commit.h"

#define GAVE_UP "gave up: " /* of what a step did that failed */

typedef struct CommitParent CommitParent;

/* A mail to somebody outside who takes no part in the job. */
typedef struct CommitOutside {
    const ProposedMail *mail; /* borrowed */
    char *to, *no_way;        /* no_way NULL: it leaves */
} CommitOutside;
void commit_outside_free(gpointer p);

/* A mail of the step on its way: composed, or why it can't be sent. */
typedef struct CommitDraft {
    Compose *made; /* NULL: it is not sent */
    char *why;
} CommitDraft;

/* One step on its way into the store. */
typedef struct Commit {
    Engine *engine;
    const JobClaim *claim;
    const StepInput *in;
    const Proposal *p;
    const GArray *verdicts;
    Job *job; /* as it was before */
    const ConfRole *role;
    ProposalStatus status;   /* the proposal's, unless what it speaks of failed */
    GPtrArray *spaces;       /* char *: of what was shown (store/spaces.h) */
    GPtrArray *parents;      /* of CommitParent, one per mail; NULL: begins a thread */
    GPtrArray *drafts;       /* of CommitDraft, one per mail */
    GPtrArray *results;      /* char *: for the next step */
    GPtrArray *did;          /* char *: for people */
    GArray *answered;        /* int64_t: mails that a mail of this step that leaves settles */
    GPtrArray *msgids;       /* char *: one per mail; NULL: was not put */
    GArray *settled;         /* of MsgId: mail that this step settled */
    CommitParent *original;  /* what began the round; NULL: not needed */
    const char *no_question; /* why nobody can be asked about held mail; NULL: they can */
    GArray *held;            /* of OutId: the owner is asked about them */
    GPtrArray *outside;      /* of CommitOutside: the owner is told of them */
    bool owner_answered;     /* the owner asked, and gets an answer in this step */
    unsigned notes_failed, mails_failed, mails_put;
    int step;
} Commit;

/* The mail that an answer hangs below, with its References from the file. */
struct CommitParent {
    MsgRow *row;
    Message *headers;
    char *msgid;
    GPtrArray *references; /* char *; of its letter, where the root had to be put in front; else NULL */
    GPtrArray *too_chains; /* of its letter; NULL: nothing is answered beside */
    RoleMailParent letter;
};
void commit_parent_free(CommitParent *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CommitParent, commit_parent_free)
/* Reads files, so before the transaction. A mail that is gone is still answered by its id. */
CommitParent *
commit_parent_load(Engine *engine, const Job *job, const char *msgid, GError **error);

/* The id of the mail that this mail answers: the id that it names; for mail to whoever asked,
 * the newest mail that was shown, else the mail that began the round; NULL: it answers nothing.
 * So a model need not name an id to stay in the thread; a program that writes to somebody by
 * `send` means a new thread. Borrowed. */
const char *step_parent_id(const Job *job, const StepInput *in, const ProposedMail *mail);

void commit_result(Commit *c, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
void commit_did(Commit *c, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

/* Inside the transaction, in this order. What the proposal asked for and can't be done becomes
 * a line of the results (step_hears()), everything else that fails is an error. */
bool commit_notes(Commit *c, Txn *txn, GError **error);
bool commit_load_parents(Commit *c, GError **error); /* before it */
/* Composes all before the status is judged, and puts them after it: only then is it known
 * what this step settles, and so which of its mails are answers. */
bool commit_compose_mails(Commit *c, GError **error);
bool commit_put_mails(Commit *c, Txn *txn, GError **error);
/* Needs the original, when so; after the mails. */
bool commit_speaks_to_owner(const Commit *c);
bool commit_tell_people(Commit *c, Txn *txn, GError **error);
/* True when this step ends its job. */
bool commit_ends(const Commit *c);
/* True when this mail, which was shown, is handled by this step. */
bool commit_settles(const Commit *c, const MsgRow *row);
/* True for a mail of this job, whose flags are ours to set. False for NULL. */
bool commit_may_mark(const Commit *c, const MsgRow *row);
/* Before they are moved: what a moved mail is marked with goes with it. */
bool commit_flags(Commit *c, Txn *txn, GError **error);
