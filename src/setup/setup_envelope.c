/* What `setup mail` learns about `envelope`: may the sender of our mail carry a tag? */
#include "engine/out/outward.h"
#include "mail/address.h"
#include "setup/setup_trial.h"

void
tag_trial_clear(TagTrial *tag)
{
    free_all(tag->word, tag->address, tag->why);
}

/* The envelope as our mail would have it; NULL: this address can't carry a tag. */
static char *
tagged_address(const MailTrial *t)
{
    const Home *home = t->setup->cli->home;
    ConfAccount account = *t->account;
    Random random = {0};
    uint32_t number;
    account.envelope = CONF_ENVELOPE_ACCOUNT;
    g_autofree char *plain = outward_envelope(home, &account, 0, (OutId){1}, t->address);
    account.envelope = CONF_ENVELOPE_VERP;
    random_bytes(&random, &number, sizeof number);
    g_autofree char *made = outward_envelope(home, &account, 0, (OutId){number}, t->address);
    return address_equal(made, plain) ? NULL : g_steal_pointer(&made);
}

void
tag_trial_send(MailTrial *t, TagTrial *tag)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *word = NULL, *msgid = NULL;
    if (t->preset)
        return;
    tag->address = tagged_address(t);
    if (!tag->address)
        tag->why = g_strdup("this address can't carry a tag");
    else if (trial_write(t, NULL, &word, &bytes, &msgid, &error) &&
             trial_send(t, tag->address, bytes, &error))
        tag->word = g_steal_pointer(&word);
    else
        tag->why = g_strdup(error->message);
}

/* A server that does not say whom a mail is from has nothing against it. */
static bool
check_sender(MailTrial *t, TagTrial *tag, uint32_t uid, GError **error)
{
    g_autoptr(Message) m = NULL;
    if (!trial_read_head(t, uid, &m, error))
        return false;
    if (m && m->return_path && !address_equal(m->return_path, tag->address))
        tag->why = g_strdup("the server puts another sender on our mail");
    return true;
}

bool
tag_trial_await(MailTrial *t, TagTrial *tag, int64_t wait_us, GError **error)
{
    uint32_t uid = 0;
    if (!tag->word)
        return true;
    if (!trial_await(t, tag->word, wait_us, &uid, error))
        return false;
    if (uid == 0) {
        tag->why = g_strdup_printf("a mail to %s did not come back", tag->address);
        return true;
    }
    return check_sender(t, tag, uid, error) && trial_remove(t, uid, error);
}

void
tag_trial_tell(MailTrial *t, const TagTrial *tag)
{
    if (t->preset) {
        setup_say(t->setup, "envelope: account: %s takes no tagged sender\n", t->preset);
        return;
    }
    t->envelope = tag->why ? CONF_ENVELOPE_ACCOUNT : CONF_ENVELOPE_VERP;
    if (tag->why)
        setup_say(t->setup, "envelope: account: bounces come to the plain address: %s\n",
                  tag->why);
    else
        setup_ok(t->setup, "envelope",
                 "a tagged sender is taken, and mail to it comes: each bounce names its mail");
}
