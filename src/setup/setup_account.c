/* `setup mail`: which mailbox, and on which servers it is. */
#include "base/preset.h"
#include "mail/address.h"
#include "setup/setup_mail.h"

#define OTHER "other" /* no preset */

static const char *
guess_preset(const char *address)
{
    static const char *const known[][2] = {
        {"gmail.com", "gmail"},   {"googlemail.com", "gmail"}, {"outlook.", "outlook"},
        {"hotmail.", "outlook"},  {"live.", "outlook"},        {"fastmail.", "fastmail"},
        {"localhost", "dovecot"},
    };
    const char *at = strrchr(address, '@');
    for (size_t i = 0; at && i < G_N_ELEMENTS(known); i++) {
        if (g_ascii_strncasecmp(at + 1, known[i][0], strlen(known[i][0])) == 0)
            return known[i][1];
    }
    return OTHER;
}

int
mail_role(void *data)
{
    MailSetup *m = data;
    Setup *s = m->s;
    const Config *config = s->cli->home->config;
    g_autofree char *now = setup_value(s, m->section, "role");
    const char *said = cli_text(s->cli, "role"), *name = said ? said : *now ? now : NULL;
    for (unsigned i = 0; i < config->n_roles && !name; i++)
        name = config->roles[i].person ? NULL : config->roles[i].name;
    if (!name)
        return cli_fail(EX_CONFIG, "there is no role yet; run: postrider setup role NAME");
    if (!config_role_get(config, name, &s->cli->error))
        return cli_failed(s->cli, EX_USAGE);
    g_free(m->role);
    m->role = g_strconcat("role ", name, NULL);
    if (!setup_set(s, m->section, "kind", "imap", &s->cli->error) ||
        !setup_set(s, m->section, "role", name, &s->cli->error))
        return cli_failed(s->cli, 0);
    return 0;
}

int
mail_address(void *data)
{
    MailSetup *m = data;
    Setup *s = m->s;
    bool known = config_account(s->cli->home->config, m->name) != NULL;
    g_autofree char *user = known ? setup_value(s, m->section, "user") : g_strdup("");
    const char *said = cli_text(s->cli, "address"), *now = m->address          ? m->address
                                                           : strchr(user, '@') ? user
                                                                               : "";
    for (;;) {
        g_autofree char *given =
            said     ? g_strdup(said)
            : s->ask ? setup_ask(s, "Address of the mailbox that postrider gets", now)
                     : g_strdup(now);
        if (!given || (s->back && !said))
            return setup_no_answer(s);
        if (address_spec_valid(given)) {
            g_free(m->address);
            m->address = address_normalise(given);
            return 0;
        }
        if (!*given && !s->ask)
            return cli_usage(s->cli, "needs --address");
        if (said || !s->ask)
            return cli_usage(s->cli, "--address '%s' is no address such as agent@example.org",
                             given);
        setup_say(s, "  '%s' is no address such as agent@example.org\n", given);
    }
}

static int
refuse_preset(MailSetup *m, const char *given)
{
    g_autofree char *hint = text_did_you_mean(given, preset_names());
    if (cli_text(m->s->cli, "preset"))
        return cli_usage(m->s->cli, "no preset '%s'%s", given, hint);
    setup_say(m->s, "  there is no '%s'%s\n", given, hint);
    return 0;
}

int
mail_preset(void *data)
{
    MailSetup *m = data;
    Setup *s = m->s;
    g_autofree char *now = setup_value(s, m->section, "preset");
    g_autofree char *host = setup_value(s, m->section, "host");
    const char *said = cli_text(s->cli, "preset");
    const char *usual = *now ? now : *host ? OTHER : guess_preset(m->address);
    if (!said && s->ask) { /* one line each, so that a person knows what the words stand for */
        for (const Preset *p = presets; p->name; p++)
            setup_say(s, "  %-9s %s\n", p->name, p->about);
        setup_say(s, "  %-9s any other server\n", OTHER);
    }
    for (;;) {
        g_autofree char *given = said     ? g_strdup(said)
                                 : s->ask ? setup_ask(s, "Provider", usual)
                                          : g_strdup(usual);
        if (!given || (s->back && !said))
            return setup_no_answer(s);
        bool other = g_str_equal(given, OTHER);
        int status = other || preset_find(given) ? 0 : refuse_preset(m, given);
        if (status)
            return status;
        if (!other && !preset_find(given))
            continue;
        return setup_set(s, m->section, "preset", other ? "" : given, &s->cli->error)
                   ? 0
                   : cli_failed(s->cli, 0);
    }
}

/* What a preset knows is not asked, but can be told. */
int
mail_servers(void *data)
{
    MailSetup *m = data;
    const char *in = m->section, *smtp = cli_text(m->s->cli, "smtp");
    g_autofree char *preset = setup_value(m->s, in, "preset");
    bool ask = !*preset || g_str_equal(preset, "dovecot");
    bool ask_smtp = ask && !(smtp && conf_submit_parse(smtp));
    const SetupKey keys[] = {
        {in, "host", ask ? "IMAP server" : NULL, .needed = true},
        {in, "port", ask ? "IMAP port; 0: the usual one" : NULL},
        {in, "tls", ask ? "IMAP encryption: implicit, starttls, none" : NULL, .needed = true},
        {in, "ca-file", NULL, .path = true},
        {in, "folder", NULL, .needed = true},
        {in, "smtp", NULL},
        {in, "smtp-host", ask_smtp ? "SMTP server, which sends; empty: none" : NULL},
        {in, "smtp-port", ask_smtp ? "SMTP port; 0: the usual one" : NULL},
        {in, "smtp-tls", ask_smtp ? "SMTP encryption: implicit, starttls, none" : NULL,
         .needed = true},
        {in, "smtp-ca-file", NULL, "ca-file", .path = true},
    };
    return setup_keys(m->s, keys, G_N_ELEMENTS(keys));
}

int
mail_user(void *data)
{
    MailSetup *m = data;
    GError *error = NULL;
    g_autofree char *now = setup_value(m->s, m->section, "user");
    if (!*now && !setup_set(m->s, m->section, "user", m->address, &error))
        return cli_error(0, error);
    const SetupKey key = {m->section, "user", "Login name", .needed = true};
    return setup_keys(m->s, &key, 1);
}
