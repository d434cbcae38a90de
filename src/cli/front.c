/* `postrider`: the verbs that need no mail library. */
#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"

/* clang-format off */
static const VerbRun table[] = {
    {"backup", cmd_backup},
    {"config", cmd_config},
    {"cost", cmd_cost},
    {"deliver", cmd_deliver},
    {"help", cmd_help},
    {"init", cmd_init},
    {"job", cmd_job},
    {"log", cmd_log},
    {"mail", cmd_mail_list},
    {"note", cmd_note},
    {"outbox", cmd_outbox},
    {"restore", cmd_restore},
    {"role", cmd_role},
    {"serve", cmd_serve},
    {"show", cmd_show},
    {"status", cmd_status},
    {"watch", cmd_watch},
    {NULL, NULL},
};
/* clang-format on */

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, table, true);
}
