#include "engine/known.h"
#include "base/banned.h"

bool
known_get(Db *db, const char *mailbox, bool *ret, GError **error)
{
    g_autofree char *name = g_strdup_printf("known:%s", mailbox);
    g_autofree char *value = NULL;
    if (!meta_get(db, name, &value, error))
        return false;
    *ret = value != NULL;
    return true;
}

bool
known_set(Txn *txn, const char *mailbox, GError **error)
{
    g_autofree char *name = g_strdup_printf("known:%s", mailbox);
    return meta_set(txn, name, "1", error);
}
