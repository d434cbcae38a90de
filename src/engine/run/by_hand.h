#pragma once

/*
 * What a person says in the place of a job's agent: a mail of its role that settles mail of the job.
 * No claim is needed for it. A run that works on the same mail finds at its commit that it is answered
 * already, and ends without a word (run.c).
 */
#include "engine/run/commit.h"

typedef struct ByHand ByHand;

/* settles: open mail of the job, oldest first; may be empty. mail: to empty means those who wrote it,
 * else who asked last; in_reply_to NULL: the newest of it, else what the job begins with. Reads
 * files; borrows all of it. */
bool by_hand_begin(Engine *engine,
                   const Job *job,
                   const MsgRows *settles,
                   const ProposedMail *mail,
                   ByHand **ret,
                   GError **error);
void by_hand_free(ByHand *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ByHand, by_hand_free)
/* Mail, settled marks and moves to Done. ret_msgid: caller frees. ERR_NEVER: some of it is answered already. */
bool by_hand_commit(ByHand *h, Txn *txn, char **ret_msgid, GError **error);
