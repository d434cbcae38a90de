/* libexec `postrider-mail`: the parts of the service, and verbs that ask a brain. */
#include "cli/cli.h"

int
main(int argc, char **argv)
{
    return cli_main(argc, argv, false);
}
