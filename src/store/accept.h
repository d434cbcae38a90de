#pragma once

/*
 * Going on with a store that is older than its mail: a restored backup. What the mail proves to
 * have happened since is taken over by accept_sent() and messages_set_state(); accept_backup()
 * then draws the line. All of it is one transaction of the caller's.
 */
#include "store/db.h"

/* This mail lies in a Sent folder: it left, whatever its rows say. *ret_n is the number of
 * deliveries that were thought to be still owed; 0 also for mail that the store does not know.
 */
bool accept_sent(Txn *txn, const char *msgid, unsigned *ret_n, GError **error);

/* From now on ids carry a generation above every one that was seen (newest_seen), whoever works
 * on a job or holds a checkpoint of it is fenced, and nothing is held any more. */
bool accept_backup(Txn *txn, uint64_t newest_seen, GError **error);
