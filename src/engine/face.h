#pragma once

/*
 * A face is what a mail means: a kind of work that leads its own jobs. A plain conversation has
 * none (Job.face is ""). How a brain is asked is the mode's affair (engine/mode.h). The engine
 * knows faces only by this table; cli lists them. No face sees another, a mode, a socket or a
 * key.
 *
 * Every member but `name` may be NULL: then the face has nothing to do there. A call that is
 * given a Txn writes rows only, and may be run twice: it touches no file, no socket and no
 * clock of its own.
 */
#include "base/sandbox.h"
#include "engine/context/context.h"
#include "engine/in/judge.h"
#include "engine/in/orders.h"
#include "engine/run/commit.h"
#include "engine/session.h"
#include "mail/msgid.h"
#include "store/job/timers.h"
#include "store/out/effects.h"
#include "store/tables.h"

struct FaceOps {
    const char *name; /* report, plan, workflow; no ':' in it */
    /* Its tables, versioned by itself; those of a face of ours lie in src/store. */
    const SqlPart *tables;
    /* Folders beneath the home whose changes wake look(); ends with NULL. Kept as rows, since the
     * master links no face. */
    const char *const *watches;

    /* --- mail comes in, in intake's transaction --- */

    /* True when this face leads the new job of this stored mail. The first face that says so
     * counts. */
    bool (*claims)(const Engine *engine, const MsgNew *in, const Message *m);
    /* A mail has got its row, and gone to this job ({0}: to none). Called for every face. */
    bool (*stored)(Engine *engine,
                   Txn *txn,
                   MsgId id,
                   const MsgNew *in,
                   const Message *m,
                   JobId job,
                   GError **error);
    /* A mail that somebody of this home wrote is on its way, in the transaction that decided so; one that is held for a
     * person's yes is not. Where faces_sight() is asked, whoever writes has to see: of agents' mail nothing may depend on
     * files. bytes: all of it. Called for every face. */
    bool (*posted)(Engine *engine, Txn *txn, MailKind kind, GBytes *bytes, GError **error);
    /* *ret: this mail, which passed the judge and is no order, wakes nobody by itself. Then it
     * is handled, and of class MSG_EVENT; stored() sees to it that the next mail of the role
     * brings it along. */
    bool (*waits)(Engine *engine, const MsgNew *in, bool *ret, GError **error);
    /* Does this mail only tell? Who has nothing to do about it may end the job without a word. */
    bool (*tells)(Engine *engine, const MsgRow *row, bool *ret, GError **error);
    /* A mail that decides something of the face's: makes ret an ORDER_FACE, whose `said` is what
     * its sender is told; who may is for the face to say. Asked before order_parse(); what is to be
     * written down for it, stored() writes, which sees the class MSG_ORDER. */
    bool (*order)(Engine *engine,
                  const Judgement *j,
                  const Message *m,
                  JobId job,
                  Order *ret,
                  GError **error);
    /* What order(), stored() and commit() have to know of files, which no transaction reads: they ask faces_sight() for it, by a
     * subject of the face's own. see() is called outside of the transaction, which is run again then. */
    void *(*see)(Engine *engine, const char *subject);
    void (*forget)(void *sight);
    /* STOP, CANCEL or CONTINUE has reached a job of this face; called after the job's row was
     * changed. */
    bool (*ordered)(Engine *engine, Txn *txn, const Job *job, OrderKind kind, GError **error);

    /* --- a job of its own runs --- */

    /* Asked after the claim. *ret_until not 0: it is given back until then, and no attempt counts.
     * Waiting for mail is a park. */
    bool (*ready)(Engine *engine, const Job *job, int64_t *ret_until, GError **error);
    /* In place of mode and brain: the face works on the job by itself, asks programs (session_ask()) and
     * commits steps (session_commit()), until one has ended the claim or the session is called off.
     * engine/session.h has the same for a command in the foreground. */
    bool (*work)(JobSession *session, GError **error);
    /* Its parts of the page, before the mode fills the rest; within context_show_cut() and its like,
     * whose text the manifest keeps. */
    bool (*frame)(
        Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
    /* The same for every job, whatever leads it: parts about what the job's mail means to this
     * face. Called after frame(). */
    bool (*page)(
        Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
    /* Instead of a brain, for a role that has none: a pure function of what is stored. */
    bool (*decide)(
        Engine *engine, const Job *job, const StepInput *in, Proposal **ret_p, GError **error);
    /* After notes and mails, before the job's next state: result knows the final status, and of each
     * mail its id and whether it is held. */
    bool (*commit)(Engine *engine,
                   Txn *txn,
                   const Job *job,
                   const StepInput *in,
                   const Proposal *p,
                   const StepResult *result,
                   GError **error);

    /* Before a program starts on any job: what it finds of the home in its folder (workplace_path()), and
     * what of it can be seen behind the wall; s NULL: there is none. */
    void (*shows)(Engine *engine, const Job *job, Sandbox *s);

    /* The mail below which the conversation of its job hangs: it stands in the References of each answer. *ret_msgid
     * NULL: what is answered says it all. Caller frees. */
    bool (*root)(Engine *engine, const Job *job, char **ret_msgid, GError **error);

    /* How `postrider watch` shows this job of its own: arguments, whose last one also names the window of
     * `tmux = yes`. NULL: by its number. Caller frees. */
    char **(*watched)(Engine *engine, const Job *job);

    /* A program has worked on any job, in a worktree, and has ended: what it has left there that is this face's adds acts to the
     * proposal. What may not be is a line of ret_refused, char *. */
    bool (*worked)(Engine *engine,
                   const Job *job,
                   const StepInput *in,
                   Proposal *p,
                   GPtrArray *ret_refused,
                   GError **error);

    /* A try of any job has failed: it is made again, or the job is given up. */
    bool (*failed)(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error);
    /* A step of any job has settled this mail. */
    bool (*handled)(Engine *engine, Txn *txn, const Job *job, const MsgRow *row, GError **error);
    /* What brains may do that is of this face (engine/act.h); ends with NULL. */
    const ActOps *const *acts;

    /* --- what it keeps --- */

    /* Its members of a checkpoint, beside the mode's; and rows come back with a job that only its
     * checkpoint knows, or of which it knows more than the store. */
    bool (*members)(Engine *engine, const Job *job, json_t *document, GError **error);
    bool (*restored)(
        Engine *engine, Txn *txn, JobId job, const json_t *document, GError **error);

    /* --- the world outside --- */

    /* A file that is a view of the store, by its path beneath the home (view_raise()); NULL: there is
     * to be none. The same store gives the same bytes. Caller unrefs. */
    bool (*render)(Engine *engine, const char *subject, GBytes **ret, GError **error);
    /* Files that people made: at a start, on a change of what it watches, and after a lost store
     * before the first intake. *n: how many it has taken; adds to it. */
    bool (*look)(Engine *engine, unsigned *n, GError **error);
    /* A timer of its own (timer_set_about()), which is gone already; it may be set again. Before one whose purpose ends
     * with TIMER_LOOK goes, look() is called. */
    bool (*due)(Engine *engine, Txn *txn, const Timer *t, GError **error);
    /* An effect on files (engine/tree/file_effects.h) is done, why NULL, or somebody else was there: why says
     * who. In the transaction that forgets it; mail that waited for it is released, or held. */
    bool (*settled)(
        Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error);
    void (*check)(Engine *engine, GPtrArray *findings); /* of char *: for doctor */
};

/* Brings tables and watches of all faces up to date; a part of engine_open(). */
bool faces_open(Engine *engine, GError **error);
/* The name of the face that leads a job which begins with this mail; "": no face does. */
const char *faces_claim(const Engine *engine, const MsgNew *in);
bool
faces_stored(Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error);
bool faces_posted(Engine *engine, Txn *txn, MailKind kind, GBytes *bytes, GError **error);
bool faces_failed(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error);
bool faces_handled(Engine *engine, Txn *txn, const Job *job, const MsgRow *row, GError **error);
bool faces_worked(Engine *engine,
                  const Job *job,
                  const StepInput *in,
                  Proposal *p,
                  GPtrArray *ret_refused,
                  GError **error);
bool faces_wait(Engine *engine, const MsgNew *in, bool *ret, GError **error);
bool faces_tell(Engine *engine, const MsgRow *row, bool *ret, GError **error);
bool faces_page(
    Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
bool faces_order(Engine *engine,
                 const Judgement *j,
                 const Message *m,
                 JobId job,
                 Order *ret,
                 GError **error);
/* What the face's see() has said of a subject; borrowed until faces_forget(). NULL with
 * ERR_AGAIN: nobody has looked yet. Then faces_see() is to be called outside of the
 * transaction, and the transaction is to be run again. */
const void *
faces_sight(Engine *engine, const FaceOps *face, const char *subject, GError **error);
/* Looks at each subject that faces_sight() was asked for and nobody has looked at; false: there
 * was none. */
bool faces_see(Engine *engine);
void faces_forget(Engine *engine);
/* Calls ordered() of the face that leads the job. */
bool faces_ordered(Engine *engine, Txn *txn, JobId job, OrderKind kind, GError **error);
bool faces_settled(
    Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error);
bool faces_look(Engine *engine, unsigned *ret_n, GError **error);
void faces_check(Engine *engine, GPtrArray *findings);
void faces_show(Engine *engine, const Job *job, Sandbox *s);
