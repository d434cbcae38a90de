#pragma once

/*
 * Orders that no mail of the job carries: those of the command line, STOP ALL, a checkpoint
 * mail that was deleted. Kept for `job log` alone; what an order does is in store/job/jobs.h.
 */
#include "store/db.h"
#include "view/shape.h"

typedef struct CommandOrder {
    int64_t at_us;
    char *text;
} CommandOrder;
SHAPE_OF(CommandOrder, command_order, CommandOrders, command_orders)

/* In the transaction that carries it out. */
bool command_order_add(Txn *txn, JobId job, const char *text, GError **error);
/* The oldest first. */
bool command_orders_list(Db *db, JobId job, CommandOrders **ret, GError **error);
