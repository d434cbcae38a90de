/*
 * The exchange by renameat2, and what else it takes to lose nobody's bytes: a displaced file
 * keeps its inode under a swap name, which says what it was called, until nobody can write to
 * it.
 */
#include "base/exchange.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/file_internal.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>

/* Without the exchange: a second name for the old file, then over it. What an editor renames
 * into place between these two calls is lost; that is why this is only the second choice. */
static bool
swap_by_link(const FilePlace *at, const char *swap, bool *ret_displaced, GError **error)
{
    g_autofree char *aside = g_strconcat(swap, "~", NULL);
    bool there = linkat(at->dir_fd, at->name, at->dir_fd, aside, 0) == 0;

    if (!there && errno != ENOENT)
        return err_set_errno(error, errno, "linking aside");
    if (renameat(at->dir_fd, swap, at->dir_fd, at->name) < 0) {
        err_set_errno(error, errno, "renaming");
        (void)unlinkat(at->dir_fd, aside, 0);
        return false;
    }
    if (there && renameat(at->dir_fd, aside, at->dir_fd, swap) < 0)
        return err_set_errno(error, errno, "renaming");
    *ret_displaced = there;
    return true;
}

/*
 * Puts the file `swap` in the place of at->name. Afterwards either nothing was there
 * (*ret_displaced false) or what was there is under the name `swap`. The loop is for a file
 * that comes and goes between the two calls.
 */
static bool
swap_in(const FilePlace *at, const char *swap, bool *ret_displaced, GError **error)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (renameat2(at->dir_fd, swap, at->dir_fd, at->name, RENAME_EXCHANGE) == 0) {
            *ret_displaced = true;
            return true;
        }
        if (errno == ENOENT &&
            renameat2(at->dir_fd, swap, at->dir_fd, at->name, RENAME_NOREPLACE) == 0) {
            *ret_displaced = false;
            return true;
        }
        if (errno == EINVAL || errno == ENOSYS)
            return swap_by_link(at, swap, ret_displaced, error);
        if (errno != EEXIST)
            return err_set_errno(error, errno, "exchanging");
    }
    return err_set(error, ERR_AGAIN, "the file comes and goes");
}

/* A folder, a link: whatever has bytes of its own elsewhere. */
static bool
is_no_file(const FilePlace *at, const char *name)
{
    struct stat st;

    return fstatat(at->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode);
}

/* Only files are displaced. Somebody may have made a folder of that name since we looked: then
 * that is what came out, and it goes back to its name. What is there by then, mostly our own
 * file, stays under the swap name for the next look. False: a file came out. */
static bool
put_back(const FilePlace *at, const char *swap)
{
    bool came_out = is_no_file(at, swap);

    for (unsigned i = 0; i < 1000 && is_no_file(at, swap); i++) {
        if (renameat2(at->dir_fd, swap, at->dir_fd, at->name, RENAME_NOREPLACE) < 0)
            (void)renameat2(at->dir_fd, swap, at->dir_fd, at->name, RENAME_EXCHANGE);
    }
    return came_out;
}

static char *
swap_name(const FilePlace *at)
{
    g_autofree char *suffix = g_strconcat("-", at->name, NULL);

    return file_random_name(FILE_SWAP_PREFIX, suffix);
}

/* A file under a swap name is always whole: who finds one after a crash must not take half of
 * what we were writing for what somebody else wrote. */
static bool
write_swap(const FilePlace *at,
           const char *swap,
           const void *data,
           size_t len,
           mode_t mode,
           GError **error)
{
    g_autofree char *tmp = file_random_name(FILE_TMP_PREFIX, "");

    if (!file_write_new(at->dir_fd, tmp, data, len, mode, error))
        return false;
    if (renameat(at->dir_fd, tmp, at->dir_fd, swap) == 0)
        return true;
    err_set_errno(error, errno, "renaming");
    (void)unlinkat(at->dir_fd, tmp, 0);
    return false;
}

bool
file_exchange(int dir_fd,
              const char *path,
              const void *data,
              size_t len,
              mode_t mode,
              GBytes **ret_displaced,
              char **ret_tmp,
              GError **error)
{
    g_auto(FilePlace) at = {.dir_fd = -1};
    g_autoptr(GBytes) old = NULL;
    bool displaced = false;

    if (!file_place_find(dir_fd, path, &at, error))
        return err_prefix(error, "writing '%s'", path);

    g_autofree char *swap = swap_name(&at);

    if (is_no_file(&at, at.name))
        return err_set(error, ERR_NEVER, "writing '%s': is not a file", path);
    if (!write_swap(&at, swap, data, len, mode, error))
        return err_prefix(error, "writing '%s'", path);
    if (!swap_in(&at, swap, &displaced, error)) {
        (void)unlinkat(at.dir_fd, swap, 0);
        return err_prefix(error, "writing '%s'", path);
    }
    CRASH_POINT("file-exchanged");
    if (displaced && put_back(&at, swap))
        return err_set(error, ERR_NEVER, "writing '%s': is not a file", path);
    if (!dir_flush(at.dir_fd, error) ||
        (displaced && !file_read(at.dir_fd, swap, G_MAXINT32, &old, error)))
        return err_prefix(error, "writing '%s'", path);
    *ret_displaced = g_steal_pointer(&old);
    *ret_tmp = displaced ? g_strconcat(at.folder, swap, NULL) : NULL;
    return true;
}

bool
file_displace(
    int dir_fd, const char *path, GBytes **ret_displaced, char **ret_tmp, GError **error)
{
    g_auto(FilePlace) at = {.dir_fd = -1};
    g_autoptr(GBytes) old = NULL;

    if (!file_place_find(dir_fd, path, &at, error))
        return err_prefix(error, "removing '%s'", path);

    g_autofree char *swap = swap_name(&at);

    if (is_no_file(&at, at.name))
        return err_set(error, ERR_NEVER, "removing '%s': is not a file", path);
    bool there = renameat(at.dir_fd, at.name, at.dir_fd, swap) == 0;
    if (!there && errno != ENOENT)
        return err_set_errno(error, errno, "removing '%s'", path);
    CRASH_POINT("file-displaced");
    if (there && put_back(&at, swap))
        return err_set(error, ERR_NEVER, "removing '%s': is not a file", path);
    if (there &&
        (!dir_flush(at.dir_fd, error) || !file_read(at.dir_fd, swap, G_MAXINT32, &old, error)))
        return err_prefix(error, "removing '%s'", path);
    *ret_displaced = g_steal_pointer(&old);
    *ret_tmp = there ? g_strconcat(at.folder, swap, NULL) : NULL;
    return true;
}

bool
file_exchange_finish(int dir_fd, const char *tmp, GBytes **ret_last, GError **error)
{
    return file_exchange_finish_if(dir_fd, tmp, NULL, ret_last, error);
}

bool
file_exchange_finish_if(
    int dir_fd, const char *tmp, GBytes *only, GBytes **ret_last, GError **error)
{
    auto_fd fd = -1;

    if (!file_open_if_there(dir_fd, tmp, &fd, error))
        return false;
    if (fd < 0) {
        *ret_last = NULL;
        return true;
    }
    if (!file_lease(fd))
        return err_set(error, ERR_LATER, "'%s' is still open in an editor", tmp);
    g_autoptr(GBytes) last = NULL;

    if (!file_read_fd(fd, G_MAXINT32, &last, error))
        return err_prefix(error, "'%s'", tmp);
    g_auto(FilePlace) at = {.dir_fd = -1};

    if (!file_place_find(dir_fd, tmp, &at, error))
        return false;
    if ((!only || g_bytes_equal(last, only)) && unlinkat(at.dir_fd, at.name, 0) < 0 &&
        errno != ENOENT)
        return err_set_errno(error, errno, "removing '%s'", tmp);
    *ret_last = g_steal_pointer(&last);
    return true;
}

const char *
file_swap_of(const char *name)
{
    if (!g_str_has_prefix(name, FILE_SWAP_PREFIX))
        return NULL;
    name += strlen(FILE_SWAP_PREFIX);
    if (strspn(name, "0123456789abcdef") != FILE_RANDOM_CHARS || name[FILE_RANDOM_CHARS] != '-')
        return NULL;
    return name + FILE_RANDOM_CHARS + 1;
}
