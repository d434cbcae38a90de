/*
 * Looking for mail and moving it. Others (mutt, Dovecot) rename files while we look, so a
 * listing that lacks a mail proves its absence only when no folder changed meanwhile; else we
 * list again. No rename replaces a file.
 */
#include "mail/maildir.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/list.h"
#include "base/proc.h"
#include "mail/maildir_internal.h"
#include <fcntl.h>
#include <sys/stat.h>

#define RACE_ROUNDS 16               /* how often we look for a mail that is being moved */
#define QUIET_NSEC INT64_C(50000000) /* more than a tick of the clock that stamps folders */
/* Behind these rounds we look with pauses, and long enough for folders to be quiet. */
#define RACE_US (100 * USEC_PER_MSEC)
#define RACE_PAUSE_US USEC_PER_MSEC

char *
maildir_name(int64_t wall_us)
{
    static int counter; /* the one thing that must differ between two calls */
    g_autoptr(GString) host = g_string_new(proc_host());

    g_string_replace(host, "/", "\\057", 0);
    g_string_replace(host, ":", "\\072", 0);
    return g_strdup_printf("%" G_GINT64_FORMAT ".M%" G_GINT64_FORMAT "P%dQ%d.%.64s",
                           wall_us / G_USEC_PER_SEC, wall_us % G_USEC_PER_SEC, (int)getpid(),
                           g_atomic_int_add(&counter, 1), host->str);
}

static bool
has_base(const char *name, const char *base)
{
    size_t len = strlen(base);

    return strncmp(name, base, len) == 0 && name_base_length(name) == len;
}

void
maildir_entry_free(MaildirEntry *e)
{
    if (!e)
        return;
    free_all(e->base, e->name, e->folder, e);
}

static void
parse_flags(const char *name, char flags[8])
{
    const char *info = name_info(name);
    size_t n = 0;

    for (const char *known = "DFPRST"; *known; known++)
        if (info && strchr(info + strlen(":2,"), *known))
            flags[n++] = *known;
    flags[n] = '\0';
}

/* NULL with errno 0 for what is no regular file, with ENOENT for what is gone. */
static MaildirEntry *
entry_at(Folder *f, Sub s, const char *name)
{
    struct stat st;

    if (folder_sub(f, s) < 0 || fstatat(f->sub[s], name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return NULL;
    if (!S_ISREG(st.st_mode)) {
        errno = 0;
        return NULL;
    }
    MaildirEntry *e = g_new0(MaildirEntry, 1);
    e->base = g_strndup(name, name_base_length(name));
    e->name = g_strdup(name);
    e->folder = g_strdup(f->name);
    e->in_new = s == SUB_NEW;
    parse_flags(name, e->flags);
    e->mtime_us = st.st_mtim.tv_sec * G_USEC_PER_SEC + st.st_mtim.tv_nsec / 1000;
    e->size = st.st_size;
    return e;
}

bool
maildir_folders(Maildir *md, GPtrArray **ret_names, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DIR) dir = dir_list(md->fd, ".");
    const struct dirent *d;

    if (!dir)
        return err_set_errno(error, errno, "listing mailbox '%s'", md->mailbox);
    while ((d = dir_next(dir))) {
        if (d->d_name[0] != '.' || !name_is_plain(d->d_name + 1, MAILDIR_FOLDER_MAX))
            continue;
        auto_fd folder = dir_open_at(md->fd, d->d_name);
        if (folder >= 0 && faccessat(folder, "cur", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            g_ptr_array_add(names, g_strdup(d->d_name + 1));
    }
    if (errno)
        return err_set_errno(error, errno, "listing mailbox '%s'", md->mailbox);
    g_ptr_array_sort(names, text_compare);
    *ret_names = g_steal_pointer(&names);
    return true;
}

/* Names begin with a number, mostly seconds: 9 is older than 10. */
static int
compare_entries(gconstpointer pa, gconstpointer pb)
{
    const char *a = (*(MaildirEntry *const *)pa)->base, *b = (*(MaildirEntry *const *)pb)->base;
    size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");

    return na != nb ? (na < nb ? -1 : 1) : strcmp(a, b);
}

static bool
fail_listing(const Folder *f, Sub s, GError **error)
{
    return err_set_errno(error, errno, "listing '%s' of '%s'", folder_sub_names[s], f->name);
}

static bool
scan_sub(Folder *f, Sub s, GHashTable *by_base, unsigned *foreign, GError **error)
{
    g_autoptr(DIR) dir = dir_list(f->fd, folder_sub_names[s]);
    const struct dirent *d;

    if (!dir)
        return errno == ENOENT || fail_listing(f, s, error);
    while ((d = dir_next(dir))) {
        bool plain = name_is_plain(d->d_name, NAME_MAX);
        MaildirEntry *e = plain ? entry_at(f, s, d->d_name) : NULL;
        if (e)
            g_hash_table_replace(by_base, e->base, e); /* seen twice: it moved meanwhile */
        else if (!plain || errno != ENOENT)
            (*foreign)++;
    }
    return !errno || fail_listing(f, s, error);
}

bool
maildir_scan(Maildir *md,
             const char *folder,
             bool new_only,
             GPtrArray **ret_entries,
             unsigned *ret_foreign,
             GError **error)
{
    g_autoptr(Folder) f = NULL;
    g_autoptr(GHashTable) by_base = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) entries =
        g_ptr_array_new_with_free_func((GDestroyNotify)maildir_entry_free);
    unsigned foreign = 0;

    if (!folder_open(md->fd, folder, false, &f, error))
        return false;
    bool ok = !f || (scan_sub(f, SUB_NEW, by_base, &foreign, error) &&
                     (new_only || scan_sub(f, SUB_CUR, by_base, &foreign, error)));
    GHashTableIter iter;
    gpointer e;
    g_hash_table_iter_init(&iter, by_base);
    while (g_hash_table_iter_next(&iter, NULL, &e))
        g_ptr_array_add(entries, e);
    if (!ok)
        return false;
    g_ptr_array_sort(entries, compare_entries);
    *ret_entries = g_steal_pointer(&entries);
    if (ret_foreign)
        *ret_foreign = foreign;
    return true;
}

bool
maildir_look(Maildir *md,
             const char *folder,
             bool in_new,
             const char *name,
             MaildirEntry **ret,
             GError **error)
{
    g_autoptr(Folder) f = NULL;

    if (!folder_open(md->fd, folder, false, &f, error))
        return false;
    bool may_be = f && name_is_plain(name, NAME_MAX);
    *ret = may_be ? entry_at(f, in_new ? SUB_NEW : SUB_CUR, name) : NULL;
    return true;
}

/* Guesses the flags that clients mostly leave behind: a hit saves the listing of a large
 * folder. */
static MaildirEntry *
guess_in_folder(Folder *f, const char *base)
{
    static const char *const usual[] = {":2,S", ":2,", ":2,RS", ":2,FS", ":2,ST", ":2,F", ""};
    MaildirEntry *e = entry_at(f, SUB_NEW, base);

    for (size_t i = 0; !e && i < G_N_ELEMENTS(usual); i++) {
        g_autofree char *name = g_strconcat(base, usual[i], NULL);
        e = entry_at(f, SUB_CUR, name);
    }
    return e;
}

/* True when the folder was last changed well before that time. Folders are stamped by the
 * coarse clock, so a change within its last ticks may not show. */
static bool
quiet_since(int fd, const struct timespec *start)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return false;
    return (start->tv_sec - st.st_mtim.tv_sec) * INT64_C(1000000000) + start->tv_nsec -
               st.st_mtim.tv_nsec >
           QUIET_NSEC;
}

/* Looks in one sub-folder. Clears *quiet when a mail that was not found may be there. */
static bool
find_in_sub(Folder *f,
            Sub s,
            const char *base,
            const struct timespec *start,
            bool *quiet,
            MaildirEntry **ret,
            GError **error)
{
    g_autoptr(DIR) dir = dir_list(f->fd, folder_sub_names[s]);
    const struct dirent *d;

    if (!dir)
        return errno == ENOENT || fail_listing(f, s, error);
    while (!*ret && (d = dir_next(dir)))
        if (has_base(d->d_name, base))
            *ret = entry_at(f, s, d->d_name);
    if (!*ret && errno)
        return fail_listing(f, s, error);
    if (!quiet_since(dirfd(dir), start))
        *quiet = false;
    return true;
}

/* Looks once through all folders, by guess or by listing. */
static bool
find_once(Maildir *md,
          const GPtrArray *folders,
          const char *base,
          bool guess,
          bool *quiet,
          MaildirEntry **ret,
          GError **error)
{
    struct timespec start;

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &start);
    *quiet = true;
    for (unsigned i = 0; i < folders->len && !*ret; i++) {
        g_autoptr(Folder) f = NULL;
        if (!folder_open(md->fd, folders->pdata[i], false, &f, error))
            return false;
        if (f && guess)
            *ret = guess_in_folder(f, base);
        for (Sub s = SUB_NEW; f && !guess && s <= SUB_CUR && !*ret; s++)
            if (!find_in_sub(f, s, base, &start, quiet, ret, error))
                return false;
    }
    return true;
}

bool
maildir_find(Maildir *md, const char *base, MaildirEntry **ret, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;
    g_autoptr(MaildirEntry) e = NULL;
    bool quiet = false;

    if (!name_is_plain(base, NAME_MAX))
        return err_set(error, ERR_NEVER, "'%s' is no name for a mail", base);
    if (!maildir_all_folders(md, &folders, error) ||
        !find_once(md, folders, base, true, &quiet, &e, error))
        return false;
    quiet = false;
    int64_t end_us = clock_mono_us() + RACE_US;
    for (unsigned round = 0; !e && !quiet; round++) {
        bool late = round >= RACE_ROUNDS;
        if (late && clock_mono_us() >= end_us)
            break;
        if (late)
            g_usleep(RACE_PAUSE_US);
        if (!find_once(md, folders, base, false, &quiet, &e, error))
            return false;
    }
    *ret = g_steal_pointer(&e);
    return true;
}

static char *
entry_path(const MaildirEntry *e)
{
    g_autofree char *dir = folder_dir_name(e->folder);

    return g_build_filename(dir, folder_sub_names[e->in_new ? SUB_NEW : SUB_CUR], e->name,
                            NULL);
}

char *
maildir_entry_path(const char *mailbox, const MaildirEntry *e)
{
    g_autofree char *path = entry_path(e);

    return g_build_filename(mailbox, path, NULL);
}

bool
maildir_read(Maildir *md, const MaildirEntry *e, size_t max, GBytes **ret_bytes, GError **error)
{
    return maildir_read_finished(md, e, max, NULL, ret_bytes, error);
}

bool
maildir_read_finished(Maildir *md,
                      const MaildirEntry *e,
                      size_t max,
                      bool *ret_unfinished,
                      GBytes **ret_bytes,
                      GError **error)
{
    g_autoptr(MaildirEntry) now = NULL;

    for (unsigned round = 0; round < RACE_ROUNDS; round++) {
        g_autofree char *path = entry_path(e);
        if (!file_read_finished(md->fd, path, max, ret_unfinished, ret_bytes, error))
            return err_prefix(error, "reading mail '%s'", e->base);
        if (*ret_bytes || (ret_unfinished && *ret_unfinished))
            return true;
        MaildirEntry *moved = NULL;
        if (!maildir_find(md, e->base, &moved, error))
            return false;
        g_clear_pointer(&now, maildir_entry_free);
        e = now = moved;
        if (!e)
            return true;
    }
    return err_set(error, ERR_AGAIN, "mail '%s' is being moved all the time", e->base);
}

bool
maildir_each(
    Maildir *md, const char *folder, size_t max, MaildirTake *take, void *user, GError **error)
{
    g_autoptr(GPtrArray) entries = NULL;

    if (!maildir_scan(md, folder, false, &entries, NULL, error))
        return false;
    LIST_EACH(const MaildirEntry, e, entries) {
        g_autoptr(GBytes) bytes = NULL;
        if (maildir_read(md, e, max, &bytes, NULL) && bytes && !take(user, e, bytes, error))
            return false;
    }
    return true;
}

bool
maildir_read_head(
    Maildir *md, const MaildirEntry *e, size_t max, GBytes **ret_bytes, GError **error)
{
    g_autofree char *path = entry_path(e);
    g_autofree char *head = g_malloc(max);
    g_autoptr(GError) why = NULL;
    auto_fd fd = file_open_beneath(md->fd, path, O_RDONLY, 0, &why);
    size_t n = 0;
    ssize_t got = 1;

    *ret_bytes = NULL;
    if (fd < 0)
        return true;
    while (got > 0 && n < max) {
        got = read(fd, head + n, max - n);
        if (got < 0)
            return err_set_errno(error, errno, "reading mail '%s'", e->base);
        n += (size_t)got;
    }
    *ret_bytes = g_bytes_new_take(g_steal_pointer(&head), n);
    return true;
}

/* Renames the mail to name in that sub-folder; flush: and flushes where it is, then where it
 * was. 1: done; 0: somebody else was faster, look again; -1: error. */
static int
relocate(Maildir *md,
         const MaildirEntry *e,
         Folder *to,
         Sub to_sub,
         const char *name,
         bool flush,
         GError **error)
{
    Sub from_sub = e->in_new ? SUB_NEW : SUB_CUR;
    g_autoptr(Folder) from = NULL;

    if (!folder_open(md->fd, e->folder, false, &from, error))
        return -1;
    if (!from || folder_sub(from, from_sub) < 0)
        return 0;
    if (folder_sub(to, to_sub) >= 0 &&
        file_rename_new(from->sub[from_sub], e->name, to->sub[to_sub], name) == 0) {
        CRASH_POINT("maildir-moved");
        if (!flush)
            return 1;
        return folder_flush(to, to_sub, error) && folder_flush(from, from_sub, error) ? 1 : -1;
    }
    if (errno == ENOENT)
        return 0;
    err_set_errno(error, errno, "moving mail '%s' to folder '%s'", e->base, to->name);
    return -1;
}

/* folder NULL: where it lies, in cur. */
static bool
move_mail(Maildir *md,
          const char *base,
          const char *folder,
          const char *add,
          const char *remove,
          bool flush,
          GError **error)
{
    if (!name_flags_valid(add) || !name_flags_valid(remove))
        return err_set(error, ERR_NEVER, "'%s%s' are no flags of a mail", add, remove);
    for (unsigned round = 0; round < RACE_ROUNDS; round++) {
        g_autoptr(MaildirEntry) e = NULL;
        g_autoptr(Folder) to = NULL;
        if (!maildir_find(md, base, &e, error))
            return false;
        if (!e)
            return true;
        if (!folder_open(md->fd, folder ? folder : e->folder, true, &to, error))
            return false;
        bool flags = !folder || *add;
        Sub s = e->in_new && !flags ? SUB_NEW : SUB_CUR;
        g_autofree char *info = flags ? name_change_info(e->name, add, remove) : NULL;
        g_autofree char *name = info ? g_strconcat(e->base, info, NULL) : g_strdup(e->name);
        if (strcmp(e->folder, to->name) == 0 && e->in_new == (s == SUB_NEW) &&
            strcmp(name, e->name) == 0)
            return !flush || folder_flush(to, s, error);
        int done = relocate(md, e, to, s, name, flush, error);
        if (done)
            return done > 0;
    }
    return err_set(error, ERR_AGAIN, "mail '%s' is being moved all the time", base);
}

bool
maildir_move(Maildir *md, const char *base, const char *folder, GError **error)
{
    return move_mail(md, base, folder, "", "", true, error);
}

bool
maildir_move_flagged(
    Maildir *md, const char *base, const char *folder, const char *add, GError **error)
{
    return move_mail(md, base, folder, add, "", true, error);
}

bool
maildir_move_copy(
    Maildir *md, const char *base, const char *folder, const char *add, GError **error)
{
    return move_mail(md, base, folder, add, "", false, error);
}

bool
maildir_flag(Maildir *md, const char *base, const char *add, const char *remove, GError **error)
{
    return move_mail(md, base, NULL, add, remove, true, error);
}

static bool
sweep_folder(Folder *f, int64_t before_us, unsigned *removed, GError **error)
{
    g_autoptr(DIR) dir = dir_list(f->fd, folder_sub_names[SUB_TMP]);
    const struct dirent *d;

    while (dir && (d = dir_next(dir))) {
        g_autoptr(MaildirEntry) e = entry_at(f, SUB_TMP, d->d_name);
        if (e && e->mtime_us < before_us && unlinkat(dirfd(dir), d->d_name, 0) == 0)
            (*removed)++;
    }
    if (errno && errno != ENOENT)
        return err_set_errno(error, errno, "listing 'tmp' of '%s'", f->name);
    return true;
}

bool
maildir_sweep(Maildir *md, int64_t before_us, unsigned *ret_removed, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;
    unsigned removed = 0;

    if (!maildir_all_folders(md, &folders, error))
        return false;
    LIST_EACH(const char, folder, folders) {
        g_autoptr(Folder) f = NULL;
        if (!folder_open(md->fd, folder, false, &f, error) ||
            (f && !sweep_folder(f, before_us, &removed, error)))
            return false;
    }
    *ret_removed = removed;
    return true;
}

bool
maildir_open(int root_fd, const char *mailbox, bool make, Maildir **ret, GError **error)
{
    if (!name_is_plain(mailbox, MAILDIR_FOLDER_MAX))
        return err_set(error, ERR_NEVER, "'%s' is no name for a mailbox", mailbox);

    g_autoptr(Maildir) md = g_new0(Maildir, 1);
    *md =
        (Maildir){.mailbox = g_strdup(mailbox), .fd = -1, .pid = getpid(), .maybe_redo = true};
    if (!make || dir_make_at(root_fd, mailbox))
        md->fd = dir_open_at(root_fd, mailbox);
    if (md->fd < 0)
        return err_set_errno(error, errno, "opening mailbox '%s'", mailbox);
    if (make) {
        g_autoptr(Folder) inbox = NULL;
        if (faccessat(md->fd, folder_sub_names[SUB_TMP], F_OK, 0) < 0 &&
            !dir_flush(root_fd, error))
            return err_prefix(error, "making mailbox '%s'", mailbox);
        if (!folder_open(md->fd, "", true, &inbox, error))
            return err_prefix(error, "making mailbox '%s'", mailbox);
    }
    *ret = g_steal_pointer(&md);
    return true;
}

void
maildir_close(Maildir *md)
{
    if (!md)
        return;
    cleanup_fd(&md->fd);
    g_clear_pointer(&md->known, g_hash_table_unref);
    g_clear_pointer(&md->targets, g_ptr_array_unref);
    free_all(md->mailbox, md);
}

const char *
maildir_mailbox(const Maildir *md)
{
    return md->mailbox;
}

bool
maildir_make_folder(Maildir *md, const char *folder, GError **error)
{
    g_autoptr(Folder) f = NULL;

    return folder_open(md->fd, folder, true, &f, error);
}
