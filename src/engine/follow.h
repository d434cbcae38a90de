#pragma once

/* Feeds state/index.db from the mail files and the outbox, behind the store. */
#include "engine/engine.h"
#include "store/index.h"

/* Brings the index up to the store. max 0: all. ret_n: mails read. */
bool follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error);
/* Reads the file of a row wherever it lies now. NULL with true: gone. */
bool follow_read(const Home *home, const MsgRow *row, GBytes **ret_bytes, GError **error);
/* The same of mail that was written: its frozen bytes or, once they are forgotten, a copy of it,
 * the sender's before others. mailbox: only a copy that lies there, since whose files they are
 * may change them; NULL: any. */
bool follow_read_out(const Home *home,
                     Db *db,
                     const OutRow *row,
                     const char *mailbox,
                     GBytes **ret_bytes,
                     GError **error);
