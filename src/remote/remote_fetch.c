/*
 * Mail in:
 *
 *   UIDs from the mark on --256 at a time--> bytes -> route -> file, flushed -> row -> mark
 *
 * A file is named after account, UIDVALIDITY and UID. Who dies between file and row leaves a
 * file that the next one finds by that name; who dies between row and mark leaves rows that are
 * asked for before anything is fetched.
 *
 * On a full disk what fits is kept, with its rows; the mark stays, and the rest is fetched when
 * there is room. Some room is left to others: who can't write down what was done can't go on.
 *
 * The mark also stays while the server lists mail that it does not give, so that no mail is
 * passed over for a fault of the server.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/in/mail_in.h"
#include "mail/message.h"
#include "mail/msgid.h"
#include "remote/remote_internal.h"
#include "store/mail/mailbox_visit.h"
#include "store/out/outbox.h"
#include <poll.h>
#include <sys/statvfs.h>

#define PART_MAILS 256u
#define PART_RANGES 200u
#define PART_BYTES (16u << 20)
#define DAY_US (24 * 3600 * USEC_PER_SEC)
/* What is left of the disk; of a small one, its share. */
#define SPARE_BYTES (UINT64_C(16) << 20)
#define SPARE_SHARE 16
/* Of a file beside its text: the end of its last block, its name, its row. */
#define FILE_BYTES 8192u
/* The process of the local account opens the mailbox of a new role: how long we wait for that.
 */
#define ROLE_WAIT_MS 50
#define ROLE_TRIES 600

/* One mail on its way into a mailbox. */
typedef struct Item {
    uint32_t uid;
    const ConfRole *role;
    char *base, *msgid;
    bool followed; /* it gets the row */
    bool filed;
    GBytes *bytes; /* NULL: the file is there, since the mail is one of ours, or known */
} Item;

static void
item_clear(gpointer data)
{
    Item *item = data;
    free_all(item->base, item->msgid);
    g_clear_pointer(&item->bytes, g_bytes_unref);
}

typedef struct Fetch {
    Remote *r;
    RemoteMark mark;
    int fd;               /* bodies, one after the other */
    ImapSet large;        /* of the part in hand: more than max-message */
    ImapSet came;         /* of the part in hand: what the server gave, or too large to give */
    bool stays;           /* the mark: mail is listed that was not given */
    GArray *items;        /* of Item */
    size_t bytes;         /* in them */
    uint64_t needs, room; /* on the disk: they; all, as of the last flush */
    bool asked;           /* a person asks for older mail */
    unsigned n, nobodys, old;
} Fetch;

static void
fetch_clear(Fetch *f)
{
    g_clear_pointer(&f->items, g_array_unref);
    imap_set_clear(&f->large);
    imap_set_clear(&f->came);
    cleanup_fd(&f->fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fetch, fetch_clear)

/* --- one mail --- */

/* What we filed on the server ourselves comes back: the same bytes lie here under another name.
 * *ret_file: that name; NULL: it is none of ours. */
static bool
find_own(Remote *r, const ConfRole *role, const Message *m, char **ret_file, GError **error)
{
    const Home *home = r->engine->home;
    Minted minted;
    g_autoptr(OutRow) row = NULL;
    *ret_file = NULL;
    if (!msgid_read(&home->key, m->id, home->config->domain, &minted))
        return true;
    if (!outbox_find_local(r->engine->db, (OutId){minted.number}, role->name, &row, error))
        return false;
    if (!row || !row->bytes || !g_str_equal(row->msgid, m->id))
        return true;
    g_autoptr(Message) ours = message_parse_bytes(row->bytes, MESSAGE_HEADERS);
    if (memcmp(&ours->body, &m->body, sizeof m->body) == 0)
        *ret_file = out_row_file(row);
    return true;
}

/* To the second, which is all that servers tell. */
static bool
came_later(const RemoteMark *mark, const ImapMail *mail, const Message *m)
{
    int64_t came = mail->received_us && m->date_us ? MIN(mail->received_us, m->date_us)
                                                   : MAX(mail->received_us, m->date_us);
    return came / USEC_PER_SEC >= mark->first_us / USEC_PER_SEC;
}

/* Of mail that was numbered anew. *ret_file: the file that we have it in; NULL: not known.
 * *ret_old: not known, and older than the first visit. */
static bool
find_known(const Fetch *f,
           const ImapMail *mail,
           const ConfRole *role,
           const Message *m,
           bool *ret_old,
           char **ret_file,
           GError **error)
{
    Db *db = f->r->engine->db;
    g_autoptr(MsgRow) row = NULL;
    MsgKnown known;
    *ret_old = false;
    *ret_file = NULL;
    if (mail->uid >= f->mark.anew_uid)
        return true;
    if (!messages_known(db, role->name, m, &known, error) ||
        (known.id.v && !messages_load(db, &VIEWER_OPERATOR, known.id, &row, error)))
        return false;
    *ret_old = !row && !came_later(&f->mark, mail, m);
    *ret_file = row ? g_strdup(row->file) : NULL;
    return true;
}

/* For one of its roles. Where it lies on the server is followed for the first alone. */
static bool
take_for(Fetch *f,
         const ImapMail *mail,
         const ConfRole *role,
         const Message *m,
         GBytes *bytes,
         bool first,
         GError **error)
{
    g_autofree char *own = NULL;
    bool old;
    if (!find_known(f, mail, role, m, &old, &own, error) ||
        (!own && !find_own(f->r, role, m, &own, error)))
        return false;
    if (old && !own && !f->asked) {
        f->old++;
        return true;
    }
    Item item = {.uid = mail->uid,
                 .role = role,
                 .msgid = g_strdup(m->id),
                 .followed = first,
                 .bytes = own ? NULL : g_bytes_ref(bytes)};
    item.base = own ? g_steal_pointer(&own) : remote_file_name(f->r, "", mail);
    g_array_append_val(f->items, item);
    f->needs += item.bytes ? g_bytes_get_size(item.bytes) + FILE_BYTES : 0;
    return true;
}

static bool
take_mail(Fetch *f, const ImapMail *mail, GBytes *take_bytes, GError **error)
{
    g_autoptr(GBytes) bytes = take_bytes;
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_HEADERS);
    bool our_copy;
    if (!remote_take_copy(f->r, m, &our_copy, error))
        return false;
    if (our_copy)
        return true;
    g_autoptr(GPtrArray) roles = remote_route(f->r, m);
    f->nobodys += roles->len == 0;
    for (guint i = 0; i < roles->len; i++) {
        if (!take_for(f, mail, g_ptr_array_index(roles, i), m, bytes, i == 0, error))
            return false;
    }
    f->bytes += m->size;
    return true;
}

/* --- a batch --- */

static uint64_t
find_room(const Fetch *f)
{
    struct statvfs fs;
    if (fstatvfs(f->r->engine->home->mail_fd, &fs) != 0 || fs.f_blocks == 0)
        return UINT64_MAX; /* nobody can tell */
    uint64_t left = (uint64_t)fs.f_bavail * fs.f_frsize;
    uint64_t spare = MIN(SPARE_BYTES, (uint64_t)fs.f_blocks * fs.f_frsize / SPARE_SHARE);
    return left > spare ? left - spare : 0;
}

/* All at once; on a full disk, as many as fit. */
static bool
file_items(Maildir *md, MaildirItem *items, size_t n, GError **error)
{
    size_t filed = 0;
    bool ok = maildir_deliver_many(md, items, n, error);
    if (ok)
        filed = n;
    else if (error && err_is(*error, ERR_LATER)) {
        while (filed < n && maildir_deliver_many(md, &items[filed], 1, NULL))
            filed++;
    }
    for (size_t i = 0; i < filed; i++)
        ((Item *)items[i].user)->filed = true;
    return ok;
}

static bool
file_role(Fetch *f, const ConfRole *role, GError **error)
{
    g_autofree MaildirItem *items = g_new0(MaildirItem, f->items->len + 1);
    size_t n = 0;
    Maildir *md = remote_mailbox(f->r, role->name, error);
    if (!md)
        return false;
    for (guint i = 0; i < f->items->len; i++) {
        Item *item = &g_array_index(f->items, Item, i);
        gsize len;
        if (item->role != role)
            continue;
        item->filed = !item->bytes;
        if (item->filed)
            continue;
        const void *bytes = g_bytes_get_data(item->bytes, &len);
        items[n++] = (MaildirItem){.folder = "",
                                   .base = item->base,
                                   .head = "",
                                   .bytes = bytes,
                                   .len = len,
                                   .user = item};
    }
    return n == 0 || file_items(md, items, n, error);
}

/* A mail of two roles has a row when both have their file. */
static void
leave_out_unfiled(Fetch *f)
{
    g_auto(ImapSet) unfiled = {0};
    for (guint i = 0; i < f->items->len; i++) {
        const Item *item = &g_array_index(f->items, Item, i);
        if (!item->filed)
            imap_set_add(&unfiled, item->uid, item->uid);
    }
    for (guint i = f->items->len; i > 0; i--) {
        if (imap_set_has(&unfiled, g_array_index(f->items, Item, i - 1).uid))
            g_array_remove_index(f->items, i - 1);
    }
}

static bool
put_rows(Fetch *f, const RemoteMark *mark, GError **error)
{
    Remote *r = f->r;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error)) {
        for (guint i = 0; i < f->items->len; i++) {
            const Item *item = &g_array_index(f->items, Item, i);
            RemoteNew in = {.account = r->account->name,
                            .folder = r->account->folder,
                            .role = item->role->name,
                            .file = item->base,
                            .msgid = item->msgid,
                            .uidvalidity = r->box.uidvalidity,
                            .uid = item->uid};
            if (item->followed && !remote_put(&txn, &in, error))
                return false;
        }
        txn.ok =
            !mark || remote_mark_set(&txn, r->account->name, r->account->folder, mark, error);
        CRASH_POINT("remote-before-commit");
    }
    return txn.done;
}

/* Files, flushed; then rows and, when all below it is done, the mark. */
static bool
flush(Fetch *f, const RemoteMark *mark, GError **error)
{
    const Config *config = f->r->engine->home->config;
    bool all = true;
    for (unsigned i = 0; i < config->n_roles && all; i++)
        all = file_role(f, &config->roles[i], error);
    if (!all)
        leave_out_unfiled(f);
    CRASH_POINT("remote-filed");
    if ((f->items->len || (mark && all)) && !put_rows(f, all ? mark : NULL, all ? error : NULL))
        return false;
    CRASH_POINT("remote-committed");
    f->n += f->items->len;
    g_array_set_size(f->items, 0);
    f->bytes = 0;
    f->needs = 0;
    f->room = find_room(f);
    return all;
}

static bool
has_room(const Fetch *f, uint64_t size)
{
    return f->room >= f->needs && f->room - f->needs >= size + FILE_BYTES;
}

/* Before it is sent: what would not fit stays where it is. */
static int
begin_body(void *user, uint64_t size, GError **error)
{
    Fetch *f = user;
    if (!has_room(f, size)) {
        if (!flush(f, NULL, error))
            return -1;
        if (!has_room(f, size)) {
            err_set(error, ERR_LATER,
                    "the disk is full: mail stays on the server until there is room");
            return -1;
        }
    }
    return remote_body_begin(f->fd, error);
}

static bool
end_body(void *user, const ImapMail *mail, GError **error)
{
    Fetch *f = user;
    g_autoptr(GBytes) lines = NULL;
    if (!mail)
        return true;
    if (mail->body != IMAP_BODY_NONE)
        imap_set_add(&f->came, mail->uid, mail->uid);
    if (mail->flags & (IMAP_DELETED | IMAP_DRAFT))
        return true;
    if (mail->body == IMAP_BODY_LARGE)
        imap_set_add(&f->large, mail->uid, mail->uid);
    if (mail->body != IMAP_BODY_WRITTEN)
        return true;
    if (!remote_body_read(f->fd, mail, &lines, error) ||
        !take_mail(f, mail, g_steal_pointer(&lines), error))
        return false;
    return f->bytes < PART_BYTES || flush(f, NULL, error);
}

/* What is too large is held, so that somebody sees it; its text stays on the server. */
static bool
end_large(void *user, const ImapMail *mail, GError **error)
{
    Fetch *f = user;
    g_autoptr(GBytes) lines = NULL;
    if (!mail || mail->body != IMAP_BODY_WRITTEN)
        return true;
    if (!remote_body_read(f->fd, mail, &lines, error))
        return false;
    return take_mail(f, mail, mail_in_large(lines, mail->size), error);
}

static bool
fetch_large(Fetch *f, GError **error)
{
    const ImapTaker taker = {.begin = begin_body, .done = end_large, .user = f};
    ImapFetch what = {.uids = &f->large, .part = IMAP_HEADER};
    bool ok = imap_set_is_empty(&f->large) || imap_fetch(f->r->conn, &what, &taker, error);
    imap_set_clear(&f->large);
    return ok;
}

static void
remove_all(ImapSet *set, const ImapSet *others)
{
    for (guint i = 0; others->ranges && i < others->ranges->len; i++) {
        const ImapRange range = g_array_index(others->ranges, ImapRange, i);
        for (uint64_t uid = range.first; uid <= range.last; uid++)
            imap_set_remove(set, (uint32_t)uid);
    }
}

/* Without those that have a row already: we filed them, or died before the mark moved. */
static bool
leave_out_known(const Fetch *f, ImapSet *set, GError **error)
{
    const Remote *r = f->r;
    g_auto(ImapSet) known = {0};
    for (guint i = 0; set->ranges && i < set->ranges->len; i++) {
        const ImapRange range = g_array_index(set->ranges, ImapRange, i);
        for (uint64_t uid = range.first; uid <= range.last; uid++) {
            bool has;
            const RemotePlace at = {r->account->folder, r->box.uidvalidity, (uint32_t)uid};
            if (!remote_has(r->engine->db, r->account->name, &at, &has, error))
                return false;
            if (has)
                imap_set_add(&known, (uint32_t)uid, (uint32_t)uid);
        }
    }
    remove_all(set, &known);
    return true;
}

/* Mail that was listed and not given: deleted meanwhile, or kept back by a fault of the server.
 * Asking once more tells which. */
static bool
look_for_missing(Fetch *f, ImapSet *part, GError **error)
{
    g_auto(ImapSet) listed = {0};
    ImapQuery query = {.uids = part};
    remove_all(part, &f->came);
    imap_set_clear(&f->came);
    if (imap_set_is_empty(part))
        return true;
    if (!imap_search(f->r->conn, &query, &listed, error))
        return false;
    imap_set_keep(&listed, part);
    if (imap_set_is_empty(&listed))
        return true;
    g_autofree char *uids = imap_set_format(&listed);
    log_event(LOG_WARN, "the server lists mail that it does not give; asking again later",
              "account", f->r->account->name, "uids", uids, NULL);
    f->stays = true;
    return true;
}

static bool
fetch_part(Fetch *f, ImapSet *part, GError **error)
{
    const ImapTaker taker = {.begin = begin_body, .done = end_body, .user = f};
    ImapFetch what = {.uids = part, .part = IMAP_BODY};
    return leave_out_known(f, part, error) &&
           (imap_set_is_empty(part) ||
            (imap_fetch(f->r->conn, &what, &taker, error) && fetch_large(f, error) &&
             look_for_missing(f, part, error)));
}

static bool
fetch_set(Fetch *f, ImapSet *set, GError **error)
{
    while (!imap_set_is_empty(set)) {
        g_auto(ImapSet) part = imap_set_take(set, PART_MAILS, PART_RANGES);
        RemoteMark mark = f->mark;
        mark.next_uid = imap_set_last(&part) + 1;
        if (!fetch_part(f, &part, error) || !flush(f, f->stays ? NULL : &mark, error))
            return false;
    }
    return true;
}

/* What is put into a mailbox that intake has never opened would count as its past. */
static bool
wait_for_roles(const Remote *r, GError **error)
{
    const Config *config = r->engine->home->config;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        bool known = role->person;
        for (int tries = 0; !known; tries++) {
            struct pollfd stop = {.fd = r->stop_fd, .events = POLLIN};
            if (!mailbox_visited(r->engine->db, role->name, &known, error))
                return false;
            if (!known && tries == (r->options->once ? 0 : ROLE_TRIES))
                return err_set(error, ERR_LATER,
                               "nobody has opened the mailbox of role '%s' yet; does "
                               "'postrider serve' run?",
                               role->name);
            if (!known && poll(&stop, 1, ROLE_WAIT_MS) > 0)
                return err_set(error, ERR_CANCELLED, "asked to end");
        }
    }
    return true;
}

static void
say_what_came(const Fetch *f)
{
    g_autofree char *n = g_strdup_printf("%u", f->n);
    g_autofree char *nobodys = f->nobodys ? g_strdup_printf("%u", f->nobodys) : NULL;
    g_autofree char *old = f->old ? g_strdup_printf("%u", f->old) : NULL;
    if (f->n || f->nobodys || f->old)
        log_event(LOG_INFO, "fetched", "account", f->r->account->name, "mails", n,
                  "for-nobody-here", nobodys, "older-than-first-visit", old, NULL);
}

/* "N:*" also gives the last one below N. */
static bool
search(Remote *r, uint32_t first, uint32_t last, int64_t since_us, ImapSet *ret, GError **error)
{
    g_auto(ImapSet) from = {0};
    ImapQuery query = {.uids = &from, .since_us = since_us};
    imap_set_add(&from, first, last);
    if (!imap_search(r->conn, &query, ret, error))
        return false;
    imap_set_keep(ret, &from);
    return true;
}

/* Where the server has numbered its mail anew only what came since the first visit is worth a
 * look; its days are those of some time zone. */
static bool
fetch_anew(Fetch *f, GError **error)
{
    g_auto(ImapSet) found = {0};
    uint32_t first = f->mark.next_uid, end = f->mark.anew_uid;
    if (first >= end)
        return true;
    if (!search(f->r, first, end - 1, f->mark.first_us - DAY_US, &found, error) ||
        !fetch_set(f, &found, error))
        return false;
    f->mark.next_uid = end;
    return flush(f, f->stays ? NULL : &f->mark, error);
}

static bool
fetch_new(Fetch *f, GError **error)
{
    g_auto(ImapSet) found = {0};
    return search(f->r, f->mark.next_uid, UINT32_MAX, 0, &found, error) &&
           fetch_set(f, &found, error);
}

static bool
fetch_older(Fetch *f, int64_t since_us, GError **error)
{
    g_auto(ImapSet) found = {0};
    ImapQuery query = {.since_us = since_us};
    f->asked = true;
    return imap_search(f->r->conn, &query, &found, error) && fetch_set(f, &found, error);
}

bool
remote_fetch(Remote *r, int64_t since_us, GError **error)
{
    g_auto(Fetch) f = {.r = r, .fd = -1, .items = g_array_new(FALSE, TRUE, sizeof(Item))};
    g_array_set_clear_func(f.items, item_clear);
    f.room = find_room(&f);
    if (!wait_for_roles(r, error) || !remote_mark_load(r, &f.mark, error) ||
        !remote_body_open(&f.fd, error))
        return false;
    bool ok = fetch_anew(&f, error) && fetch_new(&f, error) &&
              (!since_us || fetch_older(&f, since_us, error));
    say_what_came(&f);
    remote_set_redo(r, !ok);
    return ok;
}
