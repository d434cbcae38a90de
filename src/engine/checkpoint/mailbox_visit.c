#include "engine/checkpoint/mailbox_visit.h"
#include "base/banned.h"

bool
mailbox_visited(Db *db, const char *mailbox, bool *ret, GError **error)
{
    g_autofree char *name = g_strdup_printf("known:%s", mailbox);
    g_autofree char *value = NULL;
    if (!meta_get(db, name, &value, error))
        return false;
    *ret = value != NULL;
    return true;
}

bool
mailbox_set_visited(Txn *txn, const char *mailbox, GError **error)
{
    g_autofree char *name = g_strdup_printf("known:%s", mailbox);
    return meta_set(txn, name, "1", error);
}
