#pragma once

/* Feeds state/index.db from the mail files and the outbox, behind the store. */
#include "engine/engine.h"
#include "mail/maildir.h"
#include "store/index/index.h"

/* Brings the index up to the store. max 0: all. ret_n: mails read. */
bool follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error);
/* Reads the file of a row wherever it lies now; where that is gone, a copy (store/mail/copies.h). NULL
 * with true: gone. */
bool follow_read(Db *db, const MsgRow *row, GBytes **ret_bytes, GError **error);
/* A copy of a message whose own file is gone. Only one that still is the same mail counts;
 * *ret_bytes NULL with true: there is none. ret_file: its name; may be NULL. */
bool follow_copy(
    Db *db, Maildir *md, MsgId message, char **ret_file, GBytes **ret_bytes, GError **error);
/* Reads mail that was written: its frozen bytes or, once they are forgotten, a copy of it,
 * the sender's before others. mailbox: only a copy that lies there, since whose files they are
 * may change them; NULL: any. */
bool follow_read_out(
    Db *db, const OutRow *row, const char *mailbox, GBytes **ret_bytes, GError **error);
