/*
 * What a `serve` costs that has nothing to do: CPU time and wake-ups of the master, its account and its spare
 * run over 20 seconds, the master's memory, and that of the spare run, without what it shares with others (PSS).
 * One wake-up a minute is the master's sweep, which may fall into the time that we look.
 */
#include "base/err.h"
#include "measure.h"
#include "place.h"

#define SETTLE_US 3000000u
#define WATCH_S 20u
#define WAKE_UPS 1 /* in that time; two a minute are allowed */

typedef struct Usage {
    double ticks, wake_ups, memory_mb, pss_mb;
} Usage;

static char *
read_proc(pid_t pid, const char *what, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/%s", (int)pid, what);
    char *text = NULL;

    return g_file_get_contents(path, &text, NULL, error) ? text : NULL;
}

/* The number behind "\nNAME:". */
static double
field(const char *status, const char *name)
{
    const char *at = strstr(status, name);

    return at ? g_ascii_strtod(at + strlen(name), NULL) : -1;
}

static bool
read_usage(pid_t pid, Usage *ret, GError **error)
{
    g_autofree char *stat = read_proc(pid, "stat", error);
    g_autofree char *status = stat ? read_proc(pid, "status", error) : NULL;
    g_autofree char *rollup = status ? read_proc(pid, "smaps_rollup", error) : NULL;
    unsigned long user, kernel;

    if (!rollup)
        return false;
    const char *behind = strrchr(stat, ')'); /* the name may hold anything */
    if (!behind || sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                          &user, &kernel) != 2)
        return err_set(error, ERR_NEVER, "can't read /proc/%d/stat", (int)pid);
    *ret = (Usage){.ticks = (double)(user + kernel),
                   .wake_ups = field(status, "\nvoluntary_ctxt_switches:"),
                   .memory_mb = field(status, "\nVmRSS:") / 1024,
                   .pss_mb = field(rollup, "\nPss:") / 1024};
    return true;
}

/* The master's children when nothing is to do. */
static bool
find_children(pid_t master, pid_t *ret_account, pid_t *ret_spare, GError **error)
{
    g_autofree char *path = g_strdup_printf("task/%d/children", (int)master);
    g_autofree char *children = read_proc(master, path, error);
    int n = 0;

    if (!children)
        return false;
    return (sscanf(children, "%d %d%n", ret_account, ret_spare, &n) == 2 &&
            strlen(children + n) <= 1) ||
           err_set(error, ERR_NEVER, "not an account and a spare run alone: %s", children);
}

static void
report(Measure *m, const char *who, const Usage *before, const Usage *after)
{
    g_autofree char *cpu = g_strdup_printf("idle %s: CPU in %u s", who, WATCH_S);
    g_autofree char *wakes = g_strdup_printf("idle %s: wake-ups in %u s", who, WATCH_S);

    goal_most(m, cpu, 0, after->ticks - before->ticks, "ticks", 0);
    goal_most(m, wakes, 0, after->wake_ups - before->wake_ups, "", WAKE_UPS);
}

enum { MASTER, ACCOUNT, SPARE, N_PROCESSES };

static bool
read_all(const pid_t pids[N_PROCESSES], Usage ret[N_PROCESSES], GError **error)
{
    for (int i = 0; i < N_PROCESSES; i++)
        if (!read_usage(pids[i], &ret[i], error))
            return false;
    return true;
}

static bool
watch(Measure *m, pid_t master, GError **error)
{
    static const char *const names[] = {"master", "account", "spare run"};
    pid_t pids[N_PROCESSES] = {master};
    Usage before[N_PROCESSES], after[N_PROCESSES];

    g_usleep(SETTLE_US);
    if (!find_children(master, &pids[ACCOUNT], &pids[SPARE], error) ||
        !read_all(pids, before, error))
        return false;
    g_usleep(WATCH_S * G_USEC_PER_SEC);
    if (!read_all(pids, after, error))
        return false;
    for (int i = 0; i < N_PROCESSES; i++)
        report(m, names[i], &before[i], &after[i]);
    goal_most(m, "idle master: memory", 0, after[MASTER].memory_mb, "MB", 10);
    goal_none("idle account: memory", 0, after[ACCOUNT].memory_mb, "MB");
    goal_most(m, "idle spare run: memory (PSS)", 0, after[SPARE].pss_mb, "MB", 10);
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    pid_t master;

    if (!place_open(&place, NULL, error))
        return false;
    const char *argv[] = {place.program, "serve", NULL};
    if (!place_start(&place, argv, &master, error))
        return false;
    bool ok = watch(m, master, error);
    place_stop(master);
    return ok;
}

int
main(void)
{
    return measure_main(measure);
}
