#pragma once

/* Statements about the table `account`, for src/store alone: one row for each account, with
 * what is known of its mail server. Whoever first has something to say makes the row; a column
 * that nobody has set is 0 or NULL. */
#define ACCOUNT_GET(column) "SELECT " column " FROM account WHERE name = ?"
/* Parameters: the account's name, the value. */
#define ACCOUNT_SET(column)                                                                    \
    "INSERT INTO account (name, " column ") VALUES (?, ?) "                                    \
    "ON CONFLICT (name) DO UPDATE SET " column " = excluded." column
