/* The round trip of `setup mail`: a mail from the mailbox to itself, and what became of it. */
#include "base/banned.h"
#include "base/err.h"
#include "cli/setup_trial.h"
#include "mail/compose.h"
#include "mail/message.h"
#include "mail/msgid.h"

#define WORD_HEADER "X-Postrider-Setup"
#define ROUND_US (90 * USEC_PER_SEC)
#define SENT_US (4 * USEC_PER_SEC) /* some file a moment after they deliver */
#define LOOK_US (2 * USEC_PER_SEC)
#define HEADER_BYTES (256u << 10)

static bool
write_mail(MailTrial *t, const char *word, GBytes **ret, char **ret_msgid, GError **error)
{
    const Home *home = t->setup->cli->home;
    g_autoptr(Compose) c = compose_new();
    Random random = {0};
    uint64_t number;
    random_bytes(&random, &number, sizeof number);
    compose_date(c, home_now(home));
    compose_text(c,
                 "postrider mails itself to see that this mailbox works. If you read this, it "
                 "could\nnot remove it again; you may.\n");
    return compose_from(c, "postrider", t->address, error) &&
           compose_to(c, NULL, t->address, error) &&
           compose_subject(c, "postrider: a test mail", error) &&
           compose_header(c, "Auto-Submitted", "auto-generated", error) &&
           compose_header(c, WORD_HEADER, word, error) &&
           compose_freeze(c, &home->key, 0, (int64_t)(number >> 1), t->config->domain, ret,
                          ret_msgid, error);
}

/* Among what came since uid first; 0: not yet. */
static bool
find_word(MailTrial *t, const char *word, uint32_t first, uint32_t *ret, GError **error)
{
    g_auto(ImapSet) uids = {0};
    g_auto(ImapSet) found = {0};
    const ImapQuery query = {.uids = &uids, .header = WORD_HEADER, .value = word};
    imap_set_add(&uids, MAX(first, 1), UINT32_MAX);
    if (!imap_search(t->conn, &query, &found, error))
        return false;
    *ret = imap_set_first(&found);
    return true;
}

static bool
await_mail(MailTrial *t, const char *word, int64_t wait_us, uint32_t *ret, GError **error)
{
    int64_t end = clock_mono_us() + wait_us;
    do {
        ImapNews news;
        if (!find_word(t, word, t->box.uidnext, ret, error))
            return false;
        if (*ret)
            return true;
        if (!imap_idle(t->conn, LOOK_US, -1, &news, error))
            return false;
    } while (clock_mono_us() < end);
    return true;
}

/* Both folders lose the test mail alone, named by its UID. */
static bool
remove_mail(MailTrial *t, uint32_t uid, GError **error)
{
    g_auto(ImapSet) uids = {0};
    imap_set_add(&uids, uid, uid);
    return imap_remove(t->conn, &uids, error);
}

static bool
sent_folder(MailTrial *t, char **ret, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;
    *ret = NULL;
    if (!imap_list(t->conn, &folders, error))
        return false;
    for (guint i = 0; i < folders->len && !*ret; i++) {
        const ImapFolder *f = g_ptr_array_index(folders, i);
        if (f->use == IMAP_USE_SENT && f->can_select)
            *ret = g_strdup(f->name);
    }
    return true;
}

static bool
look_in_sent(MailTrial *t, const char *word, GError **error)
{
    g_autofree char *name = NULL;
    uint32_t uid;
    if (!sent_folder(t, &name, error))
        return false;
    t->sent_copy = "append";
    if (!name)
        return true;
    if (!imap_select(t->conn, name, false, &t->box, error))
        return false;
    t->box.uidnext = 1; /* it may have been filed before we looked */
    if (!await_mail(t, word, SENT_US, &uid, error))
        return false;
    if (uid == 0)
        return true;
    t->sent_copy = "server";
    return remove_mail(t, uid, error);
}

static bool
learn_id(MailTrial *t, uint32_t uid, const char *msgid, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    gsize len;
    if (!trial_read(t, uid, IMAP_HEADER, HEADER_BYTES, &bytes, error))
        return false;
    if (!bytes)
        return true;
    const char *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_HEADERS, NULL);
    t->keeps_id = g_str_equal(m->id, msgid);
    return true;
}

static bool
make_round(MailTrial *t, const char *word, uint32_t *ret_uid, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *msgid = NULL;
    if (!trial_select(t, false, error) || !write_mail(t, word, &bytes, &msgid, error) ||
        !trial_send(t, bytes, error) || !await_mail(t, word, ROUND_US, ret_uid, error))
        return false;
    t->back_us = clock_mono_us();
    return *ret_uid == 0 || (learn_id(t, *ret_uid, msgid, error) &&
                             remove_mail(t, *ret_uid, error) && look_in_sent(t, word, error));
}

int
trial_round(MailTrial *t)
{
    GError *error = NULL;
    Random random = {0};
    uint64_t bits;
    uint32_t uid = 0;
    int64_t begun = clock_mono_us();
    random_bytes(&random, &bits, sizeof bits);
    g_autofree char *word = g_strdup_printf("t%016" G_GINT64_MODIFIER "x", bits);
    if (!make_round(t, word, &uid, &error))
        return trial_failed(t, "round trip", error);
    if (uid == 0) {
        err_set(&error, ERR_LATER, "a mail to %s was taken, but did not come into %s",
                t->address, t->account->folder);
        return setup_failed(t->setup, "round trip", error,
                            "look into the other folders, Junk first, and check --address");
    }
    bool filed = g_str_equal(t->sent_copy, "server");
    t->message_id = t->keeps_id ? "ours" : "server";
    if (!t->keeps_id)
        t->in_doubt = "hold"; /* what was sent can't be found by its name */
    else if (filed)
        t->in_doubt = "probe";
    g_autofree char *span = clock_format_span(t->back_us - begun);
    setup_ok(t->setup, "round trip",
             "a mail to %s came back in %s and is removed again; %s; %s", t->address, span,
             filed ? "the server files Sent itself" : "we file Sent",
             t->keeps_id ? "it keeps our Message-ID" : "it replaces our Message-ID");
    return 0;
}
