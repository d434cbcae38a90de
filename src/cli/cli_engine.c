#include "cli/cli.h"
#include "cli/faces.h"

int
cli_engine(Cli *cli, Engine **ret)
{
    int status = cli_home(cli);
    if (status)
        return status;
    if (!engine_open(cli->home, &cli_parts, ret, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

Engine
cli_reader(const Cli *cli)
{
    return (Engine){
        .home = cli->home, .db = cli->db, .modes = cli_parts.modes, .faces = cli_parts.faces};
}
