#pragma once

/*
 * Standing permissions: what a person said ALWAYS to, or how often, or until when. A row covers
 * tool calls of one role with one tool, about exactly one thing, in one folder, and nothing
 * else. Each use is counted in a durable commit before the call is allowed, so a crash may lose
 * a use and never adds one.
 */
#include "store/db.h"
#include "view/job_rows.h"

/* Adds a permission, from these members of p: role, tool, what, covers, folder, who, job,
 * until_us, left. */
bool permit_put(Txn *txn, const Permit *p, PermitId *ret, GError **error);
/* Uses a permission that holds for exactly this role, tool, what, covers and folder: first one
 * without a limit of uses, else the one with the fewest uses left. *ret_used: there was one. */
bool permit_use(Txn *txn, const Permit *p, bool *ret_used, GError **error);
/* Ends a permission. *ret_ended is false when there is none of that number, or when it holds no
 * more: it was ended before, is used up, or its time is over. */
bool permit_revoke(Txn *txn, PermitId id, const char *who, bool *ret_ended, GError **error);
/* The permissions that hold, oldest first; all: also those that hold no more. */
bool permits_list(Db *db, bool all, Permits **ret, GError **error);
