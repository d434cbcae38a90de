#pragma once

/* A home one of whose folders lies on a disk that is small or can't be written. */
#include "testhome.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#define TEST_MAY_NOT_MOUNT 77

static inline bool
test_mount(const char *path, const char *tmpfs)
{
    if (tmpfs)
        return mount("none", path, "tmpfs", 0, tmpfs) == 0;
    return mount(path, path, NULL, MS_BIND, NULL) == 0 &&
           mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0;
}

/* Calls test in a process and a mount namespace of its own, so that nothing stays mounted
 * whatever happens. folder is made where it is missing. tmpfs: options of the small disk; NULL:
 * what is there, read-only, with a store that was made while it could be. */
static inline void
test_in_mount(const char *folder, const char *tmpfs, void (*test)(Home *))
{
    Home *home = test_home_new();
    g_autofree char *path = g_build_filename(home->path, folder, NULL);
    int status;

    g_assert_cmpint(g_mkdir_with_parents(path, 0700), ==, 0);
    if (!tmpfs)
        db_close(test_db_open(home, DB_WRITE));
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            !test_mount(path, tmpfs))
            _exit(TEST_MAY_NOT_MOUNT);
        Home *own = test_home_at(home->path);
        test(own);
        home_close(own);
        _exit(0);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    test_home_free(home);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_MAY_NOT_MOUNT)
        g_test_skip("needs the right to mount");
    else
        g_assert_cmpint(status, ==, 0);
}
