#pragma once

/*
 * Intake: how mail comes in. A pass looks at what lies in the mailboxes of an account's roles
 * and takes in what the store does not know: parse, judge, thread, job, rows, orders; one
 * transaction per batch.
 *
 * (1) Before a batch is parsed its file names are marked (engine/in/suspects.h), so that a mail
 *     which crashes the parser is found and put aside, its bytes kept.
 * (2) A mail that can't be read at all (gone, unreadable, too large) never stops the others.
 * (3) A mailbox that this store has never seen is history first (engine/checkpoint/history.h).
 * (4) One process at a time per account: an Intake holds state/account-NAME.lock.
 */
#include "engine/engine.h"
#include "store/mail/messages.h"

typedef struct IntakeStats {
    unsigned seen, taken, orders, held, ignored, dead, foreign;
    /* Could not be read now: only a look at the whole mailbox finds them again. */
    unsigned left;
    /* "new/NAME", "cur/NAME" of mail that somebody is still writing, against Maildir's rule:
     * left for later too, to be looked at by name. NULL: nobody wants to know. */
    GPtrArray *unfinished;
} IntakeStats;

typedef struct Intake Intake;
/* ERR_LATER names the process that holds the account already; wait_ms as for lock_take().
 * ERR_CONFIG: the mail folder is another home's (base/living.h). */
bool intake_open(
    Engine *engine, const ConfAccount *account, int wait_ms, Intake **ret, GError **error);
void intake_close(Intake *in);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Intake, intake_close)

/* All mailboxes of the account, or one role's. Adds to stats. Ends with db_hint() when
 * something became ready. ERR_LATER: come again (disk full, gate). */
bool intake_pass(Intake *in, IntakeStats *stats, GError **error);
bool intake_mailbox(Intake *in, const ConfRole *role, IntakeStats *stats, GError **error);
/* Only these files of the role's INBOX, at a cost that does not grow with it. Elements are
 * "new/NAME" and "cur/NAME"; what is gone or known is left out. */
bool intake_files(Intake *in,
                  const ConfRole *role,
                  const GPtrArray *files,
                  IntakeStats *stats,
                  GError **error);

/* Gives a stored mail to its job, or begins one where *io_job is {0}. Inside the transaction
 * that stored it. */
bool intake_queue(
    Engine *engine, Txn *txn, MsgId id, const MsgNew *in, JobId *io_job, GError **error);
