#pragma once

/* A home of its own for each test, in a temporary folder that goes with it, at a fixed time. */
#include "base/file.h"
#include "base/home.h"
#include "store/db.h"
#include <dirent.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#define TEST_NOW (INT64_C(1800000000) * USEC_PER_SEC)

static inline void
test_remove(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        struct stat st;

        if (lstat(child, &st) == 0 && S_ISDIR(st.st_mode))
            test_remove(child);
        else
            (void)g_unlink(child);
    }
    if (dir)
        g_dir_close(dir);
    (void)g_rmdir(path);
}

static inline void
test_write(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);

    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_assert_cmpint(g_chmod(path, 0600), ==, 0);
}

static inline char *
test_state_path(const Home *home, const char *name)
{
    return g_build_filename(home->path, "state", name, NULL);
}

/* Opens a home that exists already: for a second process. */
static inline Home *
test_home_at(const char *path)
{
    g_autoptr(GError) error = NULL;
    Home *home = NULL;

    home_open(path, &home, &error);
    g_assert_no_error(error);
    home->clock.fixed_wall_us = TEST_NOW;
    return home;
}

static inline Home *
test_home_new(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_dir_make_tmp("postrider-test-XXXXXX", &error);

    g_assert_no_error(error);
    test_write(path, "key",
               "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n");
    test_write(path, "postrider.conf",
               "[postrider]\nowner = ann@example.org\ndomain = example.org\n"
               "[brain b]\nkind = script\n"
               "[role envoy]\naddress = envoy@example.org\nbrain = b\n"
               "[role scribe]\naddress = scribe@example.org\nbrain = b\n");
    return test_home_at(path);
}

/* Closes the home and removes its folder. */
static inline void
test_home_free(Home *home)
{
    g_autofree char *path = g_strdup(home->path);

    home_close(home);
    test_remove(path);
}

static inline Db *
test_db_open(const Home *home, DbMode mode)
{
    g_autoptr(GError) error = NULL;
    Db *db = NULL;

    db_open(home, mode, &db, &error);
    g_assert_no_error(error);
    return db;
}

static inline Txn
test_begin(Db *db)
{
    g_autoptr(GError) error = NULL;
    Txn txn = {0};

    txn_begin(db, TXN_LAZY, DB_WAIT_MS, &txn, &error);
    g_assert_no_error(error);
    return txn;
}

static inline void
test_commit(Txn *txn)
{
    g_autoptr(GError) error = NULL;

    txn_commit(txn, &error);
    g_assert_no_error(error);
}
