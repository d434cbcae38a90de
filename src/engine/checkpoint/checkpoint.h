#pragma once

/*
 * Checkpoint mails in a role's mailbox: what intake and the first look at a mailbox do with
 * them.
 *
 *   of a parked job           seen: the job waits for its time alone
 *   used, older, stopped      to Done
 *   newer than the store      hold-all: the store is an old copy
 *   of a job that is lost     restored before anything else is read
 *
 * A person who deletes the checkpoint of a parked job stops it. One that lies in Junk may have
 * been put there by a filter: the job is held as if stopped, and the owner is asked.
 */
#include "engine/checkpoint/continuation.h"
#include "mail/maildir.h"
#include "store/mail/messages.h"

/* How many were refused, in meta: `status` shows it. Stale are those that somebody brought once
 * more, not those that their job was faster than. */
#define CHECKPOINT_FORGED "forged-continuations"
#define CHECKPOINT_STALE "stale-continuations"
bool checkpoint_count_forged(Txn *txn, GError **error);

/* Takes a signed checkpoint mail in: stores its row, as handled, and does what follows for its
 * job. *ret_forged: the checkpoint is of another role, and nothing was done. *ret_moves:
 * something is owed to the mailbox. */
bool checkpoint_take(Engine *engine,
                     Txn *txn,
                     MsgNew *in,
                     const Continuation *c,
                     bool *ret_forged,
                     bool *ret_moves,
                     GError **error);
/* Makes a new job of a document without a MAC that the operator brought in; in->job is set to
 * that job. */
bool
checkpoint_adopt(Engine *engine, Txn *txn, const Continuation *c, MsgNew *in, GError **error);

/* Jobs that the store has lost come back: per job the checkpoint with the highest seq in INBOX,
 * if no copy in Done is as high; counters are the highest in any copy. */
bool checkpoints_restore(
    Engine *engine, const ConfRole *role, Maildir *md, unsigned *ret_n, GError **error);

/* Makes a job of a store that is older than its mail wait again at the place that this newer
 * checkpoint has. */
bool
checkpoint_put_back(Engine *engine, Txn *txn, JobId job, const Continuation *c, GError **error);

/* Stops parked jobs whose checkpoint was deleted: flagged so, moved to Trash, or found in no
 * folder twice, ten seconds apart or by two processes. Meanwhile its time wakes no job whose
 * checkpoint was missed. More than one gone at once proves nothing. */
bool checkpoints_look(Engine *engine, const ConfRole *role, Maildir *md, GError **error);
/* To be called before a parked job goes on because its time has come. *ret_missed: its
 * checkpoint mail was not found, and the job does not go on now. */
bool checkpoint_check(Engine *engine, const Job *job, bool *ret_missed, GError **error);
/* The second look, when the timer TIMER_CHECKPOINT of this job is due. *ret_did: something was
 * changed. */
bool checkpoint_look_again(Engine *engine, JobId job, bool *ret_did, GError **error);
