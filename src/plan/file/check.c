#include "plan/file/check.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"

#define CHECK_US (600 * USEC_PER_SEC)

void
check_end_clear(CheckEnd *end)
{
    g_clear_pointer(&end->why, g_free);
    g_clear_pointer(&end->output, g_free);
}

bool
check_start(const Project *project, const char *command, Proc **ret, GError **error)
{
    /* One stream, of which the end is kept: stderr. The command stands on a line of its own, as in a script. */
    g_autofree char *script = g_strconcat("exec >&2\n", command, NULL);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    ProcSpec spec = {
        .argv = argv,
        .cwd = project->path,
        .limits = {.time_us = clock_patience_us(CHECK_US), .err_max = LIMIT_CHECK_OUTPUT}};

    return proc_talk(&spec, ret, error);
}

void
check_end(const Proc *ended, CheckEnd *ret)
{
    const ProcEnd *end = proc_result(ended);

    ret->why = g_strdup(end->why);
    ret->output = g_strchomp(text_valid_bytes(end->err));
}
