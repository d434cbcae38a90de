#include "store/rows.h"
#include "base/clock.h"
#include "store/due.h"

static bool
is_read(const Shape *shape, const Field *f)
{
    return f->column && (shape->whole || !(f->flags & FIELD_HEAVY));
}

/* Columns that are more than a name. */
static const struct {
    const char *column, *sql;
} computed[] = {
    {"message.thread",
     "coalesce((SELECT into_thread FROM thread t WHERE t.id = message.thread), "
     "thread)"},
    {"message.floor", "coalesce(floor, trust)"},
    {"message.words_known", "own_words IS NOT NULL"},
    {"message.answer_to",
     "coalesce((SELECT s.address FROM space s WHERE s.name = message.space AND "
     SQL_CONTAINS("' ' || to_specs || ' '", "' ' || s.address || ' '") "), from_spec)"},
    {"d.next_us", "wall(d.next_us)"},
    {"o.since_us", "wall(o.since_us)"},
    {"o.floor", "coalesce(o.floor, o.level)"},
    {"job.ready_us", "wall(ready_us)"},
    {"job.wakes_us", "wall(wakes_us)"},
    {"job.deadline_us", "wall(deadline_us)"},
    {"job.resume_us", "wall(resume_us)"},
    {"job.resume_moment", "resume_us >= " SQL_MOMENTS},
    {"job.stalled_us", "wall(stalled_us)"},
    {"note.has_file", "digest IS NOT NULL"},
    {"timer.due_us", "wall(due_us)"},
    {"v.deleted", "v.body IS NULL"},
    {"v.size", "length(v.body)"},
};

static void
add_column(GString *text, const char *column)
{
    for (size_t i = 0; i < G_N_ELEMENTS(computed); i++) {
        if (strcmp(computed[i].column, column) == 0)
            column = computed[i].sql;
    }
    g_string_append(text, column);
}

static char *
select_text(const void *data, const char *rest)
{
    const Shape *shape = data;
    GString *text = g_string_new("SELECT ");
    const char *comma = "";

    for (size_t i = 0; i < shape->n; i++) {
        const Field *f = &shape->fields[i];

        if (!is_read(shape, f))
            continue;
        g_string_append(text, comma);
        g_autofree char *column = shape->table ? g_strconcat(shape->table, ".", f->column, NULL)
                                               : g_strdup(f->column);
        add_column(text, column);
        comma = ", ";
    }
    g_string_append_printf(text, " %s", rest);
    return g_string_free(text, FALSE);
}

SqlStmt *
rows_get(Db *db, const Shape *shape, const char *rest, GError **error)
{
    return sql_get_made(db, shape, rest, select_text, error);
}

static int
read_word(const Words *words, const char *word)
{
    int i = words_find(words, word);

    return i < 0 ? words->unknown : i;
}

static void
read_field(const Field *f, SqlStmt *st, int column, void *at)
{
    switch (f->type) {
    case FIELD_NUMBER:
        *(int *)at = (int)sql_col_int(st, column);
        break;
    case FIELD_BOOL:
        *(bool *)at = sql_col_int(st, column) != 0;
        break;
    case FIELD_TEXT:
    case FIELD_MSGID:
        *(char **)at = sql_text(st, column);
        break;
    case FIELD_TEXT_NULL:
        *(char **)at = sql_text_null(st, column);
        break;
    case FIELD_WORD:
        *(int *)at = read_word(f->words, sql_col_text(st, column));
        break;
    case FIELD_NEVER:
        *(int64_t *)at = sql_col_null(st, column) ? USEC_NEVER : sql_col_int(st, column);
        break;
    case FIELD_DIGEST:
        sql_digest(st, column, at);
        break;
    case FIELD_BYTES:
        *(GBytes **)at = sql_bytes(st, column);
        break;
    default:
        *(int64_t *)at = sql_col_int(st, column);
    }
}

void *
rows_read(const Shape *shape, SqlStmt *st)
{
    char *row = g_malloc0(shape->size);
    int column = 0;

    for (size_t i = 0; i < shape->n; i++) {
        const Field *f = &shape->fields[i];

        if (is_read(shape, f))
            read_field(f, st, column++, row + f->offset);
    }
    return row;
}

bool
rows_list(Db *db,
          const Shape *shape,
          const char *rest,
          void *ret_list,
          GError **error,
          const char *format,
          ...)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(shape->free);
    SqlStmt *st = rows_get(db, shape, rest, error);
    va_list args;
    int rc;

    if (!st)
        return false;
    va_start(args, format);
    sql_bind_list(st, format, args);
    va_end(args);
    while ((rc = sql_next(st, error)) == 1)
        g_ptr_array_add(rows, rows_read(shape, st));
    if (rc < 0)
        return false;
    *(GPtrArray **)ret_list = g_steal_pointer(&rows);
    return true;
}

bool
rows_any(
    Db *db, const char *sql, const Shape *shape, void *ret_list, bool *ret_any, GError **error)
{
    if (!sql_bool(db, sql, ret_any, error, ""))
        return false;
    if (!*ret_any)
        *(GPtrArray **)ret_list = g_ptr_array_new_with_free_func(shape->free);
    return true;
}

/* NULL with true: there is none. */
static bool
read_first(Db *db,
           const Shape *shape,
           const char *rest,
           void **ret,
           GError **error,
           const char *format,
           va_list args)
{
    SqlStmt *st = rows_get(db, shape, rest, error);

    if (!st)
        return false;
    sql_bind_list(st, format, args);
    int rc = sql_next(st, error);
    *ret = rc == 1 ? rows_read(shape, st) : NULL;
    sql_reset(st);
    return rc >= 0;
}

bool
rows_first(Db *db,
           const Shape *shape,
           const char *rest,
           void *ret_row,
           GError **error,
           const char *format,
           ...)
{
    va_list args;

    va_start(args, format);
    bool ok = read_first(db, shape, rest, ret_row, error, format, args);
    va_end(args);
    return ok;
}

bool
rows_into(Db *db,
          const Shape *shape,
          const char *rest,
          void *ret_struct,
          GError **error,
          const char *format,
          ...)
{
    g_autofree void *row = NULL;
    va_list args;

    va_start(args, format);
    bool ok = read_first(db, shape, rest, &row, error, format, args);
    va_end(args);
    memset(ret_struct, 0, shape->size);
    if (row)
        memcpy(ret_struct, row, shape->size);
    return ok;
}
