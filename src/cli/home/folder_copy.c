#include "cli/home/folder_copy.h"
#include "base/file.h"
#include <fcntl.h>
#include <sys/stat.h>

#define WALKS_MAX 20
#define DEPTH_MAX 64
#define TELL_EVERY 1000
#define COPY_BYTES (256u << 10)

typedef struct Tree {
    const char *const *skip;
    TreeTell tell;
    FolderStats *stats;
    GHashTable *copied; /* names by which files are known */
    char *buffer;
    unsigned changes; /* of this walk: files that were new or vanished */
} Tree;

/* Where a walk stands. */
typedef struct Place {
    int from, to;
    const char *path;    /* from the top, "" there */
    const char *mailbox; /* path of the Maildir around it, NULL outside of one */
    unsigned depth;
} Place;

static bool
has(int at, const char *name)
{
    return faccessat(at, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
is_maildir(int fd)
{
    return has(fd, "new") && has(fd, "cur") && has(fd, "tmp");
}

/* What a file is known by: its path, or for mail its mailbox and base name. */
static char *
known_by(const Place *at, const char *name)
{
    const char *last = strrchr(at->path, '/');
    bool mail = at->mailbox && last && (g_str_equal(last, "/new") || g_str_equal(last, "/cur"));
    if (!mail)
        return g_build_filename(at->path, name, NULL);
    g_autofree char *base = g_strndup(name, strcspn(name, ":"));
    return g_strconcat(at->mailbox, "//", base, NULL);
}

static bool
copy_bytes(Tree *t, int from, int to, GError **error)
{
    for (;;) {
        ssize_t n = read(from, t->buffer, COPY_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set_errno(error, errno, "reading");
        if (n == 0)
            return true;
        if (!file_write_all(to, t->buffer, (size_t)n, error))
            return false;
        t->stats->bytes += (uint64_t)n;
    }
}

static bool
write_copy(
    Tree *t, int from, const struct stat *st, int to_dir, const char *name, GError **error)
{
    const struct timespec times[] = {st->st_atim, st->st_mtim};
    auto_fd to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        (st->st_mode & 0700) | 0200);
    if (to < 0)
        return err_set_errno(error, errno, "making it");
    if (!copy_bytes(t, from, to, error))
        return false;
    return (fchmod(to, st->st_mode & 0700) == 0 && futimens(to, times) == 0) ||
           err_set_errno(error, errno, "setting mode and time");
}

static void
count_file(Tree *t)
{
    t->stats->files++;
    t->changes++;
    if (t->tell && t->stats->files % TELL_EVERY == 0)
        t->tell(t->stats);
}

static bool
copy_file(Tree *t, const Place *at, const char *name, GError **error)
{
    g_autofree char *key = known_by(at, name);
    struct stat st;
    if (g_hash_table_contains(t->copied, key))
        return true;
    auto_fd from =
        openat(at->from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (from < 0 && errno == ENOENT) {
        t->changes++; /* moved meanwhile: the next walk meets it */
        return true;
    }
    if (from < 0 || fstat(from, &st) < 0)
        return err_set_errno(error, errno, "'%s/%s'", at->path, name);
    if (!write_copy(t, from, &st, at->to, name, error))
        return err_prefix(error, "copying '%s/%s'", at->path, name);
    g_hash_table_add(t->copied, g_steal_pointer(&key));
    count_file(t);
    return true;
}

static bool walk(Tree *t, const Place *at, GError **error);

static bool
walk_into(Tree *t, const Place *at, const char *name, GError **error)
{
    g_autofree char *path = *at->path ? g_build_filename(at->path, name, NULL) : g_strdup(name);
    auto_fd from = dir_open_at(at->from, name);
    if (from < 0 && errno == ENOENT)
        return true;
    if (from < 0)
        return err_set_errno(error, errno, "'%s'", path);
    if (at->depth >= DEPTH_MAX)
        return err_set(error, ERR_LIMIT, "'%s': more than %d folders deep", path, DEPTH_MAX);
    if (mkdirat(at->to, name, 0700) < 0 && errno != EEXIST)
        return err_set_errno(error, errno, "making '%s'", path);
    auto_fd to = dir_open_at(at->to, name);
    if (to < 0)
        return err_set_errno(error, errno, "opening the copy of '%s'", path);
    Place below = {.from = from,
                   .to = to,
                   .path = path,
                   .mailbox = at->mailbox        ? at->mailbox
                              : is_maildir(from) ? path
                                                 : NULL,
                   .depth = at->depth + 1};
    return walk(t, &below, error);
}

/* Unfinished deliveries and writes are nobody's content. */
static bool
is_unfinished(const Place *at, const char *name)
{
    return file_is_tmp(name) || (at->mailbox && g_str_has_suffix(at->path, "/tmp"));
}

static bool
copy_entry(Tree *t, const Place *at, const char *name, bool first, GError **error)
{
    struct stat st;
    if (is_unfinished(at, name) ||
        (at->depth == 0 && t->skip && g_strv_contains(t->skip, name)))
        return true;
    if (fstatat(at->from, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        t->changes++;
        return errno == ENOENT || err_set_errno(error, errno, "'%s/%s'", at->path, name);
    }
    if (S_ISDIR(st.st_mode))
        return walk_into(t, at, name, error);
    if (S_ISREG(st.st_mode))
        return copy_file(t, at, name, error);
    t->stats->left_out += first;
    return true;
}

static bool
walk(Tree *t, const Place *at, GError **error)
{
    g_autoptr(DIR) dir = dir_list(at->from, ".");
    const struct dirent *d;
    if (!dir)
        return err_set_errno(error, errno, "listing '%s'", at->path);
    bool first = g_hash_table_add(t->copied, g_strconcat(at->path, "//", NULL));
    while ((d = dir_next(dir)))
        if (!copy_entry(t, at, d->d_name, first, error))
            return false;
    return errno == 0 || err_set_errno(error, errno, "listing '%s'", at->path);
}

bool
folder_copy(int from_fd,
            int to_fd,
            const char *const *skip,
            TreeTell tell,
            FolderStats *stats,
            GError **error)
{
    g_autoptr(GHashTable) copied = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *buffer = g_malloc(COPY_BYTES);
    Tree t = {.skip = skip, .tell = tell, .stats = stats, .copied = copied, .buffer = buffer};
    Place top = {.from = from_fd, .to = to_fd, .path = ""};
    for (int i = 0; i < WALKS_MAX; i++) {
        t.changes = 0;
        if (!walk(&t, &top, error))
            return false;
        if (t.changes == 0)
            return true;
    }
    return true; /* mail comes faster than we walk; what we have is consistent with itself */
}
