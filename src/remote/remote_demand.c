/*
 * Mail that somebody here asks for by its Message-ID. It is looked for in the folder that they
 * think of, in the watched one, in Done, then everywhere but in the bin; and only mail that
 * would be theirs by its addresses is theirs.
 *
 *   found --file in Archive, flushed--> message (history, handled), demand met: one transaction
 *
 * Who dies between the two leaves a file that the next one finds by its name. Mail that comes
 * in by itself (not below the mark, or fetched and not taken in yet) is left to intake: stored
 * as history it would never be work.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/run/demand.h"
#include "remote/remote_internal.h"
#include "store/mail/demands.h"

#define MANY 100
#define PLACE "Archive"

/* One demand, while it is looked for. */
typedef struct Hunt {
    Remote *r;
    const Demand *want;
    bool found;
    bool coming; /* it lies where mail comes in by itself */
} Hunt;

/* Of the selected folder: does this mail come in by itself? */
static bool
is_coming(Hunt *h, bool watched, uint32_t uid, GError **error)
{
    Remote *r = h->r;
    const RemotePlace at = {r->account->folder, r->box.uidvalidity, uid};
    RemoteMark mark;
    bool has;
    if (!watched)
        return true;
    if (!remote_mark_get(r->engine->db, r->account->name, r->account->folder, &mark, error) ||
        !remote_has(r->engine->db, r->account->name, &at, &has, error))
        return false;
    h->coming |= has || uid >= mark.next_uid || r->box.uidvalidity != mark.uidvalidity;
    return true;
}

static bool
is_theirs(const Remote *r, const Demand *want, const Message *m)
{
    g_autoptr(GPtrArray) roles = remote_route(r, m);
    for (guint i = 0; i < roles->len; i++) {
        if (g_str_equal(((const ConfRole *)g_ptr_array_index(roles, i))->name, want->role))
            return g_str_equal(m->id, want->msgid); /* servers search loosely */
    }
    return false;
}

static bool
keep(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error)
{
    Hunt *h = user;
    Remote *r = h->r;
    const ConfRole *role = config_role(r->engine->home->config, h->want->role);
    g_autofree char *base = remote_file_name(r, "", mail);
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    if (!role || (mail->flags & IMAP_DELETED) || !is_theirs(r, h->want, m))
        return true;
    h->found = true;
    if (!remote_file(r, role, PLACE, base, lines, error))
        return false;
    CRASH_POINT("remote-kept");
    while (txn_again(&txn, error))
        txn.ok = demand_store(r->engine, &txn, r->account, role, PLACE, base, m, MSG_HANDLED,
                              "history: fetched since somebody asked for it", error) &&
                 demand_met(&txn, r->account->name, h->want, error);
    return txn.done;
}

/* In one folder, by its name there. One that may not be opened has nothing for us. */
static bool
look_in(Hunt *h, const char *name, const char *watched, GError **error)
{
    Remote *r = h->r;
    g_autoptr(GError) closed = NULL;
    g_auto(ImapSet) one = {0};
    uint32_t uid = 0;
    if (!remote_select(r, name, false, &closed) ||
        !remote_find(r, h->want->msgid, &uid, NULL, &closed))
        return remote_goes_on(r, &closed, error);
    if (uid == 0)
        return true;
    imap_set_add(&one, uid, uid);
    return is_coming(h, g_str_equal(name, watched), uid, error) &&
           (h->coming || remote_read(r, &one, IMAP_BODY, keep, h, error));
}

/* --- where --- */

/* What we call "Done" lies below our prefix there. */
static bool
add_path(Remote *r, const char *folder, GPtrArray *names, GError **error)
{
    const char *path = folder;
    g_autofree char *name = NULL;
    if (g_ascii_strcasecmp(folder, "INBOX") == 0)
        path = r->account->folder;
    else if (g_str_equal(folder, "Done") || g_str_equal(folder, "Active"))
        path = *folder == 'D' ? r->done : r->active;
    else if (g_str_equal(folder, "Sent"))
        path = NULL;
    if (!path && !remote_find_sent(r, error))
        return false;
    if (path && !remote_name(r, path, &name, NULL))
        return true; /* a name that this server can't have */
    const char *add = path ? name : r->sent;
    if (!g_ptr_array_find_with_equal_func(names, add, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(add));
    return true;
}

static bool
is_bin(const ImapFolder *folder)
{
    return folder->use == IMAP_USE_TRASH || folder->use == IMAP_USE_JUNK ||
           folder->use == IMAP_USE_DRAFTS;
}

static GPtrArray *
places(Remote *r, const char *hint, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *home = NULL;
    const GPtrArray *folders;
    if ((*hint && !add_path(r, hint, names, error)) || !add_path(r, "INBOX", names, error) ||
        !add_path(r, "Done", names, error) || !remote_name(r, r->home, &home, error) ||
        !remote_folders(r, &folders, error))
        return NULL;
    LIST_EACH(const ImapFolder, folder, folders)
        if (folder->can_select && !is_bin(folder) && !g_str_equal(folder->name, home) &&
            !g_ptr_array_find_with_equal_func(names, folder->name, g_str_equal, NULL))
            g_ptr_array_add(names, g_strdup(folder->name));
    return g_steal_pointer(&names);
}

static bool
give_up(const Hunt *h, GError **error)
{
    const char *account = h->r->account->name;
    g_auto(Txn) txn = {.db = h->r->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = (h->coming ? demand_met(&txn, account, h->want, error)
                            : demand_absent(&txn, account, h->want, error));
    return txn.done;
}

static bool
hunt(Hunt *h, GError **error)
{
    Remote *r = h->r;
    g_autoptr(GPtrArray) names = places(r, h->want->folder, error);
    g_autofree char *watched = NULL;
    if (!names || !remote_name(r, r->account->folder, &watched, error))
        return false;
    for (guint i = 0; i < names->len && !h->found && !h->coming; i++) {
        if (!look_in(h, g_ptr_array_index(names, i), watched, error))
            return false;
    }
    log_event(LOG_INFO,
              h->found ? "fetched a mail that was asked for" : "a mail is not to be had",
              "account", r->account->name, "message", h->want->msgid, NULL);
    return h->found || give_up(h, error);
}

bool
remote_demands(Remote *r, GError **error)
{
    g_autoptr(GPtrArray) wanted = NULL;
    if (!demands_open(r->engine->db, r->account->name, MANY, &wanted, error))
        return false;
    LIST_EACH(const Demand, want, wanted) {
        Hunt h = {.r = r, .want = want};
        if (!hunt(&h, error))
            return err_prefix(error, "looking for a mail on the server");
    }
    return true;
}
