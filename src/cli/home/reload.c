#include "cli/home/reload.h"
#include <signal.h>

char *
reload_ask(const Home *home)
{
    pid_t pid = home_master(home);
    if (pid <= 0)
        return NULL;
    if (kill(pid, SIGHUP) == 0)
        return g_strdup_printf("process %d, which serves this home, was told to read it again",
                               (int)pid);
    return g_strdup_printf("process %d serves this home and can't be told (%s); as its user: "
                           "kill -HUP %d",
                           (int)pid, g_strerror(errno), (int)pid);
}

void
reload_tell(Cli *cli)
{
    g_autofree char *told = reload_ask(cli->home);
    if (told)
        cli_print(cli, "%s\n", told);
}
