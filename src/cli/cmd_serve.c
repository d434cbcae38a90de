#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "serve/serve.h"

int
cmd_serve(Cli *cli, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (g_str_equal(argv[i], "--once"))
            return -1; /* a pass parses mail: the other program */
    }
    if (argc != 1)
        return cli_usage("serve", "takes no operand");
    int status = cli_home(cli);
    return status ? status : serve_main(cli->home, cli->self);
}
