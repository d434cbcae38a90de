#include "base/check.h"
#include "base/clock.h"
#include "base/limits.h"

void
check_end_clear(CheckEnd *end)
{
    g_clear_pointer(&end->why, g_free);
    g_clear_pointer(&end->output, g_free);
}

bool
check_start(const CheckSpec *check, Proc **ret, GError **error)
{
    /* One stream, of which the end is kept: stderr. The command stands on a line of its own, as in a script. */
    g_autofree char *script = g_strconcat("exec >&2\n", check->command, NULL);
    const char *const shell[] = {"/bin/sh", "-c", script};
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    for (const char *const *word = check->wall; word && *word; word++)
        g_ptr_array_add(argv, (char *)*word);
    for (size_t i = 0; i < G_N_ELEMENTS(shell); i++)
        g_ptr_array_add(argv, (char *)shell[i]);
    g_ptr_array_add(argv, NULL);
    ProcSpec spec = {.argv = (const char *const *)argv->pdata,
                     .env = check->env,
                     .cwd = check->cwd,
                     .walled = check->wall != NULL,
                     .limits = {.time_us = clock_patience_us(CHECK_US),
                                .err_max = LIMIT_CHECK_OUTPUT}};
    return proc_talk(&spec, ret, error);
}

void
check_end(const Proc *ended, CheckEnd *ret)
{
    const ProcEnd *end = proc_result(ended);

    ret->why = g_strdup(end->why);
    ret->output = g_strchomp(text_valid_bytes(end->err));
}
