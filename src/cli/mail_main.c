/* libexec `postrider-mail`: the verbs that read or write mail. */
#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"

/* clang-format off */
static const VerbRun table[] = {
    {"account", cmd_account},
    {"approve", cmd_approve},
    {"ask", cmd_ask},
    {"cancel", cmd_cancel},
    {"continue", cmd_continue},
    {"doctor", cmd_doctor},
    {"every", cmd_every},
    {"fork", cmd_fork},
    {"index", cmd_index},
    {"inject", cmd_inject},
    {"job", cmd_job_mail},
    {"mail", cmd_mail},
    {"outbox", cmd_outbox_mail},
    {"receive", cmd_receive},
    {"reject", cmd_reject},
    {"resume", cmd_resume},
    {"run", cmd_run},
    {"send", cmd_send},
    {"sendmail", cmd_sendmail},
    {"serve", cmd_serve_once},
    {"show", cmd_show_mail},
    {"stop", cmd_stop},
    {"submit", cmd_submit},
    {NULL, NULL},
};
/* clang-format on */

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, table, false);
}
