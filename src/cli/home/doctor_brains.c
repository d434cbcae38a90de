/* The programs that think: which they are, and, where that is asked for, whether brains answer. */
#include "brain/program.h"
#include "cli/home/doctor.h"

static bool
has_role(const Config *config, const ConfBrain *brain)
{
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (g_str_equal(config->roles[i].brain, brain->name))
            return true;
    }
    return false;
}

/* A program of somebody's own is not started just to see which it is. No version needs a key,
 * which the service alone may have. */
static void
name_program(Doctor *d, const ConfBrain *brain)
{
    const char *home = d->cli->home->path;
    ConfBrain keyless = *brain;
    const BrainAsk ask = {.conf = &keyless, .home = home, .cwd = home};
    const ProgramKind *kind = program_kind(brain->kind);
    g_autofree char *where = g_strconcat("brain ", brain->name, NULL);
    g_autofree char *missing = NULL;
    g_autoptr(GError) why = NULL;
    g_auto(GStrv) env = NULL;
    keyless.key_file = keyless.key_env = "";
    if (!program_env(&ask, kind, &env, &why)) {
        doctor_find(d, false, where, "%s", why->message);
        return;
    }
    g_autofree char *path = program_find(brain, home, env, &missing);
    if (!path) {
        doctor_find(d, false, where, "%s", missing);
    } else if (kind->keeps_session) {
        g_autofree char *version = program_version(path, env);
        doctor_note(d, "%s is %s, %s", where, path,
                    version ? version : "which names no version");
    }
}

static bool
try_brain(Doctor *d, const ConfBrain *brain, GError **error)
{
    const char *const argv[] = {"brain", "--check", "--name", brain->name, NULL};
    g_autofree char *where = g_strconcat("brain ", brain->name, NULL);
    return doctor_setup(d, where, argv, error);
}

bool
doctor_brains(Doctor *d, GError **error)
{
    const Config *config = d->cli->home->config;
    for (unsigned i = 0; i < config->n_brains; i++) {
        const ConfBrain *brain = &config->brains[i];
        if (!has_role(config, brain))
            continue;
        if (config_is_program(brain))
            name_program(d, brain);
        if (d->brains && !try_brain(d, brain, error))
            return false;
    }
    return true;
}
