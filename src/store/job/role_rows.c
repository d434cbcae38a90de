#include "store/job/role_rows.h"
#include "store/rows.h"

static const Field fields[] = {
    {NULL, "face", FIELD_TEXT, offsetof(RoleRow, face)},
    {NULL, "display", FIELD_TEXT, offsetof(RoleRow, display)},
    {NULL, "address", FIELD_TEXT, offsetof(RoleRow, address)},
};
const Shape role_row_shape = {SHAPE("role", RoleRow, role_rows, fields)};

bool
role_row_find(Db *db, const char *name, RoleRow **ret, GError **error)
{
    return rows_first(db, &role_row_shape, "FROM role WHERE name = ?", ret, error, "s", name);
}

bool
role_row_put(Txn *txn, const char *name, const RoleRow *row, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO role (name, face, display, address) VALUES (?, ?, ?, ?) "
                   "ON CONFLICT (name) DO UPDATE SET face = excluded.face, "
                   "display = excluded.display, address = excluded.address",
                   error, "ssss", name, row->face, row->display, row->address);
}

bool
role_was_first(Db *db, const char *name, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM first_role WHERE name = ?", ret, error, "s", name);
}
