/*
 * gate_stress SECONDS WRITERS CHECKPOINTERS gate|nogate
 *
 * Shows why the store has a write gate. Writers commit rows, small and large, while
 * checkpointers checkpoint, each a process of its own. Without the gate SQLite before 3.51.3
 * (Debian 12 has 3.40.1) may forget committed pages when a checkpoint meets the restart of the
 * log, and its busy handler is no queue: some writers starve. With the gate, through
 * store/db.h, neither happens.
 *
 * The race is lost when a checkpointer has read the log's header, a commit restarts the log,
 * and only then does the checkpointer ask how much of the log is copied. On few processors that
 * moment is rarely met, so checkpointers pause in it, as they do when the system takes the
 * processor away there; and the files lie in memory, since a disk that flushes makes everybody
 * wait elsewhere ($TMPDIR, where set, says otherwise). Both sides have the same load.
 *
 * Prints what each writer got done and its longest wait, whether one of its commits was gone
 * when it came back, then what integrity_check says. Exit 0: clean. 1: damaged. 2: could not
 * run. Works in a temporary folder that it removes.
 */
#include "base/file.h"
#include "base/home.h"
#include "store/db.h"
#include "store/sql.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define SMALL_ROW 100
#define LARGE_ROW 2048
#define KEEP_ROWS 20000 /* per writer, then they are written again */
#define PAUSE_US 50
#define BUSY_MS 20000
#define LOST "a committed row is gone"

typedef struct Tally {
    int64_t commits, worst_us;
    bool damaged;
    char failed[160]; /* what stopped it; "" */
} Tally;

typedef struct Stress {
    char *path; /* of the home */
    int64_t end_us;
    int writers, checkpointers;
    bool gate;
    Tally *tallies; /* shared; writers first */
} Stress;

static void
stop(Tally *tally, const char *why)
{
    g_strlcpy(tally->failed, why, sizeof tally->failed);
    tally->damaged =
        strstr(why, "malformed") || strstr(why, "not a database") || strcmp(why, LOST) == 0;
}

static bool
running(const Stress *s, const Tally *tally)
{
    return !tally->failed[0] && clock_mono_us() < s->end_us;
}

static void
count(Tally *tally, int64_t since_us)
{
    tally->commits++;
    tally->worst_us = MAX(tally->worst_us, clock_mono_us() - since_us);
}

static char *
row_key(int who, int64_t n)
{
    return g_strdup_printf("stress-%d-%" PRId64, who, n % KEEP_ROWS);
}

static char *
row_value(int who, int64_t n)
{
    return g_strnfill(who % 2 ? LARGE_ROW : SMALL_ROW, (char)('a' + n % 26));
}

/* --- the pause of checkpointers --- */

static sqlite3_io_methods pausing;
static int (*unfetch)(sqlite3_file *file, sqlite3_int64 offset, void *page);

/* Without a page it means: the header has changed, forget what is mapped. Nothing is; a
 * checkpoint that has read a new header asks for it all the same, and goes on from there. */
static int
unfetch_later(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
    if (!page)
        g_usleep(PAUSE_US);
    return unfetch(file, offset, page);
}

static void
pause_in_checkpoints(sqlite3 *handle)
{
    sqlite3_file *file = NULL;

    if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        file->pMethods->iVersion < 3)
        return;
    pausing = *file->pMethods;
    unfetch = pausing.xUnfetch;
    pausing.xUnfetch = unfetch_later;
    file->pMethods = &pausing;
}

/* --- without the gate --- */

static sqlite3 *
open_bare(const Stress *s)
{
    g_autofree char *path = g_build_filename(s->path, "state", "postrider.db", NULL);
    sqlite3 *handle = NULL;

    sqlite3_open(path, &handle);
    sqlite3_busy_timeout(handle, BUSY_MS);
    sqlite3_wal_autocheckpoint(handle, 0);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_exec(handle, "PRAGMA synchronous = NORMAL; SELECT * FROM meta", NULL, NULL,
                       NULL);
    return handle;
}

/* One commit: the writer's own counter must be what it last committed, and goes up by one; a
 * row of 2 KB comes with it. */
static bool
write_bare(sqlite3 *handle, sqlite3_stmt *get, sqlite3_stmt *put, int who, Tally *tally)
{
    g_autofree char *counter = g_strdup_printf("stress-%d", who);
    g_autofree char *key = row_key(who, tally->commits);
    g_autofree char *value = row_value(who, tally->commits);
    g_autofree char *next = g_strdup_printf("%" PRId64, tally->commits + 1);
    const char *const pairs[][2] = {{counter, next}, {key, value}};

    if (sqlite3_exec(handle, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_text(get, 1, counter, -1, SQLITE_STATIC);
    bool ok = sqlite3_step(get) == SQLITE_ROW || tally->commits == 0;
    if (!ok || sqlite3_column_int64(get, 0) != tally->commits)
        stop(tally, LOST);
    sqlite3_reset(get);
    for (size_t i = 0; ok && i < G_N_ELEMENTS(pairs); i++) {
        sqlite3_bind_text(put, 1, pairs[i][0], -1, SQLITE_STATIC);
        sqlite3_bind_text(put, 2, pairs[i][1], -1, SQLITE_STATIC);
        ok = sqlite3_step(put) == SQLITE_DONE;
        sqlite3_reset(put);
    }
    return ok && sqlite3_exec(handle, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static void
writer_bare(const Stress *s, int who, Tally *tally)
{
    sqlite3 *handle = open_bare(s);
    sqlite3_stmt *get = NULL, *put = NULL;

    sqlite3_prepare_v2(handle, "SELECT value FROM meta WHERE key = ?", -1, &get, NULL);
    sqlite3_prepare_v2(handle, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", -1,
                       &put, NULL);
    while (running(s, tally)) {
        int64_t since_us = clock_mono_us();

        if (write_bare(handle, get, put, who, tally))
            count(tally, since_us);
        else if (!tally->failed[0])
            stop(tally, sqlite3_errmsg(handle));
    }
}

static void
checkpointer_bare(const Stress *s, Tally *tally)
{
    sqlite3 *handle = open_bare(s);

    pause_in_checkpoints(handle);
    while (running(s, tally)) {
        int rc =
            sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);

        if (rc == SQLITE_OK)
            tally->commits++;
        else if (rc != SQLITE_BUSY && rc != SQLITE_LOCKED)
            stop(tally, sqlite3_errmsg(handle));
    }
}

/* --- with it --- */

static bool
write_gated(Db *db, int who, Tally *tally, GError **error)
{
    g_autofree char *counter = g_strdup_printf("stress-%d", who);
    g_autofree char *key = row_key(who, tally->commits);
    g_autofree char *value = row_value(who, tally->commits);
    g_autofree char *next = g_strdup_printf("%" PRId64, tally->commits + 1);
    g_autofree char *last = NULL;
    g_auto(Txn) txn = {0};

    if (!txn_begin(db, TXN_LAZY, BUSY_MS, &txn, error) || !meta_get(db, counter, &last, error))
        return false;
    if (tally->commits != (last ? g_ascii_strtoll(last, NULL, 10) : 0))
        stop(tally, LOST);
    return meta_set(&txn, counter, next, error) && meta_set(&txn, key, value, error) &&
           txn_commit(&txn, error);
}

static void
writer_gated(const Stress *s, Db *db, int who, Tally *tally)
{
    while (running(s, tally)) {
        g_autoptr(GError) error = NULL;
        int64_t since_us = clock_mono_us();

        if (write_gated(db, who, tally, &error))
            count(tally, since_us);
        else
            stop(tally, error->message);
    }
}

/* As txn_commit() does it, only far more often: a checkpoint under the gate. */
static void
checkpointer_gated(const Stress *s, Db *db, Tally *tally)
{
    pause_in_checkpoints(sql_handle(db));
    while (running(s, tally)) {
        g_autoptr(GError) error = NULL;
        g_auto(Txn) txn = {0};

        if (!txn_begin(db, TXN_LAZY, BUSY_MS, &txn, &error)) {
            stop(tally, error->message);
            return;
        }
        (void)sqlite3_exec(sql_handle(db), "ROLLBACK", NULL, NULL, NULL);
        (void)sqlite3_wal_checkpoint_v2(sql_handle(db), "main", SQLITE_CHECKPOINT_PASSIVE, NULL,
                                        NULL);
        tally->commits++;
    }
}

static void
work(const Stress *s, int who)
{
    g_autoptr(GError) error = NULL;
    Tally *tally = &s->tallies[who];
    bool writes = who < s->writers;
    Home *home = NULL;
    Db *db = NULL;

    if (!s->gate && writes)
        writer_bare(s, who, tally);
    else if (!s->gate)
        checkpointer_bare(s, tally);
    else if (!home_open(s->path, &home, &error) || !db_open(home, DB_WRITE, &db, &error))
        stop(tally, error->message);
    else if (writes)
        writer_gated(s, db, who, tally);
    else
        checkpointer_gated(s, db, tally);
}

static void
run(const Stress *s)
{
    int n = s->writers + s->checkpointers;

    for (int i = 0; i < n; i++) {
        if (fork() == 0) {
            work(s, i);
            _exit(0);
        }
    }
    for (int i = 0; i < n; i++)
        (void)wait(NULL);
}

static bool
report(const Stress *s, Db *db)
{
    g_autoptr(GPtrArray) findings = NULL;
    g_autoptr(GError) error = NULL;
    int64_t total = 0, worst_us = 0;
    bool clean = true;

    for (int i = 0; i < s->writers + s->checkpointers; i++) {
        const Tally *t = &s->tallies[i];
        bool writes = i < s->writers;

        printf("%s %d: %" PRId64 " %s, worst wait %.1f ms%s%s\n",
               writes ? "writer" : "checkpointer", i, t->commits,
               writes ? "commits" : "checkpoints", (double)t->worst_us / 1000,
               t->failed[0] ? "; stopped: " : "", t->failed);
        total += writes ? t->commits : 0;
        worst_us = MAX(worst_us, t->worst_us);
        clean = clean && !t->damaged;
    }
    if (!db_check(db, true, &findings, &error)) {
        printf("integrity: %s\n", error->message);
        return false;
    }
    for (guint i = 0; i < MIN(findings->len, 3); i++)
        printf("integrity: %s\n", (const char *)findings->pdata[i]);
    clean = clean && findings->len == 0;
    printf("SQLite %s, %s: %" PRId64 " commits, worst wait %.1f ms, %s\n", db_library_version(),
           s->gate ? "gate" : "no gate", total, (double)worst_us / 1000,
           clean ? "clean" : "DAMAGED");
    return clean;
}

static void
remove_tree(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);

        if (g_unlink(child) < 0)
            remove_tree(child);
    }
    if (dir)
        g_dir_close(dir);
    (void)g_rmdir(path);
}

static bool
make_home(const char *path, GError **error)
{
    static const char conf[] = "[postrider]\nowner = you@postrider.local\n"
                               "domain = postrider.local\n"
                               "[brain default]\nkind = command\ncommand = true\n"
                               "[role envoy]\naddress = envoy@postrider.local\n";
    g_autofree char *key = g_build_filename(path, "key", NULL);
    g_autofree char *settings = g_build_filename(path, "postrider.conf", NULL);
    g_autofree char *digits = g_strnfill(64, '0');

    return g_file_set_contents_full(key, digits, -1, G_FILE_SET_CONTENTS_NONE, 0600, error) &&
           g_file_set_contents_full(settings, conf, -1, G_FILE_SET_CONTENTS_NONE, 0600, error);
}

/* In memory where there is such a place. */
static char *
make_folder(void)
{
    bool shm = !g_getenv("TMPDIR") && access("/dev/shm", W_OK) == 0;
    g_autofree char *path =
        g_build_filename(shm ? "/dev/shm" : g_get_tmp_dir(), "gate-stress-XXXXXX", NULL);

    return g_mkdtemp(path) ? g_steal_pointer(&path) : NULL;
}

static int
usage(void)
{
    fprintf(stderr, "usage: gate_stress SECONDS WRITERS CHECKPOINTERS gate|nogate\n");
    return 2;
}

static int
stress(Stress *s, int64_t seconds)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Home) home = NULL;
    g_autoptr(Db) db = NULL;

    if (!make_home(s->path, &error) || !home_open(s->path, &home, &error) ||
        !db_open(home, DB_WRITE, &db, &error)) {
        fprintf(stderr, "gate_stress: %s\n", error->message);
        return 2;
    }
    g_clear_pointer(&db, db_close); /* no handle may cross a fork */
    s->end_us = clock_mono_us() + seconds * USEC_PER_SEC;
    run(s);
    if (!db_open(home, DB_READ, &db, &error)) {
        printf("integrity: %s\n", error->message);
        return 1;
    }
    return report(s, db) ? 0 : 1;
}

int
main(int argc, char **argv)
{
    if (argc != 5)
        return usage();
    int seconds = atoi(argv[1]);
    Stress s = {.writers = atoi(argv[2]),
                .checkpointers = atoi(argv[3]),
                .gate = strcmp(argv[4], "gate") == 0};
    int n = s.writers + s.checkpointers;

    if (seconds < 1 || s.writers < 1 || s.checkpointers < 0 || n > 64 ||
        (!s.gate && strcmp(argv[4], "nogate") != 0))
        return usage();
    s.tallies = mmap(NULL, sizeof *s.tallies * (size_t)n, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_autofree char *path = make_folder();
    if (s.tallies == MAP_FAILED || !path)
        return 2;
    s.path = path;
    int status = stress(&s, seconds);
    remove_tree(path);
    return status;
}
