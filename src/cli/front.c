/* `postrider`: the verbs that ask no brain and need no network. */
#include "cli/cli.h"

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, true);
}
