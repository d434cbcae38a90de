#pragma once

/*
 * Is this store an old copy of itself? It looks healthy then, and would do again what was done
 * after the copy. What was done lies in Sent folders and in people's mailboxes, in files whose
 * names carry the number of their row in the outbox (out_row_file). A name with a number that
 * was not given out yet, and with a tag that only this home can make, is the proof.
 */
#include "store/db.h"

/* Before anything is begun: at the master's start and in every pass. Sets "hold-all" (see
 * db_note_minted) on proof. Names are listed, no file is opened. A mailbox that can't be listed
 * proves nothing. */
bool age_check(Db *db, GError **error);
