#pragma once

/*
 * Standing permissions: what a person said ALWAYS to, or how often, or until when. A row covers
 * tool calls of one role with one tool, about exactly one thing, in one folder, and nothing else.
 * Each use is counted in a durable commit before the call is allowed, so a crash may lose a use and
 * never adds one.
 */
#include "store/db.h"
#include "view/job_rows.h"

/* Of p: role, tool, what, covers, folder, who, job, until_us, left. */
bool permit_put(Txn *txn, const Permit *p, PermitId *ret, GError **error);
/* Uses one that covers all of p, if there is one: *ret_used. */
bool permit_use(Txn *txn, const Permit *p, bool *ret_used, GError **error);
/* *ret_ended false: there is none that holds. */
bool permit_revoke(Txn *txn, PermitId id, const char *who, bool *ret_ended, GError **error);
/* Those that hold, oldest first; all: those that have ended too. */
bool permits_list(Db *db, bool all, Permits **ret, GError **error);
