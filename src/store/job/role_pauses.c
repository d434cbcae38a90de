#include "store/job/role_pauses.h"
#include "store/rows.h"

static const Field fields[] = {
    {"role", "role", FIELD_TEXT, offsetof(RolePause, role)},
    {"why", "why", FIELD_TEXT, offsetof(RolePause, why)},
    {"report", "report", FIELD_MSGID, offsetof(RolePause, report)},
    {"since", "since_us", FIELD_TIME, offsetof(RolePause, since_us)},
};
const Shape role_pause_shape = {SHAPE("role_pause", RolePause, role_pauses, fields)};

bool
role_pause_begin(Txn *txn, const RolePause *p, bool *ret_new, GError **error)
{
    return sql_changed(txn,
                       "INSERT INTO role_pause (role, why, report, since_us) VALUES (?, ?, ?, ?) "
                       "ON CONFLICT (role) DO NOTHING",
                       ret_new, error, "sssi", p->role, p->why, p->report, txn_now(txn));
}

bool
role_pause_end(Txn *txn, const char *role, bool *ret_was, GError **error)
{
    return sql_changed(txn, "DELETE FROM role_pause WHERE role = ?", ret_was, error, "s", role);
}

bool
role_pause_find(Db *db, const char *role, RolePause **ret, GError **error)
{
    return rows_first(db, &role_pause_shape, "FROM role_pause WHERE role = ?", ret, error, "s",
                      role);
}

bool
role_pause_told_by(Db *db, const char *msgid, RolePause **ret, GError **error)
{
    return rows_first(db, &role_pause_shape, "FROM role_pause WHERE report = ?", ret, error, "s",
                      msgid);
}

bool
role_pauses_list(Db *db, RolePauses **ret, GError **error)
{
    return rows_list(db, &role_pause_shape, "FROM role_pause ORDER BY role", ret, error, "");
}
