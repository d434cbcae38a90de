#pragma once

/*
 * Files that survive a crash, and paths that can't leave their folder.
 *
 * Writing: a tmp name in the same folder (".postrider-tmp-…"), write, fsync, rename, fsync the
 * folder. After true, the new content is there whatever happens; after false, the old one is
 * (but for one case: the last flush failed, and the new one is there but may not survive).
 * Leftover tmp names are recognised by file_is_tmp() and removed by file_sweep().
 *
 * Opening: paths are relative to a folder's descriptor and resolved beneath it (openat2 with
 * RESOLVE_BENEATH and no symbolic links; by components where the kernel lacks it).
 */
#include <sys/types.h>

/* Opens a folder for use as dir_fd; symbolic links in this path are followed. -1 with error. */
int dir_open(const char *path, GError **error);
/* The same for a folder beneath dir_fd; no symbolic link is followed. */
int dir_open_beneath(int dir_fd, const char *path, GError **error);
/* As openat(2): -1 with errno. No symbolic link is followed. */
int dir_open_at(int at, const char *name);
/* A fresh stream over a folder, opened in the same way; NULL with errno. */
DIR *dir_list(int at, const char *name);
/* The next name that is not "." or ".."; NULL at the end with errno 0, or with another. */
const struct dirent *dir_next(DIR *dir);
/* mkdir -p beneath dir_fd, each new level flushed. */
bool dir_make(int dir_fd, const char *path, mode_t mode, GError **error);
/* Makes entries of the folder durable. */
bool dir_flush(int dir_fd, GError **error);
/* Removes a folder and what lies in it, at most max names in one call; a link is removed, and
 * what it leads to stays. Returns how many names it has removed, or moved up within the folder
 * to remove them next: max or more means that something may be left, 0 that nothing is left
 * that can be removed. */
unsigned dir_remove(int dir_fd, const char *name, unsigned max);

/* Opens a file beneath dir_fd; O_CLOEXEC and O_NOFOLLOW are added. -1 with error. What is not a
 * regular file (FIFO, socket, folder) is ERR_NEVER unless O_DIRECTORY or O_PATH was asked for;
 * opening never blocks. */
int file_open_beneath(int dir_fd, const char *path, int flags, mode_t mode, GError **error);

/* Reads a whole file beneath dir_fd; ERR_LIMIT above max bytes. *ret_bytes is NULL, with true,
 * when there is no such file. */
bool file_read(int dir_fd, const char *path, size_t max, GBytes **ret_bytes, GError **error);
/* As file_read(), but *ret_unfinished, and nothing is read, while somebody has it open for
 * writing: its bytes may be half of what they will be. */
bool file_read_finished(int dir_fd,
                        const char *path,
                        size_t max,
                        bool *ret_unfinished,
                        GBytes **ret_bytes,
                        GError **error);
/* What tells whether a file is still the one that was read, with the same bytes. */
typedef struct FileMark {
    int64_t dev, ino, size, mtime_ns, ctime_ns;
} FileMark;
/* Looks without opening the file; no symbolic link is followed. False: there is no such file. */
bool file_mark(int dir_fd, const char *path, FileMark *ret);
bool file_mark_equal(const FileMark *a, const FileMark *b);
/* The clock that stamps files, which goes on in ticks. A file whose ctime is before the time at which
 * it was read has a later ctime once it is changed. */
int64_t file_clock_ns(void);
/* Reads from where the descriptor stands to the end; waits for the end of a pipe. ERR_LIMIT as
 * above. */
bool file_read_fd(int fd, size_t max, GBytes **ret_bytes, GError **error);
/* As fsync(2), but a signal does not end it. */
int file_sync(int fd);
/* Writes all of it, however the kernel cuts it into pieces; waits where the descriptor takes no
 * more yet. */
bool file_write_all(int fd, const void *data, size_t len, GError **error);

/* Writes a whole file in place of what is there, as told above. The folder of path must be
 * there. */
bool file_replace(
    int dir_fd, const char *path, const void *data, size_t len, mode_t mode, GError **error);
/* As file_replace(), but ERR_NEVER where the name is taken already. */
bool file_create(
    int dir_fd, const char *path, const void *data, size_t len, mode_t mode, GError **error);

/* True while somebody has the file of this descriptor, opened for reading, open for writing:
 * its bytes may be half of what they will be. False where the kernel can't tell. */
bool file_has_writer(int fd);

/* A name of ours that no reader should take for content: unfinished, or displaced by an
 * exchange (base/exchange.h). */
bool file_is_tmp(const char *name);
/* Removes leftover tmp files of this folder that are older than age_us (or dated as far in the
 * future), and counts them. Displaced files stay: they may hold a person's last bytes, which
 * only file_exchange_finish() hands out. */
bool file_sweep(int dir_fd, int64_t age_us, unsigned *ret_removed, GError **error);
