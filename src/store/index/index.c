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
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "store/gate.h"
#include "store/index/index_internal.h"
#include "store/mail/messages_row.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#define INDEX_VERSION 3
#define BUSY_MS 10000
/* Words gathered in memory before they go to the file: the larger, the fewer merges (85 us for
 * a mail of 700 words instead of 215). */
#define HASH_BYTES "67108864"
#define CHECKPOINT_PAGES 4096

/* Found mail is ordered by age and not by rank, so no row per mail holds its length. */
static const char tables[] =
    "BEGIN IMMEDIATE;"
    "CREATE VIRTUAL TABLE mail USING fts5(sender, recipients, subject, body, content = '', "
    "  columnsize = 0, tokenize = 'unicode61 remove_diacritics 2');"
    "INSERT INTO mail (mail, rank) VALUES ('hashsize', " HASH_BYTES ");"
    "CREATE VIRTUAL TABLE sent USING fts5(sender, recipients, subject, body, content = '', "
    "  columnsize = 0, tokenize = 'unicode61 remove_diacritics 2');"
    "INSERT INTO sent (sent, rank) VALUES ('hashsize', " HASH_BYTES ");"
    "CREATE VIRTUAL TABLE note USING fts5(key, body, "
    "  tokenize = 'unicode61 remove_diacritics 2');"
    "CREATE TABLE note_row (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
    "  version INTEGER NOT NULL);"
    "CREATE TABLE mark (last INTEGER NOT NULL, sent INTEGER NOT NULL, notes INTEGER NOT NULL, "
    "  store TEXT NOT NULL);"
    "INSERT INTO mark (last, sent, notes, store) VALUES (0, 0, 0, '');"
    "PRAGMA user_version = 3;"
    "COMMIT;";
G_STATIC_ASSERT(INDEX_VERSION == 3);

/* By IndexOf. */
static const char *const get_mark[] = {"SELECT last FROM mark", "SELECT sent FROM mark"};
static const char *const inserts[] = {
    "INSERT INTO mail (rowid, sender, recipients, subject, body) VALUES (?, ?, ?, ?, ?)",
    "INSERT INTO sent (rowid, sender, recipients, subject, body) VALUES (?, ?, ?, ?, ?)"};
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
    for (int of = 0; of < INDEX_N; of++)
        g_clear_pointer(&ix->insert[of], sqlite3_finalize);
    g_clear_pointer(&ix->handle, sqlite3_close_v2); /* a search may still be open on it */
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
    g_free(ix->path);
    g_free(ix);
}

static int
on_commit(void *data, sqlite3 *handle, const char *name, int pages)
{
    Index *ix = data;

    (void)handle;
    (void)name;
    ix->log_pages = pages;
    return SQLITE_OK;
}

static bool
open_handle(Index *ix, GError **error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

    if (sqlite3_open_v2(ix->path, &ix->handle, flags, NULL) != SQLITE_OK)
        return sql_error_handle(ix->handle, error, "opening the search index");
    sqlite3_extended_result_codes(ix->handle, 1);
    sqlite3_busy_timeout(ix->handle, BUSY_MS);
    sqlite3_db_config(ix->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_wal_autocheckpoint(ix->handle, 0);
    sqlite3_wal_hook(ix->handle, on_commit, ix);
    return sql_exec(
        ix->handle,
        "PRAGMA mmap_size = 0; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "PRAGMA journal_size_limit = 16777216",
        error, "opening the search index");
}

/* *ret_fits: it is an index of this version, of this store. */
static bool
look(Index *ix, bool *ret_fits, GError **error)
{
    g_autofree char *store = store_name(ix->home);
    int64_t version;
    sqlite3_stmt *st = NULL;

    if (!sql_pragma_int(ix->handle, "PRAGMA user_version", &version, error))
        return false;
    *ret_fits = false;
    if (version != INDEX_VERSION)
        return true;
    bool ok =
        sqlite3_prepare_v2(ix->handle, "SELECT store FROM mark", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW;
    if (ok)
        *ret_fits = g_strcmp0((const char *)sqlite3_column_text(st, 0), store) == 0;
    else
        sql_error_handle(ix->handle, error, "opening the search index");
    sqlite3_finalize(st);
    return ok;
}

static bool
set_marks(Index *ix, const int64_t marks[INDEX_N], GError **error)
{
    g_autofree char *store = store_name(ix->home);
    sqlite3_stmt *st = NULL;
    bool ok = sqlite3_prepare_v2(ix->handle, "UPDATE mark SET last = ?, sent = ?, store = ?",
                                 -1, &st, NULL) == SQLITE_OK;

    if (ok) {
        sqlite3_bind_int64(st, 1, marks[INDEX_IN]);
        sqlite3_bind_int64(st, 2, marks[INDEX_OUT]);
        sqlite3_bind_text(st, 3, store, -1, SQLITE_STATIC);
        ok = sqlite3_step(st) == SQLITE_DONE;
    }
    if (!ok)
        sql_error_handle(ix->handle, error, "writing the search index");
    sqlite3_finalize(st);
    return ok;
}

/* Nobody else may read the words either. SQLite gives the log the mode of the file. */
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
    bool fits = false;

    if (open_handle(ix, NULL) && look(ix, &fits, NULL) && fits)
        return true; /* somebody else was faster */
    g_clear_pointer(&ix->handle, sqlite3_close);
    return index_delete(ix->home, error) && make_file(ix, error) && open_handle(ix, error) &&
           sql_exec(ix->handle, tables, error, "making the search index") &&
           set_marks(ix, nothing, error);
}

static bool
open_or_make(Index *ix, bool *ret_fresh, GError **error)
{
    bool fits = false;

    close_handle(ix);
    *ret_fresh = false;
    if (access(ix->path, F_OK) == 0 && open_handle(ix, NULL) && look(ix, &fits, NULL) && fits)
        return true;
    g_clear_pointer(&ix->handle, sqlite3_close);
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

static bool
was_moved(Index *ix)
{
    int moved = 0;

    return !ix->handle ||
           sqlite3_file_control(ix->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) !=
               SQLITE_OK ||
           moved;
}

bool
index_reopen(Index *ix, GError **error)
{
    bool fresh;

    return !was_moved(ix) || open_or_make(ix, &fresh, error);
}

/* A broken index is no loss: it goes, and the caller begins again with index_mark(). */
bool
index_failed(Index *ix, GError **error, const char *doing)
{
    g_autoptr(GError) why = NULL;

    sql_error_handle(ix->handle, &why, doing);
    if (err_is(why, ERR_DAMAGE)) {
        (void)index_delete(ix->home, NULL);
        close_handle(ix);
        return err_set(error, ERR_AGAIN, "the search index was damaged (%s); it is made anew",
                       why->message);
    }
    g_propagate_error(error, g_steal_pointer(&why));
    return false;
}

static bool
read_mark(Index *ix, IndexOf of, int64_t *ret_last, GError **error)
{
    return sql_pragma_int(ix->handle, get_mark[of], ret_last, NULL) ||
           index_failed(ix, error, "reading the search index");
}

bool
index_mark(Index *ix, IndexOf of, int64_t *ret_last, GError **error)
{
    return index_reopen(ix, error) && read_mark(ix, of, ret_last, error);
}

void
index_roll_back(Index *ix)
{
    if (!ix->writing)
        return;
    (void)sqlite3_exec(ix->handle, "ROLLBACK", NULL, NULL, NULL);
    gate_release(ix->gate);
    ix->writing = false;
}

static bool
prepare_inserts(Index *ix, GError **error)
{
    for (int of = 0; of < INDEX_N; of++) {
        if (!ix->insert[of] &&
            sqlite3_prepare_v3(ix->handle, inserts[of], -1, SQLITE_PREPARE_PERSISTENT,
                               &ix->insert[of], NULL) != SQLITE_OK)
            return index_failed(ix, error, "writing the search index");
    }
    return true;
}

bool
index_begin(Index *ix, GError **error)
{
    index_roll_back(ix);
    if (was_moved(ix))
        return err_set(error, ERR_AGAIN, "the search index was deleted; it is made anew");
    if (!prepare_inserts(ix, error) || !gate_take(ix->gate, DB_WAIT_MS, error))
        return false;
    ix->writing = true;
    bool ok = sqlite3_exec(ix->handle, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
                  ? read_mark(ix, INDEX_IN, &ix->marks[INDEX_IN], error) &&
                        read_mark(ix, INDEX_OUT, &ix->marks[INDEX_OUT], error)
                  : index_failed(ix, error, "writing the search index");
    if (!ok)
        index_roll_back(ix);
    return ok;
}

bool
index_add(Index *ix,
          IndexOf of,
          int64_t id,
          const char *from,
          const char *to,
          const char *subject,
          const char *text,
          GError **error)
{
    const char *const columns[] = {from, to, subject, text};

    g_assert(ix->writing);
    if (id <= ix->marks[of])
        return true; /* another process was faster */
    sqlite3_stmt *st = ix->insert[of];
    sqlite3_bind_int64(st, 1, id);
    for (int i = 0; i < (int)G_N_ELEMENTS(columns); i++)
        sqlite3_bind_text(st, i + 2, columns[i] ? columns[i] : "", -1, SQLITE_STATIC);
    int rc = sqlite3_step(st);
    if (rc != SQLITE_DONE)
        index_failed(ix, error, "writing the search index");
    if (ix->insert[of]) {
        sqlite3_reset(st);
        sqlite3_clear_bindings(st);
    }
    return rc == SQLITE_DONE;
}

bool
index_commit(Index *ix, IndexOf of, int64_t last, GError **error)
{
    g_assert(ix->writing);
    ix->marks[of] = MAX(last, ix->marks[of]);
    bool ok = set_marks(ix, ix->marks, error) &&
              (sqlite3_exec(ix->handle, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ||
               index_failed(ix, error, "writing the search index"));
    if (!ok) {
        index_roll_back(ix);
        return false;
    }
    if (ix->log_pages > CHECKPOINT_PAGES)
        (void)sqlite3_wal_checkpoint_v2(ix->handle, "main", SQLITE_CHECKPOINT_PASSIVE, NULL,
                                        NULL);
    gate_release(ix->gate);
    ix->writing = false;
    return true;
}

bool
index_behind(Db *db, int64_t last, unsigned max, MsgRows **ret_rows, GError **error)
{
    sqlite3_stmt *st = sql_get(
        db, "SELECT " MSG_COLUMNS " FROM message WHERE id > ? ORDER BY id LIMIT ?", error);

    if (!st)
        return false;
    sql_bind(st, "ii", last, (int64_t)max);
    return msg_rows_read(db, st, ret_rows, error);
}

bool
index_behind_out(Db *db, int64_t last, unsigned max, OutRows **ret_rows, GError **error)
{
    g_autoptr(OutRows) rows = out_rows_new();
    const Viewer viewer = VIEWER_OPERATOR;
    OutId id = {last};

    while (rows->len < max) {
        OutRow *row = NULL;

        if (!sql_int(db, "SELECT min(id) FROM outbox WHERE id > ?", 0, &id.v, error, "i", id.v))
            return false;
        if (id.v == 0)
            break;
        if (!outbox_whole(db, &viewer, id, &row, error))
            return false;
        if (row)
            out_rows_add(rows, row);
    }
    *ret_rows = g_steal_pointer(&rows);
    return true;
}
