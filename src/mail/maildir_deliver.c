/*
 * How a mail gets here and stays:
 *
 *     write tmp/X -> fsync X -> rename to new/BASE -> fsync new
 *
 * 1. A name in new or cur is a whole mail: the file was flushed before it got that name.
 * 2. True means that the name is durable, also when the mail "was there": whoever died between
 *    rename and fsync left a name that a power loss takes back, so who recognises it flushes
 *    again.
 * 3. No rename replaces a file.
 */
#include "mail/maildir_internal.h"

#include "base/crash.h"
#include "base/file.h"
#include "base/list.h"
#include <fcntl.h>
#include <sys/uio.h>

#define BATCH 64 /* files that are open at a time */

/* Adds the base names of one folder to md->known. */
static bool
know_folder(Maildir *md, const char *folder, GError **error)
{
    g_autoptr(Folder) f = NULL;

    if (!folder_open(md->fd, folder, false, &f, error))
        return false;
    for (Sub s = SUB_NEW; f && s <= SUB_CUR; s++) {
        g_autoptr(DIR) dir = dir_list(f->fd, folder_sub_names[s]);
        const struct dirent *d;
        while (dir && (d = dir_next(dir)))
            g_hash_table_add(md->known, g_strndup(d->d_name, name_base_length(d->d_name)));
        if (errno && errno != ENOENT)
            return err_set_errno(error, errno, "listing '%s' of '%s'", folder_sub_names[s],
                                 f->name);
    }
    return true;
}

static bool
know_all(Maildir *md, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;

    if (!maildir_all_folders(md, &folders, error))
        return false;
    md->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    md->known_durable = false;
    for (unsigned i = 0; i < folders->len; i++)
        if (!know_folder(md, folders->pdata[i], error)) {
            g_clear_pointer(&md->known, g_hash_table_unref);
            return false;
        }
    return true;
}

/* Who put the known names there may have died before flushing them. */
static bool
flush_known(Maildir *md, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;

    if (!maildir_all_folders(md, &folders, error))
        return false;
    LIST_EACH(const char, folder, folders) {
        g_autoptr(Folder) f = NULL;
        if (!folder_open(md->fd, folder, false, &f, error) ||
            (f && (!folder_flush(f, SUB_NEW, error) || !folder_flush(f, SUB_CUR, error))))
            return false;
    }
    md->known_durable = true;
    return true;
}

/* Sets item->was_there. When it is no redo, a name that is taken shows at the rename. */
static bool
look_for_item(Maildir *md, Folder *f, MaildirItem *item, GError **error)
{
    item->was_there = false;
    if (!md->maybe_redo)
        return true;
    for (Sub s = SUB_NEW; s <= SUB_CUR && !item->was_there; s++)
        if (folder_sub(f, s) >= 0 &&
            faccessat(f->sub[s], item->base, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            f->dirty[s] = item->was_there = true;
    if (item->was_there)
        return true;
    if (!md->known && !know_all(md, error))
        return false;
    item->was_there = g_hash_table_contains(md->known, item->base);
    return !item->was_there || md->known_durable || flush_known(md, error);
}

static bool
write_all_two(int fd, const char *head, const void *bytes, size_t len, GError **error)
{
    struct iovec iov[2] = {
        {.iov_base = (void *)head, .iov_len = strlen(head)},
        {.iov_base = (void *)bytes, .iov_len = len},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(iov);) {
        if (iov[i].iov_len == 0) {
            i++;
            continue;
        }
        ssize_t n = writev(fd, &iov[i], (int)(G_N_ELEMENTS(iov) - i));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set_errno(error, errno, "writing");
        for (unsigned j = i; j < G_N_ELEMENTS(iov) && n > 0; j++) {
            size_t part = MIN((size_t)n, iov[j].iov_len);
            iov[j].iov_base = (char *)iov[j].iov_base + part;
            iov[j].iov_len -= part;
            n -= (ssize_t)part;
        }
    }
    return true;
}

/* A mail between its tmp name and its own. */
typedef struct Draft {
    MaildirItem *item;
    Folder *folder; /* borrowed */
    int fd;         /* while it is written */
    char tmp[48];   /* "": was there, or has its own name already */
} Draft;

static bool
draft_create(Maildir *md, Draft *d, GError **error)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    char name[sizeof d->tmp];

    /* A taken name is one that a dead process with our pid left behind. */
    do {
        g_snprintf(name, sizeof name, "P%dQ%u.postrider", (int)md->pid, md->n_tmp++);
        d->fd = openat(d->folder->sub[SUB_TMP], name, flags, 0600);
    } while (d->fd < 0 && errno == EEXIST);
    if (d->fd < 0)
        return err_set_errno(error, errno, "creating '%s'", name);
    g_strlcpy(d->tmp, name, sizeof d->tmp);
    return true;
}

static Folder *
get_folder(Maildir *md, const char *name, GError **error)
{
    Folder *f = NULL;

    if (!md->targets)
        md->targets = g_ptr_array_new_with_free_func((GDestroyNotify)folder_close);
    for (unsigned i = 0; i < md->targets->len; i++)
        if (strcmp(((Folder *)md->targets->pdata[i])->name, name) == 0)
            return md->targets->pdata[i];
    if (!folder_open(md->fd, name, true, &f, error))
        return NULL;
    g_ptr_array_add(md->targets, f);
    for (Sub s = 0; s < SUB_N; s++)
        if (folder_sub(f, s) < 0) {
            err_set_errno(error, errno, "opening '%s' of folder '%s'", folder_sub_names[s],
                          name);
            return NULL;
        }
    return f;
}

static bool
draft_write(Maildir *md, Draft *d, GError **error)
{
    MaildirItem *item = d->item;

    if (!name_is_plain(item->base, MAILDIR_BASE_MAX) || name_info(item->base))
        return err_set(error, ERR_NEVER, "'%s' is no name for a mail", item->base);
    if (item->flags && !name_flags_valid(item->flags))
        return err_set(error, ERR_NEVER, "'%s' are no flags of a mail", item->flags);
    d->folder = get_folder(md, item->folder, error);
    if (!d->folder || !look_for_item(md, d->folder, item, error))
        return false;
    return item->was_there || (draft_create(md, d, error) &&
                               write_all_two(d->fd, item->head, item->bytes, item->len, error));
}

static bool
draft_rename(Maildir *md, Draft *d, GError **error)
{
    const MaildirItem *item = d->item;
    Sub s = item->flags ? SUB_CUR : SUB_NEW;
    g_autofree char *info = item->flags ? name_change_info("", item->flags, "") : g_strdup("");
    g_autofree char *name = g_strconcat(item->base, info, NULL);

    d->folder->dirty[s] = true;
    if (file_rename_new(d->folder->sub[SUB_TMP], d->tmp, d->folder->sub[s], name) == 0) {
        d->tmp[0] = '\0';
    } else if (errno == EEXIST) {
        d->item->was_there = true;
    } else {
        return err_set_errno(error, errno, "renaming to '%s'", name);
    }
    if (md->known) {
        g_hash_table_add(md->known, g_strdup(item->base));
        md->known_durable = false;
    }
    return true;
}

static void
draft_clear(Draft *d)
{
    if (*d->tmp)
        (void)unlinkat(d->folder->sub[SUB_TMP], d->tmp, 0);
    cleanup_fd(&d->fd);
}

/* Closed before it gets its name: a mail that somebody has open for writing is not read. */
static bool
draft_finish(Draft *d, GError **error)
{
    if (d->fd >= 0 && file_sync(d->fd) < 0)
        return err_set_errno(error, errno, "flushing '%s'", d->item->base);
    cleanup_fd(&d->fd);
    d->fd = -1;
    return true;
}

static bool
flush_folders(Maildir *md, GError **error)
{
    LIST_EACH(Folder, f, md->targets)
        for (Sub s = SUB_NEW; s <= SUB_CUR; s++)
            if (f->dirty[s] && !folder_flush(f, s, error))
                return false;
    return true;
}

static bool
make_appear(Maildir *md, Draft *drafts, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++)
        if (*drafts[i].tmp && !drafts[i].item->skip && !draft_rename(md, &drafts[i], error))
            return err_prefix(error, "delivering '%s'", drafts[i].item->base);
    CRASH_POINT("maildir-renamed");
    if (!flush_folders(md, error))
        return false;
    CRASH_POINT("maildir-flushed");
    return true;
}

/* All drafts are of items that lie side by side. */
static bool
make_appear_behind_gate(Maildir *md, Draft *drafts, size_t n, GError **error)
{
    const MaildirGate *gate = md->gate;
    MaildirItem *items = drafts[0].item;

    if (gate && !gate->open(gate->data, items, n, error))
        return false;
    bool ok = make_appear(md, drafts, n, error);
    return gate ? gate->close(gate->data, items, n, ok, error) : ok;
}

static bool
deliver_drafts(Maildir *md, Draft *drafts, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++)
        if (!draft_write(md, &drafts[i], error))
            return err_prefix(error, "delivering '%s'", drafts[i].item->base);
    for (size_t i = 0; i < n; i++)
        if (!draft_finish(&drafts[i], error))
            return false;
    CRASH_POINT("maildir-written");
    return make_appear_behind_gate(md, drafts, n, error);
}

static bool
deliver_batch(Maildir *md, MaildirItem *items, size_t n, GError **error)
{
    Draft drafts[BATCH];

    for (size_t i = 0; i < n; i++)
        drafts[i] = (Draft){.item = &items[i], .fd = -1};
    bool ok = deliver_drafts(md, drafts, n, error);
    for (size_t i = 0; i < n; i++)
        draft_clear(&drafts[i]);
    return ok;
}

static bool
deliver_all(Maildir *md, MaildirItem *items, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i += BATCH)
        if (!deliver_batch(md, items + i, MIN(BATCH, n - i), error))
            return false;
    return true;
}

bool
maildir_deliver_many(Maildir *md, MaildirItem *items, size_t n, GError **error)
{
    if (deliver_all(md, items, n, error))
        return true;
    g_clear_pointer(&md->targets, g_ptr_array_unref);
    return err_prefix(error, "mailbox '%s'", md->mailbox);
}

bool
maildir_deliver(Maildir *md,
                const char *folder,
                const char *base,
                const char *flags,
                const char *head,
                const void *bytes,
                size_t len,
                bool *ret_was_there,
                GError **error)
{
    MaildirItem item = {.folder = folder,
                        .base = base,
                        .flags = flags,
                        .head = head,
                        .bytes = bytes,
                        .len = len};

    if (!maildir_deliver_many(md, &item, 1, error))
        return false;
    if (ret_was_there)
        *ret_was_there = item.was_there;
    return true;
}

void
maildir_set_redo(Maildir *md, bool maybe)
{
    md->maybe_redo = maybe;
    g_clear_pointer(&md->known, g_hash_table_unref);
}

void
maildir_set_gate(Maildir *md, const MaildirGate *gate)
{
    md->gate = gate;
}
