/* The round trip of `setup mail`: a mail from the mailbox to itself, and what became of it. */
#include "mail/auth.h"
#include "mail/compose.h"
#include "mail/msgid.h"
#include "setup/setup_trial.h"

#define WORD_HEADER "X-Postrider-Setup"
#define ROUND_US (90 * USEC_PER_SEC)
#define SENT_US (4 * USEC_PER_SEC) /* some file a moment after they deliver */
#define TAG_US (10 * USEC_PER_SEC) /* it left before the mail that has come */
#define LOOK_US (2 * USEC_PER_SEC)

bool
trial_write(MailTrial *t,
            const char *forged,
            char **ret_word,
            GBytes **ret,
            char **ret_msgid,
            GError **error)
{
    const Home *home = t->setup->cli->home;
    g_autoptr(Compose) c = compose_new();
    Random random = {0};
    uint64_t number, bits;
    random_bytes(&random, &number, sizeof number);
    random_bytes(&random, &bits, sizeof bits);
    char *word = *ret_word = g_strdup_printf("t%016" G_GINT64_MODIFIER "x", bits);
    g_autofree char *results = forged ? auth_forge(forged, word) : NULL;
    compose_date(c, home_now(home));
    compose_text(c,
                 "postrider mails itself to see that this mailbox works. If you read this, it "
                 "could\nnot remove it again; you may.\n");
    return compose_from(c, "postrider", t->address, error) &&
           compose_to(c, NULL, t->address, error) &&
           compose_subject(c, "postrider: a test mail", error) &&
           compose_header(c, "Auto-Submitted", "auto-generated", error) &&
           compose_header(c, WORD_HEADER, word, error) &&
           (!forged || compose_header(c, "Authentication-Results", results, error)) &&
           compose_freeze(c, &home->key, MAIL_NOTICE, 0, (int64_t)(number >> 1),
                          t->config->domain, ret, ret_msgid, error);
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

bool
trial_await(MailTrial *t, const char *word, int64_t wait_us, uint32_t *ret, GError **error)
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
bool
trial_remove(MailTrial *t, uint32_t uid, GError **error)
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
    LIST_EACH(const ImapFolder, f, folders)
        if (!*ret && f->use == IMAP_USE_SENT && f->can_select)
            *ret = g_strdup(f->name);
    return true;
}

/* A copy of the tagged one is in the way there too. */
static bool
clear_sent(MailTrial *t, uint32_t uid, const char *tagged, GError **error)
{
    uint32_t other = 0;
    return trial_remove(t, uid, error) &&
           (!tagged || (find_word(t, tagged, 1, &other, error) &&
                        (other == 0 || trial_remove(t, other, error))));
}

static bool
look_in_sent(MailTrial *t, const char *word, const char *tagged, GError **error)
{
    g_autofree char *name = NULL;
    uint32_t uid;
    if (!sent_folder(t, &name, error))
        return false;
    t->sent_copy = CONF_SENT_COPY_APPEND;
    if (!name)
        return true;
    if (!imap_select(t->conn, name, false, &t->box, error))
        return false;
    t->box.uidnext = 1; /* it may have been filed before we looked */
    if (!trial_await(t, word, SENT_US, &uid, error))
        return false;
    if (uid == 0)
        return true;
    t->sent_copy = CONF_SENT_COPY_SERVER;
    return clear_sent(t, uid, tagged, error);
}

static bool
learn_id(MailTrial *t, uint32_t uid, const char *msgid, GError **error)
{
    g_autoptr(Message) m = NULL;
    if (!trial_read_head(t, uid, &m, error))
        return false;
    if (m)
        t->keeps_id = g_str_equal(m->id, msgid);
    return true;
}

static bool
make_round(MailTrial *t, TagTrial *tag, uint32_t *ret_uid, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *word = NULL, *msgid = NULL;
    if (!trial_select(t, false, error))
        return false;
    tag_trial_send(t, tag);
    if (!trial_write(t, NULL, &word, &bytes, &msgid, error) ||
        !trial_send(t, t->address, bytes, error) ||
        !trial_await(t, word, ROUND_US, ret_uid, error))
        return false;
    t->back_us = clock_mono_us();
    if (!tag_trial_await(t, tag, *ret_uid ? TAG_US : 0, error))
        return false;
    return *ret_uid == 0 ||
           (learn_id(t, *ret_uid, msgid, error) && trial_remove(t, *ret_uid, error) &&
            look_in_sent(t, word, tag->word, error));
}

int
trial_round(MailTrial *t)
{
    GError *error = NULL;
    g_auto(TagTrial) tag = {0};
    uint32_t uid = 0;
    int64_t begun = clock_mono_us();
    if (!make_round(t, &tag, &uid, &error))
        return trial_failed(t, "round trip", error);
    if (uid == 0) {
        err_set(&error, ERR_LATER, "a mail to %s was taken, but did not come into %s",
                t->address, t->account->folder);
        return setup_failed(t->setup, "round trip", error,
                            "look into the other folders, Junk first, and check --address");
    }
    bool filed = t->sent_copy == CONF_SENT_COPY_SERVER;
    t->message_id = t->keeps_id ? CONF_MESSAGE_ID_OURS : CONF_MESSAGE_ID_SERVER;
    if (!t->keeps_id)
        t->in_doubt = CONF_DOUBT_HOLD; /* what was sent can't be found by its name */
    else if (filed)
        t->in_doubt = CONF_DOUBT_PROBE;
    g_autofree char *span = clock_format_span(t->back_us - begun);
    setup_ok(t->setup, "round trip",
             "a mail to %s came back in %s and is removed again; %s; %s", t->address, span,
             filed ? "the server files Sent itself" : "we file Sent",
             t->keeps_id ? "it keeps our Message-ID" : "it replaces our Message-ID");
    tag_trial_tell(t, &tag);
    return 0;
}

/* --- a forged field --- */

static bool
forge(MailTrial *t, const char *id, bool *ret_came, bool *ret_kept, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(Message) m = NULL;
    g_autofree char *word = NULL, *msgid = NULL;
    uint32_t uid = 0;
    bool filed = t->sent_copy == CONF_SENT_COPY_SERVER;
    if (!trial_select(t, false, error) || !trial_write(t, id, &word, &bytes, &msgid, error) ||
        !trial_send(t, t->address, bytes, error) ||
        !trial_await(t, word, ROUND_US, &uid, error) ||
        (uid && !trial_read_head(t, uid, &m, error)))
        return false;
    *ret_came = m != NULL;
    *ret_kept = m && auth_has_forged(m, word);
    return (!uid || trial_remove(t, uid, error)) &&
           (!filed || look_in_sent(t, word, NULL, error));
}

void
trial_forged(MailTrial *t, const char *id, bool *ret_kept)
{
    g_autoptr(GError) error = NULL;
    bool came = false;
    *ret_kept = false;
    if (!t->sent_copy)
        return;
    if (!forge(t, id, &came, ret_kept, &error) || !came)
        setup_say(t->setup, "forged proof: not tested: %s\n",
                  error ? error->message : "the mail did not come back");
    else if (*ret_kept)
        setup_say(t->setup,
                  "forged proof: your server let a forged Authentication-Results field of %s "
                  "through: whoever writes one may be believed. Let it take such fields out of "
                  "mail that comes in\n",
                  id);
    else
        setup_ok(t->setup, "forged proof",
                 "a forged field in a mail to ourselves was taken out (of mail from elsewhere "
                 "that proves nothing)");
}
