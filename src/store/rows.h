#pragma once

/*
 * Reading rows by their shape (view/shape.h), for this room only. The statement is "SELECT",
 * the columns of the shape and `rest`, which is a string constant: "FROM job WHERE id = ?".
 * Formats are those of sql_bind().
 */
#include "store/sql.h"
#include "view/shape.h"

/* All rows: *ret_list is a LIST_OF or a GPtrArray of them. */
bool rows_list(Db *db,
               const Shape *shape,
               const char *rest,
               void *ret_list,
               GError **error,
               const char *format,
               ...);
/* For a list that is mostly empty and wanted once in a program: whether there is anything, by a
 * question that is quickly prepared, which a statement of many columns is not. Where not,
 * *ret_list is empty. */
bool rows_any(
    Db *db, const char *sql, const Shape *shape, void *ret_list, bool *ret_any, GError **error);
/* The first row, which the caller frees; NULL with true: there is no row. */
bool rows_first(Db *db,
                const Shape *shape,
                const char *rest,
                void *ret_row,
                GError **error,
                const char *format,
                ...);
/* The first row into a struct without strings; the struct is all 0 where there is no row, and
 * on failure. */
bool rows_into(Db *db,
               const Shape *shape,
               const char *rest,
               void *ret_struct,
               GError **error,
               const char *format,
               ...);
/* For a caller that looks at each row before it keeps the row: rows_get() gives the statement
 * (borrowed, its parameters not bound yet), and after each sql_next() rows_read() makes the row
 * at which the statement stands. */
SqlStmt *rows_get(Db *db, const Shape *shape, const char *rest, GError **error);
void *rows_read(const Shape *shape, SqlStmt *st);
