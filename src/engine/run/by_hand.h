#pragma once

/*
 * What a person says in the place of a job's agent: a mail of its role that settles mail of the
 * job. No claim is needed for it. A run that works on the same mail finds at its commit that it
 * is answered already, and ends without a word (run.c).
 */
#include "engine/run/commit.h"

typedef struct ByHand ByHand;

/* Prepares the mail, outside of a transaction, since it reads files; borrows all arguments.
 * settles: open mail of the job, oldest first; may be empty. mail->to empty: to those who wrote
 * the mail that it settles, else to whoever asked last. mail->in_reply_to NULL: it answers the
 * newest mail that it settles, else the mail that began the job. */
bool by_hand_begin(Engine *engine,
                   const Job *job,
                   const MsgRows *settles,
                   const ProposedMail *mail,
                   ByHand **ret,
                   GError **error);
void by_hand_free(ByHand *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ByHand, by_hand_free)
/* Posts the mail, marks what it settles, and has that moved to Done. *ret_msgid: caller frees.
 * ERR_NEVER: some of what it settles is answered already. */
bool by_hand_commit(ByHand *h, Txn *txn, char **ret_msgid, GError **error);
