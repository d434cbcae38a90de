/*
 * What is owed to the server. Every debt can be paid twice without harm:
 *
 *   move    not in its old folder any more: we look in the new one, and on the way from the
 *           account's folder to Done also in Active. There: it was us, before we died. Not there:
 *           a person has it, and we follow it no longer.
 *   flags   set once more they are the same; where the mail is not, nobody needs them.
 *   file    what may have been filed by one who died is looked for by its Message-ID first.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/out/attempt.h"
#include "remote/remote_internal.h"
#include "store/out/outbox.h"

#define BATCH 100

/* --- moves --- */

static const char *
path_of(const Remote *r, const char *wants)
{
    if (!*wants)
        return r->account->folder;
    return g_str_equal(wants, "Active") ? r->active : r->done;
}

static bool
note_moved(Remote *r, const RemoteRow *row, const char *path, ImapUid at, GError **error)
{
    const RemotePlace there = {path, at.uidvalidity, at.uid};
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    CRASH_POINT("remote-moved");
    while (txn_again(&txn, error))
        txn.ok = (at.uid ? remote_moved(&txn, row->id, &there, row->wants, error)
                         : remote_forget(&txn, row->id, error));
    return txn.done;
}

/* Where it lies in a folder; 0: not there. */
static bool
find_in(Remote *r, const char *name, const char *msgid, ImapUid *ret, GError **error)
{
    *ret = (ImapUid){0};
    if (!remote_select(r, name, false, error) || !remote_find(r, msgid, &ret->uid, NULL, error))
        return false;
    ret->uidvalidity = r->box.uidvalidity;
    return true;
}

static bool
move_to(Remote *r, uint32_t uid, const char *name, ImapUid *ret, GError **error)
{
    bool missing = false;
    if (imap_move(r->conn, uid, name, ret, &missing, error))
        return true;
    if (!missing)
        return false;
    g_clear_error(error);
    return imap_create(r->conn, name, error) && imap_move(r->conn, uid, name, ret, NULL, error);
}

/* Out of its old folder; *ret is 0 when it is not there, or the folder is not. */
static bool
move_from(Remote *r,
          const RemoteRow *row,
          const char *from,
          const char *to,
          ImapUid *ret,
          GError **error)
{
    g_autoptr(GError) closed = NULL;
    ImapUid at = {row->uidvalidity, row->uid};
    if (!remote_select(r, from, true, &closed))
        return remote_goes_on(r, &closed, error);
    if (r->box.uidvalidity != at.uidvalidity && !find_in(r, from, row->msgid, &at, error))
        return false;
    return at.uid == 0 || move_to(r, at.uid, to, ret, error);
}

/* A copy that was made before the connection broke: what it was made of goes, too. */
static bool
remove_old(Remote *r, const RemoteRow *row, const char *from, GError **error)
{
    g_auto(ImapSet) old = {0};
    imap_set_add(&old, row->uid, row->uid);
    return remote_select(r, from, true, error) &&
           (r->box.uidvalidity != row->uidvalidity || imap_remove(r->conn, &old, error));
}

static bool
is_known(Remote *r, const char *name, bool *ret, GError **error)
{
    const GPtrArray *folders;
    if (!remote_folders(r, &folders, error))
        return false;
    *ret = false;
    for (guint i = 0; i < folders->len && !*ret; i++)
        *ret = g_str_equal(((const ImapFolder *)folders->pdata[i])->name, name);
    return true;
}

/* On its way to Done a mail may wait in Active. Whoever died between the move there and its note left it in
 * Active, and by now it may be wanted in Done. There is no such way back: a mail that lies in Done while it is
 * wanted elsewhere was put there by a person. */
static bool
move_halfway(Remote *r, const RemoteRow *row, const char *to, ImapUid *ret, GError **error)
{
    g_autofree char *name = NULL;
    ImapUid at = {0};
    bool there;
    if (!g_str_equal(row->wants, "Done") || !g_str_equal(row->folder, r->account->folder))
        return true;
    if (!remote_name(r, r->active, &name, error) || !is_known(r, name, &there, error) ||
        (there && !find_in(r, name, row->msgid, &at, error)))
        return false;
    if (at.uid == 0)
        return true;
    return remote_select(r, name, true, error) && move_to(r, at.uid, to, ret, error) &&
           (ret->uid || find_in(r, to, row->msgid, ret, error));
}

static bool
pay_move(Remote *r, const RemoteRow *row, GError **error)
{
    const char *path = path_of(r, row->wants);
    g_autofree char *from = NULL, *to = NULL;
    ImapUid now = {row->uidvalidity, row->uid};
    if (g_str_equal(path, row->folder))
        return note_moved(r, row, path, now, error);
    if (!remote_name(r, row->folder, &from, error) || !remote_name(r, path, &to, error))
        return false;
    now = (ImapUid){0};
    /* Without MOVE it may be in both. */
    if ((!imap_can(r->conn, "MOVE") && !find_in(r, to, row->msgid, &now, error)) ||
        (now.uid && !remove_old(r, row, from, error)) ||
        (now.uid == 0 && !move_from(r, row, from, to, &now, error)) ||
        (now.uid == 0 && !find_in(r, to, row->msgid, &now, error)) ||
        (now.uid == 0 && !move_halfway(r, row, to, &now, error)))
        return false;
    return note_moved(r, row, path, now, error);
}

/* --- flags --- */

static bool
set_flags(Remote *r, const RemoteRow *row, GError **error)
{
    g_auto(ImapSet) uid = {0};
    unsigned flags = (strchr(row->marks, 'S') ? IMAP_SEEN : 0) |
                     (strchr(row->marks, 'R') ? IMAP_ANSWERED : 0);
    if (!remote_select_path(r, row->folder, true, error))
        return false;
    if (r->box.uidvalidity != row->uidvalidity)
        return true;
    imap_set_add(&uid, row->uid, row->uid);
    return imap_flag(r->conn, &uid, true, flags, NULL, error);
}

/* A mail that is not there any more is a person's: it needs no flags of ours. A server that
 * keeps none is no reason to stop. */
static bool
pay_marks(Remote *r, const RemoteRow *row, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    g_autoptr(GError) refused = NULL;
    if (!set_flags(r, row, &refused)) {
        if (!remote_goes_on(r, &refused, error))
            return false;
        log_event(LOG_WARN, "the server does not flag a mail", "account", r->account->name,
                  "message", row->msgid, "why", refused->message, NULL);
    }
    CRASH_POINT("remote-flagged");
    while (txn_again(&txn, error))
        txn.ok = remote_marked(&txn, row->id, row->marks, error);
    return txn.done;
}

/* --- all debts of one kind --- */

typedef bool
ListOwed(Db *db, const char *account, unsigned max, RemoteRows **ret_rows, GError **error);

static bool
pay_all(Remote *r,
        ListOwed *list,
        bool (*pay)(Remote *r, const RemoteRow *row, GError **error),
        const char *what,
        GError **error)
{
    for (;;) {
        g_autoptr(RemoteRows) rows = NULL;
        if (!list(r->engine->db, r->account->name, BATCH, &rows, error))
            return false;
        if (rows->len == 0)
            return true;
        LIST_EACH(const RemoteRow, row, rows)
            if (!pay(r, row, error))
                return err_prefix(error, "%s a mail on the server", what);
    }
}

/* --- mail to be filed --- */

/* The folder that the server says is for sent mail; else one of that name. */
bool
remote_find_sent(Remote *r, GError **error)
{
    const GPtrArray *folders;
    if (r->sent)
        return true;
    if (!remote_folders(r, &folders, error))
        return false;
    for (guint i = 0; i < folders->len && !r->sent; i++) {
        const ImapFolder *folder = g_ptr_array_index(folders, i);
        if (folder->use == IMAP_USE_SENT && folder->can_select)
            r->sent = g_strdup(folder->name);
    }
    return r->sent || remote_name(r, "Sent", &r->sent, error);
}

static bool
append(Remote *r, const OutRow *row, const char *name, ImapUid *ret, GError **error)
{
    ImapNew in = {.folder = name,
                  .mail = row->bytes,
                  .flags = row->flags && strchr(row->flags, 'S') ? IMAP_SEEN : 0,
                  .received_us = row->created_us};
    bool missing = false;
    if (imap_append(r->conn, &in, ret, &missing, error))
        return true;
    if (!missing)
        return false;
    g_clear_error(error);
    return imap_create(r->conn, name, error) && imap_append(r->conn, &in, ret, NULL, error);
}

/* A checkpoint is followed on the server; its file is the one that was delivered here. */
static bool
put_row(Remote *r, Txn *txn, const OutRow *row, ImapUid at, GError **error)
{
    const ConfRole *role = config_role_at(r->engine->home->config, row->address);
    g_autoptr(OutRow) local = NULL;
    if (!role || !at.uid)
        return true; /* it is recognised when it is fetched */
    if (!outbox_find_local(r->engine->db, row->id, role->name, &local, error))
        return false;
    if (!local)
        return true;
    g_autofree char *file = out_row_file(local);
    RemoteNew in = {.account = r->account->name,
                    .folder = r->account->folder,
                    .role = role->name,
                    .file = file,
                    .msgid = row->msgid,
                    .uidvalidity = at.uidvalidity,
                    .uid = at.uid};
    return remote_put(txn, &in, error);
}

static bool
note_filed(Remote *r, const OutRow *row, ImapUid at, GError **error)
{
    bool inbox = g_str_equal(row->folder, "INBOX");
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    CRASH_POINT("remote-appended");
    while (txn_again(&txn, error))
        txn.ok = outbox_sent(&txn, row->delivery, NULL, error) &&
                 (!inbox || put_row(r, &txn, row, at, error));
    return txn.done;
}

/* A server that refuses this mail is asked again later, as it is with any delivery. */
static bool
note_refused(Remote *r, const OutRow *row, const char *why, GError **error)
{
    bool given_up;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    log_event(LOG_WARN, "the server does not take a mail", "account", r->account->name,
              "message", row->msgid, "why", why, NULL);
    while (txn_again(&txn, error))
        txn.ok = attempt_failed(&txn, row, !row->bytes, why, &given_up, error);
    return txn.done;
}

static bool
file_one(Remote *r, const OutRow *row, GError **error)
{
    g_autofree char *name = NULL;
    g_autoptr(GError) why = NULL;
    ImapUid at = {0};
    if (!row->bytes)
        return note_refused(r, row, "its text is gone from the store", error);
    if (g_str_equal(row->folder, "Sent") ? !remote_find_sent(r, error)
                                         : !remote_name(r, r->account->folder, &name, error))
        return false;
    const char *to = name ? name : r->sent;
    if ((r->in_doubt || row->attempts > 0) && !find_in(r, to, row->msgid, &at, &why) &&
        !remote_goes_on(r, &why, error))
        return false;
    g_clear_error(&why); /* no such folder: then it is not in it */
    if (at.uid == 0 && !append(r, row, to, &at, &why))
        return remote_goes_on(r, &why, error) && note_refused(r, row, why->message, error);
    return note_filed(r, row, at, error);
}

static bool
file_due(Remote *r, GError **error)
{
    for (;;) {
        g_autoptr(OutRows) rows = NULL;
        if (!outbox_due_files(r->engine->db, r->account->name, BATCH, &rows, error))
            return false;
        if (rows->len == 0)
            break;
        for (guint i = 0; i < rows->len; i++) {
            if (!file_one(r, g_ptr_array_index(rows, i), error))
                return err_prefix(error, "filing a mail on the server");
        }
    }
    r->in_doubt = false;
    return true;
}

bool
remote_settle(Remote *r, GError **error)
{
    /* Flags go where the mail lies, so moves come first. */
    return pay_all(r, remote_owed, pay_move, "moving", error) &&
           pay_all(r, remote_owed_marks, pay_marks, "flagging", error) && file_due(r, error) &&
           remote_probe(r, error);
}
