#pragma once

/*
 * Orders that no mail of the job carries: those of the command line, STOP ALL, a checkpoint mail
 * that was deleted. Kept for `job log` alone; what an order does is in store/job/jobs.h.
 */
#include "base/list.h"
#include "store/db.h"

typedef struct CommandOrder {
    int64_t at_us;
    char *text;
} CommandOrder;
void command_order_free(CommandOrder *g);
LIST_OF(Givens, givens, CommandOrder, command_order_free)

/* In the transaction that carries it out. */
bool command_order_add(Txn *txn, JobId job, const char *text, GError **error);
/* The oldest first. */
bool command_orders_list(Db *db, JobId job, Givens **ret, GError **error);
