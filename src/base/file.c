/*
 * Opening, reading and replacing. Every name is taken apart into its folder and its last part
 * first: the folder is opened beneath dir_fd once, and all that follows happens in that folder
 * by descriptor, so a folder that is renamed meanwhile changes nothing.
 */
#include "base/file.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/file_internal.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Beneath means beneath: also "a/../b" is refused, so that both ways of opening agree. */
static bool
path_is_beneath(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);

    return *path && *path != '/' && !g_strv_contains((const char *const *)parts, "..");
}

static int
open_by_parts(int dir_fd, const char *path, int flags, mode_t mode)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    auto_fd at = -1;
    char **part = parts;

    for (; part[1]; part++) {
        if (!**part)
            continue;
        int next =
            openat(at >= 0 ? at : dir_fd, *part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            return -1;
        cleanup_fd(&at);
        at = next;
    }
    return openat(at >= 0 ? at : dir_fd, **part ? *part : ".", flags, mode);
}

/* As open(2): -1 with errno. */
static int
open_beneath(int dir_fd, const char *path, int flags, mode_t mode)
{
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW),
        .mode = flags & O_CREAT ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    long fd;

    if (!path_is_beneath(path)) {
        errno = EXDEV;
        return -1;
    }
    do
        fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    /* EPERM: a seccomp filter of a container that does not know the call yet. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return open_by_parts(dir_fd, path, (int)how.flags, mode);
    return (int)fd;
}

int
dir_open(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        err_set_errno(error, errno, "opening folder '%s'", path);
    return fd;
}

int
dir_open_at(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

DIR *
dir_list(int at, const char *name)
{
    auto_fd fd = dir_open_at(at, name);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

    if (dir)
        (void)g_steal_fd(&fd);
    return dir;
}

const struct dirent *
dir_next(DIR *dir)
{
    const struct dirent *d;

    do {
        errno = 0;
        d = readdir(dir);
    } while (d && (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0));
    return d;
}

int
dir_open_beneath(int dir_fd, const char *path, GError **error)
{
    int fd = open_beneath(dir_fd, path, O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0)
        err_set_errno(error, errno, "opening folder '%s'", path);
    return fd;
}

int
file_sync(int fd)
{
    int rc;

    while ((rc = fsync(fd)) < 0 && errno == EINTR)
        ;
    return rc;
}

bool
dir_flush(int dir_fd, GError **error)
{
    return file_sync(dir_fd) == 0 || err_set_errno(error, errno, "flushing a folder");
}

bool
dir_make(int dir_fd, const char *path, mode_t mode, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    auto_fd at = -1;

    if (!path_is_beneath(path))
        return err_set_errno(error, EXDEV, "making folder '%s'", path);
    for (char **part = parts; *part; part++) {
        int parent = at >= 0 ? at : dir_fd;

        if (!**part || g_str_equal(*part, "."))
            continue;
        bool made = mkdirat(parent, *part, mode) == 0;
        if (!made && errno != EEXIST)
            return err_set_errno(error, errno, "making folder '%s'", path);
        if (made && !dir_flush(parent, error))
            return err_prefix(error, "making folder '%s'", path);

        int next = openat(parent, *part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            return err_set_errno(error, errno, "making folder '%s'", path);
        cleanup_fd(&at);
        at = next;
    }
    return true;
}

static const char *
kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

static bool
check_regular(int fd, const char *path, GError **error)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return err_set_errno(error, errno, "opening '%s'", path);
    if (S_ISREG(st.st_mode))
        return true;
    return err_set(error, ERR_NEVER, "opening '%s': is %s, not a file", path,
                   kind_of(st.st_mode));
}

int
file_open_beneath(int dir_fd, const char *path, int flags, mode_t mode, GError **error)
{
    bool any_kind = flags & (O_DIRECTORY | O_PATH);
    auto_fd fd = open_beneath(dir_fd, path, any_kind ? flags : flags | O_NONBLOCK, mode);

    if (fd < 0) {
        err_set_errno(error, errno, "opening '%s'", path);
        return -1;
    }
    if (!any_kind && !check_regular(fd, path, error))
        return -1;
    return g_steal_fd(&fd);
}

bool
file_open_if_there(int dir_fd, const char *path, int *ret_fd, GError **error)
{
    auto_fd fd = open_beneath(dir_fd, path, O_RDONLY | O_NONBLOCK, 0);

    if (fd < 0 && errno != ENOENT)
        return err_set_errno(error, errno, "opening '%s'", path);
    if (fd >= 0 && !check_regular(fd, path, error))
        return false;
    *ret_fd = g_steal_fd(&fd);
    return true;
}

static int64_t
to_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

bool
file_mark(int dir_fd, const char *path, FileMark *ret)
{
    auto_fd fd = open_beneath(dir_fd, path, O_PATH, 0);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    *ret = (FileMark){.dev = (int64_t)st.st_dev,
                      .ino = (int64_t)st.st_ino,
                      .size = st.st_size,
                      .mtime_ns = to_ns(&st.st_mtim),
                      .ctime_ns = to_ns(&st.st_ctim)};
    return true;
}

bool
file_mark_equal(const FileMark *a, const FileMark *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

int64_t
file_clock_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return to_ns(&now);
}

bool
file_read_fd(int fd, size_t max, GBytes **ret_bytes, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    size_t used = 0, room = 16384, whole = 0;
    struct stat st;

    /* One more than it should be: who reads no more than there was has met the end. */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        whole = (size_t)st.st_size;
        room = (size_t)MIN((uint64_t)st.st_size, (uint64_t)max) + 1;
    }
    for (;;) {
        g_byte_array_set_size(bytes, (guint)(used + room));
        ssize_t n = read(fd, bytes->data + used, room);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set_errno(error, errno, "reading");
        used += (size_t)n;
        if (used > max)
            return err_set(error, ERR_LIMIT, "is larger than the limit of %zu bytes", max);
        if (n == 0 || used == whole)
            break;
        /* Whoever reads many small files keeps many of these: no room is made that is not used.
         */
        room = (size_t)n < room ? room - (size_t)n : MIN(MAX(used, 16384), max - used + 1);
    }
    g_byte_array_set_size(bytes, (guint)used);
    *ret_bytes = g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
    return true;
}

bool
file_lease(int fd)
{
    /* The signal that a broken lease sends; the default one, SIGIO, would end us. */
    (void)fcntl(fd, F_SETSIG, SIGURG);
    return fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || errno != EAGAIN;
}

/* The lease is given back at once: an editor that opens the file now would have to wait. */
bool
file_has_writer(int fd)
{
    bool busy = !file_lease(fd);

    (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    return busy;
}

bool
file_read(int dir_fd, const char *path, size_t max, GBytes **ret_bytes, GError **error)
{
    return file_read_finished(dir_fd, path, max, NULL, ret_bytes, error);
}

bool
file_read_finished(int dir_fd,
                   const char *path,
                   size_t max,
                   bool *ret_unfinished,
                   GBytes **ret_bytes,
                   GError **error)
{
    auto_fd fd = -1;

    if (!file_open_if_there(dir_fd, path, &fd, error))
        return false;
    bool unfinished = fd >= 0 && ret_unfinished && file_has_writer(fd);
    if (ret_unfinished)
        *ret_unfinished = unfinished;
    if (fd < 0 || unfinished) {
        *ret_bytes = NULL;
        return true;
    }
    return file_read_fd(fd, max, ret_bytes, error) || err_prefix(error, "'%s'", path);
}

bool
file_write_all(int fd, const void *data, size_t len, GError **error)
{
    const char *p = data;

    while (len > 0) {
        ssize_t n = write(fd, p, len);

        if (n < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_set_errno(error, n < 0 ? errno : EIO, "writing");
        p += n;
        len -= (size_t)n;
    }
    return true;
}

void
file_place_clear(FilePlace *place)
{
    if (place->own)
        cleanup_fd(&place->dir_fd);
    g_free(place->folder);
}

bool
file_place_find(int dir_fd, const char *path, FilePlace *ret, GError **error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (!path_is_beneath(path) || !*name || g_str_equal(name, "."))
        return err_set_errno(error, EXDEV, "'%s'", path);
    *ret = (FilePlace){.dir_fd = dir_fd, .name = name};
    ret->folder = g_strndup(path, (gsize)(name - path));
    if (!slash)
        return true;
    ret->dir_fd = dir_open_beneath(dir_fd, ret->folder, error);
    ret->own = true;
    return ret->dir_fd >= 0;
}

char *
file_random_name(const char *prefix, const char *rest)
{
    Random random = {0};
    uint64_t word;

    random_bytes(&random, &word, sizeof word);
    return g_strdup_printf("%s%0*" G_GINT64_MODIFIER "x%s", prefix, FILE_RANDOM_CHARS, word,
                           rest);
}

bool
file_write_new(
    int dir_fd, const char *name, const void *data, size_t len, mode_t mode, GError **error)
{
    auto_fd fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    if (fd < 0)
        return err_set_errno(error, errno, "making a file");
    CRASH_POINT("file-tmp");
    bool good = file_write_all(fd, data, len, error);
    if (good && file_sync(fd) < 0)
        good = err_set_errno(error, errno, "flushing");
    if (!good)
        (void)unlinkat(dir_fd, name, 0);
    CRASH_POINT("file-written");
    return good;
}

/* The two ways in which a finished tmp file gets its name. */
static bool
take_name(const FilePlace *at, const char *tmp, bool over_old, GError **error)
{
    if (over_old) {
        if (renameat(at->dir_fd, tmp, at->dir_fd, at->name) == 0)
            return true;
        return err_set_errno(error, errno, "renaming");
    }
    if (renameat2(at->dir_fd, tmp, at->dir_fd, at->name, RENAME_NOREPLACE) == 0)
        return true;
    /* Some file systems lack the flag and have hard links; a few lack the links. */
    if ((errno == EINVAL || errno == ENOSYS) &&
        linkat(at->dir_fd, tmp, at->dir_fd, at->name, 0) == 0) {
        (void)unlinkat(at->dir_fd, tmp, 0);
        return true;
    }
    return err_set_errno(error, errno, "naming");
}

static bool
publish(int dir_fd,
        const char *path,
        const void *data,
        size_t len,
        mode_t mode,
        bool over_old,
        GError **error)
{
    g_auto(FilePlace) at = {.dir_fd = -1};
    g_autofree char *tmp = file_random_name(FILE_TMP_PREFIX, "");

    if (!file_place_find(dir_fd, path, &at, error) ||
        !file_write_new(at.dir_fd, tmp, data, len, mode, error))
        return err_prefix(error, "writing '%s'", path);
    if (!take_name(&at, tmp, over_old, error)) {
        (void)unlinkat(at.dir_fd, tmp, 0);
        return err_prefix(error, "writing '%s'", path);
    }
    CRASH_POINT("file-renamed");
    return dir_flush(at.dir_fd, error) || err_prefix(error, "writing '%s'", path);
}

bool
file_replace(
    int dir_fd, const char *path, const void *data, size_t len, mode_t mode, GError **error)
{
    return publish(dir_fd, path, data, len, mode, true, error);
}

bool
file_create(
    int dir_fd, const char *path, const void *data, size_t len, mode_t mode, GError **error)
{
    return publish(dir_fd, path, data, len, mode, false, error);
}

bool
file_is_tmp(const char *name)
{
    return g_str_has_prefix(name, FILE_TMP_PREFIX) || g_str_has_prefix(name, FILE_SWAP_PREFIX);
}

/* A time in the future says as little as one long ago: the clock was set meanwhile. */
static bool
is_old(const struct stat *st, int64_t age_us)
{
    int64_t now = clock_wall_us(&(Clock){0});
    int64_t changed = (int64_t)st->st_mtim.tv_sec * USEC_PER_SEC + st->st_mtim.tv_nsec / 1000;

    return ABS(now - changed) >= age_us;
}

bool
file_sweep(int dir_fd, int64_t age_us, unsigned *ret_removed, GError **error)
{
    g_autoptr(DIR) dir = dir_list(dir_fd, ".");
    unsigned removed = 0;
    const struct dirent *entry;
    struct stat st;

    if (!dir)
        return err_set_errno(error, errno, "reading a folder");
    while ((entry = dir_next(dir))) {
        if (!g_str_has_prefix(entry->d_name, FILE_TMP_PREFIX) ||
            fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(st.st_mode) || !is_old(&st, age_us))
            continue;
        if (unlinkat(dir_fd, entry->d_name, 0) == 0)
            removed++;
        else if (errno != ENOENT)
            return err_set_errno(error, errno, "removing '%s'", entry->d_name);
    }
    if (errno)
        return err_set_errno(error, errno, "reading a folder");
    *ret_removed = removed;
    return true;
}

static unsigned lift(int top, int fd, unsigned max);

/* One name that is a folder: emptied, where it lies in the top one; else it is moved there. */
static unsigned
lift_folder(int top, int fd, const char *name, unsigned max)
{
    struct stat st;

    /* Programs leave folders that even their owner may not change. */
    if (fchmodat(fd, name, 0700, AT_SYMLINK_NOFOLLOW) < 0 ||
        fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (fd != top) {
        g_autofree char *own = g_strdup_printf("%" PRIuMAX, (uintmax_t)st.st_ino);
        return renameat(fd, name, top, own) == 0;
    }
    auto_fd folder = dir_open_at(fd, name);
    unsigned n = folder >= 0 ? lift(top, folder, max) : 0;
    return n + (unlinkat(fd, name, AT_REMOVEDIR) == 0);
}

/* How many names went. A tree may be deeper than a path is long, or than there are descriptors. */
static unsigned
lift(int top, int fd, unsigned max)
{
    g_autoptr(DIR) dir = dir_list(fd, ".");
    const struct dirent *entry;
    unsigned n = 0;

    while (dir && n < max && (entry = dir_next(dir)))
        n += unlinkat(fd, entry->d_name, 0) == 0 ? 1
                                                 : lift_folder(top, fd, entry->d_name, max - n);
    return n;
}

unsigned
dir_remove(int dir_fd, const char *name, unsigned max)
{
    auto_fd top = dir_open_at(dir_fd, name);
    unsigned n = 0, more = top >= 0 && max > 0;

    while (more > 0 && n < max) {
        more = lift(top, top, max - n);
        n += more;
    }
    return n + (top >= 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) == 0);
}
