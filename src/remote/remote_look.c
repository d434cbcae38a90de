/*
 * A person deletes the checkpoint of a parked job in some mail client, far away. What the
 * server shows is done to the file here, and the rules of engine/checkpoint/checkpoint.h act on that:
 *
 *   flagged \Deleted                      flagged deleted here too
 *   in the server's Trash, or Junk        moved there here too
 *   in another folder                     a person's doing; we follow it no longer
 *   in no folder, twice, 10 s apart       flagged deleted; but not when more than one is gone
 * at once, since then it is the folder that is gone
 */
#include "base/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "remote/remote_internal.h"

#define LOOK_APART_US (10 * USEC_PER_SEC)

/* What the server says about some mails of the watched folder. */
typedef struct Seen {
    ImapSet there, deleted;
} Seen;

static void
seen_clear(Seen *seen)
{
    imap_set_clear(&seen->there);
    imap_set_clear(&seen->deleted);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Seen, seen_clear)

static bool
note_seen(void *user, const ImapMail *mail, GError **error)
{
    Seen *seen = user;
    if (!mail)
        return true;
    imap_set_add(&seen->there, mail->uid, mail->uid);
    if (mail->flags & IMAP_DELETED)
        imap_set_add(&seen->deleted, mail->uid, mail->uid);
    return true;
}

static bool
ask(Remote *r, const RemoteRows *rows, Seen *ret, GError **error)
{
    const ImapTaker taker = {.done = note_seen, .user = ret};
    g_auto(ImapSet) uids = {0};
    ImapFetch what = {.uids = &uids, .part = IMAP_NO_BODY};
    LIST_EACH(const RemoteRow, row, rows)
        imap_set_add(&uids, row->uid, row->uid);
    return imap_fetch(r->conn, &what, &taker, error);
}

/* Where a mail may be that is not in the watched folder. Copies in Sent say nothing. */
typedef enum Place { NOWHERE, ELSEWHERE, IN_TRASH, IN_JUNK } Place;

static Place
place_of(const ImapFolder *folder)
{
    if (folder->use == IMAP_USE_TRASH)
        return IN_TRASH;
    return folder->use == IMAP_USE_JUNK ? IN_JUNK : ELSEWHERE;
}

static bool
find_place(Remote *r, const char *msgid, Place *ret, GError **error)
{
    const GPtrArray *folders;
    g_clear_pointer(&r->known, g_ptr_array_unref); /* a person may have made one */
    *ret = NOWHERE;
    if (!remote_folders(r, &folders, error))
        return false;
    LIST_EACH(const ImapFolder, folder, folders) {
        g_autoptr(GError) closed = NULL;
        uint32_t uid = 0;
        if (!folder->can_select || folder->use == IMAP_USE_SENT)
            continue;
        if (!remote_select(r, folder->name, false, &closed) ||
            !remote_find(r, msgid, &uid, NULL, &closed)) {
            if (!remote_goes_on(r, &closed, error))
                return false;
            continue; /* one that may not be opened hides nothing of ours */
        }
        if (uid && (*ret == NOWHERE || place_of(folder) != ELSEWHERE))
            *ret = place_of(folder);
    }
    return true;
}

static bool
forget(Remote *r, const RemoteRow *row, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = remote_forget(&txn, row->id, error);
    return txn.done;
}

/* Does here what was done there, and lets the rules act. folder NULL: the deleted flag. */
static bool
mirror(Remote *r, const RemoteRow *row, const char *folder, GError **error)
{
    const ConfRole *role = config_role(r->engine->home->config, row->role);
    Maildir *md = remote_mailbox(r, row->role, error);
    if (!md)
        return false;
    if (folder ? !maildir_move(md, row->file, folder, error)
               : !maildir_flag(md, row->file, "T", "", error))
        return false;
    log_event(LOG_INFO, "a person put a checkpoint mail away", "account", r->account->name,
              "message", row->msgid, "folder", folder ? folder : "deleted", NULL);
    return (!role || checkpoints_look(r->engine, role, md, error)) && forget(r, row, error);
}

/* When the second look is due for a mail that was missed once; 0: it was not. */
static int64_t
second_look(const Remote *r, const char *msgid)
{
    const int64_t *first = g_hash_table_lookup(r->gone, msgid);
    return first ? *first + LOOK_APART_US : 0;
}

static void
note_missed(Remote *r, const char *msgid, int64_t *again_us)
{
    int64_t *first = g_new(int64_t, 1);
    *first = clock_mono_us();
    g_hash_table_insert(r->gone, g_strdup(msgid), first);
    *again_us = MIN(*again_us, *first + LOOK_APART_US);
}

static bool
look_for(Remote *r, const RemoteRow *row, bool alone, int64_t *again_us, GError **error)
{
    Place place;
    int64_t second_us = second_look(r, row->msgid);
    if (second_us > clock_mono_us()) {
        *again_us = MIN(*again_us, second_us);
        return true;
    }
    if (!find_place(r, row->msgid, &place, error))
        return false;
    switch (place) {
    case IN_TRASH:
        return mirror(r, row, "Trash", error);
    case IN_JUNK:
        return mirror(r, row, "Junk", error);
    case ELSEWHERE:
        return forget(r, row, error);
    case NOWHERE:
        break;
    }
    if (!second_us) {
        note_missed(r, row->msgid, again_us);
        return true;
    }
    if (alone)
        return mirror(r, row, NULL, error);
    log_event(LOG_WARN,
              "several checkpoint mails are gone from the server at once; their jobs stay as "
              "they are: say STOP or CONTINUE to each",
              "account", r->account->name, "message", row->msgid, NULL);
    return forget(r, row, error);
}

static bool
judge_rows(
    Remote *r, const RemoteRows *rows, const Seen *seen, int64_t *again_us, GError **error)
{
    unsigned n_gone = 0;
    for (guint i = 0; i < rows->len; i++)
        n_gone += !imap_set_has(&seen->there, ((RemoteRow *)g_ptr_array_index(rows, i))->uid);
    LIST_EACH(const RemoteRow, row, rows) {
        if (!imap_set_has(&seen->there, row->uid)) {
            if (!look_for(r, row, n_gone == 1, again_us, error))
                return false;
            continue;
        }
        g_hash_table_remove(r->gone, row->msgid);
        if (imap_set_has(&seen->deleted, row->uid) && !mirror(r, row, NULL, error))
            return false;
    }
    return true;
}

bool
remote_look(Remote *r, int64_t *ret_again_us, GError **error)
{
    g_autoptr(RemoteRows) rows = NULL;
    g_auto(Seen) seen = {0};
    *ret_again_us = USEC_NEVER;
    if (!remote_parked(r->engine->db, r->account->name, &rows, error))
        return false;
    if (rows->len == 0)
        return true;
    if (!remote_select_path(r, r->account->folder, false, error))
        return false;
    for (guint i = rows->len; i > 0; i--) {
        const RemoteRow *row = g_ptr_array_index(rows, i - 1);
        if (!g_str_equal(row->folder, r->account->folder) ||
            row->uidvalidity != r->box.uidvalidity)
            g_ptr_array_remove_index(LIST_ARRAY(rows), i - 1); /* proves nothing */
    }
    return rows->len == 0 ||
           (ask(r, rows, &seen, error) && judge_rows(r, rows, &seen, ret_again_us, error));
}
