#include "base/file.h"
#include "cli/home/doctor.h"
#include "mail/maildir.h"
#include "store/mail/copies.h"
#include "store/out/outbox.h"
#include <fcntl.h>
#include <sys/stat.h>

#define DAY_US (24 * 3600 * USEC_PER_SEC)

/* --- what lies in a mailbox --- */

/* One listing of all folders: looking each mail up would read every folder for every mail. */
typedef struct Box {
    Maildir *md;
    GHashTable *bases; /* base names in any folder */
    GPtrArray *inbox;  /* of MaildirEntry */
    unsigned foreign;
} Box;

static void
box_clear(Box *b)
{
    maildir_close(b->md);
    g_clear_pointer(&b->bases, g_hash_table_unref);
    g_clear_pointer(&b->inbox, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Box, box_clear)

static void
add_bases(Box *b, const GPtrArray *entries)
{
    LIST_EACH(const MaildirEntry, e, entries)
        g_hash_table_add(b->bases, g_strdup(e->base));
}

static bool
box_open(const Home *home, const char *mailbox, Box *b, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;
    b->bases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!maildir_open(home->mail_fd, mailbox, false, &b->md, error) ||
        !maildir_folders(b->md, &folders, error) ||
        !maildir_scan(b->md, "", false, &b->inbox, &b->foreign, error))
        return false;
    add_bases(b, b->inbox);
    LIST_EACH(const char, folder, folders) {
        g_autoptr(GPtrArray) entries = NULL;
        if (!maildir_scan(b->md, folder, false, &entries, NULL, error))
            return false;
        add_bases(b, entries);
    }
    return true;
}

/* A listing may miss a mail that is being moved; only a second look proves that it is gone. */
static bool
is_gone(Box *b, const char *base, bool *ret, GError **error)
{
    g_autoptr(MaildirEntry) entry = NULL;
    if (g_hash_table_contains(b->bases, base)) {
        *ret = false;
        return true;
    }
    if (!maildir_find(b->md, base, &entry, error))
        return false;
    *ret = entry == NULL;
    return true;
}

/* --- mail and the store --- */

static bool
check_row(Doctor *d, const MsgRow *row, void *data, GError **error)
{
    Box *b = data;
    bool gone;
    g_autoptr(GPtrArray) copies = NULL;
    if (!is_gone(b, row->file, &gone, error) ||
        (gone && !copies_files(d->engine->db, row->id, COPIES_LOOKED_AT, &copies, error)))
        return false;
    for (guint i = 0; gone && i < copies->len; i++)
        if (!is_gone(b, g_ptr_array_index(copies, i), &gone, error))
            return false;
    if (gone)
        doctor_find(d, false, row->file, "mail <%s> of %s is %s, but its file is nowhere",
                    row->msgid, row->role, msg_state_name(row->state));
    return true;
}

static bool
note_new_mail(Doctor *d, const char *role, const Box *b, GError **error)
{
    unsigned n = 0;
    LIST_EACH(const MaildirEntry, e, b->inbox) {
        bool has;
        if (!messages_has_file(d->engine->db, role, e->base, &has, error))
            return false;
        n += !has;
    }
    if (n)
        doctor_note(d, "mail for %s that is not taken in yet ('postrider serve' does that): %u",
                    role, n);
    if (b->foreign)
        doctor_note(d, "files in the mailbox of %s that are no mail, left alone: %u", role,
                    b->foreign);
    return true;
}

bool
doctor_mail(Doctor *d, GError **error)
{
    const Config *config = d->cli->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const char *role = config->roles[i].name;
        g_auto(Box) box = {0};
        g_autoptr(GError) why = NULL;
        if (config->roles[i].person)
            continue;
        if (!box_open(d->cli->home, role, &box, &why)) {
            doctor_find(d, false, role, "the mailbox can't be read, %s", why->message);
            continue;
        }
        /* Mail that is still open must be there to be read; what is done may be deleted by anybody. */
        MsgQuery open = {.role = role, .open_only = true};
        if (!doctor_each_mail(d, open, check_row, &box, error) ||
            !note_new_mail(d, role, &box, error))
            return false;
    }
    return true;
}

/* --- what roles have sent --- */

/* Copies in Sent folders; boxes (name -> Box *) are opened as they are needed. */
static bool
check_copy(Doctor *d, GHashTable *boxes, const OutRow *copy, GError **error)
{
    g_autofree char *base = out_row_file(copy);
    g_autoptr(OutRow) mail = NULL;
    bool gone;
    Box *b = g_hash_table_lookup(boxes, copy->mailbox);
    if (!b) {
        b = g_new0(Box, 1);
        g_hash_table_insert(boxes, g_strdup(copy->mailbox), b);
        if (!box_open(d->cli->home, copy->mailbox, b, error))
            return false;
    }
    if (!is_gone(b, base, &gone, error))
        return false;
    if (!gone)
        return true;
    if (!outbox_find(d->engine->db, &VIEWER_OPERATOR, copy->msgid, &mail, error))
        return false;
    if (mail && !mail->bytes)
        doctor_find(d, false, base, "mail <%s> was sent, but its copy in Sent of %s is gone",
                    copy->msgid, copy->mailbox);
    return true;
}

static void
free_box(gpointer box)
{
    box_clear(box);
    g_free(box);
}

/* Mail that has left, and that Sent could not take yet. */
static bool
check_owed(Doctor *d, GError **error)
{
    const OutQuery q = {.state = "retry", .copies = true, .limit = G_MAXINT32};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(d->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows)
        if (g_str_equal(row->folder, "Sent"))
            doctor_find(d, false, row->why ? row->why : "tried again later",
                        "the copy of mail %" G_GINT64_FORMAT " in Sent of %s is owed",
                        row->id.v, row->mailbox ? row->mailbox : row->account);
    return true;
}

/* People may delete what they like, so only the copies of roles are looked for. */
bool
doctor_copies(Doctor *d, GError **error)
{
    const Config *config = d->cli->home->config;
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(GHashTable) boxes =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_box);
    OutQuery q = {.state = "sent", .all = true, .copies = true, .limit = G_MAXINT32};
    if (!check_owed(d, error) ||
        !outbox_list(d->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows) {
        const ConfRole *role = row->mailbox ? config_role(config, row->mailbox) : NULL;
        if (role && !role->person && g_str_equal(row->folder, "Sent") &&
            !check_copy(d, boxes, row, error))
            return false;
    }
    return true;
}

/* --- leftovers --- */

static bool
sweep_mailbox(Doctor *d, const char *mailbox, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    unsigned n = 0;
    if (!maildir_open(d->cli->home->mail_fd, mailbox, false, &md, NULL))
        return true; /* doctor_mail() has said so */
    if (!maildir_sweep(md, home_now(d->cli->home) - DAY_US, &n, error))
        return false;
    if (n)
        doctor_find(d, true, mailbox, "unfinished deliveries, %u", n);
    return true;
}

bool
doctor_leftovers(Doctor *d, GError **error)
{
    const Home *home = d->cli->home;
    const Config *config = home->config;
    const struct {
        int fd;
        const char *name;
    } folders[] = {{home->fd, home->path}, {home->state_fd, "state"}};
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        unsigned n = 0;
        if (!file_sweep(folders[i].fd, DAY_US, &n, error))
            return false;
        if (n)
            doctor_find(d, true, folders[i].name, "unfinished files, %u", n);
    }
    for (unsigned i = 0; i < config->n_roles; i++)
        if (!sweep_mailbox(d, config->roles[i].name, error))
            return false;
    for (unsigned i = 0; i < config->n_persons; i++)
        if (config->persons[i].local && !sweep_mailbox(d, config->persons[i].name, error))
            return false;
    return true;
}

/* --- who may read what --- */

static bool
check_mode(Doctor *d, int dir_fd, const char *name, mode_t forbidden, GError **error)
{
    struct stat st;
    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || err_set_errno(error, errno, "'%s'", name);
    if (S_ISLNK(st.st_mode) || !(st.st_mode & forbidden))
        return true;
    bool fixed = fchmodat(dir_fd, name, st.st_mode & 07777 & ~forbidden, 0) == 0;
    doctor_find(d, fixed, name, "open to other users (mode %03o)",
                (unsigned)(st.st_mode & 0777));
    return true;
}

static bool
check_secrets(Doctor *d, GError **error)
{
    g_autofree char *path = g_build_filename(d->cli->home->path, "secrets", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename("secrets", name, NULL);
        if (!check_mode(d, d->cli->home->fd, file, 077, error))
            return false;
    }
    return true;
}

bool
doctor_modes(Doctor *d, GError **error)
{
    static const struct {
        const char *name;
        mode_t forbidden;
    } wanted[] = {
        {"key", 077},  {"postrider.conf", 022},     {"state", 077},
        {"mail", 077}, {"state/postrider.db", 077}, {"secrets", 077},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
        if (!check_mode(d, d->cli->home->fd, wanted[i].name, wanted[i].forbidden, error))
            return false;
    return check_secrets(d, error);
}
