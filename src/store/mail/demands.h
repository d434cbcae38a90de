#pragma once

/*
 * Mail that a role asks for and that is not held here: it may lie on the server of the role's
 * account, from before we knew each other, or in a folder that nobody watches. Who needs it
 * writes a row; the process of the account looks, and answers:
 *
 *   asked --found--> (row goes; the message is stored)      asked --not there--> ABSENT
 *
 * An answer is kept for a day, so that the same mail is not looked for again and again. Losing
 * a row costs one more question; nothing here needs a flush.
 */
#include "store/db.h"

typedef struct Demand {
    char *role, *msgid;
    char *folder; /* where to look first; "": anywhere */
} Demand;

/* Asks; once more is the same. again: also what was looked for in vain is looked for anew. */
bool demand_put(Txn *txn,
                const char *account,
                const char *role,
                const char *msgid,
                const char *folder,
                bool again,
                GError **error);
/* What nobody has looked for yet, oldest first; elements are Demand. */
bool
demands_open(Db *db, const char *account, unsigned max, GPtrArray **ret_rows, GError **error);
/* *ret: something is still to be looked for on behalf of the role. */
bool demands_wait(Db *db, const char *account, const char *role, bool *ret, GError **error);
/* The two answers: the mail is here now; the mail was not found. */
bool demand_met(Txn *txn, const char *account, const Demand *d, GError **error);
bool demand_absent(Txn *txn, const char *account, const Demand *d, GError **error);
