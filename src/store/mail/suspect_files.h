#pragma once

/* Names of mail files that are being parsed (engine/in/suspects.h). */
#include "store/db.h"

/* Names of the batch that did not end, none: all is well; and how often a single one was
 * found. */
bool suspects_load(
    Db *db, const char *mailbox, GPtrArray **ret_files, unsigned *ret_crashes, GError **error);
/* Instead of those that are there; not flushed. */
bool
suspects_mark(Db *db, const char *mailbox, const GPtrArray *files, int crashes, GError **error);
bool suspects_wipe(Txn *txn, const char *mailbox, GError **error);
