#pragma once

/*
 * The inside of base/file.h, shared by file.c and exchange.c: names taken apart, and files that
 * are whole before anybody can see them.
 */
#include "base/file.h"

#define FILE_TMP_PREFIX ".postrider-tmp-"   /* unfinished; file_sweep() removes it */
#define FILE_SWAP_PREFIX ".postrider-swap-" /* displaced; holds somebody's bytes */
#define FILE_RANDOM_CHARS 16

/* Where a name lies: the descriptor of its folder and its last part. */
typedef struct FilePlace {
    int dir_fd; /* ours to close when own is set */
    bool own;
    char *folder; /* as in the path, with the slash; "" at the top */
    const char *name;
} FilePlace;
/* ERR_NEVER for a path that leads elsewhere, or names no file. The path must outlive it. */
bool file_place_find(int dir_fd, const char *path, FilePlace *ret, GError **error);
void file_place_clear(FilePlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FilePlace, file_place_clear)

/* PREFIX, FILE_RANDOM_CHARS hex digits, rest; caller frees. */
char *file_random_name(const char *prefix, const char *rest);
/* A new file with these bytes, flushed; nothing is left of it on failure. */
bool file_write_new(
    int dir_fd, const char *name, const void *data, size_t len, mode_t mode, GError **error);
/* As file_open_beneath() for reading; true with -1 when there is no such file. */
bool file_open_if_there(int dir_fd, const char *path, int *ret_fd, GError **error);
/* Takes a read lease, which the kernel grants only while nobody has the file open for writing
 * and which makes the next one wait until the descriptor is closed. False: somebody has. True
 * also where leases are not to be had. */
bool file_lease(int fd);
