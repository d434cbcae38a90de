#include "store/job/command_orders.h"
#include "store/rows.h"

static const Field fields[] = {
    {NULL, "at_us", FIELD_TIME, offsetof(CommandOrder, at_us)},
    {NULL, "words", FIELD_TEXT, offsetof(CommandOrder, text)},
};
const Shape command_order_shape = {
    SHAPE("command_order", CommandOrder, command_orders, fields)};

bool
command_order_add(Txn *txn, JobId job, const char *text, GError **error)
{
    return sql_run(txn, "INSERT INTO command_order (job, at_us, words) VALUES (?, ?, ?)", error,
                   "iis", job.v, txn_now(txn), text);
}

bool
command_orders_list(Db *db, JobId job, CommandOrders **ret, GError **error)
{
    return rows_list(db, &command_order_shape, "FROM command_order WHERE job = ? ORDER BY id",
                     ret, error, "i", job.v);
}
