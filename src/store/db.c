#include "store/db.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/lock.h"
#include "store/due.h"
#include "store/gate.h"
#include "store/migrate.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/sqlite_late.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>

/* 4 MiB of log; and 1 MiB at the end of a program. */
#define CHECKPOINT_PAGES 1024
#define SHORT_PAGES 256

/* Work that took long, and perhaps cost money, is not thrown away because hundreds of others
 * come back at the same moment. */
#define RESTED_WAIT_MS 600000

struct Db {
    SqlConn conn;
    const Home *home;
    char *path;
    Gate *gate;
    DbMode mode;
    bool in_txn, in_snapshot, flushes;
    int hint_fd;       /* -1: not open */
    int checkpoint_at; /* pages */
    ClockMark clock_mark;
    int wait_ms; /* for the gate, where a Txn says nothing of it */
};

SqlConn *
sql_conn(Db *db)
{
    return &db->conn;
}

ClockMark *
db_clock_mark(Db *db)
{
    return &db->clock_mark;
}

const Home *
db_home(const Db *db)
{
    return db->home;
}

bool
db_can_write(const Db *db)
{
    return db->mode == DB_WRITE;
}

const char *
db_library_version(void)
{
    return sqlite3_libversion();
}

int
db_schema_version(void)
{
    return schema_version;
}

/* Whoever opens the store while nobody else has it open reads the whole log, as each command does where no master runs; and
 * forgets how much of it is in the store already, so it would not begin anew by itself. Waits for nobody who reads. */
static void
empty_log(Db *db)
{
    if (db->conn.log_pages < SHORT_PAGES || lock_is_held(db->home->state_fd, "master.lock") ||
        !gate_take(db->gate, 0, NULL))
        return;
    CRASH_POINT("close-before-checkpoint");
    (void)sqlite3_busy_timeout(db->conn.handle, 0);
    if (!sql_conn_moved(&db->conn))
        sql_conn_checkpoint_whole(&db->conn);
    gate_release(db->gate);
}

void
db_close(Db *db)
{
    if (!db)
        return;
    empty_log(db);
    sql_conn_clear(&db->conn);
    gate_free(db->gate);
    cleanup_fd(&db->hint_fd);
    free_all(db->path, db);
}

/* SQLite keeps state/postrider.db-shm in memory by mmap. On a full disk (blocks smaller than a
 * page), or when the file is cut short, touching that memory is SIGBUS, which nobody can go on
 * from: nothing is lost, since what was committed is in the log. */
static void
on_bus_error(int number)
{
    static const char said[] = "postrider: the memory of the store (state/postrider.db-shm) "
                               "can't be kept: the disk is "
                               "full or failing; make room, then start again\n";

    (void)number;
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    _exit(EX_TEMPFAIL);
}

static void
give(sqlite3_context *c, int64_t us)
{
    if (us == USEC_NEVER)
        sqlite3_result_null(c);
    else
        sqlite3_result_int64(c, us);
}

static int64_t
argument(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL ? USEC_NEVER : sqlite3_value_int64(v);
}

static void
sql_due(sqlite3_context *c, int n, sqlite3_value **v)
{
    Due due = {argument(v[0]), n > 1 && sqlite3_value_int(v[1])};

    give(c, due_keeps(sqlite3_user_data(c), due));
}

static void
sql_wall(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    give(c, due_read(sqlite3_user_data(c), argument(v[0])).us);
}

/* The functions of store/due.h, for a new connection. */
static bool
attach_clock(Db *db, GError **error)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    sqlite3 *h = db->conn.handle;

    if (sqlite3_create_function(h, "steady", 1, flags, db, sql_due, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(h, "due", 2, flags, db, sql_due, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(h, "wall", 1, flags, db, sql_wall, NULL, NULL) != SQLITE_OK)
        return sql_error(db, error, "opening the store");
    return true;
}

static bool
configure(Db *db, GError **error)
{
    sqlite3 *handle = db->conn.handle;

    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    db->flushes = true;
    db->checkpoint_at = CHECKPOINT_PAGES;
    if (!attach_clock(db, error) ||
        !sql_exec(handle, "PRAGMA mmap_size = 0; PRAGMA synchronous = FULL", error,
                  "opening the store"))
        return false;
    return db->mode == DB_WRITE ||
           sql_exec(handle, "PRAGMA query_only = 1", error, "opening the store");
}

static bool
is_wal(Db *db, bool *ret, GError **error)
{
    g_autofree char *mode = NULL;

    if (!sql_string(db, "PRAGMA journal_mode", &mode, error, ""))
        return false;
    *ret = g_strcmp0(mode, "wal") == 0;
    return true;
}

static bool
make_wal(Db *db, GError **error)
{
    bool wal = false;

    if (!sql_exec(db->conn.handle, "PRAGMA journal_mode = WAL", error, "opening the store") ||
        !is_wal(db, &wal, error))
        return false;
    return wal || err_set(error, ERR_CONFIG, "this file system can't hold a write-ahead log");
}

/* SQLite gives the log and its index the mode of the file. */
static bool
make_file(Db *db, GError **error)
{
    auto_fd fd = open(db->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd >= 0)
        return dir_flush(db->home->state_fd, error);
    if (errno == EACCES || errno == EROFS || errno == EPERM)
        return err_set(error, ERR_CONFIG, "can't be made: %s", g_strerror(errno));
    return err_set_errno(error, errno, "can't be made");
}

static bool
open_file(Db *db, GError **error)
{
    if (!sql_conn_open(&db->conn, db->path, error, "opening the store"))
        return false;
    if (db->mode == DB_WRITE && sqlite3_db_readonly(db->conn.handle, "main") == 1)
        return err_set(error, ERR_CONFIG, "can't be written: look at its owner, mode and disk");
    return configure(db, error);
}

/* Under the gate; somebody else may have done it all meanwhile. */
static bool
bring_up_to_date(Db *db, GError **error)
{
    const MigrateList list = {schema_sql, schema_version};
    int version;

    if (!migrate_version(db->conn.handle, list.newest, &version, error) || !make_wal(db, error))
        return false;
    if (!migrate_run(&db->conn, db->home, &list, error))
        return false;
    CRASH_POINT("migrate-before-checkpoint");
    sql_conn_checkpoint_whole(&db->conn);
    return true;
}

static bool
open_and_check(Db *db, bool exists, GError **error)
{
    bool wal = false;
    int version;

    if (!exists && db->mode == DB_READ)
        return err_set(error, ERR_LATER, "there is no store yet; run: postrider serve");
    if ((!exists && !make_file(db, error)) || !open_file(db, error) ||
        !migrate_version(db->conn.handle, schema_version, &version, error) ||
        !is_wal(db, &wal, error))
        return false;
    if (version == schema_version && wal)
        return true;
    if (db->mode == DB_READ)
        return err_set(error, ERR_LATER,
                       "made by an older postrider; run: postrider serve, or postrider doctor");
    if (!gate_take(db->gate, DB_WAIT_MS, error))
        return false;
    bool ok = bring_up_to_date(db, error);
    gate_release(db->gate);
    return ok;
}

static bool
path_exists(const char *path, bool *ret, GError **error)
{
    struct stat st;

    *ret = stat(path, &st) == 0;
    if (*ret || errno == ENOENT)
        return true;
    if (errno == EACCES)
        return err_set(error, ERR_CONFIG, "%s", g_strerror(errno));
    return err_set_errno(error, errno, "can't be opened");
}

/* Puts the name in front, and for damage the way back behind. */
static bool
open_failed(const Db *db, GError *why, GError **error)
{
    if (err_is(why, ERR_DAMAGE))
        err_set(error, ERR_DAMAGE,
                "'%s': %s; restore a backup, or move it away: postrider then starts anew from "
                "the mail",
                db->path, why->message);
    else
        err_set(error, why->code, "'%s': %s", db->path, why->message);
    g_error_free(why);
    return false;
}

bool
db_open(const Home *home, DbMode mode, Db **ret_db, GError **error)
{
    g_autoptr(Db) db = g_new0(Db, 1);
    g_autofree char *gate = g_build_filename(home->path, "state", "write.lock", NULL);
    GError *why = NULL;
    bool exists;

    (void)signal(SIGBUS, on_bus_error);
    db->home = home;
    db->mode = mode;
    db->hint_fd = -1;
    db->wait_ms = DB_WAIT_MS;
    db->path = g_build_filename(home->path, "state", "postrider.db", NULL);
    db->gate = gate_new(gate);
    if (!path_exists(db->path, &exists, &why) || !open_and_check(db, exists, &why))
        return open_failed(db, why, error);
    *ret_db = g_steal_pointer(&db);
    return true;
}

bool
db_backup(Db *db, const char *dest, GError **error)
{
    return migrate_copy(db->conn.handle, dest, error);
}

/* A step without rows, by its cached statement: BEGIN and COMMIT are on the hot path. */
static bool
run(Db *db, const char *sql, GError **error)
{
    SqlStmt *st = sql_get(db, sql, error);

    return st && sql_next(st, error) == 0;
}

/* Not by a cached statement: SQLite obeys this pragma when it is prepared, not when it runs. */
static bool
set_flush(Db *db, TxnFlush flush, GError **error)
{
    bool want = flush == TXN_DURABLE;
    const char *sql = want ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";

    if (db->flushes == want)
        return true;
    if (!sql_exec(db->conn.handle, sql, error, "writing the store"))
        return false;
    db->flushes = want;
    return true;
}

static bool
set_moved(Db *db, GError **error)
{
    g_clear_error(error); /* the gate may have said less: it lies in the same folder */
    return err_set(error, ERR_DAMAGE, "'%s': the store was moved away under a running program",
                   db->path);
}

void
snapshot_begin(Db *db, Snapshot *ret)
{
    bool ours = !db->in_txn && !db->in_snapshot && run(db, "BEGIN", NULL);

    db->in_snapshot |= ours;
    ret->db = ours ? db : NULL;
}

/* A BEGIN that only read has nothing to lose. */
void
snapshot_end(Db *db)
{
    if (db->in_snapshot)
        (void)run(db, "ROLLBACK", NULL);
    db->in_snapshot = false;
}

void
db_rest(Db *db)
{
    g_assert(!db->in_txn);
    snapshot_end(db);
    if (db->conn.statements)
        g_hash_table_remove_all(db->conn.statements);
    (void)sqlite3_db_release_memory(db->conn.handle);
    db->wait_ms = RESTED_WAIT_MS;
}

void
snapshot_clear(Snapshot *s)
{
    if (s->db && !s->db->in_txn)
        snapshot_end(s->db);
    s->db = NULL;
}

bool
txn_begin(Db *db, TxnFlush flush, int wait_ms, Txn *ret_txn, GError **error)
{
    g_assert(!db->in_txn);
    snapshot_end(db);
    if (db->mode == DB_READ)
        return err_set(error, ERR_NEVER, "'%s' is open for reading only", db->path);
    if (!gate_take(db->gate, wait_ms, error))
        return sql_conn_moved(&db->conn) ? set_moved(db, error) : false;
    bool ok = !sql_conn_moved(&db->conn) || set_moved(db, error);
    ok = ok && set_flush(db, flush, error) && run(db, "BEGIN IMMEDIATE", error);
    if (!ok) {
        gate_release(db->gate);
        return false;
    }
    db->in_txn = true;
    *ret_txn = (Txn){.db = db,
                     .open = true,
                     .flush = flush,
                     .wait_ms = wait_ms,
                     .again = ret_txn->again,
                     .changes = sqlite3_total_changes(db->conn.handle)};
    if (due_begin(db, error))
        return true;
    txn_clear(ret_txn);
    return false;
}

static void
txn_end(Txn *txn)
{
    txn->open = false;
    txn->db->in_txn = false;
    gate_release(txn->db->gate);
}

/*
 * Passive: what readers still need stays in the log, and the next try is one whole length
 * later. A log that began anew is short again. A failure here loses nothing: the log holds it
 * all.
 */
static void
checkpoint_when_long(Db *db)
{
    if (db->conn.log_pages < CHECKPOINT_PAGES)
        db->checkpoint_at = CHECKPOINT_PAGES;
    if (db->conn.log_pages < db->checkpoint_at)
        return;
    CRASH_POINT("txn-before-checkpoint");
    sql_conn_checkpoint(&db->conn);
    db->checkpoint_at = db->conn.log_pages + CHECKPOINT_PAGES;
}

bool
txn_commit(Txn *txn, GError **error)
{
    g_assert(txn->open);
    CRASH_POINT("txn-before-commit");
    /* A transaction that has changed nothing succeeds on a full disk, too. */
    bool changed = sqlite3_total_changes(txn->db->conn.handle) != txn->changes;
    if ((changed && !due_keep(txn, error)) || !run(txn->db, "COMMIT", error)) {
        txn_clear(txn);
        return false;
    }
    if (txn->db->clock_mark.owed)
        txn->db->clock_mark = (ClockMark){0};
    CRASH_POINT("txn-after-commit");
    checkpoint_when_long(txn->db);
    txn_end(txn);
    return true;
}

void
txn_clear(Txn *txn)
{
    if (!txn->open)
        return;
    /* Some errors have rolled back already. */
    if (!sqlite3_get_autocommit(txn->db->conn.handle))
        (void)run(txn->db, "ROLLBACK", NULL);
    txn->db->clock_mark = (ClockMark){0}; /* what it wrote of that is gone too */
    txn_end(txn);
}

static bool
runs_twice(Txn *txn)
{
    static int wanted = -1;

    if (wanted < 0)
        wanted = g_strcmp0(g_getenv("POSTRIDER_TEST_RETRY"), "1") == 0;
    return wanted && !txn->again;
}

bool
txn_again(Txn *txn, GError **error)
{
    if (txn->open && !txn->ok) {
        txn_clear(txn);
        return false;
    }
    if (txn->open && !runs_twice(txn)) {
        txn->done = txn_commit(txn, error);
        return false;
    }
    txn->again = txn->open;
    txn_clear(txn);
    return txn_begin(txn->db, txn->flush, txn->wait_ms ? txn->wait_ms : txn->db->wait_ms, txn,
                     error);
}

/* By the folder's descriptor: the path of a home may be longer than a socket's name. */
static bool
hint_address(const Db *db, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    return g_snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/wake.sock",
                      db->home->state_fd) < (int)sizeof ret->sun_path;
}

void
db_hint(Db *db)
{
    struct sockaddr_un to;

    if (db->hint_fd < 0)
        db->hint_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (db->hint_fd < 0 || !hint_address(db, &to))
        return;
    (void)sendto(db->hint_fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
                 sizeof to);
}

int64_t
txn_now(const Txn *txn)
{
    return home_now(txn->db->home);
}
