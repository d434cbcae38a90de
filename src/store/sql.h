#pragma once

/*
 * The driver, for this room only: prepared statements that live as long as the connection,
 * bound and read in the order of their marks. No SQL text is ever built from data. What
 * SQLite's own calls do, they do in sql.c, db.c and migrate.c; nobody else names one.
 *
 *     SqlStmt *st = sql_get(db, "SELECT id FROM job WHERE role = ? AND id < ?", error);
 *     if (!st) return false;
 *     sql_bind(st, "si", role, (int64_t)below);
 *     while ((rc = sql_next(st, error)) == 1) …
 *
 * Formats: i int64_t, n int (bool too), u unsigned (uint32_t too), s const char * (NULL is
 * NULL), d const Digest *, b GBytes * (NULL is NULL), z: NULL (takes no argument). sql_next()
 * resets the statement at its end and on error; a caller that stops early calls sql_reset(): a
 * statement left open pins the log.
 */
#include "base/ids.h"
#include "store/db.h"

/* The parameter (?) for a time: our "never", USEC_NEVER, is NULL in the tables, so that the
 * partial indexes leave it out. */
#define SQL_NEVER "9223372036854775807"
#define SQL_TIME "NULLIF(?, " SQL_NEVER ")"

/* A condition: the text has the part in it, upper and lower case told apart. It is written so
 * that any SQL store understands it. */
#define SQL_CONTAINS(text, part) "replace(" text ", " part ", '') <> " text

typedef struct sqlite3_stmt SqlStmt;

/* One connection and the statements prepared on it so far. */
typedef struct SqlConn {
    struct sqlite3 *handle;
    GHashTable *statements; /* addresses of what it was made of -> SqlStmt */
    int log_pages;          /* after the newest commit */
} SqlConn;
SqlConn *sql_conn(Db *db);
/* Opens a file that is there, without checkpoints of SQLite's own. */
bool sql_conn_open(SqlConn *conn, const char *path, GError **error, const char *doing);
/* True when the file or a folder above it was deleted, restored or mounted over: nobody would
 * see what we write. */
bool sql_conn_moved(const SqlConn *conn);
void
sql_conn_checkpoint(SqlConn *conn); /* what nobody reads any more; a failure loses nothing */
/* The same, and the log is empty afterwards if nobody reads: who opens the store next, while
 * nobody has it open, need not read the log through. */
void sql_conn_checkpoint_whole(SqlConn *conn);
SqlStmt *sql_conn_get(SqlConn *conn, const char *sql, GError **error);
/* Bind, step to the end, no rows. */
bool sql_conn_run(SqlConn *conn, const char *sql, GError **error, const char *format, ...);
void sql_conn_clear(SqlConn *conn); /* finalizes and closes */

/* The statement of this literal: cached by the address of sql, which must be a string constant.
 */
SqlStmt *sql_get(Db *db, const char *sql, GError **error);
/* The same for a text that is made, once, of a constant string and something else that
 * stays. */
typedef char *SqlMake(const void *of, const char *sql);
SqlStmt *sql_get_made(Db *db, const void *of, const char *sql, SqlMake *make, GError **error);
void sql_bind(SqlStmt *st, const char *format, ...);
void sql_bind_list(SqlStmt *st, const char *format, va_list args);
/* Binds one parameter, counted from 1, of a statement whose number of parameters depends on its
 * data; the text must live until the reset. */
void sql_bind_int(SqlStmt *st, int mark, int64_t value);
void sql_bind_text(SqlStmt *st, int mark, const char *text);
/* 1: a row, 0: no more, -1: error. */
int sql_next(SqlStmt *st, GError **error);
void sql_reset(SqlStmt *st);
/* Bind, step to the end, no rows. */
bool sql_run(Txn *txn, const char *sql, GError **error, const char *format, ...);
/* The same: how many rows were changed, or whether any was. */
bool sql_changes(
    Txn *txn, const char *sql, unsigned *ret_n, GError **error, const char *format, ...);
bool sql_changed(Txn *txn, const char *sql, bool *ret, GError **error, const char *format, ...);
/* The same for an INSERT of one row whose key is one number: *ret_id is that number. */
bool
sql_insert(Txn *txn, const char *sql, int64_t *ret_id, GError **error, const char *format, ...);
/* One int64 from one row; 0 when there is no row or it is NULL. */
bool sql_int(Db *db, const char *sql, int64_t *ret, GError **error, const char *format, ...);
/* The same of a number that is small. */
bool
sql_count(Db *db, const char *sql, unsigned *ret_n, GError **error, const char *format, ...);
/* One text from one row; NULL when there is no row or it is NULL; caller frees. */
bool sql_string(Db *db, const char *sql, char **ret, GError **error, const char *format, ...);
/* *ret: the first row has a first number, and that is not 0. */
bool sql_bool(Db *db, const char *sql, bool *ret, GError **error, const char *format, ...);
/* The first column of all rows: texts, or numbers (ids too: an id is a number). */
bool
sql_strings(Db *db, const char *sql, GPtrArray **ret, GError **error, const char *format, ...);
bool sql_ints(Db *db, const char *sql, GArray **ret, GError **error, const char *format, ...);
/* Columns of the row that sql_next() stands at, from 0 on. NULL is 0. */
int64_t sql_col_int(SqlStmt *st, int column);
bool sql_col_null(SqlStmt *st, int column);
const char *sql_col_text(SqlStmt *st,
                         int column); /* borrowed until the next step; NULL for NULL */
/* A copy of a text column, "" (sql_text) or NULL (sql_text_null) for NULL; caller frees. */
char *sql_text(SqlStmt *st, int column);
char *sql_text_null(SqlStmt *st, int column);
GBytes *sql_bytes(SqlStmt *st, int column); /* NULL for NULL */
void sql_digest(SqlStmt *st, int column, Digest *ret);
struct sqlite3 *sql_handle(Db *db);
/* Sets the error from what SQLite said last, the code by remedy: full disk and busy are LATER,
 * a broken file is DAMAGE, a file that we may not write is CONFIG. Returns false. */
bool sql_error(Db *db, GError **error, const char *doing);
bool sql_error_handle(struct sqlite3 *handle, GError **error, const char *doing);
/* Runs SQL without parameters that gives no rows: pragmas, BEGIN, COMMIT, migrations. */
bool sql_exec(struct sqlite3 *handle, const char *sql, GError **error, const char *doing);
/* One number of a pragma or query, on a bare handle. */
bool sql_pragma_int(struct sqlite3 *handle, const char *sql, int64_t *ret, GError **error);
