#pragma once

/*
 * SQL, for this room only: prepared statements that live as long as the connection, bound and
 * read in the order of their marks. No SQL text is ever built from data.
 *
 *     sqlite3_stmt *st = sql_get(db, "SELECT id FROM job WHERE role = ? AND id < ?", error);
 *     if (!st) return false;
 *     sql_bind(st, "si", role, (int64_t)below);
 *     while ((rc = sql_next(db, st, error)) == 1) …
 *
 * Formats: i int64_t, s const char * (NULL is NULL), d const Digest *, b GBytes * (NULL is
 * NULL), z: NULL (takes no argument). sql_next() resets the statement at its end and on error;
 * a caller that stops early calls sql_reset(): a statement left open pins the log.
 */
#include "base/ids.h"
#include "store/db.h"
#include <sqlite3.h>

/* The mark of a time: our "never", USEC_NEVER, is NULL in the tables, so that the partial indexes
 * leave it out. */
#define SQL_TIME "NULLIF(?, 9223372036854775807)"

/* One connection and the statements prepared on it so far. */
typedef struct SqlConn {
    sqlite3 *handle;
    GHashTable *statements; /* address of the text -> sqlite3_stmt */
} SqlConn;
SqlConn *sql_conn(Db *db);
void sql_conn_clear(SqlConn *conn); /* finalizes and closes */

/* The statement of this literal: cached by the address of sql, which must be a string constant.
 */
sqlite3_stmt *sql_get(Db *db, const char *sql, GError **error);
void sql_bind(sqlite3_stmt *st, const char *format, ...);
/* 1: a row, 0: no more, -1: error. */
int sql_next(Db *db, sqlite3_stmt *st, GError **error);
void sql_reset(sqlite3_stmt *st);
/* Bind, step to the end, no rows. *ret_changes may be NULL. */
bool
sql_run(Txn *txn, const char *sql, int *ret_changes, GError **error, const char *format, ...);
/* One int64 from one row; fallback when there is no row or it is NULL. */
bool sql_int(Db *db,
             const char *sql,
             int64_t fallback,
             int64_t *ret,
             GError **error,
             const char *format,
             ...);
/* One text from one row; NULL when there is no row or it is NULL; caller frees. */
bool sql_string(Db *db, const char *sql, char **ret, GError **error, const char *format, ...);
/* A copy of a text column, "" (sql_text) or NULL (sql_text_null) for NULL; caller frees. */
char *sql_text(sqlite3_stmt *st, int column);
char *sql_text_null(sqlite3_stmt *st, int column);
GBytes *sql_bytes(sqlite3_stmt *st, int column); /* NULL for NULL */
void sql_digest(sqlite3_stmt *st, int column, Digest *ret);
int64_t sql_last_id(Txn *txn);
sqlite3 *sql_handle(Db *db);
/* Sets the error from what SQLite said last, the code by remedy: full disk and busy are LATER,
 * a broken file is DAMAGE, a file that we may not write is CONFIG. Returns false. */
bool sql_error(Db *db, GError **error, const char *doing);
bool sql_error_handle(sqlite3 *handle, GError **error, const char *doing);
/* Runs text without marks and without rows: pragmas, BEGIN, COMMIT, migrations. */
bool sql_exec(sqlite3 *handle, const char *sql, GError **error, const char *doing);
/* One number of a pragma or query, on a bare handle. */
bool sql_pragma_int(sqlite3 *handle, const char *sql, int64_t *ret, GError **error);
