#pragma once

/*
 * Going on with a store that is older than its mail: a restored backup. What the mail proves to
 * have happened since is taken over by engine/checkpoint/catch_up.h, mail by mail and job by
 * job; accept_backup() then draws the line. All of it is one transaction of the caller's.
 */
#include "base/ids.h"
#include "store/db.h"

/* This mail lies in a Sent folder: it left, whatever its rows say. *ret_n is the number of
 * deliveries that were thought to be still owed; 0 also for mail that the store does not know.
 */
bool accept_sent(Txn *txn, const char *msgid, unsigned *ret_n, GError **error);

/* Who decided what was decided after the backup. */
#define ACCEPT_WHO "a person, after the backup"
/* What a person was asked about this mail is answered; nothing happens if nobody was. */
bool accept_question(Txn *txn, OutId mail, bool approved, GError **error);

/* The job has ended, whatever its row says: done, or queued as the next round where mail of it
 * is still open. Its checkpoints in INBOX go to Done. */
bool accept_ended(Txn *txn, JobId job, const char *why, GError **error);

/* All jobs of the roles whose mail lies on this account's server; "": of all others. Orders and
 * checkpoints from before count no more, but for a job that waits: its checkpoint may not be
 * taken in yet. */
bool accept_jobs(Txn *txn, const char *account, GError **error);
/* From now on ids carry a generation above every one that was seen (newest_seen), whoever works
 * on a job is fenced, and nothing is held any more. */
bool accept_backup(Txn *txn, uint64_t newest_seen, GError **error);
