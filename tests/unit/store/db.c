/* The store as a file: made, opened, moved away, copied; transactions and snapshots on it; disks
 * that are full or read-only. */
#include "store/db.h"
#include "base/err.h"
#include "base/lock.h"
#include "store/sql.h"
#include "testhome.h"
#include "testmount.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

static void
test_new(void)
{
    Home *home = test_home_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *path = test_state_path(home, "postrider.db");
    g_autofree char *log = test_state_path(home, "postrider.db-wal");
    g_autofree char *id = NULL, *created = NULL, *again = NULL;
    struct stat st;
    Db *db = NULL;

    g_assert_false(db_open(home, DB_READ, &db, &error));
    g_assert_true(err_is(error, ERR_LATER));

    db = test_db_open(home, DB_WRITE);
    g_assert_true(db_home(db) == home);
    g_assert_cmpuint(db_generation(db), ==, TEST_NOW / USEC_PER_MSEC);
    g_assert_true(meta_get(db, "home-id", &id, NULL));
    g_assert_cmpuint(strlen(id), ==, 32);
    g_assert_true(meta_get(db, "created", &created, NULL));
    g_assert_cmpstr(created, ==, "1800000000000000"); /* microseconds */
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
    g_assert_cmpint(stat(log, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
    db_close(db);

    db = test_db_open(home, DB_WRITE);
    g_assert_true(meta_get(db, "home-id", &again, NULL));
    g_assert_cmpstr(again, ==, id);
    db_close(db);
    test_home_free(home);
}

/* Each kind of transaction has the flush it asks for, in any order. */
static void
test_flush(void)
{
    static const struct {
        TxnFlush flush;
        int64_t want;
    } cases[] = {
        {TXN_DURABLE, 2}, {TXN_LAZY, 1}, {TXN_LAZY, 1}, {TXN_DURABLE, 2}, {TXN_LAZY, 1}};
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Txn txn = {0};
        int64_t level;

        g_assert_true(txn_begin(db, cases[i].flush, 0, &txn, NULL));
        g_assert_true(sql_pragma_int(sql_handle(db), "PRAGMA synchronous", &level, NULL));
        g_assert_cmpint(level, ==, cases[i].want);
        test_commit(&txn);
    }
    db_close(db);
    test_home_free(home);
}

/* A transaction that has ended leaves the next one alone, whatever is done with it. */
static void
test_ended(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *kept = NULL;
    Txn first = test_begin(db), second = {0};

    test_commit(&first);
    g_assert_true(txn_begin(db, TXN_LAZY, 0, &second, NULL));
    g_assert_true(meta_set(&second, "second", "is kept", NULL));
    txn_clear(&first);
    test_commit(&second);
    txn_clear(&second);
    g_assert_true(meta_get(db, "second", &kept, NULL));
    g_assert_cmpstr(kept, ==, "is kept");
    db_close(db);
    test_home_free(home);
}

static void
test_read_only_handle(void)
{
    Home *home = test_home_new();
    Db *writer = test_db_open(home, DB_WRITE);
    Db *reader = test_db_open(home, DB_READ);
    g_autoptr(GError) error = NULL;
    Txn txn = {0};

    g_assert_false(txn_begin(reader, TXN_LAZY, 0, &txn, &error));
    g_assert_true(err_is(error, ERR_NEVER));
    g_clear_error(&error);
    g_assert_false(sql_exec(sql_handle(reader), "DELETE FROM meta", &error, "x"));
    g_assert_true(err_is(error, ERR_CONFIG));
    db_close(reader);
    db_close(writer);
    test_home_free(home);
}

/* A reader sees the last commit while a writer is in the middle of the next. */
static void
test_read_beside_write(void)
{
    Home *home = test_home_new();
    Db *writer = test_db_open(home, DB_WRITE);
    Db *reader = test_db_open(home, DB_READ);
    g_autofree char *before = NULL, *after = NULL;
    Txn txn = test_begin(writer);

    g_assert_true(meta_set(&txn, "a", "1", NULL));
    g_assert_true(meta_get(reader, "a", &before, NULL));
    g_assert_null(before);
    test_commit(&txn);
    g_assert_true(meta_get(reader, "a", &after, NULL));
    g_assert_cmpstr(after, ==, "1");
    db_close(reader);
    db_close(writer);
    test_home_free(home);
}

/* One moment of the store for all reads, until it ends or a transaction of ours begins. */
static void
test_snapshot(void)
{
    static const struct {
        const char *row;
        bool inner, writes;
        const char *want; /* what is read behind the commit of somebody else */
    } cases[] = {
        {"plain", false, false, NULL},
        {"one inside of another", true, false, NULL},
        {"a transaction ends it", false, true, "1"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *writer = test_db_open(home, DB_WRITE), *db = test_db_open(home, DB_WRITE);
        g_autofree char *before = NULL, *during = NULL, *after = NULL;
        Snapshot outer, inner = {0};

        g_test_message("%s", cases[i].row);
        snapshot_begin(db, &outer);
        g_assert_true(meta_get(db, "a", &before, NULL));
        Txn txn = test_begin(writer);
        g_assert_true(meta_set(&txn, "a", "1", NULL));
        test_commit(&txn);
        if (cases[i].inner) {
            snapshot_begin(db, &inner);
            snapshot_clear(&inner);
        }
        if (cases[i].writes) {
            Txn own = test_begin(db);
            snapshot_begin(db, &inner);
            snapshot_clear(&inner);
            test_commit(&own);
        }
        g_assert_true(meta_get(db, "a", &during, NULL));
        g_assert_cmpstr(during, ==, cases[i].want);
        snapshot_clear(&outer);
        snapshot_clear(&outer);
        g_assert_true(meta_get(db, "a", &after, NULL));
        g_assert_cmpstr(after, ==, "1");
        db_close(db);
        db_close(writer);
        test_home_free(home);
    }
}

static void
test_moved_away(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *from = g_build_filename(home->path, "state", NULL);
    g_autofree char *to = g_build_filename(home->path, "state.old", NULL);
    g_autoptr(GError) error = NULL;
    Txn txn = {0};

    g_assert_cmpint(g_rename(from, to), ==, 0);
    g_assert_false(txn_begin(db, TXN_LAZY, 0, &txn, &error));
    g_assert_true(err_is(error, ERR_DAMAGE));
    g_assert_cmpint(g_mkdir(from, 0700), ==, 0);
    g_clear_error(&error);
    g_assert_false(txn_begin(db, TXN_LAZY, 0, &txn, &error));
    g_assert_true(err_is(error, ERR_DAMAGE));
    g_assert_nonnull(strstr(error->message, "moved away"));

    Home *again = test_home_at(home->path);
    Db *fresh = test_db_open(again, DB_WRITE);
    g_clear_error(&error);
    g_assert_false(txn_begin(db, TXN_LAZY, 0, &txn, &error));
    g_assert_true(err_is(error, ERR_DAMAGE));
    db_close(fresh);
    home_close(again);
    db_close(db);
    test_home_free(home);
}

static void
test_checkpoint(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *big = g_strnfill(100000, 'x');
    g_autofree char *path = test_state_path(home, "postrider.db");
    g_autofree char *log = test_state_path(home, "postrider.db-wal");
    struct stat st;

    for (int i = 0; i < 200; i++) { /* 20 MB */
        g_autofree char *key = g_strdup_printf("big-%d", i);
        Txn txn = test_begin(db);

        g_assert_true(meta_set(&txn, key, big, NULL));
        test_commit(&txn);
    }
    g_assert_cmpint(stat(log, &st), ==, 0);
    g_assert_cmpint(st.st_size, <, 6 << 20);
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_size, >, 14 << 20);
    db_close(db);
    test_home_free(home);
}

/* Ten programs one after the other, each with 80 pages of log. */
static int64_t
log_after_ten(Home *home)
{
    g_autofree char *big = g_strnfill(300000, 'x');
    g_autofree char *log = test_state_path(home, "postrider.db-wal");
    struct stat st;

    for (int i = 0; i < 10; i++) {
        Db *db = test_db_open(home, DB_WRITE);
        Txn txn = test_begin(db);

        g_assert_true(meta_set(&txn, "big", i % 2 ? big : big + 1, NULL));
        test_commit(&txn);
        db_close(db);
    }
    g_assert_cmpint(stat(log, &st), ==, 0);
    return st.st_size;
}

/* Where no master has the store open, the next program to open it reads the whole log, and goes on at its end. */
static void
test_short_log(void)
{
    Home *alone = test_home_new(), *served = test_home_new();
    int lock;

    g_assert_cmpint(log_after_ten(alone), <, 2 << 20);
    g_assert_true(lock_take(served->state_fd, "master.lock", 0, &lock, NULL));
    g_assert_cmpint(log_after_ten(served), >, 2 << 20);
    g_assert_cmpint(close(lock), ==, 0);
    test_home_free(alone);
    test_home_free(served);
}

static void
test_backup(void)
{
    Home *home = test_home_new(), *copy = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *dest = test_state_path(copy, "postrider.db");
    g_autoptr(GError) error = NULL;
    g_autofree char *value = NULL;
    Txn txn = test_begin(db);

    g_assert_true(meta_set(&txn, "a", "1", NULL));
    test_commit(&txn);
    g_assert_true(db_backup(db, dest, &error));
    g_assert_no_error(error);
    g_assert_false(db_backup(db, dest, &error)); /* exists */
    db_close(db);
    db = test_db_open(copy, DB_WRITE);
    g_assert_true(meta_get(db, "a", &value, NULL));
    g_assert_cmpstr(value, ==, "1");
    db_close(db);
    test_home_free(copy);
    test_home_free(home);
}

static void
test_hint(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char buffer[8];

    db_hint(db); /* nobody listens */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    g_snprintf(at.sun_path, sizeof at.sun_path, "%s/state/wake.sock", home->path);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&at, sizeof at), ==, 0);
    db_hint(db);
    g_assert_cmpint(recv(fd, buffer, sizeof buffer, 0), ==, 1);
    for (int i = 0; i < 1000; i++)
        db_hint(db); /* a full queue does not block */
    close(fd);
    db_close(db);
    test_home_free(home);
}

/* Writes until the disk is full: LATER, nothing half done, and on it goes once there is room.
 */
static void
fill_disk(Home *home)
{
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *big = g_strnfill(100000, 'x');
    g_autofree char *ballast = test_state_path(home, "ballast");
    g_autofree char *value = NULL;
    g_autoptr(GError) error = NULL;
    bool ok = true;

    test_write(home->path, "state/ballast", big);
    for (int i = 0; ok && i < 1000; i++) {
        g_autofree char *key = g_strdup_printf("big-%d", i);
        g_auto(Txn) txn = {0};

        ok = txn_begin(db, TXN_DURABLE, 0, &txn, &error) &&
             meta_set(&txn, "last", key, &error) && meta_set(&txn, key, big, &error) &&
             txn_commit(&txn, &error);
    }
    g_assert_false(ok);
    g_assert_true(err_is(error, ERR_LATER));
    g_assert_true(meta_get(db, "last", &value, NULL));
    g_assert_cmpint(g_unlink(ballast), ==, 0);
    Txn txn = test_begin(db);
    g_assert_true(meta_set(&txn, "room", "1", NULL));
    test_commit(&txn);
    db_close(db);
}

static void
test_disk_full(void)
{
    test_in_mount("state", "size=2m,mode=0700", fill_disk);
}

static void
write_read_only(Home *home)
{
    g_autoptr(GError) error = NULL;
    Db *db = NULL;

    g_assert_false(db_open(home, DB_WRITE, &db, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
    g_assert_nonnull(strstr(error->message, "can't be written"));
}

static void
test_read_only_disk(void)
{
    test_in_mount("state", NULL, write_read_only);
}

/* `ulimit -f`: the log can't grow, so the commit fails, and passes where the limit is gone. */
static void
test_file_size(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *log = test_state_path(home, "postrider.db-wal");
    g_autofree char *big = g_strnfill(256 << 10, 'x'), *kept = NULL;
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db);
    struct rlimit old, small;
    struct stat is;

    g_assert_true(meta_set(&txn, "first", "1", NULL));
    test_commit(&txn);
    g_assert_cmpint(stat(log, &is), ==, 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
    small = (struct rlimit){(rlim_t)is.st_size + 8192, old.rlim_max};
    txn = test_begin(db);
    g_assert_true(meta_set(&txn, "big", big, NULL));
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    bool ok = txn_commit(&txn, &error);
    txn_clear(&txn);
    bool bare = sql_exec(sql_handle(db), "UPDATE meta SET value = hex(zeroblob(200000)) WHERE key = 'first'", NULL, "a test");
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
    g_assert_false(ok);
    g_assert_false(bare);
    g_assert_true(err_is(error, ERR_LATER));
    g_assert_nonnull(strstr(error->message, "File too large"));
    g_assert_true(meta_get(db, "big", &kept, NULL));
    g_assert_null(kept);
    txn = test_begin(db);
    g_assert_true(meta_set(&txn, "big", big, NULL));
    test_commit(&txn);
    db_close(db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/db/new", test_new);
    g_test_add_func("/db/flush", test_flush);
    g_test_add_func("/db/ended", test_ended);
    g_test_add_func("/db/read-only-handle", test_read_only_handle);
    g_test_add_func("/db/read-beside-write", test_read_beside_write);
    g_test_add_func("/db/snapshot", test_snapshot);
    g_test_add_func("/db/moved-away", test_moved_away);
    g_test_add_func("/db/checkpoint", test_checkpoint);
    g_test_add_func("/db/short-log", test_short_log);
    g_test_add_func("/db/backup", test_backup);
    g_test_add_func("/db/hint", test_hint);
    g_test_add_func("/db/disk-full", test_disk_full);
    g_test_add_func("/db/file-size", test_file_size);
    g_test_add_func("/db/read-only-disk", test_read_only_disk);
    return g_test_run();
}
