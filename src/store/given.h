#pragma once

/*
 * Orders that no mail of the job carries: those of the command line, STOP ALL, a checkpoint mail
 * that was deleted. Kept for `job log` alone, as rows of meta ("order:12:1", a time and the
 * words); what an order does is in store/jobs.h.
 */
#include "store/db.h"

typedef struct Given {
    int64_t at_us;
    char *text;
} Given;

/* In the transaction that carries it out. */
bool given_add(Txn *txn, JobId job, const char *text, GError **error);
/* The oldest first; elements are Given. */
bool given_list(Db *db, JobId job, GPtrArray **ret, GError **error);
