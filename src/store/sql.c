#include "store/sql.h"
#include "store/sqlite_late.h"

/* Only what is not ours can hold SQLite's own locks while we hold the gate. */
#define BUSY_MS 10000

static void
finalize(gpointer st)
{
    sqlite3_finalize(st);
}

void
sql_conn_clear(SqlConn *conn)
{
    g_clear_pointer(&conn->statements, g_hash_table_destroy);
    sqlite3_close(conn->handle);
    conn->handle = NULL;
}

static int
on_commit(void *data, sqlite3 *handle, const char *name, int pages)
{
    SqlConn *conn = data;

    (void)handle;
    (void)name;
    conn->log_pages = pages;
    return SQLITE_OK;
}

/* Our programs use SQLite from one thread, and nobody asks it how much memory it has: without
 * locks and counts around each allocation it does a tenth less. A page takes its memory when it
 * is needed, not twenty at once: a table that lives for one question has mostly one page. Once
 * SQLite is in use this fails, and changes nothing. */
static void
configure_sqlite(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    (void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

bool
sql_conn_open(SqlConn *conn, const char *path, GError **error, const char *doing)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

    configure_sqlite();
    if (sqlite3_open_v2(path, &conn->handle, flags, NULL) != SQLITE_OK)
        return sql_error_handle(conn->handle, error, doing);
    sqlite3_extended_result_codes(conn->handle, 1);
    sqlite3_busy_timeout(conn->handle, BUSY_MS);
    sqlite3_db_config(conn->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_wal_autocheckpoint(conn->handle, 0);
    /* After the line above, which would remove it. */
    sqlite3_wal_hook(conn->handle, on_commit, conn);
    return true;
}

bool
sql_conn_moved(const SqlConn *conn)
{
    int moved = 0;

    return !conn->handle ||
           sqlite3_file_control(conn->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) !=
               SQLITE_OK ||
           moved;
}

void
sql_conn_checkpoint(SqlConn *conn)
{
    (void)sqlite3_wal_checkpoint_v2(conn->handle, "main", SQLITE_CHECKPOINT_PASSIVE, NULL,
                                    NULL);
}

void
sql_conn_checkpoint_whole(SqlConn *conn)
{
    (void)sqlite3_wal_checkpoint_v2(conn->handle, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                    NULL);
}

sqlite3 *
sql_handle(Db *db)
{
    return sql_conn(db)->handle;
}

/* SQLITE_IOERR hides why. After a COMMIT that failed even the connection does not know, but the
 * file of the log does. */
static int
errno_of_io(sqlite3 *handle)
{
    int why = sqlite3_system_errno(handle);
    sqlite3_file *log = NULL;

    if (why == 0 &&
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK &&
        log && log->pMethods)
        (void)log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &why);
    return why;
}

/* A full disk passes, a failing one does not. */
static ErrCode
remedy_of_io(sqlite3 *handle)
{
    switch (errno_of_io(handle)) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: /* `ulimit -f` */
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case EINTR:
        return ERR_LATER;
    case EACCES:
    case EPERM:
    case EROFS:
        return ERR_CONFIG;
    default:
        return ERR_DAMAGE;
    }
}

static ErrCode
remedy(sqlite3 *handle)
{
    switch (sqlite3_errcode(handle) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT: /* how a test lets any statement fail */
    case SQLITE_PROTOCOL: /* locking: too many lost races for the log's index */
        return ERR_LATER;
    case SQLITE_IOERR:
        return remedy_of_io(handle);
    case SQLITE_CANTOPEN:
        return sqlite3_system_errno(handle) == 0 ? ERR_CONFIG : remedy_of_io(handle);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return ERR_CONFIG;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ERR_DAMAGE;
    default:
        return ERR_NEVER;
    }
}

bool
sql_error_handle(sqlite3 *handle, GError **error, const char *doing)
{
    ErrCode code = remedy(handle);
    const char *what = sqlite3_errmsg(handle);
    int kind = sqlite3_errcode(handle) & 0xff;
    int why = kind == SQLITE_IOERR ? errno_of_io(handle) : sqlite3_system_errno(handle);

    if (why != 0 && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN))
        return err_set(error, code, "%s: %s: %s", doing, what, g_strerror(why));
    if (kind == SQLITE_READONLY)
        return err_set(error, code, "%s: %s; is the disk read-only?", doing, what);
    return err_set(error, code, "%s: %s", doing, what);
}

bool
sql_error(Db *db, GError **error, const char *doing)
{
    return sql_error_handle(sql_handle(db), error, doing);
}

bool
sql_exec(sqlite3 *handle, const char *sql, GError **error, const char *doing)
{
    if (sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return sql_error_handle(handle, error, doing);
    return true;
}

bool
sql_pragma_int(sqlite3 *handle, const char *sql, int64_t *ret, GError **error)
{
    SqlStmt *st = NULL;
    bool ok = sqlite3_prepare_v2(handle, sql, -1, &st, NULL) == SQLITE_OK &&
              sqlite3_step(st) == SQLITE_ROW;

    if (ok)
        *ret = sqlite3_column_int64(st, 0);
    else
        sql_error_handle(handle, error, "reading the store");
    sqlite3_finalize(st);
    return ok;
}

/* Statements are known by the addresses of what they were made of. */
typedef struct StmtKey {
    const void *of;
    const char *sql;
} StmtKey;

static guint
key_hash(gconstpointer data)
{
    const StmtKey *key = data;

    return g_direct_hash(key->sql) * 31 + g_direct_hash(key->of);
}

static gboolean
key_equal(gconstpointer a, gconstpointer b)
{
    const StmtKey *x = a, *y = b;

    return x->sql == y->sql && x->of == y->of;
}

static SqlStmt *
get(SqlConn *conn, StmtKey key, SqlMake *make, GError **error)
{
    SqlStmt *st = NULL;

    if (!conn->statements)
        conn->statements = g_hash_table_new_full(key_hash, key_equal, g_free, finalize);
    st = g_hash_table_lookup(conn->statements, &key);
    if (!st) {
        g_autofree char *made = make ? make(key.of, key.sql) : NULL;

        if (sqlite3_prepare_v3(conn->handle, made ? made : key.sql, -1,
                               SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK) {
            sql_error_handle(conn->handle, error, "asking the store");
            return NULL;
        }
        g_hash_table_insert(conn->statements, g_memdup2(&key, sizeof key), st);
    }
    if (sqlite3_stmt_busy(st)) {
        g_critical("a statement is used while it is open: %s", key.sql);
        sqlite3_reset(st);
    }
    return st;
}

SqlStmt *
sql_conn_get(SqlConn *conn, const char *sql, GError **error)
{
    return get(conn, (StmtKey){NULL, sql}, NULL, error);
}

SqlStmt *
sql_get(Db *db, const char *sql, GError **error)
{
    return sql_conn_get(sql_conn(db), sql, error);
}

SqlStmt *
sql_get_made(Db *db, const void *of, const char *sql, SqlMake *make, GError **error)
{
    return get(sql_conn(db), (StmtKey){of, sql}, make, error);
}

/* lifetime: SQLITE_STATIC where the arguments outlive the last step, else SQLITE_TRANSIENT. */
static void
bind_list(SqlStmt *st, const char *format, sqlite3_destructor_type lifetime, va_list args)
{
    g_assert(sqlite3_bind_parameter_count(st) == (int)strlen(format));
    for (int i = 1; *format; format++, i++) {
        switch (*format) {
        case 'i':
            sqlite3_bind_int64(st, i, va_arg(args, int64_t));
            break;
        case 'n':
            sqlite3_bind_int64(st, i, va_arg(args, int));
            break;
        case 'u':
            sqlite3_bind_int64(st, i, va_arg(args, unsigned));
            break;
        case 's':
            sqlite3_bind_text(st, i, va_arg(args, const char *), -1, lifetime);
            break;
        case 'd': {
            const Digest *d = va_arg(args, const Digest *);
            sqlite3_bind_blob(st, i, d ? d->v : NULL, DIGEST_SIZE, lifetime);
            break;
        }
        case 'b': {
            GBytes *bytes = va_arg(args, GBytes *);
            gsize len = 0;
            const void *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;
            if (bytes && len == 0)
                sqlite3_bind_zeroblob(st, i, 0); /* empty is not NULL */
            else
                sqlite3_bind_blob64(st, i, data, len, lifetime);
            break;
        }
        case 'z':
            sqlite3_bind_null(st, i);
            break;
        default:
            g_assert_not_reached();
        }
    }
}

void
sql_bind(SqlStmt *st, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    bind_list(st, format, SQLITE_TRANSIENT, args);
    va_end(args);
}

void
sql_bind_list(SqlStmt *st, const char *format, va_list args)
{
    bind_list(st, format, SQLITE_TRANSIENT, args);
}

void
sql_bind_int(SqlStmt *st, int mark, int64_t value)
{
    sqlite3_bind_int64(st, mark, value);
}

void
sql_bind_text(SqlStmt *st, int mark, const char *text)
{
    sqlite3_bind_text(st, mark, text, -1, SQLITE_STATIC);
}

void
sql_reset(SqlStmt *st)
{
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
}

int
sql_next(SqlStmt *st, GError **error)
{
    int rc = sqlite3_step(st);

    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        sql_error_handle(sqlite3_db_handle(st), error,
                         sqlite3_stmt_readonly(st) ? "reading the store" : "writing the store");
    sql_reset(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

static bool
run_list(SqlConn *conn, const char *sql, GError **error, const char *format, va_list args)
{
    SqlStmt *st = sql_conn_get(conn, sql, error);

    if (!st)
        return false;
    bind_list(st, format, SQLITE_STATIC, args);
    int rc = sql_next(st, error);
    g_assert(rc != 1); /* a statement with rows belongs to sql_next() */
    return rc == 0;
}

bool
sql_conn_run(SqlConn *conn, const char *sql, GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    bool ok = run_list(conn, sql, error, format, args);
    va_end(args);
    return ok;
}

/* *ret_n: rows that were changed; NULL: nobody asks. */
static bool
change(Txn *txn,
       const char *sql,
       unsigned *ret_n,
       GError **error,
       const char *format,
       va_list args)
{
    g_assert(txn->open);
    bool ok = run_list(sql_conn(txn->db), sql, error, format, args);
    if (ok && ret_n)
        *ret_n = (unsigned)sqlite3_changes(sql_handle(txn->db));
    return ok;
}

bool
sql_run(Txn *txn, const char *sql, GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    bool ok = change(txn, sql, NULL, error, format, args);
    va_end(args);
    return ok;
}

bool
sql_changes(Txn *txn, const char *sql, unsigned *ret_n, GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    bool ok = change(txn, sql, ret_n, error, format, args);
    va_end(args);
    return ok;
}

bool
sql_changed(Txn *txn, const char *sql, bool *ret, GError **error, const char *format, ...)
{
    unsigned n = 0;
    va_list args;

    va_start(args, format);
    bool ok = change(txn, sql, &n, error, format, args);
    va_end(args);
    if (ok)
        *ret = n > 0;
    return ok;
}

bool
sql_insert(Txn *txn, const char *sql, int64_t *ret_id, GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    bool ok = change(txn, sql, NULL, error, format, args);
    va_end(args);
    if (ok)
        *ret_id = sqlite3_last_insert_rowid(sql_handle(txn->db));
    return ok;
}

/* 0 when there is no row or it is NULL. */
static bool
first_int(
    Db *db, const char *sql, int64_t *ret, GError **error, const char *format, va_list args)
{
    SqlStmt *st = sql_get(db, sql, error);

    if (!st)
        return false;
    bind_list(st, format, SQLITE_STATIC, args);
    int rc = sql_next(st, error);
    if (rc >= 0)
        *ret = rc == 1 ? sql_col_int(st, 0) : 0;
    sql_reset(st);
    return rc >= 0;
}

bool
sql_int(Db *db, const char *sql, int64_t *ret, GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    bool ok = first_int(db, sql, ret, error, format, args);
    va_end(args);
    return ok;
}

bool
sql_bool(Db *db, const char *sql, bool *ret, GError **error, const char *format, ...)
{
    int64_t n;
    va_list args;

    va_start(args, format);
    bool ok = first_int(db, sql, &n, error, format, args);
    va_end(args);
    if (ok)
        *ret = n != 0;
    return ok;
}

bool
sql_count(Db *db, const char *sql, unsigned *ret_n, GError **error, const char *format, ...)
{
    int64_t n;
    va_list args;

    va_start(args, format);
    bool ok = first_int(db, sql, &n, error, format, args);
    va_end(args);
    if (ok)
        *ret_n = (unsigned)n;
    return ok;
}

bool
sql_strings(Db *db, const char *sql, GPtrArray **ret, GError **error, const char *format, ...)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    SqlStmt *st = sql_get(db, sql, error);
    va_list args;
    int rc;

    if (!st)
        return false;
    va_start(args, format);
    bind_list(st, format, SQLITE_STATIC, args);
    va_end(args);
    while ((rc = sql_next(st, error)) == 1)
        g_ptr_array_add(texts, sql_text(st, 0));
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&texts);
    return true;
}

bool
sql_ints(Db *db, const char *sql, GArray **ret, GError **error, const char *format, ...)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
    SqlStmt *st = sql_get(db, sql, error);
    va_list args;
    int rc;

    if (!st)
        return false;
    va_start(args, format);
    bind_list(st, format, SQLITE_STATIC, args);
    va_end(args);
    while ((rc = sql_next(st, error)) == 1) {
        int64_t number = sql_col_int(st, 0);
        g_array_append_val(numbers, number);
    }
    if (rc < 0)
        return false;
    *ret = g_steal_pointer(&numbers);
    return true;
}

bool
sql_string(Db *db, const char *sql, char **ret, GError **error, const char *format, ...)
{
    SqlStmt *st = sql_get(db, sql, error);
    va_list args;

    if (!st)
        return false;
    va_start(args, format);
    bind_list(st, format, SQLITE_STATIC, args);
    va_end(args);
    int rc = sql_next(st, error);
    if (rc >= 0)
        *ret = rc == 1 ? sql_text_null(st, 0) : NULL;
    sql_reset(st);
    return rc >= 0;
}

int64_t
sql_col_int(SqlStmt *st, int column)
{
    return sqlite3_column_int64(st, column);
}

bool
sql_col_null(SqlStmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL;
}

const char *
sql_col_text(SqlStmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

char *
sql_text_null(SqlStmt *st, int column)
{
    return g_strdup(sql_col_text(st, column));
}

char *
sql_text(SqlStmt *st, int column)
{
    char *text = sql_text_null(st, column);

    return text ? text : g_strdup("");
}

GBytes *
sql_bytes(SqlStmt *st, int column)
{
    if (sqlite3_column_type(st, column) == SQLITE_NULL)
        return NULL;
    const void *data = sqlite3_column_blob(st, column);
    return g_bytes_new(data, (gsize)sqlite3_column_bytes(st, column));
}

void
sql_digest(SqlStmt *st, int column, Digest *ret)
{
    const void *data = sqlite3_column_blob(st, column);

    *ret = (Digest){0};
    if (data && sqlite3_column_bytes(st, column) == DIGEST_SIZE)
        memcpy(ret->v, data, DIGEST_SIZE);
}
