#include "engine/in/suspects.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/secret.h"
#include <sys/wait.h>

#define TRIALS 3
#define TRIAL_US                                                                               \
    (30 * USEC_PER_SEC) /* for a parser that does not end; 25 MB take less than 1 s */

/* Where no child can be made there is no proof. */
static bool
ends_a_child(const Home *home, const char *program, GBytes *raw)
{
    const char *const argv[] = {program, home->path, NULL};
    g_auto(GStrv) env = secret_environ();
    const ProcSpec spec = {.argv = argv,
                           .env = (const char *const *)env,
                           .input = raw,
                           .limits = {.time_us = TRIAL_US}};
    g_autoptr(Proc) child = NULL;
    if (!proc_run(&spec, &child, NULL))
        return false;
    const ProcEnd *end = proc_result(child);
    return end->timed_out || WIFSIGNALED(end->status);
}

bool
suspects_convict(const Home *home, GBytes *raw)
{
    g_autofree char *program = proc_helper_path("postrider-parse", NULL);
    for (int i = 0; i < TRIALS; i++)
        if (!program || !ends_a_child(home, program, raw))
            return false;
    return true;
}
