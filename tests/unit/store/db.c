#include "store/db.h"
#include "base/banned.h"
#include "base/err.h"
#include "store/gate.h"
#include "store/migrate.h"
#include "store/schema.h"
#include "store/sql.h"
#include "testhome.h"
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static char *
state_path(const Home *home, const char *name)
{
    return g_build_filename(home->path, "state", name, NULL);
}

static void
test_new(void)
{
    Home *home = test_home_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *path = state_path(home, "postrider.db");
    g_autofree char *log = state_path(home, "postrider.db-wal");
    g_autofree char *id = NULL, *created = NULL;
    struct stat st;
    Db *db = NULL;

    g_assert_false(db_open(home, DB_READ, &db, &error));
    g_assert_true(err_is(error, ERR_LATER));

    db = test_db_open(home, DB_WRITE);
    g_assert_true(db_is_new(db));
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
    g_assert_false(db_is_new(db));
    db_close(db);
    test_home_free(home);
}

static void
test_meta(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *value = NULL, *gone = NULL, *undone = NULL;
    Txn txn = test_begin(db);

    g_assert_true(meta_set(&txn, "a", "1", NULL));
    g_assert_true(meta_set(&txn, "a", "2", NULL));
    g_assert_true(meta_set(&txn, "b", "x", NULL));
    g_assert_true(meta_set(&txn, "b", NULL, NULL));
    test_commit(&txn);
    g_assert_true(meta_get(db, "a", &value, NULL));
    g_assert_cmpstr(value, ==, "2");
    g_assert_true(meta_get(db, "b", &gone, NULL));
    g_assert_null(gone);

    txn = test_begin(db);
    g_assert_true(meta_set(&txn, "c", "never", NULL));
    txn_clear(&txn);
    txn_clear(&txn); /* twice is fine */
    g_assert_true(meta_get(db, "c", &undone, NULL));
    g_assert_null(undone);
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
count_up(Db *db, int n)
{
    for (int i = 0; i < n; i++) {
        g_autofree char *text = NULL, *next = NULL;
        g_auto(Txn) txn = test_begin(db);

        g_assert_true(meta_get(db, "counter", &text, NULL));
        next = g_strdup_printf("%d", text ? atoi(text) + 1 : 1);
        g_assert_true(meta_set(&txn, "counter", next, NULL));
        test_commit(&txn);
    }
}

/* Two processes make the store at the same moment and count up together: nothing is lost. */
static void
test_two_processes(void)
{
    enum { N = 300 };
    Home *home = test_home_new();
    g_autofree char *counter = NULL;
    pid_t pids[2];
    int status;

    for (size_t i = 0; i < G_N_ELEMENTS(pids); i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            Home *own = test_home_at(home->path);
            Db *db = test_db_open(own, DB_WRITE);

            count_up(db, N);
            db_close(db);
            home_close(own);
            _exit(0);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(pids); i++) {
        g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
        g_assert_cmpint(status, ==, 0);
    }
    Db *db = test_db_open(home, DB_WRITE);
    g_assert_true(meta_get(db, "counter", &counter, NULL));
    g_assert_cmpint(atoi(counter), ==, 2 * N);
    db_close(db);
    test_home_free(home);
}

/* Holds the gate until the other end of the pipe is closed. */
static pid_t
hold_gate(const Home *home, int *ret_release_fd)
{
    int ready[2], release[2];
    char c;

    g_assert_cmpint(pipe2(ready, O_CLOEXEC), ==, 0);
    g_assert_cmpint(pipe2(release, O_CLOEXEC), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(release[1]);
        Home *own = test_home_at(home->path);
        Db *db = test_db_open(own, DB_WRITE);
        Txn txn = test_begin(db);

        g_assert_true(meta_set(&txn, "held", "1", NULL));
        g_assert_cmpint(write(ready[1], "x", 1), ==, 1);
        (void)!read(release[0], &c, 1);
        test_commit(&txn);
        db_close(db);
        home_close(own);
        _exit(0);
    }
    close(ready[1]);
    close(release[0]);
    g_assert_cmpint(read(ready[0], &c, 1), ==, 1);
    close(ready[0]);
    *ret_release_fd = release[1];
    return pid;
}

static void
test_gate_timeout(void)
{
    static const int waits_ms[] = {0, 60};
    Home *home = test_home_new();
    int release_fd;

    db_close(test_db_open(home, DB_WRITE));
    pid_t pid = hold_gate(home, &release_fd);
    g_autofree char *want = g_strdup_printf("process %d is writing", (int)pid);
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(waits_ms); i++) {
        g_autoptr(GError) error = NULL;
        Txn txn = {0};
        int64_t start = clock_mono_us();

        g_assert_false(txn_begin(db, TXN_LAZY, waits_ms[i], &txn, &error));
        g_assert_true(err_is(error, ERR_LATER));
        g_assert_nonnull(strstr(error->message, want));
        g_assert_cmpint(clock_mono_us() - start, >=, waits_ms[i] * USEC_PER_MSEC);
    }
    close(release_fd);
    Txn txn = test_begin(db); /* waits in the kernel for the child's commit */
    g_autofree char *held = NULL;
    g_assert_true(meta_get(db, "held", &held, NULL));
    g_assert_cmpstr(held, ==, "1");
    test_commit(&txn);
    g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
    db_close(db);
    test_home_free(home);
}

/* A lock file that was replaced locks nothing: both sides move on to the new one. */
static void
test_gate_replaced(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *path = state_path(home, "write.lock");
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db), other = {0};

    test_commit(&txn);
    g_assert_cmpint(g_unlink(path), ==, 0);
    Db *second = test_db_open(home, DB_WRITE);
    other = test_begin(second);
    g_assert_false(txn_begin(db, TXN_LAZY, 0, &txn, &error));
    g_assert_true(err_is(error, ERR_LATER));
    test_commit(&other);
    txn = test_begin(db);
    test_commit(&txn);
    db_close(second);
    db_close(db);
    test_home_free(home);
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
    g_assert_true(db_is_new(fresh));
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
    g_autofree char *path = state_path(home, "postrider.db");
    g_autofree char *log = state_path(home, "postrider.db-wal");
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

static void
write_file(const Home *home, const char *name, const void *data, size_t len)
{
    g_autofree char *path = state_path(home, name);

    g_assert_true(g_file_set_contents(path, data, (gssize)len, NULL));
}

static void
make_foreign(const Home *home, const char *sql)
{
    g_autofree char *path = state_path(home, "postrider.db");
    sqlite3 *handle = NULL;

    g_assert_cmpint(sqlite3_open(path, &handle), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_exec(handle, sql, NULL, NULL, NULL), ==, SQLITE_OK);
    sqlite3_close(handle);
}

static void
test_wrong_file(void)
{
    static const struct {
        const char *name, *text, *sql;
        int want;
        const char *want_text;
    } cases[] = {
        {"no database", "this is no database at all, it is a letter", NULL, ERR_DAMAGE,
         "restore"},
        {"another program's", NULL, "CREATE TABLE t (a)", ERR_DAMAGE, "another program"},
        {"another application", NULL, "PRAGMA application_id = 7; PRAGMA user_version = 1",
         ERR_DAMAGE, "another program"},
        {"newer", NULL, "PRAGMA application_id = 0x706f7374; PRAGMA user_version = 99",
         ERR_NEVER, "made by a newer postrider (schema 99"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        g_autoptr(GError) error = NULL;
        Db *db = NULL;

        if (cases[i].text) {
            g_autofree char *text = g_strnfill(8192, 'x');

            memcpy(text, cases[i].text, strlen(cases[i].text));
            write_file(home, "postrider.db", text, 8192);
        } else {
            make_foreign(home, cases[i].sql);
        }
        g_test_message("%s", cases[i].name);
        g_assert_false(db_open(home, DB_WRITE, &db, &error));
        g_assert_cmpint(error->code, ==, cases[i].want);
        g_assert_nonnull(strstr(error->message, cases[i].want_text));
        test_home_free(home);
    }
}

/* A crash between making the file and its first commit: the store is made at the next start. */
static void
test_empty_file(void)
{
    Home *home = test_home_new();

    write_file(home, "postrider.db", "", 0);
    Db *db = test_db_open(home, DB_WRITE);
    g_assert_true(db_is_new(db));
    db_close(db);
    test_home_free(home);
}

static void
test_damaged_page(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autoptr(GPtrArray) findings = NULL;
    g_autofree char *path = state_path(home, "postrider.db");
    g_autofree char *junk = g_strnfill(4096, '\xaa');

    g_assert_cmpint(sqlite3_wal_checkpoint_v2(sql_handle(db), "main",
                                              SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
                    ==, SQLITE_OK);
    db_close(db);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    g_assert_cmpint(pwrite(fd, junk, 4096, 3 * 4096), ==, 4096);
    close(fd);
    db = test_db_open(home, DB_READ);
    g_assert_true(db_check(db, true, &findings, NULL));
    g_assert_cmpuint(findings->len, >, 0);
    db_close(db);
    test_home_free(home);
}

/* This program's own migrations and two more. */
#define LATER 2

static void
test_migrate(void)
{
    const int now = schema_version, newest = schema_version + LATER;
    g_autofree const char **sql = g_new0(const char *, (gsize)newest + 1);
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *copy_name = g_strdup_printf("postrider.db.before-%d", now);
    g_autofree char *last_name = g_strdup_printf("postrider.db.before-%d", newest);
    g_autofree char *copy = state_path(home, copy_name);
    g_autofree char *last_copy = state_path(home, last_name);
    g_autofree char *failing = g_strdup_printf("from schema %d to %d", newest, newest + 1);
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db);
    int version;

    for (int i = 0; i < now; i++)
        sql[i] = schema_sql[i];
    sql[now] = "CREATE TABLE later (a); INSERT INTO later VALUES (1)";
    sql[now + 1] = "CREATE TABLE latest (a)";
    sql[newest] = "CREATE TABLE half (a); CREATE TABLE half (a)";
    g_assert_true(meta_set(&txn, "a", "kept", NULL));
    test_commit(&txn);
    g_assert_true(migrate_run(sql_handle(db), home, &(MigrateList){sql, newest}, &error));
    g_assert_no_error(error);
    g_assert_true(migrate_version(sql_handle(db), newest, &version, NULL));
    g_assert_cmpint(version, ==, newest);

    /* One that fails leaves the last whole version, and the copy. */
    g_assert_false(migrate_run(sql_handle(db), home, &(MigrateList){sql, newest + 1}, &error));
    g_assert_nonnull(strstr(error->message, failing));
    g_assert_true(migrate_version(sql_handle(db), newest, &version, NULL));
    g_assert_cmpint(version, ==, newest);
    g_assert_true(g_file_test(last_copy, G_FILE_TEST_EXISTS));
    db_close(db);

    /* This program does not know the later ones. */
    g_clear_error(&error);
    g_assert_false(db_open(home, DB_WRITE, &db, &error));
    g_assert_true(err_is(error, ERR_NEVER));

    /* The copy is the store as it was. */
    Home *old = test_home_new();
    g_autofree char *path = state_path(old, "postrider.db");
    g_autofree char *value = NULL;
    g_assert_cmpint(g_rename(copy, path), ==, 0);
    db = test_db_open(old, DB_WRITE);
    g_assert_false(db_is_new(db));
    g_assert_true(meta_get(db, "a", &value, NULL));
    g_assert_cmpstr(value, ==, "kept");
    db_close(db);
    test_home_free(old);
    test_home_free(home);
}

static void
test_older_needs_a_writer(void)
{
    Home *home = test_home_new();
    g_autoptr(GError) error = NULL;
    Db *db = NULL;

    write_file(home, "postrider.db", "", 0);
    g_assert_false(db_open(home, DB_READ, &db, &error));
    g_assert_true(err_is(error, ERR_LATER));
    test_home_free(home);
}

static void
test_backup(void)
{
    Home *home = test_home_new(), *copy = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *dest = state_path(copy, "postrider.db");
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
test_minted(void)
{
    const uint64_t ours = TEST_NOW / USEC_PER_MSEC;
    const struct {
        uint64_t generation;
        int64_t number;
        bool want_back;
    } cases[] = {
        {ours, 1, false}, {ours, 2, false},    {ours - 1, 900, false},
        {ours, 3, true},  {ours + 1, 1, true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Db *db = test_db_open(home, DB_WRITE);
        Txn txn = test_begin(db);
        bool back;

        for (int n = 0; n < 2; n++)
            g_assert_true(
                sql_run(&txn,
                        "INSERT INTO outbox (msgid, from_spec, subject, level, job, "
                        "round, step, created_us) VALUES ('x', '', '', '', 0, 0, 0, 0)",
                        NULL, NULL, ""));
        g_assert_true(db_note_minted(&txn, cases[i].generation, cases[i].number, &back, NULL));
        test_commit(&txn);
        g_autofree char *why = db_hold_all(db);
        g_assert_cmpint(back, ==, cases[i].want_back);
        g_assert_cmpint(why != NULL, ==, cases[i].want_back);
        db_close(db);
        test_home_free(home);
    }
}

static void
test_deadline(void)
{
    static const struct {
        const char *sql;
        int64_t want;
    } cases[] = {
        {"SELECT 1", USEC_NEVER},
        {"INSERT INTO timer (due_us, job, purpose) VALUES (900, 1, 'ack')", 900},
        {"INSERT INTO delivery (outbox, address, folder, state, next_us) "
         "VALUES (1, 'a', '', 'retry', 800), (1, 'a', '', 'sent', 1)",
         800},
        {"INSERT INTO job (role, face, thread, state, subject, asker, original, "
         "original_msgid, ready_us, wakes_us, created_us, updated_us, deadline_us) VALUES "
         "('r', '', 1, 'running', '', '', 1, '', 1, NULL, 1, 1, 700), "
         "('r', '', 1, 'done', '', '', 1, '', 1, 1, 1, 1, 1)",
         700},
        {"INSERT INTO job (role, face, thread, state, subject, asker, original, "
         "original_msgid, ready_us, wakes_us, created_us, updated_us) VALUES "
         "('r', '', 1, 'parked', '', '', 1, '', 1, 600, 1, 1), "
         "('r', '', 1, 'parked', '', '', 1, '', 1, NULL, 1, 1)",
         600},
        {"INSERT INTO job (role, face, thread, state, subject, asker, original, "
         "original_msgid, ready_us, created_us, updated_us) VALUES "
         "('r', '', 1, 'queued', '', '', 1, '', 500, 1, 1)",
         500},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t at;

        g_assert_true(sql_exec(sql_handle(db), cases[i].sql, NULL, "x"));
        g_assert_true(db_next_deadline(db, &at, NULL));
        g_assert_cmpint(at, ==, cases[i].want);
    }
    db_close(db);
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

static void
test_check(void)
{
    static const struct {
        const char *sql, *want;
    } cases[] = {
        {"INSERT INTO message (role, account, folder, file, msgid, from_spec, to_specs, "
         "subject, date_us, received_us, size, flags, body, thread, class, trust, state) "
         "VALUES ('r', '', '', 'f', 'm', '', '', '', 0, 0, 0, 0, x'', 0, 'task', 'role', "
         "'stored')",
         "mail 1 is stored, but no job has it"},
        {"UPDATE message SET state = 'handled'",
         "mail 1 is handled, but by no step and for no reason"},
        {"UPDATE message SET state = 'odd'", "mail 1 has the unknown state 'odd'"},
        {"UPDATE message SET state = 'held'", "mail 1 is held without a reason"},
        {"UPDATE message SET state = 'held', why = 'x', job = 5",
         "mail 1 belongs to job 5, which is not there"},
        {"DELETE FROM message; INSERT INTO trace (message, at_us, what) VALUES (1, 0, 'x')",
         "a trace speaks of mail 1, which is not there"},
        {"DELETE FROM trace; INSERT INTO thread VALUES (1, 2), (2, 3), (3, NULL)",
         "thread 1 was joined to 2, which is no thread of its own"},
        {"DELETE FROM thread; INSERT INTO msgid VALUES ('a@b', 9)",
         "id <a@b> is in thread 9, which is not there"},
        {"DELETE FROM msgid; INSERT INTO job (role, face, thread, state, subject, asker, "
         "original, original_msgid, ready_us, created_us, updated_us) VALUES "
         "('r', '', 1, 'running', '', '', 1, '', 500, 1, 1)",
         "job 1 is running, but nobody owns it"},
        {"DELETE FROM job; INSERT INTO delivery (outbox, address, folder, state, next_us) "
         "VALUES (4, 'a@b', '', 'ready', 0)",
         "a delivery to a@b has no mail"},
        {"DELETE FROM delivery; INSERT INTO outbox (msgid, from_spec, subject, level, job, "
         "round, step, created_us) VALUES ('o@p', '', '', '', 0, 0, 0, 0)",
         "mail <o@p> in the outbox goes to nobody"},
        {"INSERT INTO delivery (outbox, address, folder, state, next_us) "
         "VALUES (1, 'a@b', '', 'ready', 0)",
         "mail <o@p> has not left, but its bytes are gone"},
        {"UPDATE delivery SET state = 'waiting', after_effect = 3; "
         "UPDATE outbox SET bytes = x'00'",
         "the delivery to a@b waits for an effect that is not owed"},
        {"UPDATE delivery SET state = 'sent'", NULL},
    };
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) findings = NULL;

        g_assert_true(sql_exec(sql_handle(db), cases[i].sql, NULL, "x"));
        g_assert_true(db_check(db, i % 2 == 0, &findings, NULL));
        g_assert_cmpuint(findings->len, ==, cases[i].want ? 1 : 0);
        if (cases[i].want)
            g_assert_cmpstr(findings->pdata[0], ==, cases[i].want);
    }
    db_close(db);
    test_home_free(home);
}

/* Writes until the disk is full: LATER, nothing half done, and on it goes once there is room.
 */
static void
fill_disk(const Home *home)
{
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *big = g_strnfill(100000, 'x');
    g_autofree char *ballast = state_path(home, "ballast");
    g_autofree char *value = NULL;
    g_autoptr(GError) error = NULL;
    bool ok = true;

    write_file(home, "ballast", big, 100000);
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

/* In a mount namespace of its own, so that nothing stays mounted whatever happens. */
static void
in_small_mount(unsigned long flags, const char *data, void (*test)(const Home *))
{
    Home *home = test_home_new();
    g_autofree char *state = g_build_filename(home->path, "state", NULL);
    int status;

    if (flags & MS_RDONLY)
        db_close(test_db_open(home, DB_WRITE)); /* made while it can be */
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
            _exit(77);
        if (flags & MS_RDONLY) {
            if (mount(state, state, NULL, MS_BIND, NULL) < 0 ||
                mount(NULL, state, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
                _exit(77);
        } else if (mount("none", state, "tmpfs", 0, data) < 0) {
            _exit(77);
        }
        Home *own = test_home_at(home->path);
        test(own);
        home_close(own);
        _exit(0);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    test_home_free(home);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        g_test_skip("needs the right to mount");
    else
        g_assert_cmpint(status, ==, 0);
}

static void
test_disk_full(void)
{
    in_small_mount(0, "size=1m,mode=0700", fill_disk);
}

static void
write_read_only(const Home *home)
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
    in_small_mount(MS_RDONLY, NULL, write_read_only);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/db/new", test_new);
    g_test_add_func("/db/meta", test_meta);
    g_test_add_func("/db/flush", test_flush);
    g_test_add_func("/db/read-only-handle", test_read_only_handle);
    g_test_add_func("/db/read-beside-write", test_read_beside_write);
    g_test_add_func("/db/snapshot", test_snapshot);
    g_test_add_func("/db/two-processes", test_two_processes);
    g_test_add_func("/db/gate-timeout", test_gate_timeout);
    g_test_add_func("/db/gate-replaced", test_gate_replaced);
    g_test_add_func("/db/moved-away", test_moved_away);
    g_test_add_func("/db/checkpoint", test_checkpoint);
    g_test_add_func("/db/wrong-file", test_wrong_file);
    g_test_add_func("/db/empty-file", test_empty_file);
    g_test_add_func("/db/damaged-page", test_damaged_page);
    g_test_add_func("/db/migrate", test_migrate);
    g_test_add_func("/db/older-needs-a-writer", test_older_needs_a_writer);
    g_test_add_func("/db/backup", test_backup);
    g_test_add_func("/db/minted", test_minted);
    g_test_add_func("/db/deadline", test_deadline);
    g_test_add_func("/db/hint", test_hint);
    g_test_add_func("/db/check", test_check);
    g_test_add_func("/db/disk-full", test_disk_full);
    g_test_add_func("/db/read-only-disk", test_read_only_disk);
    return g_test_run();
}
