/* The write gate: who waits, for whom, and that no write is lost. */
#include "store/gate.h"
#include "base/err.h"
#include "testhome.h"
#include <sys/wait.h>

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
test_timeout(void)
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
test_replaced(void)
{
    Home *home = test_home_new();
    Db *db = test_db_open(home, DB_WRITE);
    g_autofree char *path = test_state_path(home, "write.lock");
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

/* What a person can mend is told apart from what passes. */
static void
test_no_folder(void)
{
    static const struct {
        const char *name; /* of what lies at the lock file's place; NULL: its folder is gone */
        ErrCode want;
    } cases[] = {{NULL, ERR_CONFIG}, {"a link", ERR_NEVER}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *folder = g_dir_make_tmp("postrider-gate-XXXXXX", &error);
        g_autofree char *path = g_build_filename(folder, "write.lock", NULL);
        Gate *gate = gate_new(path);

        if (cases[i].name)
            g_assert_cmpint(symlink("/nowhere", path), ==, 0);
        else
            g_assert_cmpint(g_rmdir(folder), ==, 0);
        g_assert_false(gate_take(gate, 0, &error));
        g_test_message("%s", error->message);
        g_assert_cmpint(error->code, ==, cases[i].want);
        gate_free(gate);
        (void)g_unlink(path);
        (void)g_rmdir(folder);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate/two-processes", test_two_processes);
    g_test_add_func("/gate/timeout", test_timeout);
    g_test_add_func("/gate/replaced", test_replaced);
    g_test_add_func("/gate/no-folder", test_no_folder);
    return g_test_run();
}
