/* libexec `postrider-mail`: the verbs that read or write mail. */
#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"

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
cli_engine(Cli *cli, Engine **ret)
{
    GError *error = NULL;
    int status = cli_home(cli);
    if (status)
        return status;
    if (!engine_open(cli->home, &cli_parts, ret, &error))
        return cli_error(0, error);
    return 0;
}

Engine
cli_reader(const Cli *cli)
{
    return (Engine){
        .home = cli->home, .db = cli->db, .modes = cli_parts.modes, .faces = cli_parts.faces};
}

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, table, false);
}
