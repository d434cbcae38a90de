#include "cli/cli.h"
#include "cli/cmds.h"
int
cmd_doctor(Cli *c, int n, char **a)
{
    return 64;
}
