#pragma once

/* Roles that no settings name, such as a panel that a face has made. Where the settings name a
 * role of the same name, that one counts instead (engine/role.h). */
#include "store/db.h"
#include "view/shape.h"

typedef struct RoleRow {
    char *face, *display, *address;
} RoleRow;
SHAPE_OF(RoleRow, role_row, RoleRows, role_rows)

/* *ret NULL: there is none. */
bool role_row_find(Db *db, const char *name, RoleRow **ret, GError **error);
/* Makes the role, or changes its face, display name and address. */
bool role_row_put(Txn *txn, const char *name, const RoleRow *row, GError **error);

/* *ret: the settings named this role when the store was made. */
bool role_was_first(Db *db, const char *name, bool *ret, GError **error);
