#pragma once

/*
 * The outbox's way out, local part: each due delivery becomes a file in its Maildir (two
 * flushes) and an unflushed mark. The file's name derives from the row, so a repeat after a
 * crash finds it, also when a mail client has flagged or moved it meanwhile. One process at a
 * time: the kernel holds state/deliver.lock.
 *
 * A mailbox that can't be written (full, no rights) keeps no other from its mail: its rows wait
 * longer and longer, and fail at the age of `give-up`. Nothing leaves while db_hold_all() says
 * why not.
 */
#include "base/home.h"
#include "store/db.h"

typedef struct DeliverStats {
    unsigned sent, retried, failed;
} DeliverStats;

/* Delivers what is due until nothing is, or until SIGTERM or SIGINT is pending in a caller that
 * blocks them. Waits for the lock; ERR_LATER when another process keeps it. batch 1: one by
 * one; 0: 50. redo: look for every mail in its whole mailbox first; false: only where somebody
 * may have died before the mark, which it knows by itself. */
bool deliver_pass(
    const Home *home, Db *db, unsigned batch, bool redo, DeliverStats *ret, GError **error);
/* The program: the exit status. Leaves at once when another process is at it, which then looks
 * once more before it ends, so that no row is left behind. */
int deliver_main(Home *home, Db *db);
