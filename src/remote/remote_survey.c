/*
 * After a take-over. What the home before us did with the mailbox does not stand in our store, so the
 * server is asked:
 *
 *   a live job whose mail does not lie in the watched folder any more   stops until CONTINUE
 *   mail in Active that this store does not know                        history: ignored, listed
 *                                                                       by `status`, released by
 *                                                                       a person
 *
 * Until that is done nothing of the account runs or leaves. Doing it twice changes nothing.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/run/demand.h"
#include "remote/remote_internal.h"
#include "store/job/jobs.h"
#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"

#define ACTIVE "Active"

/* --- what we had in hand --- */

static bool
note_there(void *user, const ImapMail *mail, GError **error)
{
    if (mail && !(mail->flags & IMAP_DELETED))
        imap_set_add(user, mail->uid, mail->uid);
    return true;
}

/* Of the selected folder. */
bool
remote_find_there(Remote *r, const RemoteRows *rows, ImapSet *ret, GError **error)
{
    const ImapTaker taker = {.done = note_there, .user = ret};
    g_auto(ImapSet) uids = {0};
    ImapFetch what = {.uids = &uids, .part = IMAP_NO_BODY};
    LIST_EACH(const RemoteRow, row, rows)
        imap_set_add(&uids, row->uid, row->uid);
    return imap_set_is_empty(&uids) || imap_fetch(r->conn, &what, &taker, error);
}

static bool
stop_job(Remote *r, JobId job, GError **error)
{
    bool changed = false;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = job_stop(
            &txn, job,
            "another home had the mailbox meanwhile, and may have answered: CONTINUE goes on",
            &changed, error);
    if (!txn.done)
        return false;
    if (changed)
        log_say(LOG_WARN, "job %" G_GINT64_FORMAT " stops: another home had its mailbox",
                job.v);
    return true;
}

/* Does it still lie in the watched folder? A store that lost its rows asks by Message-ID. */
static bool
is_there(Remote *r, const RemoteRow *row, const ImapSet *there, bool *ret, GError **error)
{
    uint32_t uid = 0;
    if (!row->folder && !remote_find(r, row->msgid, &uid, NULL, error))
        return false;
    *ret = row->folder
               ? g_str_equal(row->folder, r->account->folder) &&
                     row->uidvalidity == r->box.uidvalidity && imap_set_has(there, row->uid)
               : uid != 0;
    return true;
}

static bool
survey_jobs(Remote *r, const ConfRole *role, GError **error)
{
    g_autoptr(RemoteRows) rows = NULL;
    g_auto(ImapSet) there = {0};
    if (!remote_open(r->engine->db, r->account->name, role->name, &rows, error) ||
        !remote_select_path(r, r->account->folder, false, error) ||
        !remote_find_there(r, rows, &there, error))
        return false;
    LIST_EACH(const RemoteRow, row, rows) {
        bool lies = false;
        if (!is_there(r, row, &there, &lies, error) || (!lies && !stop_job(r, row->job, error)))
            return false;
    }
    return true;
}

/* --- what the other one had --- */

typedef struct Survey {
    Remote *r;
    bool files_alone;
    unsigned n;
} Survey;

static bool
store(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error)
{
    Survey *s = user;
    Remote *r = s->r;
    g_autoptr(GPtrArray) roles = remote_route(r, m);
    const ConfRole *role = roles->len ? g_ptr_array_index(roles, 0) : NULL;
    g_autoptr(MsgRow) known = NULL;
    g_autofree char *base = remote_file_name(r, ACTIVE, mail);
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};

    if (!role || (mail->flags & IMAP_DELETED))
        return true;
    if (!messages_find(r->engine->db, &VIEWER_OPERATOR, m->id, &known, error))
        return false;
    if (known)
        return true;
    if (!remote_file(r, role, ACTIVE, base, lines, error))
        return false;
    CRASH_POINT("survey-filed");
    s->n++;
    const RemoteNew row = {.account = r->account->name,
                           .folder = r->active,
                           .role = role->name,
                           .file = base,
                           .msgid = m->id,
                           .uidvalidity = r->box.uidvalidity,
                           .uid = mail->uid};
    while (txn_again(&txn, error))
        txn.ok =
            (s->files_alone ||
             demand_store(r->engine, &txn, r->account, role, ACTIVE, base, m, MSG_IGNORED,
                          "history: was in hand of the home that had the mailbox", error)) &&
            remote_put(&txn, &row, error);
    return txn.done;
}

bool
remote_survey_active(Remote *r, bool files_alone, unsigned *ret_n, GError **error)
{
    Survey s = {.r = r, .files_alone = files_alone};
    if (!remote_select_path(r, r->active, false, error) ||
        !remote_read(r, NULL, IMAP_BODY, store, &s, error))
        return false;
    *ret_n = s.n;
    return true;
}

bool
remote_survey(Remote *r, GError **error)
{
    bool owed = false;
    unsigned n;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    if (!mailbox_survey_owed(r->engine->db, r->account->name, &owed, error))
        return false;
    if (!owed)
        return true;
    if (!remote_each_role(r, survey_jobs, error) || !remote_survey_active(r, false, &n, error))
        return err_prefix(error, "looking at what the other home had in hand");
    if (n)
        log_say(LOG_WARN,
                "%u mails were in hand of the home that had the mailbox; see: postrider "
                "status",
                n);
    CRASH_POINT("survey-done");
    while (txn_again(&txn, error))
        txn.ok = mailbox_set_survey(&txn, r->account->name, false, error);
    return txn.done;
}
