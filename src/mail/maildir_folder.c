/*
 * Folders of a mailbox and the names in them. A folder that has a tmp is whole and durable: tmp
 * is made last, when everything above it has been flushed.
 */
#include "mail/maildir_internal.h"

#include "base/file.h"
#include <fcntl.h>
#include <sys/stat.h>

const char *const folder_sub_names[SUB_N] = {"new", "cur", "tmp"};

void
folder_close(Folder *f)
{
    if (!f)
        return;
    for (Sub s = 0; s < SUB_N; s++)
        cleanup_fd(&f->sub[s]);
    cleanup_fd(&f->fd);
    free_all(f->name, f);
}

char *
folder_dir_name(const char *folder)
{
    return folder[0] ? g_strconcat(".", folder, NULL) : g_strdup(".");
}

bool
name_is_plain(const char *name, size_t max)
{
    if (!name[0] || name[0] == '.' || strlen(name) > max)
        return false;
    for (const char *p = name; *p; p++)
        if (*p == '/' || (unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    return true;
}

int
folder_sub(Folder *f, Sub s)
{
    if (f->sub[s] < 0)
        f->sub[s] = dir_open_at(f->fd, folder_sub_names[s]);
    return f->sub[s];
}

bool
dir_make_at(int at, const char *name)
{
    return mkdirat(at, name, 0700) == 0 || errno == EEXIST;
}

/* Maildir++ marks a folder, as apart from a mailbox, by this empty file. */
static bool
make_folder_mark(int at)
{
    auto_fd fd = openat(at, "maildirfolder", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    return fd >= 0;
}

static bool
folder_make(int mailbox_fd, Folder *f, GError **error)
{
    g_autofree char *dir = folder_dir_name(f->name);

    if (f->fd < 0 && dir_make_at(mailbox_fd, dir))
        f->fd = dir_open_at(mailbox_fd, dir);
    if (f->fd < 0 || !dir_make_at(f->fd, "new") || !dir_make_at(f->fd, "cur") ||
        (f->name[0] && !make_folder_mark(f->fd)))
        return err_set_errno(error, errno, "making folder '%s'", f->name);
    if (!dir_flush(f->fd, error) || !dir_flush(mailbox_fd, error))
        return false;
    if (!dir_make_at(f->fd, "tmp"))
        return err_set_errno(error, errno, "making folder '%s'", f->name);
    return true;
}

bool
folder_open(int mailbox_fd, const char *name, bool make, Folder **ret, GError **error)
{
    if (name[0] && !name_is_plain(name, MAILDIR_FOLDER_MAX))
        return err_set(error, ERR_NEVER, "'%s' is no name for a folder", name);

    g_autofree char *dir = folder_dir_name(name);
    g_autoptr(Folder) f = g_new0(Folder, 1);
    *f = (Folder){.name = g_strdup(name), .fd = -1, .sub = {-1, -1, -1}};
    f->fd = dir_open_at(mailbox_fd, dir);
    if (f->fd < 0 && errno != ENOENT)
        return err_set_errno(error, errno, "opening folder '%s'", name);
    if (make && (f->fd < 0 || folder_sub(f, SUB_TMP) < 0) && !folder_make(mailbox_fd, f, error))
        return false;
    *ret = f->fd >= 0 ? g_steal_pointer(&f) : NULL;
    return true;
}

bool
folder_flush(Folder *f, Sub s, GError **error)
{
    if (folder_sub(f, s) < 0)
        return err_set_errno(error, errno, "opening '%s' of folder '%s'", folder_sub_names[s],
                             f->name);
    if (!dir_flush(f->sub[s], error))
        return err_prefix(error, "flushing '%s' of folder '%s'", folder_sub_names[s], f->name);
    f->dirty[s] = false;
    return true;
}

const char *
name_info(const char *name)
{
    return strstr(name, ":2,");
}

size_t
name_base_length(const char *name)
{
    const char *info = name_info(name);

    return info ? (size_t)(info - name) : strlen(name);
}

char *
name_change_info(const char *name, const char *add, const char *remove)
{
    const char *info = name_info(name);
    const char *old = info ? info + strlen(":2,") : "";
    GString *out = g_string_new(":2,");

    for (int c = '!'; c <= '~'; c++)
        if (strchr(add, c) || (strchr(old, c) && !strchr(remove, c)))
            g_string_append_c(out, (char)c);
    return g_string_free(out, FALSE);
}

bool
name_flags_valid(const char *flags)
{
    return strspn(flags, "DFPRST") == strlen(flags);
}

int
file_rename_new(int from, const char *from_name, int to, const char *to_name)
{
    if (renameat2(from, from_name, to, to_name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* NFS can link, but not this. */
    if (linkat(from, from_name, to, to_name, 0) == 0)
        return unlinkat(from, from_name, 0);
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return -1;
    /* Neither: names of mail are unique, so nobody makes this one between the two calls. */
    if (faccessat(to, to_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(from, from_name, to, to_name);
}

bool
maildir_all_folders(Maildir *md, GPtrArray **ret_names, GError **error)
{
    if (!maildir_folders(md, ret_names, error))
        return false;
    g_ptr_array_insert(*ret_names, 0, g_strdup(""));
    return true;
}

static bool
add_names(Folder *f, Sub s, GPtrArray *names, GError **error)
{
    g_autoptr(DIR) dir = dir_list(f->fd, folder_sub_names[s]);
    const struct dirent *d;

    if (!dir && errno == ENOENT)
        return true;
    while (dir && (d = dir_next(dir)))
        if (d->d_name[0] != '.')
            g_ptr_array_add(names, g_strndup(d->d_name, name_base_length(d->d_name)));
    if (!dir || errno)
        return err_set_errno(error, errno, "listing '%s' of '%s'", folder_sub_names[s],
                             f->name);
    return true;
}

bool
maildir_names(Maildir *md, const char *folder, GPtrArray **ret_names, GError **error)
{
    g_autoptr(Folder) f = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    if (!folder_open(md->fd, folder, false, &f, error))
        return false;
    if (f && (!add_names(f, SUB_NEW, names, error) || !add_names(f, SUB_CUR, names, error)))
        return false;
    *ret_names = g_steal_pointer(&names);
    return true;
}
