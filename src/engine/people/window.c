#include "engine/people/window.h"
#include "base/log.h"
#include "base/proc.h"

#define TIME_US (2 * USEC_PER_SEC)
#define SESSION "postrider"
#define FIXED 4 /* words in front of a tmux command */

/* The server lives longer than we do: it gets nothing of ours that could be a secret, or a mark
 * by which what a job has left running is known. */
static char **
build_env(void)
{
    static const char *const passed[] = {"PATH", "HOME", "USER", "SHELL", "LANG", "TZ", "POSTRIDER_CLOCK"};
    char **env = g_environ_setenv(NULL, "LC_ALL", "C.UTF-8", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(passed); i++) {
        const char *value = g_getenv(passed[i]);
        if (value)
            env = g_environ_setenv(env, passed[i], value, TRUE);
    }
    return env;
}

/* True if tmux did it; otherwise *ret_why is what it said. The caller frees that. */
static bool
call_tmux(const Home *home, const char *const *command, const char *const *shown, char **ret_why)
{
    g_autofree char *socket = g_build_filename(home->path, WINDOW_SOCKET, NULL);
    const char *const front[FIXED] = {"tmux", "-S", socket, "-u"};
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_auto(GStrv) env = build_env();
    g_autoptr(GError) error = NULL;
    g_autoptr(Proc) proc = NULL;

    for (size_t i = 0; i < FIXED; i++)
        g_ptr_array_add(argv, (char *)front[i]);
    for (; *command; command++)
        g_ptr_array_add(argv, (char *)*command);
    for (; *shown; shown++)
        g_ptr_array_add(argv, (char *)*shown);
    g_ptr_array_add(argv, NULL);
    const ProcSpec spec = {.argv = (const char *const *)argv->pdata,
                           .env = (const char *const *)env,
                           .cwd = home->path,
                           .limits = {.time_us = TIME_US, .grace_us = USEC_PER_SEC / 10}};
    g_clear_pointer(ret_why, g_free);
    if (!proc_run(&spec, &proc, &error)) {
        *ret_why = g_strdup(error->message);
        return false;
    }
    const ProcEnd *end = proc_result(proc);
    g_autofree char *said = text_valid_bytes(end->err);
    if (end->why)
        *ret_why = g_strdup(*g_strstrip(said) ? said : end->why);
    return !end->why;
}

void
window_open(const Home *home, const char *role, const char *const *watch)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) shown = g_ptr_array_new();
    guint n = g_strv_length((char **)watch);
    g_autofree char *front = proc_helper_path("postrider", &error), *why = NULL;
    g_autofree char *name = g_strdup_printf("%s-%s", role, watch[n - 1]);
    if (!front) {
        log_event(LOG_WARN, "no window to watch the job in", "why", error->message, NULL);
        return;
    }
    const char *const first[] = {front, "--home", home->path, "watch"};
    for (guint i = 0; i < G_N_ELEMENTS(first); i++)
        g_ptr_array_add(shown, (char *)first[i]);
    for (guint i = 0; i <= n; i++)
        g_ptr_array_add(shown, (char *)watch[i]);
    const char *const *argv = (const char *const *)shown->pdata;
    const char *const window[] = {"new-window", "-d", "-S", "-t", "=" SESSION ":", "-n", name, NULL};
    const char *const session[] = {"new-session", "-d", "-s", SESSION, "-n", name, NULL};
    /* Where there is no session yet two may begin it at once: the slower one finds it then. */
    if (!call_tmux(home, window, argv, &why) && !call_tmux(home, session, argv, &why) &&
        !call_tmux(home, window, argv, &why))
        log_event(LOG_WARN, "no window to watch the job in", "why", why, NULL);
}
