#include "cli/cli.h"
#include "cli/cmds.h"
#include "engine/out/deliver.h"

int
cmd_deliver(Cli *cli, int argc, char **argv)
{
    int status = cli_db(cli, DB_WRITE);
    return status ? status : deliver_main(cli->home, cli->db);
}
