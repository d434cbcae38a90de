#include "base/preset.h"

/* A preset says `envelope` where the server is known to take no tagged sender; elsewhere setup
 * tries it out. */

/* Files what was submitted in Sent itself; keeps our Message-ID. */
static const PresetKey gmail[] = {
    {"host", "imap.gmail.com"}, {"port", "993"},
    {"tls", "implicit"},        {"smtp-host", "smtp.gmail.com"},
    {"smtp-port", "465"},       {"smtp-tls", "implicit"},
    {"sent-copy", "server"},    {"envelope", "account"},
    {"in-doubt", "probe"},      {NULL, NULL},
};

/* Files in Sent too, but puts a Message-ID of its own on what it takes; ours stays in a header. */
static const PresetKey outlook[] = {
    {"host", "outlook.office365.com"},
    {"port", "993"},
    {"tls", "implicit"},
    {"smtp-host", "smtp.office365.com"},
    {"smtp-port", "587"},
    {"smtp-tls", "starttls"},
    {"sent-copy", "server"},
    {"envelope", "account"},
    {"message-id", "server"},
    {"in-doubt", "probe"},
    {NULL, NULL},
};

static const PresetKey fastmail[] = {
    {"host", "imap.fastmail.com"}, {"port", "993"},
    {"tls", "implicit"},           {"smtp-host", "smtp.fastmail.com"},
    {"smtp-port", "465"},          {"smtp-tls", "implicit"},
    {"sent-copy", "append"},       {NULL, NULL},
};

static const PresetKey dovecot[] = {
    {"host", "localhost"},      {"port", "993"},      {"tls", "implicit"},
    {"smtp-host", "localhost"}, {"smtp-port", "587"}, {"smtp-tls", "starttls"},
    {"sent-copy", "append"},    {NULL, NULL},
};

const Preset presets[] = {
    {"gmail", "Gmail and Google Workspace", "mx.google.com",
     "Google takes no usual password here: make an app password (account, security, 2-step "
     "verification, app passwords), or use a token command",
     gmail},
    {"outlook", "Outlook.com and Microsoft 365", "outlook",
     "Microsoft takes no passwords here: use a token command (an OAuth helper that prints an "
     "access token)",
     outlook},
    {"fastmail", "Fastmail", "*.messagingengine.com",
     "Fastmail wants an app password with IMAP and SMTP (settings, privacy and security, "
     "connected apps)",
     fastmail, "several"},
    {"dovecot", "a Dovecot and an MTA on this machine", "",
     "check the user's name, with or without its domain, and the password", dovecot},
    {NULL, NULL, NULL, NULL, NULL},
};

const Preset *
preset_find(const char *name)
{
    for (const Preset *p = presets; p->name; p++) {
        if (g_str_equal(p->name, name))
            return p;
    }
    return NULL;
}

const char *
preset_value(const Preset *preset, const char *key)
{
    for (const PresetKey *k = preset ? preset->keys : NULL; k && k->key; k++) {
        if (g_str_equal(k->key, key))
            return k->value;
    }
    return NULL;
}

const char *const *
preset_names(void)
{
    static const char *names[G_N_ELEMENTS(presets)];

    for (size_t i = 0; i < G_N_ELEMENTS(presets); i++)
        names[i] = presets[i].name;
    return names;
}
