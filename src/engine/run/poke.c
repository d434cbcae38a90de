#include "engine/run/poke.h"
#include "store/viewer.h"
#include <signal.h>

void
poke_run(Db *db, JobId job)
{
    g_autoptr(Job) row = NULL;
    if (!job_load(db, &VIEWER_OPERATOR, job, &row, NULL) || !row || row->owner.pid <= 0)
        return;
    if (g_strcmp0(row->owner_host, proc_host()) == 0 &&
        g_strcmp0(row->owner_boot, proc_boot_id()) == 0 && proc_alive(&row->owner))
        (void)kill(row->owner.pid, SIGUSR1);
}
