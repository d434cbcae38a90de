#pragma once

/*
 * Mail of ours that a server gave another Message-ID: all that others know it by. Each such id
 * belongs to one mail for good, and to its thread; a mail may have several, one for each time
 * that a server took it. An id that we gave a mail ourselves, and did not mint, is found here
 * too.
 */
#include "base/ids.h"
#include "store/db.h"

/* Enters an id, with its thread. *ret_new is false, and nothing changed, when the id is known,
 * this home has minted it, or the mail is not there. */
bool server_ids_put(Txn *txn, OutId mail, const char *id, bool *ret_new, GError **error);
/* An id of ours that is not minted: the mail is found by it at once. */
bool server_ids_put_own(Txn *txn, OutId mail, const char *id, GError **error);
/* Our own id of the mail that has this id from a server; NULL: no mail has it. Caller frees. */
bool server_ids_find(Db *db, const char *id, char **ret_msgid, GError **error);
/* *ret: there is any such id. Cheap: for a caller that would else look up every id of a
 * mail. */
bool server_ids_any(Db *db, bool *ret, GError **error);

/* Mails (OutId) since then that this account's server has, or may have, and that have no such
 * id yet; oldest first. */
bool
server_ids_owed(Db *db, const char *account, int64_t since_us, GArray **ret, GError **error);
