#include "engine/checkpoint/refetch.h"
#include "engine/mode.h"
#include "engine/run/demand.h"
#include "mail/message.h"
#include "store/job/step_rows.h"
#include "store/mail/messages.h"

#define JOBS_MAX 10000

static Message *
read_if(const RoleMailbox *r, const MaildirEntry *e, const char *msgid)
{
    size_t max = r->engine->home->config->max_message;
    g_autoptr(GBytes) bytes = NULL;
    if (!maildir_read(r->md, e, max, &bytes, NULL) || !bytes)
        return NULL;
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    if (!memmem(data, len, msgid, strlen(msgid)))
        return NULL; /* most mail is another, and needs no parsing */
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
    return g_strcmp0(m->id, msgid) == 0 ? g_steal_pointer(&m) : NULL;
}

static bool
store(const RoleMailbox *r, const MaildirEntry *e, const Message *m, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            demand_store(r->engine, &txn, r->account, r->role, e->folder, e->base, m,
                         MSG_HANDLED, "history: a job that came back has gathered it", error);
    return txn.done;
}

/* A mail that is not here may be on the server: the account's process looks for it, and the
 * job's run waits. */
static bool
ask_server(const RoleMailbox *r, const char *msgid, const char *folder, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_LAZY};
    while (txn_again(&txn, error))
        txn.ok = demand_later(r->engine, &txn, r->role->name, msgid, folder, error);
    return txn.done;
}

static bool
look_in(const RoleMailbox *r,
        const char *folder,
        const char *msgid,
        bool *ret_found,
        GError **error)
{
    g_autoptr(GPtrArray) entries = NULL;
    *ret_found = false;
    if (!maildir_scan(r->md, folder, false, &entries, NULL, error))
        return false;
    for (guint i = 0; i < entries->len && !*ret_found; i++) {
        const MaildirEntry *e = g_ptr_array_index(entries, i);
        g_autoptr(Message) m = read_if(r, e, msgid);
        if (m && !store(r, e, m, error))
            return false;
        *ret_found = m != NULL;
    }
    return true;
}

static bool
look_everywhere(
    const RoleMailbox *r, const char *hint, const char *msgid, bool *ret_found, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;
    if (!look_in(r, hint, msgid, ret_found, error) || !maildir_folders(r->md, &folders, error))
        return false;
    for (guint i = 0; i < folders->len && !*ret_found; i++) {
        const char *folder = g_ptr_array_index(folders, i);
        if (!g_str_equal(folder, hint) && !look_in(r, folder, msgid, ret_found, error))
            return false;
    }
    return true;
}

static bool
fetch_one(const RoleMailbox *r, const ModeMail *mail, GError **error)
{
    const Viewer viewer = {.role = r->role->name};
    const char *msgid = mail->msgid, *folder = mail->folder;
    g_autoptr(MsgRow) row = NULL;
    bool found = false;
    if (!messages_find(r->engine->db, &viewer, msgid, &row, error))
        return false;
    if (g_ascii_strcasecmp(folder, "INBOX") == 0 || strchr(folder, '/'))
        folder = "";
    return row || (look_everywhere(r, folder, msgid, &found, error) &&
                   (found || ask_server(r, msgid, folder, error)));
}

static bool
fetch_of_job(const RoleMailbox *r, JobId job, GError **error)
{
    g_autoptr(Step) last = NULL;
    g_auto(ModeSummary) summary = {0};
    if (!step_last(r->engine->db, job, &last, error))
        return false;
    mode_summary(engine_mode(r->engine, r->role), last ? last->state : NULL, &summary);
    LIST_EACH(const ModeMail, mail, summary.mails)
        if (!fetch_one(r, mail, error))
            return false;
    return true;
}

bool
refetch_gathered(const RoleMailbox *box, GError **error)
{
    const JobQuery q = {.role = box->role->name, .state = "parked", .limit = JOBS_MAX};
    g_autoptr(Jobs) jobs = NULL;
    if (!jobs_list(box->engine->db, &VIEWER_OPERATOR, &q, &jobs, error))
        return false;
    LIST_EACH(const Job, job, jobs)
        if (!fetch_of_job(box, job->id, error))
            return false;
    return true;
}
