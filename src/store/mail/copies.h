#pragma once

/*
 * More than one file of one mail. Who came first is the message (store/mail/messages.h); a file
 * of the same identity (mail/identity.h) that nobody vouches for better is only a row of
 * `copy`:
 *
 *     copy(message, role, file, at_us, owed)
 *
 * (1) The file of a copy is known: no pass opens it again.
 * (2) It follows its message. Whoever writes the message's folder or flags sets `owed` of its
 *     copies in the same transaction, and settle_local() pays; on a server remote.wants and
 *     remote.marks of their files are written with those of the message's own.
 * (3) It becomes the message's place when the message's own file is gone, and only then.
 */
#include "store/mail/messages.h"

/* Rows of one Message-ID that are looked at when another mail comes under it, and how many of
 * them are compared with it. Beyond that only somebody who floods us with one id gets. */
#define COPIES_LOOKED_AT 200
#define COPIES_COMPARED 8

/* Adds a file, which lies in this folder, as a copy of the message. A second call changes
 * nothing. */
bool copies_add(Txn *txn, MsgId message, const char *folder, const char *file, GError **error);
/* The names of at most max files, oldest first. Elements are char *. */
bool copies_files(Db *db, MsgId message, unsigned max, GPtrArray **ret_files, GError **error);
/* *ret: the message has this identity (mail/identity.h). */
bool copies_is(Db *db, MsgId message, const Digest *identity, bool *ret, GError **error);
/* The message's own file is gone: this one of its copies takes its place. */
bool copies_promote(Txn *txn, MsgId message, const char *file, GError **error);

/* A copy that does not lie where its message lies, or lacks its flags. */
typedef struct CopyOwed {
    int64_t id;
    char *role, *file;
    char *folder, *marks; /* the message's */
} CopyOwed;
/* At most max. Elements are CopyOwed. */
bool copies_owed(Db *db, unsigned max, GPtrArray **ret_rows, GError **error);
/* To be called when the copy has been moved and marked. Where its message moved on meanwhile,
 * the copy stays owed. */
bool copies_paid(Txn *txn, const CopyOwed *copy, GError **error);

/* Mail of the role under the same Message-ID from the same sender with the same subject: the
 * one that has a job or is handled first, then the oldest. */
bool
copies_rivals(Db *db, const char *role, const Message *m, MsgRows **ret_rows, GError **error);
/* The oldest mails of the role with this Message-ID, whoever sent them; not what it wrote. */
bool
copies_under(Db *db, const char *role, const char *msgid, MsgRows **ret_rows, GError **error);
/* Counts the messages of the role that have this Message-ID. */
bool copies_count(Db *db, const char *role, const char *msgid, int64_t *ret_n, GError **error);
