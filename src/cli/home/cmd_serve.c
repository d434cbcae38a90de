#include "base/banned.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "serve/serve.h"

#define ITERATIONS_MAX 10000

int
cmd_serve(Cli *cli, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (g_str_equal(argv[i], "--once"))
            return -1; /* a pass parses mail: the other program */
    }
    int n = INT_MIN;
    gboolean take_over = FALSE;
    const GOptionEntry options[] = {
        {"max-iterations", 0, 0, G_OPTION_ARG_INT, &n, NULL, NULL},
        {"max-iter", 0, 0, G_OPTION_ARG_INT, &n, NULL, NULL}, /* the same */
        {"take-over", 0, 0, G_OPTION_ARG_NONE, &take_over, NULL, NULL},
        G_OPTION_ENTRY_NULL};
    int status = cli_options("serve", options, &argc, &argv);
    if (status)
        return status;
    if (argc != 1)
        return cli_usage("serve", "takes no operand");
    if (n != INT_MIN && (n < 1 || n > ITERATIONS_MAX))
        return cli_usage("serve", "--max-iterations must be 1 to %d", ITERATIONS_MAX);
    status = cli_home(cli);
    return status ? status : serve_main(cli->home, cli->self, MAX(n, 0), take_over);
}
