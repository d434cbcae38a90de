/*
 * The mark of the watched folder: mail below it is not looked at.
 *
 *   first visit            the mark is where the folder ends: what lies there is not work
 *   first visit of a       The mailbox was worked before, by an earlier store or another home. What
 *   store                  came since then is fetched, and is history (past_uid): listed, and work
 *                          only when a person releases it
 *   numbered anew          UIDs mean nothing any more. Mail below the new end is compared with
 *                          what is known here, by Message-ID and digest; what is not known and
 *                          came after the first visit is new. It stays so until the mark has
 *                          passed that end, whoever dies on the way.
 *
 * When a mail came is what both the server and the mail itself say: one who moves a mailbox may
 * give all its mail the day of the move, and then nothing old may become work.
 */
#include "base/crash.h"
#include "base/log.h"
#include "remote/remote_internal.h"
#include "store/mail/messages.h"

#define FIND_MAX 2000u

static bool
set_mark(Remote *r, const RemoteMark *mark, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = remote_mark_set(&txn, r->account->name, r->account->folder, mark, error);
    return txn.done;
}

/* A server that comes back to a UIDVALIDITY which it had once may mean other mail by it. */
static bool
forget_all(Remote *r, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = remote_forget_all(&txn, r->account->name, r->account->folder,
                                   r->box.uidvalidity, error);
    return txn.done;
}

/* What comes next gets this UID or a higher one. */
static bool
end_of_folder(Remote *r, uint32_t *ret, GError **error)
{
    g_auto(ImapSet) all = {0}, found = {0};
    ImapQuery query = {.uids = &all};
    *ret = r->box.uidnext;
    if (*ret)
        return true;
    imap_set_add(&all, 1, UINT32_MAX);
    if (!imap_search(r->conn, &query, &found, error))
        return false;
    *ret = imap_set_last(&found) + 1;
    return true;
}

/* Mail of jobs that live is found again by its Message-ID. */
static bool
follow_strays(Remote *r, GError **error)
{
    g_autoptr(RemoteRows) rows = NULL;
    if (!remote_strays(r->engine->db, r->account->name, r->box.uidvalidity, &rows, error))
        return false;
    for (guint i = 0; i < rows->len && i < FIND_MAX; i++) {
        const RemoteRow *row = g_ptr_array_index(rows, i);
        uint32_t uid;
        bool only;
        g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
        if (!remote_find(r, row->msgid, &uid, &only, error))
            return false;
        const RemotePlace there = {row->folder, r->box.uidvalidity, uid};
        while (txn_again(&txn, error))
            txn.ok = (only ? remote_moved(&txn, row->id, &there, NULL, error)
                           : remote_forget(&txn, row->id, error));
        if (!txn.done)
            return false;
    }
    return true;
}

static bool
first_visit(Remote *r, RemoteMark *mark, GError **error)
{
    g_autofree char *n = g_strdup_printf("%u", r->box.exists);
    unsigned validity = 0, uid = 0;
    *mark =
        (RemoteMark){.uidvalidity = r->box.uidvalidity, .first_us = home_now(r->engine->home)};
    if (!end_of_folder(r, &mark->next_uid, error))
        return false;
    if (r->first && sscanf(r->first, "%u %u", &validity, &uid) == 2 &&
        validity == r->box.uidvalidity && uid > 0 && uid < mark->next_uid) {
        mark->past_uid = mark->next_uid;
        mark->next_uid = uid;
    }
    if (!set_mark(r, mark, error))
        return false;
    CRASH_POINT("remote-marked");
    log_event(LOG_INFO,
              "first visit: mail that lies there is not work; 'account --since' asks for more",
              "account", r->account->name, "folder", r->account->folder, "mails", n, NULL);
    return true;
}

static bool
begin_anew(Remote *r, RemoteMark *mark, GError **error)
{
    mark->uidvalidity = r->box.uidvalidity;
    mark->next_uid = 1;
    mark->past_uid = 0;
    if (!end_of_folder(r, &mark->anew_uid, error) || !forget_all(r, error) ||
        !follow_strays(r, error) || !set_mark(r, mark, error))
        return false;
    CRASH_POINT("remote-marked");
    log_event(LOG_WARN,
              "the server has numbered its mail anew: what is known here, or is older than the "
              "first visit, is not work",
              "account", r->account->name, "folder", r->account->folder, NULL);
    return true;
}

/* A store from before that was written down knows no better than now. */
bool
remote_mark_load(Remote *r, RemoteMark *ret, GError **error)
{
    if (!remote_mark_get(r->engine->db, r->account->name, r->account->folder, ret, error))
        return false;
    if (ret->uidvalidity == 0)
        return first_visit(r, ret, error);
    bool unknown = ret->first_us == 0;
    if (unknown)
        ret->first_us = home_now(r->engine->home);
    if (ret->uidvalidity != r->box.uidvalidity)
        return begin_anew(r, ret, error);
    return !unknown || set_mark(r, ret, error);
}
