#pragma once

/* For this room: the row of an account, which has what is known of its server. A row is made by
 * the first that has something to say; a column that nobody has set is 0 or NULL. */
#define ACCOUNT_GET(column) "SELECT " column " FROM account WHERE name = ?"
/* Marks: name, value. */
#define ACCOUNT_SET(column)                                                                    \
    "INSERT INTO account (name, " column ") VALUES (?, ?) "                                    \
    "ON CONFLICT (name) DO UPDATE SET " column " = excluded." column
