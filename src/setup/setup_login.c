/* `setup mail`: how it logs in. */
#include "base/preset.h"
#include "base/secret.h"
#include "setup/setup_mail.h"

/* Of these one counts, the first that is set. They are flags and keys. */
static const char *const ways[] = {"token-command", "password-command", "password-file"};

/* The others are emptied. */
static bool
set_way(MailSetup *m, const char *prefix, const char *way, const char *value, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autofree char *key = g_strconcat(prefix, ways[i], NULL);
        if (!setup_set(m->s, m->section, key, g_str_equal(ways[i], way) ? value : "", error))
            return false;
    }
    return true;
}

/* What takes our mail in lets us send, unless something else is said. */
static int
set_login(MailSetup *m, const char *way, const char *value)
{
    GError *error = NULL;
    g_autofree char *smtp = setup_value(m->s, m->section, "smtp-host");
    g_autofree char *user = setup_value(m->s, m->section, "user");
    const char *said = cli_text(m->s->cli, "smtp-user");
    const char *smtp_user = said ? said : user;
    if (!set_way(m, "", way, value, &error))
        return cli_error(EX_USAGE, error);
    if (*smtp && (!setup_set(m->s, m->section, "smtp-user", smtp_user, &error) ||
                  !set_way(m, "smtp-", way, *smtp_user ? value : "", &error)))
        return cli_error(EX_USAGE, error);
    return 0;
}

/* What a provider wants is good to know before one types. */
static void
say_hint(MailSetup *m)
{
    g_autofree char *name = setup_value(m->s, m->section, "preset");
    const Preset *preset = preset_find(name);
    if (preset && !g_str_equal(name, "dovecot"))
        setup_say(m->s, "  %s\n", preset->login);
}

static int
ask_password(MailSetup *m)
{
    Setup *s = m->s;
    g_autofree char *file = setup_value(s, m->section, "password-file");
    g_autofree char *question =
        *file ? g_strdup_printf("Password; empty: the one in %s", file) : g_strdup("Password");
    say_hint(m);
    char *password = setup_ask_hidden(s, question);
    if (!password || s->back) {
        g_free(password);
        return setup_no_answer(s);
    }
    g_autofree char *name = g_strconcat(m->name, ".password", NULL);
    g_autofree char *path = g_strconcat("secrets/", name, NULL);
    bool fresh = *password;
    bool ok = !fresh || setup_keep_secret(s, name, password, &s->cli->error);
    secret_free(password);
    if (!ok)
        return cli_failed(s->cli, 0);
    if (!fresh && !*file)
        return cli_fail(EX_USAGE, "a password is needed; nothing was changed");
    return set_login(m, "password-file", fresh ? path : file);
}

/* What was said; *ret_n counts how many. */
static const char *
way_said(const Setup *s, unsigned *ret_n)
{
    const char *way = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        if (!cli_text(s->cli, ways[i]))
            continue;
        way = ways[i];
        (*ret_n)++;
    }
    return way;
}

/* What is in force; NULL: nothing. Caller frees the value. */
static const char *
way_now(const MailSetup *m, char **ret_value)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autofree char *value = setup_value(m->s, m->section, ways[i]);
        if (!*value)
            continue;
        *ret_value = g_steal_pointer(&value);
        return ways[i];
    }
    return NULL;
}

/* Microsoft takes tokens alone; elsewhere only who has one already is asked for it. */
static int
ask_token(MailSetup *m, const char *now)
{
    say_hint(m);
    g_autofree char *given =
        setup_ask(m->s, "Program that prints an access token; empty: a password", now);
    if (!given || m->s->back)
        return setup_no_answer(m->s);
    return *given ? set_login(m, "token-command", given) : ask_password(m);
}

int
mail_login(void *data)
{
    MailSetup *m = data;
    unsigned n;
    g_autofree char *value = NULL;
    g_autofree char *preset = setup_value(m->s, m->section, "preset");
    const char *said = way_said(m->s, &n), *now = way_now(m, &value);
    if (n > 1)
        return cli_usage(m->s->cli,
                         "one of --password-file, --password-command, --token-command");
    if (said) {
        bool file = g_str_equal(said, "password-file");
        g_autofree char *given =
            file ? setup_flag_path(m->s, said) : g_strdup(cli_text(m->s->cli, said));
        return set_login(m, said, given);
    }
    if (!now && !m->s->ask)
        return cli_usage(m->s->cli,
                         "needs --password-file, --password-command or --token-command");
    if (now && (!m->s->ask || g_str_equal(now, "password-command")))
        return set_login(m, now, value);
    bool token = now && g_str_equal(now, "token-command");
    if (token || g_str_equal(preset, "outlook"))
        return ask_token(m, token ? value : NULL);
    return ask_password(m);
}
