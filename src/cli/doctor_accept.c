/*
 * `doctor --accept-backup`: the store is older than its mail, and a person says that this is
 * so. What lies in the Sent folders was sent, and what it answers was answered, also where this
 * store does not know of it: nothing of that is done again.
 */
#include "base/banned.h"
#include "base/err.h"
#include "cli/doctor.h"
#include "engine/intake.h"
#include "mail/maildir.h"
#include "mail/message.h"
#include "mail/msgid.h"
#include "store/accept.h"
#include "store/outbox.h"
#include <inttypes.h>

/* A mail of ours in a Sent folder. */
typedef struct Sent {
    const char *mailbox; /* borrowed from the settings */
    Message *mail;
} Sent;

static void
sent_free(gpointer data)
{
    Sent *s = data;
    message_free(s->mail);
    g_free(s);
}

typedef struct Accept {
    Doctor *d;
    GPtrArray *sent;    /* of Sent */
    uint64_t newest;    /* generation seen */
    unsigned delivered; /* deliveries that had been made after all */
    unsigned answered;  /* mails */
} Accept;

static void
take_note(Accept *a, const char *mailbox, GBytes *bytes)
{
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    const Home *home = a->d->cli->home;
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_HEADERS, NULL);
    uint64_t generation;
    int64_t number;
    if (!msgid_is_minted(&home->key, m->id, home->config->domain, &generation, &number))
        return;
    Sent *s = g_new0(Sent, 1);
    *s = (Sent){.mailbox = mailbox, .mail = g_steal_pointer(&m)};
    g_ptr_array_add(a->sent, s);
    a->newest = MAX(a->newest, generation);
}

static bool
read_sent(Accept *a, const char *mailbox, GError **error)
{
    const Home *home = a->d->cli->home;
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GPtrArray) entries = NULL;
    if (!maildir_open(home->mail_fd, mailbox, false, &md, error) ||
        !maildir_scan(md, "Sent", false, &entries, NULL, error))
        return err_prefix(error, "reading what %s has sent", mailbox);
    for (guint i = 0; i < entries->len; i++) {
        g_autoptr(GBytes) bytes = NULL;
        const MaildirEntry *e = g_ptr_array_index(entries, i);
        if (maildir_read(md, e, home->config->max_message, &bytes, NULL) && bytes)
            take_note(a, mailbox, bytes);
    }
    return true;
}

static bool
read_all_sent(Accept *a, GError **error)
{
    const Config *config = a->d->cli->home->config;
    for (unsigned i = 0; i < config->n_roles; i++)
        if (!read_sent(a, config->roles[i].name, error))
            return false;
    for (unsigned i = 0; i < config->n_persons; i++)
        if (config->persons[i].local && !read_sent(a, config->persons[i].name, error))
            return false;
    return true;
}

static bool
settle_answered(Accept *a, Txn *txn, const char *role, const char *msgid, GError **error)
{
    const Viewer viewer = {.role = role};
    g_autoptr(MsgRow) row = NULL;
    if (!messages_find(txn->db, &viewer, msgid, &row, error))
        return false;
    if (!row || (row->state != MSG_STORED && row->state != MSG_SHOWN))
        return true;
    a->answered++;
    return messages_set_state(txn, row->id, MSG_HANDLED,
                              "answered after the backup, by a mail in Sent", error);
}

/* Only mail that the store does not know speaks of a time after it. */
static bool
take_over(Accept *a, Txn *txn, const Sent *s, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autoptr(OutRow) known = NULL;
    unsigned n;
    if (!outbox_find(txn->db, &viewer, s->mail->id, &known, error) ||
        !accept_sent(txn, s->mail->id, &n, error))
        return false;
    a->delivered += n;
    if (known)
        return true;
    if (s->mail->in_reply_to &&
        !settle_answered(a, txn, s->mailbox, s->mail->in_reply_to, error))
        return false;
    for (guint i = 0; i < s->mail->references->len; i++)
        if (!settle_answered(a, txn, s->mailbox, g_ptr_array_index(s->mail->references, i),
                             error))
            return false;
    return true;
}

static bool
accept_all(Accept *a, GError **error)
{
    g_auto(Txn) txn = {0};
    if (!txn_begin(a->d->engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error))
        return false;
    for (guint i = 0; i < a->sent->len; i++)
        if (!take_over(a, &txn, g_ptr_array_index(a->sent, i), error))
            return false;
    return accept_backup(&txn, a->newest, error) && txn_commit(&txn, error);
}

/* What lies in INBOX has to be known before Sent can say that it was answered. A living account
 * has seen it already. */
static bool
take_in(Doctor *d, GError **error)
{
    const Config *config = d->cli->home->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autoptr(Intake) intake = NULL;
        g_autoptr(GError) why = NULL;
        IntakeStats stats = {0};
        if (config_is_imap(&config->accounts[i]))
            continue;
        if (!intake_open(d->engine, &config->accounts[i], 0, &intake, &why)) {
            if (err_is(why, ERR_LATER))
                continue;
            g_propagate_error(error, g_steal_pointer(&why));
            return false;
        }
        if (!intake_pass(intake, &stats, error))
            return false;
    }
    return true;
}

int
doctor_accept(Doctor *d)
{
    GError *error = NULL;
    g_autoptr(GPtrArray) sent = g_ptr_array_new_with_free_func(sent_free);
    Accept a = {.d = d, .sent = sent};
    if (!take_in(d, &error) || !read_all_sent(&a, &error) || !accept_all(&a, &error))
        return cli_error(0, error);
    db_hint(d->engine->db);
    if (d->cli->json)
        cli_print_json(d->cli,
                       json_pack("{s:b, s:i, s:i, s:I}", "ok", 1, "delivered", (int)a.delivered,
                                 "answered", (int)a.answered, "generation",
                                 (json_int_t)db_generation(d->engine->db)));
    else
        cli_print(d->cli,
                  "the store goes on as generation %" PRIu64 ": %u deliveries and %u answers "
                  "that the mail proves were taken over\n",
                  db_generation(d->engine->db), a.delivered, a.answered);
    return 0;
}
