/*
 * After `doctor --accept-backup`: the store is older than the mail, and maybe the Maildirs here are
 * too. What happened on the server since is brought here as files, and then the files speak, as they
 * do for roles without a server (engine/checkpoint/catch_up.h):
 *
 *   in Sent there, ours, not in Sent here       a file in Sent: an answer, an order, a checkpoint's copy
 *   in Done there, open here                    its file goes to Done
 *   in Active there, not known here             a file in Active
 *   in the watched folder there                 is fetched, as always
 *
 * Behind that, mail of a live job that has left the watched folder since the backup, and that nothing
 * speaks of, was in hand: the job stops, and a person says CONTINUE or CANCEL.
 *
 * Until all that is done nothing of the account runs or leaves. Doing it twice changes nothing.
 */
#include "base/crash.h"
#include "base/log.h"
#include "engine/out/namesake.h"
#include "engine/out/outward.h"
#include "remote/remote_internal.h"
#include "store/job/jobs.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox.h"
#include "store/viewer.h"

/* --- Sent --- */

typedef struct Mirror {
    Remote *r;
    GHashTable *here; /* ids of the mail in Sent here */
    ImapSet wanted;
    unsigned n;
} Mirror;

static void
mirror_clear(Mirror *m)
{
    g_clear_pointer(&m->here, g_hash_table_unref);
    imap_set_clear(&m->wanted);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mirror, mirror_clear)

static bool
is_of(const Remote *r, const ConfRole *role)
{
    return !role->person && config_account_of(r->engine->home->config, role) == r->account;
}

/* Whose Sent folder a mail belongs into: its writer's, else that of the first role of the account.
 * NULL: the account has no role. */
static const ConfRole *
writer_of(const Remote *r, const Message *m)
{
    const Config *config = r->engine->home->config;
    const ConfRole *first = NULL;
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        if (!is_of(r, role))
            continue;
        if (m->from && outward_means(config, role, m->from->spec))
            return role;
        first = first ? first : role;
    }
    return first;
}

static bool
note_here(void *user, const MaildirEntry *e, GBytes *bytes, GError **error)
{
    g_autoptr(Message) mail = message_parse_bytes(bytes, MESSAGE_HEADERS);
    g_hash_table_add(((Mirror *)user)->here, g_steal_pointer(&mail->id));
    return true;
}

static bool
list_here(Mirror *m, const ConfRole *role, GError **error)
{
    Maildir *md = remote_mailbox(m->r, role->name, error);
    return md && maildir_each(md, "Sent", m->r->engine->home->config->max_message, note_here, m,
                              error);
}

/* What the store knows to have left says nothing new. */
static bool
note_wanted(void *user, const ImapMail *at, GBytes *lines, const Message *mail, GError **error)
{
    Mirror *m = user;
    g_autoptr(OutRow) row = NULL;
    Minted minted;
    bool sure;
    if ((at->flags & IMAP_DELETED) || g_hash_table_contains(m->here, mail->id) ||
        !namesake_minted(m->r->engine->home, mail, &minted, &sure))
        return true;
    if (!outbox_find(m->r->engine->db, &VIEWER_OPERATOR, mail->id, &row, error))
        return false;
    if (!row || row->state != OUT_SENT)
        imap_set_add(&m->wanted, at->uid, at->uid);
    return true;
}

static bool
file_sent(void *user, const ImapMail *at, GBytes *lines, const Message *mail, GError **error)
{
    Mirror *m = user;
    const ConfRole *role = writer_of(m->r, mail);
    g_autofree char *base = remote_file_name(m->r, "Sent", at);
    if (!role || (at->flags & IMAP_DELETED))
        return true;
    m->n++;
    return remote_file(m->r, role, "Sent", base, lines, error);
}

/* A server without such a folder has nothing to say there. */
static bool
select_sent(Remote *r, bool *ret, GError **error)
{
    g_autoptr(GError) closed = NULL;
    *ret = false;
    if (!remote_find_sent(r, error))
        return false;
    *ret = remote_select(r, r->sent, false, &closed);
    if (closed && !remote_goes_on(r, &closed, error))
        return false;
    if (closed)
        log_event(LOG_WARN,
                  "the server has no Sent folder: what left since the backup is unknown",
                  "account", r->account->name, "why", closed->message, NULL);
    return true;
}

/* All of it: the times of an old store, of the server and of now need not agree. */
static bool
mirror_sent(Remote *r, GError **error)
{
    const Config *config = r->engine->home->config;
    g_auto(Mirror)
        m = {.r = r, .here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    bool any;
    for (unsigned i = 0; i < config->n_roles; i++)
        if (is_of(r, &config->roles[i]) && !list_here(&m, &config->roles[i], error))
            return false;
    if (!select_sent(r, &any, error) ||
        (any && (!remote_read(r, NULL, IMAP_HEADER, note_wanted, &m, error) ||
                 !remote_read(r, &m.wanted, IMAP_BODY, file_sent, &m, error))))
        return false;
    CRASH_POINT("backup-sent");
    if (m.n)
        log_say(LOG_INFO, "%u mails in Sent on the server were not here", m.n);
    return true;
}

/* --- mail that was open at the time of the backup --- */

/* Those that lay in the watched folder then, and do not now. The folder is
 * selected afterwards. */
static bool
list_moved(Remote *r, const ConfRole *role, RemoteRows **ret, GError **error)
{
    g_autoptr(RemoteRows) rows = NULL;
    g_auto(ImapSet) there = {0};
    if (!remote_open(r->engine->db, r->account->name, role->name, &rows, error))
        return false;
    for (guint i = rows->len; i > 0; i--) {
        const RemoteRow *row = g_ptr_array_index(rows, i - 1);
        if (g_strcmp0(row->folder, r->account->folder) != 0)
            g_ptr_array_remove_index(LIST_ARRAY(rows), i - 1);
    }
    if (!remote_select_path(r, r->account->folder, false, error) ||
        !remote_find_there(r, rows, &there, error))
        return false;
    for (guint i = rows->len; i > 0; i--) {
        const RemoteRow *row = g_ptr_array_index(rows, i - 1);
        if (row->uidvalidity != r->box.uidvalidity || imap_set_has(&there, row->uid))
            g_ptr_array_remove_index(LIST_ARRAY(rows), i - 1);
    }
    *ret = g_steal_pointer(&rows);
    return true;
}

static bool
mirror_done(Remote *r, const ConfRole *role, GError **error)
{
    g_autoptr(RemoteRows) moved = NULL;
    Maildir *md = remote_mailbox(r, role->name, error);
    if (!md || !list_moved(r, role, &moved, error) ||
        (moved->len && !remote_select_path(r, r->done, false, error)))
        return false;
    LIST_EACH(const RemoteRow, row, moved) {
        uint32_t uid;
        if (!remote_find(r, row->msgid, &uid, NULL, error) ||
            (uid && !maildir_move(md, row->file, "Done", error)))
            return false;
    }
    CRASH_POINT("backup-done");
    return true;
}

/* A parked job is left alone: it waits for its checkpoint, and whoever looks after these will see. */
static bool
stop_moved(Remote *r, const ConfRole *role, GError **error)
{
    g_autoptr(RemoteRows) moved = NULL;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    unsigned stopped = 0;
    if (!list_moved(r, role, &moved, error))
        return false;
    while (txn_again(&txn, error)) {
        stopped = 0;
        LIST_EACH(const RemoteRow, row, moved) {
            g_autoptr(Job) job = NULL;
            bool changed = false;
            if (!job_load(r->engine->db, &VIEWER_OPERATOR, row->job, &job, error) ||
                (job && job->state != JOB_PARKED &&
                 !job_stop(
                     &txn, row->job,
                     "its mail was in hand after the backup, and nothing says how far: look at "
                     "its mail, then say CONTINUE or CANCEL",
                     &changed, error)))
                return false;
            stopped += changed;
        }
        txn.ok = true;
    }
    if (txn.done && r->options->caught)
        r->options->caught->stopped += stopped;
    return txn.done;
}

/* --- all of it --- */

static bool
look(Remote *r, GError **error)
{
    CatchUp unheard = {0}, *n = r->options->caught ? r->options->caught : &unheard;
    unsigned in_hand;
    if (!mirror_sent(r, error) || !remote_each_role(r, mirror_done, error) ||
        !remote_survey_active(r, true, &in_hand, error) ||
        !remote_select_path(r, r->account->folder, false, error) || !remote_fetch(r, 0, error))
        return false;
    CRASH_POINT("backup-mirrored");
    if (!catch_up_server(r->engine, r->account, n, error))
        return false;
    CRASH_POINT("backup-caught-up");
    return remote_each_role(r, stop_moved, error);
}

bool
remote_catch_up(Remote *r, GError **error)
{
    bool owed = false;
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    if (!mailbox_backup_owed(r->engine->db, r->account->name, &owed, error))
        return false;
    if (!owed)
        return true;
    if (!look(r, error))
        return err_prefix(error, "looking at what happened there since the backup");
    CRASH_POINT("backup-looked");
    while (txn_again(&txn, error))
        txn.ok = mailbox_backup_seen(&txn, r->account->name, error);
    return txn.done;
}
