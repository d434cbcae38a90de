/* The tests of `setup mail` again, by the program that has them: this one links no libcurl. */
#include "base/clock.h"
#include "base/proc.h"
#include "cli/home/doctor.h"

#define CHECK_US (120 * USEC_PER_SEC)

static void
note_lines(Doctor *d, const char *where, GBytes *out)
{
    g_autofree char *text = text_from_bytes(out);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (strstr(*line, ": failed: "))
            doctor_find(d, false, where, "%s", *line);
    }
}

bool
doctor_setup(Doctor *d, const char *where, const char *const *argv, GError **error)
{
    g_autofree char *program = proc_helper_path("postrider-setup", error);
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    g_autoptr(Proc) proc = NULL;
    if (!program)
        return false;
    g_ptr_array_add(all, program);
    g_ptr_array_add(all, (char *)"--home");
    g_ptr_array_add(all, d->cli->home->path);
    g_ptr_array_add(all, (char *)"setup");
    for (; *argv; argv++)
        g_ptr_array_add(all, (char *)*argv);
    g_ptr_array_add(all, NULL);
    const ProcSpec spec = {.argv = (const char *const *)all->pdata,
                           .limits = {.time_us = CHECK_US}};
    if (!proc_run(&spec, &proc, error))
        return false;
    const ProcEnd *end = proc_result(proc);
    guint before = d->findings->len;
    note_lines(d, where, end->out);
    if (end->why && d->findings->len == before)
        return err_set(error, ERR_LATER, "%s could not be tested: %s", where, end->why);
    return true;
}

static bool
check_account(Doctor *d, const char *account, GError **error)
{
    const char *const argv[] = {"mail", "--check", "--account", account, NULL};
    g_autofree char *where = g_strconcat("account ", account, NULL);
    return doctor_setup(d, where, argv, error);
}

bool
doctor_servers(Doctor *d, GError **error)
{
    const Config *config = d->cli->home->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *a = &config->accounts[i];
        if (config_is_imap(a) && !check_account(d, a->name, error))
            return false;
    }
    return true;
}
