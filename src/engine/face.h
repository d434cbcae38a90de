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
    /* The tables of the face, whose versions the face counts itself; those of a face of ours
     * lie in src/store. */
    const SqlPart *tables;
    /* Folders beneath the home whose changes wake look(); ends with NULL. They are kept as rows
     * of the store, since the master links no face. */
    const char *const *watches;

    /* --- mail comes in, in intake's transaction --- */

    /* True when this face leads the new job of this stored mail. The first face that says so
     * counts. */
    bool (*claims)(const Engine *engine, const MsgNew *in);
    /* The mail has got its row, and gone to this job ({0}: to no job). Called for every
     * face. */
    bool (*stored)(
        Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId job, GError **error);
    /* A mail that somebody of this home wrote is on its way, in the transaction that decided
     * so; one that is held for a person's yes is not. Where faces_sight() is asked, whoever
     * writes has to see: of agents' mail nothing may depend on files. bytes: all of it. Called
     * for every face. */
    bool (*posted)(Engine *engine, Txn *txn, MailKind kind, GBytes *bytes, GError **error);
    /* *ret: true when this mail, which passed the judge and is no order, wakes nobody by
     * itself. The mail is then handled, and of class MSG_EVENT; stored() sees to it that the
     * role is shown it together with its next mail. */
    bool (*waits)(Engine *engine, const MsgNew *in, bool *ret, GError **error);
    /* *ret: true when this mail only tells something. A role that has nothing to do about such
     * a mail may end the job without an answer. */
    bool (*tells)(Engine *engine, const MsgRow *row, bool *ret, GError **error);
    /* Asked before order_parse(). If the mail decides something of the face, ret becomes an
     * ORDER_FACE, whose `said` is the text that the sender gets. The face itself judges whether
     * the sender may decide. What the decision changes is written by stored(), which sees the
     * class MSG_ORDER. */
    bool (*order)(Engine *engine,
                  const Judgement *j,
                  const Message *m,
                  JobId job,
                  Order *ret,
                  GError **error);
    /* Reads from files what order(), stored() and commit() must know, since no transaction
     * reads files. They ask faces_sight() for it, by a subject of the face's own. see() is
     * called outside of the transaction, which is then run again; forget() frees what see()
     * gave. */
    void *(*see)(Engine *engine, const char *subject);
    void (*forget)(void *sight);
    /* STOP, CANCEL or CONTINUE has reached a job of this face; called after the job's row was
     * changed. */
    bool (*ordered)(Engine *engine, Txn *txn, const Job *job, OrderKind kind, GError **error);

    /* --- a job of its own runs --- */

    /* Asked after the claim. *ret_until other than 0: the job is given back until then, and no
     * attempt counts. A job that waits for mail is parked instead. */
    bool (*ready)(Engine *engine, const Job *job, int64_t *ret_until, GError **error);
    /* Takes the place of mode and brain: the face works on the job by itself, asks programs
     * (session_ask()) and commits steps (session_commit()), until a step has ended the claim
     * or the session is called off. engine/session.h has the same for a command in the
     * foreground. */
    bool (*work)(JobSession *session, GError **error);
    /* Adds the face's parts to the page, before the mode adds the others; by context_show_cut()
     * and its like, whose text the manifest keeps. */
    bool (*frame)(
        Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
    /* The same for every job, whichever face leads it: parts about what the job's mail means to
     * this face. Called after frame(). */
    bool (*page)(
        Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
    /* Decides the step of a role that has no brain. It depends on nothing but what is
     * stored. */
    bool (*decide)(
        Engine *engine, const Job *job, const StepInput *in, Proposal **ret_p, GError **error);
    /* Called in the commit of a step, after its notes and mails, before the job's next state.
     * result has the final status, and of each mail its id and whether it is held. */
    bool (*commit)(Engine *engine,
                   Txn *txn,
                   const Job *job,
                   const StepInput *in,
                   const Proposal *p,
                   const StepResult *result,
                   GError **error);

    /* Called before a program starts on any job: puts files of the home into the program's
     * folder (workplace_path()), and lets it see them behind the wall s; s NULL: there is no
     * wall. */
    void (*shows)(Engine *engine, const Job *job, Sandbox *s);

    /* *ret_msgid: the mail below which the conversation of the face's job hangs: each answer
     * has it in References. NULL: the mail that is answered is enough. Caller frees. */
    bool (*root)(Engine *engine, const Job *job, char **ret_msgid, GError **error);

    /* The arguments with which `postrider watch` shows this job of the face; the last one also
     * names the window of `tmux = yes`. NULL: the job is shown by its number. Caller frees. */
    char **(*watched)(Engine *engine, const Job *job);

    /* A program that worked on any job, in a worktree, has ended. Files of this face that it
     * has left there add acts to the proposal. ret_refused gets a line (char *) for each file
     * that may not become an act. */
    bool (*worked)(Engine *engine,
                   const Job *job,
                   const StepInput *in,
                   Proposal *p,
                   GPtrArray *ret_refused,
                   GError **error);

    /* An answer for any job was paid for (budget_pay()), or its money is spent, as it is asked about again. */
    bool (*paid)(Engine *engine, Txn *txn, const Job *job, GError **error);
    /* A try of any job has failed; the job is tried again, or given up. */
    bool (*failed)(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error);
    /* A step of any job has settled this mail. */
    bool (*handled)(Engine *engine, Txn *txn, const Job *job, const MsgRow *row, GError **error);
    /* The acts of this face that brains may do (engine/act.h); ends with NULL. */
    const ActOps *const *acts;

    /* --- what it keeps --- */

    /* members() adds the face's members to a checkpoint, beside the mode's. restored() writes
     * the face's rows of a job that only its checkpoint knows, or of which the checkpoint knows
     * more than the store. */
    bool (*members)(Engine *engine, const Job *job, json_t *document, GError **error);
    bool (*restored)(
        Engine *engine, Txn *txn, JobId job, const json_t *document, GError **error);

    /* --- the world outside --- */

    /* *ret: the bytes of a file that is a view of the store, by its path beneath the home
     * (view_raise()); NULL: there is to be no such file. The same store gives the same bytes.
     * Caller unrefs. */
    bool (*render)(Engine *engine, const char *subject, GBytes **ret, GError **error);
    /* Takes in files that people made: at a start, on a change of a folder in `watches`, and
     * after a lost store before the first intake. Adds to *n how many files it has taken in. */
    bool (*look)(Engine *engine, unsigned *n, GError **error);
    /* A timer of the face (timer_set_about()) is due. Its row is gone already; the face may set
     * it again. If the purpose of a timer ends with TIMER_LOOK, look() is called before. */
    bool (*due)(Engine *engine, Txn *txn, const Timer *t, GError **error);
    /* An effect on files (engine/tree/file_effects.h) has ended: it is done (why NULL), or
     * somebody else was at the file (why says who). Called in the transaction that forgets the
     * effect; mail that waited for it is released, or held. */
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
/* budget_pay(), of which the faces hear. */
bool faces_pay(Engine *engine, Txn *txn, const Job *job, int64_t micro, GError **error);
bool faces_paid(Engine *engine, Txn *txn, const Job *job, GError **error);
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
/* What the face's see() has given for a subject; borrowed until faces_forget(). NULL with
 * ERR_AGAIN: nobody has looked yet. The caller then calls faces_see() outside of the
 * transaction, and runs the transaction again. */
const void *
faces_sight(Engine *engine, const FaceOps *face, const char *subject, GError **error);
/* Calls see() for each subject that faces_sight() was asked for and that has not been looked
 * at; false: there was no such subject. */
bool faces_see(Engine *engine);
void faces_forget(Engine *engine);
/* Calls ordered() of the face that leads the job. */
bool faces_ordered(Engine *engine, Txn *txn, JobId job, OrderKind kind, GError **error);
bool faces_settled(
    Engine *engine, Txn *txn, const Effect *e, const char *why, GError **error);
bool faces_look(Engine *engine, unsigned *ret_n, GError **error);
void faces_check(Engine *engine, GPtrArray *findings);
void faces_show(Engine *engine, const Job *job, Sandbox *s);
