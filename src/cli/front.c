/* `postrider`: the verbs that need no mail library. */
#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"

/* clang-format off */
static const VerbRun table[] = {
    {"approve", cmd_approve},
    {"backup", cmd_backup},
    {"cancel", cmd_cancel},
    {"config", cmd_config},
    {"continue", cmd_continue},
    {"cost", cmd_cost},
    {"deliver", cmd_deliver},
    {"help", cmd_help},
    {"init", cmd_init},
    {"job", cmd_job},
    {"mail", cmd_mail_list},
    {"note", cmd_note},
    {"outbox", cmd_outbox},
    {"reject", cmd_reject},
    {"restore", cmd_restore},
    {"serve", cmd_serve},
    {"show", cmd_show},
    {"status", cmd_status},
    {"stop", cmd_stop},
    {"watch", cmd_watch},
    {NULL, NULL},
};
/* clang-format on */

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, table, true);
}
