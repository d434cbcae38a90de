#include "cli/cli.h"
#include "cli/cmds.h"
#include "serve/serve.h"

/* What the front would exec for a part: not to go through it brings a brain to work two
 * milliseconds earlier. */
static const char *
part_program(const char *verb, const Config *config, const char *account)
{
    return verb_find(verb, NULL)->run ? NULL : verb_program(verb, config, account);
}

int
cmd_serve(Cli *cli, int argc, char **argv)
{
    int n;
    if (cli_flag(cli, "once"))
        return -1; /* a pass parses mail: the other program */
    int status = cli_iterations(cli, true, &n);
    if (status)
        return status;
    status = cli_home(cli);
    return status
               ? status
               : serve_main(cli->home, cli->self, part_program, n, cli_flag(cli, "take-over"));
}
