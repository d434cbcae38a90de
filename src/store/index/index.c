/*
 * The file may vanish or break at any time; what that costs is reading the mail again. So every
 * entry first looks whether the file is still the one that is open, and a broken file is
 * deleted: the next index_mark() then starts at 0. A gate of its own keeps two writers apart,
 * and commits from checkpoints (db.h).
 *
 * `store` names the postrider.db whose ids these are (inode and birth): ids of a store that was
 * made anew mean other mail.
 */
#include "store/index/index.h"
#include "store/gate.h"
#include "store/index/index_internal.h"
#include "store/rows.h"
#include <fcntl.h>
#include <sys/stat.h>

#define INDEX_VERSION 5
/* Words gathered in memory before they go to the file: the larger, the fewer merges (85 us for
 * a mail of 700 words instead of 215). */
#define HASH_BYTES "67108864"
#define CHECKPOINT_PAGES 4096

/* Found mail is ordered by age and not by rank, so no row per mail holds its length. */
static const char tables[] =
    "BEGIN IMMEDIATE;"
    "CREATE VIRTUAL TABLE mail USING fts5(sender, recipients, subject, body, role, content = '', "
    "  columnsize = 0, tokenize = 'unicode61 remove_diacritics 2');"
    "INSERT INTO mail (mail, rank) VALUES ('hashsize', " HASH_BYTES ");"
    "CREATE VIRTUAL TABLE sent USING fts5(sender, recipients, subject, body, role, content = '', "
    "  columnsize = 0, tokenize = 'unicode61 remove_diacritics 2');"
    "INSERT INTO sent (sent, rank) VALUES ('hashsize', " HASH_BYTES ");"
    "CREATE VIRTUAL TABLE note USING fts5(key, body, place, "
    "  tokenize = 'unicode61 remove_diacritics 2');"
    "CREATE TABLE note_row (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
    "  version INTEGER NOT NULL);"
    "CREATE TABLE mark (last INTEGER NOT NULL, sent INTEGER NOT NULL, notes INTEGER NOT NULL, "
    "  store TEXT NOT NULL);"
    "INSERT INTO mark (last, sent, notes, store) VALUES (0, 0, 0, '');"
    "PRAGMA user_version = 5;"
    "COMMIT;";
G_STATIC_ASSERT(INDEX_VERSION == 5);

/* By IndexOf. */
static const char *const get_mark[] = {"SELECT last FROM mark", "SELECT sent FROM mark"};
static const char *const inserts[] = {
    "INSERT INTO mail (rowid, sender, recipients, subject, body, role) VALUES (?, ?, ?, ?, ?, ?)",
    "INSERT INTO sent (rowid, sender, recipients, subject, body, role) VALUES (?, ?, ?, ?, ?, ?)"};
G_STATIC_ASSERT(G_N_ELEMENTS(get_mark) == INDEX_N && G_N_ELEMENTS(inserts) == INDEX_N);

static char *
store_name(const Home *home)
{
    struct statx st = {0};

    if (statx(home->state_fd, "postrider.db", 0, STATX_INO | STATX_BTIME, &st) < 0)
        return g_strdup("none");
    return g_strdup_printf("%" PRIu64 ".%" PRId64 ".%u", (uint64_t)st.stx_ino,
                           (int64_t)st.stx_btime.tv_sec, st.stx_btime.tv_nsec);
}

bool
index_delete(const Home *home, GError **error)
{
    static const char *const names[] = {"index.db", "index.db-wal", "index.db-shm"};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (unlinkat(home->state_fd, names[i], 0) < 0 && errno != ENOENT)
            return err_set_errno(error, errno, "deleting 'state/%s'", names[i]);
    return true;
}

static void
close_handle(Index *ix)
{
    sql_conn_clear(&ix->conn);
    if (ix->writing)
        gate_release(ix->gate);
    ix->writing = false;
}

void
index_close(Index *ix)
{
    if (!ix)
        return;
    close_handle(ix);
    gate_free(ix->gate);
    free_all(ix->path, ix);
}

static bool
open_handle(Index *ix, GError **error)
{
    return sql_conn_open(&ix->conn, ix->path, error, "opening the search index") &&
           sql_exec(
               ix->conn.handle,
               "PRAGMA mmap_size = 0; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
               "PRAGMA journal_size_limit = 16777216",
               error, "opening the search index");
}

/* Is it an index of this version, of this store? */
static bool
fits(Index *ix)
{
    g_autofree char *store = store_name(ix->home);
    int64_t version;

    if (!sql_pragma_int(ix->conn.handle, "PRAGMA user_version", &version, NULL) ||
        version != INDEX_VERSION)
        return false;
    SqlStmt *st = sql_conn_get(&ix->conn, "SELECT store FROM mark", NULL);
    bool same = st && sql_next(st, NULL) == 1 && g_strcmp0(sql_col_text(st, 0), store) == 0;
    if (st)
        sql_reset(st);
    return same;
}

static bool
set_marks(Index *ix, const int64_t marks[INDEX_N], GError **error)
{
    g_autofree char *store = store_name(ix->home);

    return sql_conn_run(&ix->conn, "UPDATE mark SET last = ?, sent = ?, store = ?", NULL, "iis",
                        marks[INDEX_IN], marks[INDEX_OUT], store) ||
           sql_error_handle(ix->conn.handle, error, "writing the search index");
}

/* Makes the file so that nobody else may read the words. SQLite gives the log the mode of the
 * file. */
static bool
make_file(const Index *ix, GError **error)
{
    auto_fd fd = open(ix->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    return fd >= 0 || err_set_errno(error, errno, "making it");
}

/* Under the gate. Whatever is wrong with what lies there, a new one is right. */
static bool
make_anew(Index *ix, GError **error)
{
    static const int64_t nothing[INDEX_N] = {0};

    if (open_handle(ix, NULL) && fits(ix))
        return true; /* somebody else was faster */
    sql_conn_clear(&ix->conn);
    return index_delete(ix->home, error) && make_file(ix, error) && open_handle(ix, error) &&
           sql_exec(ix->conn.handle, tables, error, "making the search index") &&
           set_marks(ix, nothing, error);
}

static bool
open_or_make(Index *ix, bool *ret_fresh, GError **error)
{
    close_handle(ix);
    *ret_fresh = false;
    if (access(ix->path, F_OK) == 0 && open_handle(ix, NULL) && fits(ix))
        return true;
    sql_conn_clear(&ix->conn);
    *ret_fresh = true;
    if (!gate_take(ix->gate, DB_WAIT_MS, error))
        return false;
    bool ok = make_anew(ix, error);
    gate_release(ix->gate);
    return ok;
}

bool
index_open(const Home *home, Index **ret, bool *ret_fresh, GError **error)
{
    g_autofree char *gate = g_build_filename(home->path, "state", "index.lock", NULL);
    g_autoptr(Index) ix = g_new0(Index, 1);

    ix->home = home;
    ix->path = g_build_filename(home->path, "state", "index.db", NULL);
    ix->gate = gate_new(gate);
    if (!open_or_make(ix, ret_fresh, error))
        return err_prefix(error, "'%s'", ix->path);
    *ret = g_steal_pointer(&ix);
    return true;
}

bool
index_reopen(Index *ix, GError **error)
{
    bool fresh;

    return !sql_conn_moved(&ix->conn) || open_or_make(ix, &fresh, error);
}

/* A broken index is no loss: it goes, and the caller begins again with index_mark(). */
bool
index_failed(Index *ix, GError **error, const char *doing)
{
    g_autoptr(GError) why = NULL;

    sql_error_handle(ix->conn.handle, &why, doing);
    if (err_is(why, ERR_DAMAGE)) {
        (void)index_delete(ix->home, NULL);
        close_handle(ix);
        return err_set(error, ERR_AGAIN, "the search index was damaged (%s); it is made anew",
                       why->message);
    }
    return err_pass(error, g_steal_pointer(&why));
}

bool
index_number(Index *ix, const char *sql, int64_t *ret, GError **error)
{
    return sql_pragma_int(ix->conn.handle, sql, ret, NULL) ||
           index_failed(ix, error, "reading the search index");
}

bool
index_mark(Index *ix, IndexOf of, int64_t *ret_last, GError **error)
{
    return index_reopen(ix, error) && index_number(ix, get_mark[of], ret_last, error);
}

void
index_roll_back(Index *ix)
{
    if (!ix->writing)
        return;
    (void)sql_exec(ix->conn.handle, "ROLLBACK", NULL, "writing the search index");
    gate_release(ix->gate);
    ix->writing = false;
}

bool
index_begin(Index *ix, GError **error)
{
    index_roll_back(ix);
    if (sql_conn_moved(&ix->conn))
        return err_set(error, ERR_AGAIN, "the search index was deleted; it is made anew");
    if (!gate_take(ix->gate, DB_WAIT_MS, error))
        return false;
    ix->writing = true;
    bool ok = sql_conn_run(&ix->conn, "BEGIN IMMEDIATE", NULL, "")
                  ? index_number(ix, get_mark[INDEX_IN], &ix->marks[INDEX_IN], error) &&
                        index_number(ix, get_mark[INDEX_OUT], &ix->marks[INDEX_OUT], error)
                  : index_failed(ix, error, "writing the search index");
    if (!ok)
        index_roll_back(ix);
    return ok;
}

char *
index_role_word(const char *role)
{
    GString *word = g_string_new("x");

    for (const char *p = role ? role : ""; *p; p++)
        g_string_append_printf(word, "%02x", (unsigned char)*p);
    return g_string_free(word, FALSE);
}

bool
index_add(Index *ix, IndexOf of, int64_t id, const IndexText *mail, GError **error)
{
    g_autofree char *role = index_role_word(mail->role);

    g_assert(ix->writing);
    if (id <= ix->marks[of])
        return true; /* another process was faster */
    return sql_conn_run(&ix->conn, inserts[of], NULL, "isssss", id,
                        mail->from ? mail->from : "", mail->to ? mail->to : "",
                        mail->subject ? mail->subject : "", mail->text ? mail->text : "",
                        role) ||
           index_failed(ix, error, "writing the search index");
}

bool
index_commit(Index *ix, IndexOf of, int64_t last, GError **error)
{
    g_assert(ix->writing);
    ix->marks[of] = MAX(last, ix->marks[of]);
    bool ok = set_marks(ix, ix->marks, error) &&
              (sql_conn_run(&ix->conn, "COMMIT", NULL, "") ||
               index_failed(ix, error, "writing the search index"));
    if (!ok) {
        index_roll_back(ix);
        return false;
    }
    if (ix->conn.log_pages > CHECKPOINT_PAGES)
        sql_conn_checkpoint(&ix->conn);
    gate_release(ix->gate);
    ix->writing = false;
    return true;
}

bool
index_behind(Db *db, int64_t last, unsigned max, MsgRows **ret_rows, GError **error)
{
    return rows_list(db, &msg_row_shape, "FROM message WHERE id > ? ORDER BY id LIMIT ?",
                     ret_rows, error, "iu", last, max);
}

bool
index_behind_out(Db *db, int64_t last, unsigned max, OutRows **ret_rows, GError **error)
{
    g_autoptr(OutRows) rows = out_rows_new();
    OutId id = {last};

    while (rows->len < max) {
        OutRow *row = NULL;

        if (!sql_int(db, "SELECT min(id) FROM outbox WHERE id > ?", &id.v, error, "i", id.v))
            return false;
        if (id.v == 0)
            break;
        if (!outbox_whole(db, &VIEWER_OPERATOR, id, &row, error))
            return false;
        if (row)
            out_rows_add(rows, row);
    }
    *ret_rows = g_steal_pointer(&rows);
    return true;
}
