#include "cli/home/reload.h"
#include "base/lock.h"
#include <errno.h>
#include <signal.h>

pid_t
reload_master(const Home *home)
{
    return lock_is_held(home->state_fd, "master.lock")
               ? lock_holder(home->state_fd, "master.lock")
               : 0;
}

char *
reload_ask(const Home *home)
{
    pid_t pid = reload_master(home);
    if (pid <= 0)
        return NULL;
    if (kill(pid, SIGHUP) == 0)
        return g_strdup_printf("process %d, which serves this home, was told to read it again",
                               (int)pid);
    return g_strdup_printf("process %d serves this home and can't be told (%s); as its user: "
                           "kill -HUP %d",
                           (int)pid, g_strerror(errno), (int)pid);
}
