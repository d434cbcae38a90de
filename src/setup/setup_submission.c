/* The way out that `setup mail` tries: a submission server, or the local sendmail. */
#include "base/clock.h"
#include "remote/login.h"
#include "setup/setup_trial.h"
#include "wire/smtp.h"

#define ANSWER_US (30 * USEC_PER_SEC)

/* Where the service looks for it too. */
static char *
find_sendmail(void)
{
    g_autofree char *found = g_find_program_in_path("sendmail");
    return found ? g_steal_pointer(&found) : g_strdup("/usr/sbin/sendmail");
}

static bool
open_way(MailTrial *t, Submission *ret, GError **error)
{
    const ConfServer *server = &t->account->smtp;
    if (t->account->submit == CONF_SUBMIT_SENDMAIL) {
        g_autofree char *program = find_sendmail();
        return access(program, X_OK) == 0 ||
               err_set(error, ERR_CONFIG, "there is no %s", program);
    }
    ret->place = (SmtpPlace){.wait_us = ANSWER_US};
    return login_smtp(t->setup->cli->home, server, ret, error);
}

int
trial_submission(MailTrial *t)
{
    GError *error = NULL;
    g_auto(Submission) way = {0};
    if (t->account->submit != CONF_SUBMIT_SENDMAIL && !*t->account->smtp.host) {
        setup_say(t->setup, "submission: none is set: mail to people outside is held\n");
        return 0;
    }
    if (!open_way(t, &way, &error))
        return trial_failed(t, "submission", error);
    if (way.smtp)
        setup_ok(t->setup, "submission", "%s takes mail from %s", t->account->smtp.host,
                 *t->account->smtp.user ? t->account->smtp.user : "us");
    else
        setup_ok(t->setup, "submission", "there is a sendmail");
    return 0;
}

bool
trial_send(MailTrial *t, const char *address, GBytes *bytes, GError **error)
{
    g_auto(Submission) way = {0};
    const char *const to[] = {address};
    const SmtpMail mail = {.from = address, .to = to, .n_to = 1, .bytes = bytes};
    g_autofree char *program = find_sendmail();
    const char *const argv[] = {program, "-i", NULL};
    SmtpResult result = {0};
    if (!open_way(t, &way, error))
        return false;
    if (way.smtp)
        smtp_send(way.smtp, &mail, &result);
    else
        smtp_program_send(argv, &way.place, &mail, &result);
    bool ok = result.end == SMTP_SENT;
    if (!ok)
        err_set(error, result.end == SMTP_NEVER ? ERR_CONFIG : ERR_LATER,
                "a mail to '%s' was not taken: %s", address, result.text);
    smtp_results_clear(&result, 1);
    return ok;
}
