#pragma once

/* Has this store ever looked into a mailbox? What lies in one that it has not is history first
 * (engine/checkpoint/history.h); one that was made empty is known from the start. */
#include "store/db.h"

bool mailbox_visited(Db *db, const char *mailbox, bool *ret, GError **error);
bool mailbox_set_visited(Txn *txn, const char *mailbox, GError **error);
