#pragma once

/*
 * Requests of programs that are carried out once: whoever did not hear the answer may ask again
 * within a minute, also when the run that carried the request out was killed since. What was
 * asked is known by a digest, within one round of a job; the row is committed with the step
 * that has sent the mail.
 */
#include "store/db.h"

#define SENT_ONCE_US (60 * USEC_PER_SEC)

typedef struct SentOnce {
    JobId job;
    int round;
    Digest digest;
} SentOnce;

/* *ret_msgid: the mail that was sent for it, and *ret_why why it was held (NULL: it was not);
 * NULL where none was sent within the last minute. Caller frees both. */
bool sent_once_find(
    Db *db, const SentOnce *what, char **ret_msgid, char **ret_why, GError **error);
bool sent_once_put(
    Txn *txn, const SentOnce *what, const char *msgid, const char *why, GError **error);
