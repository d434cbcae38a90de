/* `postrider`: the verbs that need no mail library. */
#include "cli/cli.h"

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, true);
}
