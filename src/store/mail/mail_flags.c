#include "store/mail/mail_flags.h"
#include "store/out/effects.h"
#include "store/sql.h"

bool
mail_flags_mark(Txn *txn, const MsgRow *row, const char *letters, GError **error)
{
    EffectId effect;

    if (!messages_mark(txn, row->id, letters, error))
        return false;
    if (!*row->folder || g_str_equal(row->folder, "Active"))
        return true; /* it will be moved once more */
    g_autofree char *subject = g_strdup_printf("%s/%s", row->role, row->file);
    g_autofree char *args = g_strconcat("+", letters, NULL);
    const Effect e = {.kind = EFFECT_MAIL_FLAG,
                      .job = row->job,
                      .message = row->id,
                      .account = "",
                      .subject = subject,
                      .args = args};
    return effect_put(txn, &e, &effect, error);
}

bool
mail_flags_by(Txn *txn, OutId id, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    MsgId parent = {0};

    if (!sql_int(txn->db, "SELECT answers FROM outbox WHERE id = ?", &parent.v, error, "i",
                 id.v) ||
        (parent.v && !messages_load(txn->db, &VIEWER_OPERATOR, parent, &row, error)))
        return false;
    return !row || mail_flags_mark(txn, row, "RS", error);
}

char *
mail_flags_move(Db *db, MsgId id, const char *folder, GError **error)
{
    g_autofree char *letters = NULL;

    if (g_str_equal(folder, "Active"))
        return g_strdup(folder);
    if (!messages_marks(db, id, &letters, error))
        return NULL;
    return letters && *letters ? g_strconcat(folder, "+", letters, NULL) : g_strdup(folder);
}
