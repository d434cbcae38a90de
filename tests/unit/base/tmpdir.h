#pragma once

/* A folder of its own for one test, gone with its scope. */
#include "base/cleanup.h"
#include <fcntl.h>
#include <ftw.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct TmpDir {
    char *path;
    int fd;
} TmpDir;

static inline TmpDir
tmpdir_new(void)
{
    TmpDir dir = {.path = g_dir_make_tmp("postrider-test-XXXXXX", NULL)};

    g_assert_nonnull(dir.path);
    dir.fd = open(dir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(dir.fd, >=, 0);
    return dir;
}

static inline int
tmpdir_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static inline void
tmpdir_clear(TmpDir *dir)
{
    cleanup_fd(&dir->fd);
    (void)nftw(dir->path, tmpdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    g_free(dir->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TmpDir, tmpdir_clear)

static inline char *
tmpdir_path(const TmpDir *dir, const char *name)
{
    return g_build_filename(dir->path, name, NULL);
}

static inline void
tmpdir_write(const TmpDir *dir, const char *name, const char *text, mode_t mode)
{
    auto_fd fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(write(fd, text, strlen(text)), ==, (ssize_t)strlen(text));
    g_assert_cmpint(fchmod(fd, mode), ==, 0);
}

/* NULL when it is not there. */
static inline char *
tmpdir_read(const TmpDir *dir, const char *name)
{
    g_autofree char *path = tmpdir_path(dir, name);
    char *text = NULL;

    (void)g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

/* Entries beside "." and "..". */
static inline unsigned
tmpdir_count(const TmpDir *dir)
{
    g_autoptr(GDir) entries = g_dir_open(dir->path, 0, NULL);
    unsigned n = 0;

    while (g_dir_read_name(entries))
        n++;
    return n;
}
