/* `setup mail`: a mailbox on a server. */
#include "setup/setup_mail.h"
#include "base/lock.h"
#include "base/preset.h"
#include "base/proc.h"
#include "base/secretfile.h"
#include "cli/cmds.h"
#include "mail/address.h"
#include <sys/wait.h>

#define VISIT_US (120 * USEC_PER_SEC)

/* The imap account there is, else a new one that is called mail. */
static const char *
usual_account(const Config *config)
{
    for (unsigned i = 0; i < config->n_accounts; i++) {
        if (config_is_imap(&config->accounts[i]))
            return config->accounts[i].name;
    }
    return "mail";
}

/* --- trying it out --- */

/* A preset knows more than one mail can show: which header still has our Message-ID. */
static int
learn_from_round(MailSetup *m, const MailTrial *t)
{
    g_autofree char *name = setup_value(m->s, m->section, "preset");
    bool told = preset_value(preset_find(name), "in-doubt") != NULL;
    const char *const learnt[][2] = {
        {"sent-copy", conf_sent_copy_word(t->sent_copy)},
        {"message-id", conf_message_id_word(t->message_id)},
        {"envelope", conf_envelope_word(t->envelope)},
        {"in-doubt", told ? "" : conf_doubt_word(t->in_doubt)},
    };
    GError *error = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(learnt); i++) {
        if (*learnt[i][1] && !setup_set(m->s, m->section, learnt[i][0], learnt[i][1], &error))
            return cli_error(0, error);
    }
    return 0;
}

static int
try_servers(MailSetup *m, bool round)
{
    MailTrial *t = &m->trial;
    int status = trial_login(t);
    if (status == 0)
        status = trial_submission(t);
    bool way_out = t->account->submit == CONF_SUBMIT_SENDMAIL || *t->account->smtp.host;
    if (status == 0 && round && way_out && !cli_flag(m->s->cli, "no-round-trip"))
        status = trial_round(t);
    return status ? status : learn_from_round(m, t);
}

static void
end_trial(MailSetup *m)
{
    trial_clear(&m->trial);
    g_clear_pointer(&m->config, config_free);
}

static int
begin_trial(MailSetup *m)
{
    GError *error = NULL;
    end_trial(m);
    if (!setup_preview(m->s, &m->config, &error))
        return cli_error(EX_CONFIG, error);
    const char *preset = NULL;
    g_autofree char *name = setup_value(m->s, m->section, "preset");
    bool told = preset_value(preset_find(name), "envelope") != NULL;
    if (preset_find(name))
        preset = preset_find(name)->login;
    m->trial = (MailTrial){.setup = m->s,
                           .config = m->config,
                           .account = config_account(m->config, m->name),
                           .address = m->address,
                           .preset = told ? preset_find(name)->name : NULL,
                           .login = preset ? preset : "check the login name and the password"};
    return 0;
}

static int
try_it(void *data)
{
    MailSetup *m = data;
    int status = m->s->back ? 0 : begin_trial(m);
    if (status || m->s->back || cli_flag(m->s->cli, "no-test"))
        return status;
    return setup_go_on(m->s, try_servers(m, true));
}

/* --- the verb --- */

static int
check(MailSetup *m)
{
    const ConfAccount *account = config_account(m->s->cli->home->config, m->name);
    if (!account || !config_is_imap(account))
        return cli_fail(EX_NOINPUT, "there is no imap account '%s'", m->name);
    if (!secretfile_within_reach(account->server.password_file) ||
        !secretfile_within_reach(account->smtp.password_file)) {
        setup_say(m->s, "login: not tested: systemd hands its password to the service alone\n");
        return 0;
    }
    int status = begin_trial(m);
    if (status == 0)
        status = try_servers(m, false);
    end_trial(m);
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
                    m->s->cli->home->path,
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
    const Home *home = m->s->cli->home;
    g_autoptr(Proc) proc = NULL;
    if (cli_flag(m->s->cli, "no-test") || config_account(home->config, m->name) ||
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
        setup_say(m->s, "mail that comes from now on is work\n");
    else
        setup_say(m->s,
                  "the mailbox could not be visited yet (%s): mail counts as work from the "
                  "first time that it is\n",
                  proc_result(proc)->why);
    return 0;
}

/* What is used last is looked at first: tests take a while. */
static int
check_flags(Setup *s)
{
    int64_t span;
    const char *owner = cli_text(s->cli, "owner"), *within = cli_text(s->cli, "pair-within");
    if (owner && !address_spec_valid(owner))
        return cli_usage(s->cli, "--owner '%s' is no address such as you@example.org", owner);
    if (within && !text_parse_span(within, &span))
        return cli_usage(s->cli, "--pair-within '%s' is no time such as 10m", within);
    return 0;
}

static int
set_up(MailSetup *m)
{
    const SetupStep steps[] = {mail_role, mail_address, mail_preset, mail_servers,
                               mail_user, mail_login,   try_it,      mail_owner};
    int status = check_flags(m->s);
    if (status)
        return status;
    if (cli_flag(m->s->cli, "check"))
        return check(m);
    if (cli_flag(m->s->cli, "take-over"))
        return take_over(m);
    status = setup_talk(m->s, steps, G_N_ELEMENTS(steps), m);
    end_trial(m);
    return status ? status : first_visit(m);
}

static int
work(Setup *s)
{
    const char *said = cli_text(s->cli, "account");
    const char *name = said ? said : usual_account(s->cli->home->config);
    if (!text_name_valid(name))
        return cli_usage(s->cli, "--account '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    MailSetup m = {
        .s = s, .name = g_strdup(name), .section = g_strconcat("account ", name, NULL)};
    int status = set_up(&m);
    free_all(m.name, m.section, m.address, m.role);
    return status;
}

int
cmd_setup_mail(Cli *cli, int argc, char **argv)
{
    return setup_run(&(SetupPart){.work = work}, cli, argc, argv);
}
