/* `setup mail`: a mailbox on a server. */
#include "cli/setup_mail.h"
#include "base/banned.h"
#include "base/err.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/preset.h"
#include "base/proc.h"
#include "base/text.h"
#include "mail/address.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIR_WITHIN "10m"
#define VISIT_US (120 * USEC_PER_SEC)

typedef struct MailFlags {
    char *account, *preset, *address, *role, *folder;
    char *host, *port, *tls, *ca_file, *user;
    char *password_file, *password_command, *token_command;
    char *smtp, *smtp_host, *smtp_port, *smtp_tls, *smtp_user;
    char *owner, *authserv_id, *pair_within;
    gboolean pair, no_round_trip, check, take_over;
} MailFlags;

typedef struct MailSetup {
    Setup s;
    MailFlags f;
    char *name, *section; /* of the account */
    char *address, *role; /* "role envoy" */
} MailSetup;

/* --- who and where --- */

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
    return "other";
}

/* The imap account there is, else a new one that is called mail. */
static const char *
usual_account(const Config *config)
{
    for (unsigned i = 0; i < config->n_accounts; i++) {
        if (g_str_equal(config->accounts[i].kind, "imap"))
            return config->accounts[i].name;
    }
    return "mail";
}

static int
choose_role(MailSetup *m)
{
    Setup *s = &m->s;
    GError *error = NULL;
    const Config *config = s->cli->home->config;
    g_autofree char *now = setup_value(s, m->section, "role");
    const char *name = m->f.role ? m->f.role : *now ? now : NULL;
    for (unsigned i = 0; i < config->n_roles && !name; i++)
        name = config->roles[i].person ? NULL : config->roles[i].name;
    if (!name)
        return cli_fail(EX_CONFIG, "there is no role yet; run: postrider setup role NAME");
    if (!config_role_get(config, name, &error))
        return cli_error(EX_USAGE, error);
    m->role = g_strconcat("role ", name, NULL);
    if (!setup_set(s, m->section, "kind", "imap", &error) ||
        !setup_set(s, m->section, "role", name, &error))
        return cli_error(0, error);
    return 0;
}

static int
choose_address(MailSetup *m)
{
    Setup *s = &m->s;
    bool known = config_account(s->cli->home->config, m->name) != NULL;
    g_autofree char *user = known ? setup_value(s, m->section, "user") : g_strdup("");
    const char *now = strchr(user, '@') ? user : "";
    while (!m->address) {
        g_autofree char *given =
            m->f.address ? g_strdup(m->f.address)
            : s->ask     ? setup_ask(s, "Address of the mailbox that postrider gets", now)
                         : g_strdup(now);
        if (!given)
            return setup_no_answer();
        if (address_spec_valid(given))
            m->address = address_normalise(given);
        else if (m->f.address || !s->ask)
            return cli_usage("setup", "--address '%s' is no address such as agent@example.org",
                             given);
        else
            setup_say(s, "  '%s' is no address such as agent@example.org\n", given);
    }
    return 0;
}

static int
choose_preset(MailSetup *m)
{
    Setup *s = &m->s;
    g_autofree char *now = setup_value(s, m->section, "preset");
    g_autofree char *host = setup_value(s, m->section, "host");
    const char *usual = *now ? now : *host ? "other" : guess_preset(m->address);
    for (;;) {
        GError *error = NULL;
        g_autofree char *given =
            m->f.preset ? g_strdup(m->f.preset)
            : s->ask ? setup_ask(s, "Provider: gmail, outlook, fastmail, dovecot, other", usual)
                     : g_strdup(usual);
        if (!given)
            return setup_no_answer();
        bool other = g_str_equal(given, "other");
        if (!other && !preset_find(given)) {
            const char *near = text_nearest(given, preset_names());
            if (m->f.preset)
                return cli_usage("setup", "no preset '%s'%s%s%s", given,
                                 near ? "; did you mean '" : "", near ? near : "",
                                 near ? "'?" : "");
            setup_say(s, "  there is no '%s'\n", given);
            continue;
        }
        return setup_set(s, m->section, "preset", other ? "" : given, &error)
                   ? 0
                   : cli_error(0, error);
    }
}

/* --- servers and login --- */

/* What a preset knows is not asked, but can be told. */
static int
ask_servers(MailSetup *m)
{
    const MailFlags *f = &m->f;
    g_autofree char *preset = setup_value(&m->s, m->section, "preset");
    g_autofree char *ca = f->ca_file ? g_canonicalize_filename(f->ca_file, NULL) : NULL;
    bool ask = !*preset || g_str_equal(preset, "dovecot");
    bool by_program = f->smtp && g_str_equal(f->smtp, "sendmail");
    const SetupKey keys[] = {
        {m->section, "host", ask ? "IMAP server" : NULL, f->host, "--host", true},
        {m->section, "port", ask ? "Its port; 0: the usual one" : NULL, f->port, "--port",
         false},
        {m->section, "tls", ask ? "Its encryption: implicit, starttls, none" : NULL, f->tls,
         "--tls", true},
        {m->section, "ca-file", NULL, ca, "--ca-file", false},
        {m->section, "folder", NULL, f->folder, "--folder", true},
        {m->section, "smtp", NULL, f->smtp, "--smtp", false},
        {m->section, "smtp-host", ask && !by_program ? "Server that sends; empty: none" : NULL,
         f->smtp_host, "--smtp-host", false},
        {m->section, "smtp-port", ask && !by_program ? "Its port; 0: the usual one" : NULL,
         f->smtp_port, "--smtp-port", false},
        {m->section, "smtp-tls",
         ask && !by_program ? "Its encryption: implicit, starttls, none" : NULL, f->smtp_tls,
         "--smtp-tls", true},
        {m->section, "smtp-ca-file", NULL, ca, "--ca-file", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        int status = setup_key(&m->s, &keys[i]);
        if (status)
            return status;
    }
    return 0;
}

static int
ask_user(MailSetup *m)
{
    GError *error = NULL;
    g_autofree char *now = setup_value(&m->s, m->section, "user");
    if (!*now && !setup_set(&m->s, m->section, "user", m->address, &error))
        return cli_error(0, error);
    const SetupKey key = {m->section, "user", "Login name", m->f.user, "--user", true};
    return setup_key(&m->s, &key);
}

/* Of the three ways to a secret one counts; the others are emptied. */
static bool
set_way(MailSetup *m, const char *prefix, const char *way, const char *value, GError **error)
{
    static const char *const ways[] = {"password-file", "password-command", "token-command"};
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autofree char *key = g_strconcat(prefix, ways[i], NULL);
        if (!setup_set(&m->s, m->section, key, g_str_equal(ways[i], way) ? value : "", error))
            return false;
    }
    return true;
}

/* What takes our mail in lets us send, unless something else is said. */
static int
set_login(MailSetup *m, const char *way, const char *value)
{
    GError *error = NULL;
    g_autofree char *smtp = setup_value(&m->s, m->section, "smtp-host");
    g_autofree char *user = setup_value(&m->s, m->section, "user");
    const char *smtp_user = m->f.smtp_user ? m->f.smtp_user : user;
    if (!set_way(m, "", way, value, &error))
        return cli_error(EX_USAGE, error);
    if (*smtp && (!setup_set(&m->s, m->section, "smtp-user", smtp_user, &error) ||
                  !set_way(m, "smtp-", way, *smtp_user ? value : "", &error)))
        return cli_error(EX_USAGE, error);
    return 0;
}

static int
ask_password(MailSetup *m)
{
    Setup *s = &m->s;
    GError *error = NULL;
    g_autofree char *file = setup_value(s, m->section, "password-file");
    g_autofree char *question =
        *file ? g_strdup_printf("Password; empty: the one in %s", file) : g_strdup("Password");
    char *password = setup_ask_hidden(s, question);
    if (!password)
        return setup_no_answer();
    g_autofree char *name = g_strconcat(m->name, ".password", NULL);
    g_autofree char *path = g_strconcat("secrets/", name, NULL);
    bool fresh = *password;
    bool ok = !fresh || setup_keep_secret(s, name, password, &error);
    explicit_bzero(password, strlen(password));
    g_free(password);
    if (!ok)
        return cli_error(0, error);
    if (!fresh && !*file)
        return cli_fail(EX_USAGE, "a password is needed; nothing was changed");
    return set_login(m, "password-file", fresh ? path : file);
}

static int
ask_login(MailSetup *m)
{
    const MailFlags *f = &m->f;
    g_autofree char *preset = setup_value(&m->s, m->section, "preset");
    g_autofree char *token = setup_value(&m->s, m->section, "token-command");
    g_autofree char *command = setup_value(&m->s, m->section, "password-command");
    g_autofree char *file = setup_value(&m->s, m->section, "password-file");
    if ((f->password_file != NULL) + (f->password_command != NULL) +
            (f->token_command != NULL) >
        1)
        return cli_usage("setup",
                         "one of --password-file, --password-command, --token-command");
    if (f->token_command)
        return set_login(m, "token-command", f->token_command);
    if (f->password_command)
        return set_login(m, "password-command", f->password_command);
    if (f->password_file) {
        g_autofree char *path = g_canonicalize_filename(f->password_file, NULL);
        return set_login(m, "password-file", path);
    }
    if (!m->s.ask && !*token && !*command && !*file)
        return cli_usage("setup",
                         "needs --password-file, --password-command or --token-command");
    if (!m->s.ask || *command)
        return *token     ? set_login(m, "token-command", token)
               : *command ? set_login(m, "password-command", command)
                          : set_login(m, "password-file", file);
    if (!*token && !g_str_equal(preset, "outlook"))
        return ask_password(m);
    g_autofree char *given =
        setup_ask(&m->s, "Program that prints an access token; empty: a password", token);
    if (!given)
        return setup_no_answer();
    return *given ? set_login(m, "token-command", given) : ask_password(m);
}

/* --- the owner --- */

/* A mailbox that the owner has too: mail to the role carries a tag then. */
static int
settle_addresses(MailSetup *m, const char *owner)
{
    GError *error = NULL;
    const char *at = strchr(m->address, '@');
    g_autofree char *tagged = g_strdup_printf("%.*s+%s%s", (int)(at - m->address), m->address,
                                              m->role + strlen("role "), at);
    bool own = owner && address_equal(owner, m->address);
    if ((owner && !setup_set(&m->s, "postrider", "owner", owner, &error)) ||
        !setup_set(&m->s, m->role, "address", own ? tagged : m->address, &error))
        return cli_error(EX_USAGE, error);
    if (own)
        setup_say(&m->s, "the mailbox is your own: write to %s\n", tagged);
    return 0;
}

static int
add_authserv_id(MailSetup *m, const char *id)
{
    GError *error = NULL;
    g_autofree char *now = setup_value(&m->s, "trust", "authserv-id");
    g_auto(GStrv) known = g_strsplit_set(now, " ,;", -1);
    g_autofree char *longer = *now ? g_strconcat(now, " ", id, NULL) : g_strdup(id);
    if (g_strv_contains((const char *const *)known, id))
        return 0;
    return setup_set(&m->s, "trust", "authserv-id", longer, &error)
               ? 0
               : cli_error(EX_USAGE, error);
}

/* Without pairing: what the flags say, and what the provider is known for. */
static int
name_owner(MailSetup *m)
{
    g_autofree char *name = setup_value(&m->s, m->section, "preset");
    g_autofree char *ids = setup_value(&m->s, "trust", "authserv-id");
    g_autofree char *owner = setup_value(&m->s, "postrider", "owner");
    const Preset *preset = preset_find(name);
    const char *id = m->f.authserv_id  ? m->f.authserv_id
                     : preset && !*ids ? preset->authserv_id
                                       : "";
    int status = *id ? add_authserv_id(m, id) : 0;
    return status ? status : settle_addresses(m, m->f.owner ? m->f.owner : owner);
}

static int
pair(MailSetup *m, MailTrial *t)
{
    Paired p = {0};
    int64_t wait_us;
    const char *within = m->f.pair_within ? m->f.pair_within : PAIR_WITHIN;
    if (!text_parse_span(within, &wait_us))
        return cli_usage("setup", "--pair-within '%s' is no time such as 10m", within);
    int status = mail_pair(t, wait_us, &p);
    if (status == 0 && p.authserv_id)
        status = add_authserv_id(m, p.authserv_id);
    if (status == 0)
        status = settle_addresses(m, p.owner);
    paired_clear(&p);
    return status;
}

static bool
wants_pairing(MailSetup *m)
{
    if (m->f.pair || m->f.owner || !m->s.ask)
        return m->f.pair;
    g_autofree char *ids = setup_value(&m->s, "trust", "authserv-id");
    return setup_ask_yes(&m->s, "Pair now: learn your own address from a mail of yours?",
                         !*ids);
}

/* --- trying it out --- */

static int
learn_from_round(MailSetup *m, const MailTrial *t)
{
    GError *error = NULL;
    if ((t->sent_copy && !setup_set(&m->s, m->section, "sent-copy", t->sent_copy, &error)) ||
        (t->in_doubt && !setup_set(&m->s, m->section, "in-doubt", t->in_doubt, &error)))
        return cli_error(0, error);
    return 0;
}

static int
try_servers(MailSetup *m, MailTrial *t, bool round)
{
    int status = mail_trial_login(t);
    if (status == 0)
        status = mail_trial_submission(t);
    bool way_out = t->account->by_sendmail || *t->account->smtp.host;
    if (status == 0 && round && way_out && !m->f.no_round_trip)
        status = mail_trial_round(t);
    return status ? status : learn_from_round(m, t);
}

static int
begin_trial(MailSetup *m, Config **config, MailTrial *t)
{
    GError *error = NULL;
    if (!setup_trial(&m->s, config, &error))
        return cli_error(EX_CONFIG, error);
    const char *preset = NULL;
    g_autofree char *name = setup_value(&m->s, m->section, "preset");
    if (preset_find(name))
        preset = preset_find(name)->login;
    *t = (MailTrial){.setup = &m->s,
                     .config = *config,
                     .account = config_account(*config, m->name),
                     .address = m->address,
                     .login = preset ? preset : "check the login name and the password"};
    return 0;
}

static int
try_and_pair(MailSetup *m)
{
    g_autoptr(Config) config = NULL;
    MailTrial t = {0};
    int status = begin_trial(m, &config, &t);
    if (status)
        return status;
    if (!m->s.no_test) {
        status = try_servers(m, &t, true);
        if (status && m->s.ask && setup_ask_yes(&m->s, "Go on all the same?", false))
            status = 0;
    }
    if (status == 0 && t.conn && wants_pairing(m))
        status = pair(m, &t);
    else if (status == 0)
        status = name_owner(m);
    mail_trial_clear(&t);
    return status;
}

/* --- the verb --- */

static int
check(MailSetup *m)
{
    g_autoptr(Config) config = NULL;
    MailTrial t = {0};
    const ConfAccount *account = config_account(m->s.cli->home->config, m->name);
    if (!account || !g_str_equal(account->kind, "imap"))
        return cli_fail(EX_NOINPUT, "there is no imap account '%s'", m->name);
    int status = begin_trial(m, &config, &t);
    if (status == 0)
        status = try_servers(m, &t, false);
    mail_trial_clear(&t);
    return status;
}

/* The account's own process knows how. */
static int
take_over(MailSetup *m)
{
    GError *error = NULL;
    g_autofree char *path = proc_helper_path("postrider-net", &error);
    if (!path)
        return cli_error(EX_SOFTWARE, error);
    char *argv[] = {path,
                    (char *)"--home",
                    m->s.cli->home->path,
                    (char *)"account",
                    m->name,
                    (char *)"--take-over",
                    NULL};
    execv(path, argv);
    return cli_fail(EX_SOFTWARE, "can't start '%s': %s", path, g_strerror(errno));
}

/* The account's process sees the mailbox for the first time, and notes how far it reaches: what
 * comes from now on is work, also if the service is started next week. A service that runs does
 * that by itself. */
static int
first_visit(MailSetup *m)
{
    GError *error = NULL;
    const Home *home = m->s.cli->home;
    g_autoptr(Proc) proc = NULL;
    if (m->s.no_test || config_account(home->config, m->name) ||
        lock_is_held(home->state_fd, "master.lock"))
        return 0;
    g_autofree char *path = proc_helper_path("postrider-net", &error);
    const char *const argv[] = {path, "--home", home->path, "account", m->name, "--once", NULL};
    const ProcSpec spec = {.argv = argv, .limits = {.time_us = VISIT_US}};
    if (!path || !proc_run(&spec, &proc, &error))
        return cli_error(0, error);
    int status = proc_result(proc)->status;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EX_CONFIG)
        return cli_fail(EX_CONFIG,
                        "another home works in this mailbox; a mail in its folder Home "
                        "says which. To take it over: postrider setup mail --take-over");
    if (!proc_result(proc)->why)
        setup_say(&m->s, "mail that comes from now on is work\n");
    return 0;
}

static int
work(MailSetup *m)
{
    m->name = g_strdup(m->f.account ? m->f.account : usual_account(m->s.cli->home->config));
    m->section = g_strconcat("account ", m->name, NULL);
    if (!text_name_valid(m->name))
        return cli_usage("setup", "--account '%s': a name is a-z, 0-9, '.', '_', '-'", m->name);
    if (m->f.check)
        return check(m);
    if (m->f.take_over)
        return take_over(m);
    int (*const steps[])(MailSetup *) = {choose_role, choose_address, choose_preset,
                                         ask_servers, ask_user,       ask_login,
                                         try_and_pair};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        int status = steps[i](m);
        if (status)
            return status;
    }
    int status = setup_write(&m->s);
    return status ? status : first_visit(m);
}

static void
free_all(MailSetup *m)
{
    MailFlags *f = &m->f;
    char *owned[] = {f->account,       f->preset,    f->address,       f->role,
                     f->folder,        f->host,      f->port,          f->tls,
                     f->ca_file,       f->user,      f->password_file, f->password_command,
                     f->token_command, f->smtp,      f->smtp_host,     f->smtp_port,
                     f->smtp_tls,      f->smtp_user, f->owner,         f->authserv_id,
                     f->pair_within,   m->name,      m->section,       m->address,
                     m->role};
    for (size_t i = 0; i < G_N_ELEMENTS(owned); i++)
        g_free(owned[i]);
    if (m->s.changes)
        setup_close(&m->s);
}

int
setup_mail(Cli *cli, int argc, char **argv)
{
    MailSetup m = {0};
    MailFlags *f = &m.f;
    const GOptionEntry options[] = {
        {"account", 0, 0, G_OPTION_ARG_STRING, &f->account, NULL, NULL},
        {"preset", 0, 0, G_OPTION_ARG_STRING, &f->preset, NULL, NULL},
        {"address", 0, 0, G_OPTION_ARG_STRING, &f->address, NULL, NULL},
        {"role", 0, 0, G_OPTION_ARG_STRING, &f->role, NULL, NULL},
        {"folder", 0, 0, G_OPTION_ARG_STRING, &f->folder, NULL, NULL},
        {"host", 0, 0, G_OPTION_ARG_STRING, &f->host, NULL, NULL},
        {"port", 0, 0, G_OPTION_ARG_STRING, &f->port, NULL, NULL},
        {"tls", 0, 0, G_OPTION_ARG_STRING, &f->tls, NULL, NULL},
        {"ca-file", 0, 0, G_OPTION_ARG_STRING, &f->ca_file, NULL, NULL},
        {"user", 0, 0, G_OPTION_ARG_STRING, &f->user, NULL, NULL},
        {"password-file", 0, 0, G_OPTION_ARG_STRING, &f->password_file, NULL, NULL},
        {"password-command", 0, 0, G_OPTION_ARG_STRING, &f->password_command, NULL, NULL},
        {"token-command", 0, 0, G_OPTION_ARG_STRING, &f->token_command, NULL, NULL},
        {"smtp", 0, 0, G_OPTION_ARG_STRING, &f->smtp, NULL, NULL},
        {"smtp-host", 0, 0, G_OPTION_ARG_STRING, &f->smtp_host, NULL, NULL},
        {"smtp-port", 0, 0, G_OPTION_ARG_STRING, &f->smtp_port, NULL, NULL},
        {"smtp-tls", 0, 0, G_OPTION_ARG_STRING, &f->smtp_tls, NULL, NULL},
        {"smtp-user", 0, 0, G_OPTION_ARG_STRING, &f->smtp_user, NULL, NULL},
        {"owner", 0, 0, G_OPTION_ARG_STRING, &f->owner, NULL, NULL},
        {"authserv-id", 0, 0, G_OPTION_ARG_STRING, &f->authserv_id, NULL, NULL},
        {"pair", 0, 0, G_OPTION_ARG_NONE, &f->pair, NULL, NULL},
        {"pair-within", 0, 0, G_OPTION_ARG_STRING, &f->pair_within, NULL, NULL},
        {"no-round-trip", 0, 0, G_OPTION_ARG_NONE, &f->no_round_trip, NULL, NULL},
        {"check", 0, 0, G_OPTION_ARG_NONE, &f->check, NULL, NULL},
        {"take-over", 0, 0, G_OPTION_ARG_NONE, &f->take_over, NULL, NULL},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &m.s.yes, NULL, NULL},
        {"no-test", 0, 0, G_OPTION_ARG_NONE, &m.s.no_test, NULL, NULL},
        G_OPTION_ENTRY_NULL};
    int status = cli_options("setup", options, &argc, &argv);
    if (status == 0 && argc > 1)
        status = cli_usage("setup", "what is '%s'?", argv[1]);
    if (status == 0)
        status = setup_open(&m.s, cli);
    if (status == 0)
        status = work(&m);
    free_all(&m);
    return status;
}
