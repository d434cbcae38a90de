/*
 * What a `serve` costs that has nothing to do: CPU time and wake-ups of the master and its
 * account over 20 seconds, and the master's memory. One wake-up a minute is the master's sweep,
 * which may fall into the time that we look.
 */
#include "base/err.h"
#include "measure.h"
#include "place.h"

#define SETTLE_US 3000000u
#define WATCH_S 20u
#define WAKE_UPS 1 /* in that time; two a minute are allowed */

typedef struct Usage {
    double ticks, wake_ups, memory_mb;
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
    unsigned long user, kernel;

    if (!status)
        return false;
    const char *behind = strrchr(stat, ')'); /* the name may hold anything */
    if (!behind || sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                          &user, &kernel) != 2)
        return err_set(error, ERR_NEVER, "can't read /proc/%d/stat", (int)pid);
    *ret = (Usage){.ticks = (double)(user + kernel),
                   .wake_ups = field(status, "\nvoluntary_ctxt_switches:"),
                   .memory_mb = field(status, "\nVmRSS:") / 1024};
    return true;
}

/* The master's only child when nothing is to do. */
static bool
find_account(pid_t master, pid_t *ret, GError **error)
{
    g_autofree char *path = g_strdup_printf("task/%d/children", (int)master);
    g_autofree char *children = read_proc(master, path, error);
    int n = 0;

    if (!children || sscanf(children, "%d%n", ret, &n) != 1)
        return children ? err_set(error, ERR_NEVER, "the master has no account process")
                        : false;
    return children[n] == '\0' || children[n + 1] == '\0' ||
           err_set(error, ERR_NEVER, "the master has more than one child: %s", children);
}

static void
report(Measure *m, const char *who, const Usage *before, const Usage *after)
{
    g_autofree char *cpu = g_strdup_printf("idle %s: CPU in %u s", who, WATCH_S);
    g_autofree char *wakes = g_strdup_printf("idle %s: wake-ups in %u s", who, WATCH_S);

    goal_most(m, cpu, 0, after->ticks - before->ticks, "ticks", 0);
    goal_most(m, wakes, 0, after->wake_ups - before->wake_ups, "", WAKE_UPS);
}

static bool
watch(Measure *m, pid_t master, GError **error)
{
    Usage master_before, master_after, account_before, account_after;
    pid_t account;

    g_usleep(SETTLE_US);
    if (!find_account(master, &account, error) || !read_usage(master, &master_before, error) ||
        !read_usage(account, &account_before, error))
        return false;
    g_usleep(WATCH_S * G_USEC_PER_SEC);
    if (!read_usage(master, &master_after, error) ||
        !read_usage(account, &account_after, error))
        return false;
    report(m, "master", &master_before, &master_after);
    report(m, "account", &account_before, &account_after);
    goal_most(m, "idle master: memory", 0, master_after.memory_mb, "MB", 10);
    goal_none("idle account: memory", 0, account_after.memory_mb, "MB");
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
