#pragma once

/*
 * Replaces a file that a person may be editing, and loses neither side's bytes: the new file is
 * exchanged with the old one (renameat2), so what comes out is looked at after nobody can reach
 * it by its name any more. *ret_displaced is what was there (NULL: nothing). Editors that write
 * in place still hold the displaced inode: it stays under the tmp name *ret_tmp until the
 * caller has looked again with file_exchange_finish(), which gives its last bytes and unlinks
 * it. Where the file system can't exchange, the old file is linked aside first.
 *
 * finish is ERR_LATER while an editor still has the displaced file open for writing (its bytes
 * may be about to change): keep the name and try again at the next round. *ret_last is NULL
 * when the tmp file is gone. After a crash the displaced file is found by its name, see
 * file_swap_of().
 */
#include <sys/types.h>

bool file_exchange(int dir_fd,
                   const char *path,
                   const void *data,
                   size_t len,
                   mode_t mode,
                   GBytes **ret_displaced,
                   char **ret_tmp,
                   GError **error);
bool file_exchange_finish(int dir_fd, const char *tmp, GBytes **ret_last, GError **error);
/* As file_exchange_finish(), but a file whose last bytes are not `only` keeps its name. */
bool file_exchange_finish_if(
    int dir_fd, const char *tmp, GBytes *only, GBytes **ret_last, GError **error);
/* As file_exchange() with nothing in its place: removes a file that a person may be editing. */
bool file_displace(
    int dir_fd, const char *path, GBytes **ret_displaced, char **ret_tmp, GError **error);
/* The name that a displaced file had ("todo.md"), borrowed from name; NULL when it is none. */
const char *file_swap_of(const char *name);
