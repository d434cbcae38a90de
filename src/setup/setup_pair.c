/*
 * Pairing. A word is shown here and nowhere else; whoever mails it within the time sits at this
 * terminal, or was told by who does. So that mail's From is the owner's address, and what their
 * server wrote above it about the sender is how their mail will look from now on.
 */
#include "mail/auth.h"
#include "mail/message.h"
#include "setup/setup_mail.h"

#define MAIL_BYTES (1u << 20)
#define LOOK_US (15 * USEC_PER_SEC)
#define SYLLABLES 7 /* of 70: 2^42 words, for ten minutes */

void
paired_clear(Paired *p)
{
    g_clear_pointer(&p->owner, g_free);
    g_clear_pointer(&p->authserv_id, g_free);
    g_clear_pointer(&p->proof, g_free);
}

/* Easy to read aloud and to type on a phone. */
static char *
new_word(void)
{
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";
    GString *word = g_string_new(NULL);
    Random random = {0};
    for (int i = 0; i < SYLLABLES; i++) {
        uint32_t bits;
        random_bytes(&random, &bits, sizeof bits);
        if (i == 3 || i == 5)
            g_string_append_c(word, '-');
        g_string_append_c(word, consonants[bits % 14]);
        g_string_append_c(word, vowels[(bits / 14) % 5]);
    }
    return g_string_free(word, FALSE);
}

static bool
has_word(const char *text, const char *word)
{
    g_autofree char *low = g_ascii_strdown(text, -1);
    return strstr(low, word) != NULL;
}

/* A person's mail with one sender. A bounce, or a responder that quotes, is not. */
static bool
is_answer(const Message *m, const char *word)
{
    return m->from && !m->problem && m->automatic == MSG_AUTO_NO &&
           !(m->flags & (MSG_TWO_FROM | MSG_NO_FROM)) &&
           (has_word(m->subject, word) || has_word(m->text, word));
}

static void
learn(const MailTrial *t, const Message *m, Paired *ret)
{
    g_auto(AuthVerdict) verdict = {0};
    ret->owner = g_strdup(m->from->spec);
    ret->authserv_id = auth_find_id(m);
    const char *ids[] = {ret->authserv_id, NULL};
    const AuthTrust trust = {ids, t->config->require_auth,
                             t->config->authserv_fields == CONF_AUTHSERV_SEVERAL};
    auth_judge(m, &trust, &verdict);
    ret->proved = verdict.pass;
    ret->proof = g_strdup(verdict.why);
}

static bool
read_new(MailTrial *t, const char *word, uint32_t *next, Paired *ret, GError **error)
{
    g_auto(ImapSet) found = {0};
    g_auto(ImapSet) uids = {0};
    const ImapQuery query = {.uids = &uids};
    imap_set_add(&uids, MAX(*next, 1), UINT32_MAX);
    if (!imap_search(t->conn, &query, &found, error))
        return false;
    for (uint32_t uid; !ret->owner && (uid = imap_set_first(&found)) != 0;) {
        g_autoptr(GBytes) bytes = NULL;
        imap_set_remove(&found, uid);
        if (uid < *next) /* "N:*" always names the last one */
            continue;
        *next = uid + 1;
        if (!trial_read(t, uid, IMAP_BODY, MAIL_BYTES, &bytes, error))
            return false;
        if (!bytes)
            continue;
        g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
        if (is_answer(m, word))
            learn(t, m, ret);
    }
    return true;
}

static bool
watch(MailTrial *t, const char *word, int64_t wait_us, Paired *ret, GError **error)
{
    int64_t end = clock_mono_us() + wait_us;
    if (!trial_select(t, true, error))
        return false;
    uint32_t next = t->box.uidnext;
    g_autofree char *span = clock_format_span(wait_us);
    setup_say(t->setup,
              "\nNow write a mail from your own address to %s with this word in its subject:\n"
              "\n    %s\n\nIt counts for %s. Waiting for it.\n",
              t->address, word, span);
    for (;;) {
        ImapNews news;
        int64_t left = end - clock_mono_us();
        if (!read_new(t, word, &next, ret, error))
            return false;
        if (ret->owner || left <= 0)
            return true;
        if (!imap_idle(t->conn, MIN(left, LOOK_US), -1, &news, error))
            return false;
    }
}

int
mail_pair(MailTrial *t, int64_t wait_us, Paired *ret)
{
    GError *error = NULL;
    g_autofree char *word = new_word();
    if (!watch(t, word, wait_us, ret, &error))
        return setup_failed(t->setup, "pairing", error, "run setup again");
    if (!ret->owner) {
        err_set(&error, ERR_LATER, "no mail with the word came in time");
        return setup_failed(
            t->setup, "pairing", error,
            "run setup again, or name the owner with --owner and --authserv-id");
    }
    setup_ok(t->setup, "pairing", "you are %s", ret->owner);
    if (ret->proved)
        setup_ok(t->setup, "proof", "%s", ret->proof);
    else
        setup_say(t->setup,
                  "proof: none: %s; mail from there is held until your server writes "
                  "Authentication-Results, or [trust] require-auth is none\n",
                  ret->proof);
    return 0;
}
