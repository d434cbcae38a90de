/* What a program is given: its environment, and the file that it is. */
#include "base/proc.h"
#include "base/secret.h"
#include "brain/api_key.h"
#include "brain/program.h"
#include <sys/stat.h>

#define FALLBACK_PATH "/usr/local/bin:/usr/bin:/bin"
#define VERSION_US (20 * USEC_PER_SEC)
#define VERSION_CHARS 60

/* Nothing else of our environment reaches a program: no secret, and not the way home. */
static const char *const env_allowed[] = {"PATH", "HOME", "USER",   "LOGNAME",
                                          "LANG", "TZ",   "TMPDIR", NULL};

static bool
is_passed(const ConfBrain *conf, const char *name)
{
    return g_strv_contains(env_allowed, name) || g_str_has_prefix(name, "LC_") ||
           (conf->pass_env && g_strv_contains(conf->pass_env, name));
}

static char **
set_all(char **env, const char *const *pairs)
{
    for (; pairs && *pairs; pairs++) {
        g_auto(GStrv) pair = g_strsplit(*pairs, "=", 2);
        if (pair[0] && pair[1])
            env = g_environ_setenv(env, pair[0], pair[1], TRUE);
    }
    return env;
}

char **
program_own_env(const ConfBrain *conf)
{
    g_auto(GStrv) ours = g_get_environ();
    char **env = g_environ_setenv(NULL, "TERM", "dumb", TRUE);

    env = g_environ_setenv(env, "PATH", FALLBACK_PATH, TRUE);
    for (char **p = ours; *p; p++) {
        g_auto(GStrv) pair = g_strsplit(*p, "=", 2);
        if (pair[0] && pair[1] && is_passed(conf, pair[0]))
            env = g_environ_setenv(env, pair[0], pair[1], TRUE);
    }
    return env;
}

bool
program_env(const BrainAsk *ask, const ProgramKind *kind, char ***ret, GError **error)
{
    const ConfBrain *conf = ask->conf;
    static const char attended[] = "POSTRIDER_ATTENDED"; /* a person's terminal, see `role run` */
    bool has_key = (conf->key_file && *conf->key_file) || (conf->key_env && *conf->key_env);
    char *key = NULL;

    if (ask->users_env) {
        *ret = g_environ_unsetenv(set_all(g_get_environ(), ask->env), attended);
        return true;
    }
    if (kind->key_env && has_key && !api_key_load(conf, ask->home, NULL, &key, error))
        return false;
    char **env = set_all(set_all(program_own_env(conf), kind->env), conf->env);
    if (key)
        env = g_environ_setenv(env, kind->key_env, key, TRUE);
    secret_free(key);
    if (kind->add_env)
        env = kind->add_env(ask, env);
    *ret = g_environ_unsetenv(set_all(env, ask->env), attended);
    return true;
}

static bool
is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *
find_in_path(const char *name, char **env)
{
    g_auto(GStrv) folders = g_strsplit(g_environ_getenv(env, "PATH"), ":", -1);

    for (char **f = folders; *f; f++) {
        g_autofree char *path = g_build_filename(*f, name, NULL);
        if (g_path_is_absolute(*f) && is_program(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}

char *
program_find(const ConfBrain *conf, const char *home, char **env, char **ret_missing)
{
    const char *name = conf->command[0];
    g_autofree char *path = NULL;

    if (!strchr(name, '/')) {
        path = find_in_path(name, env);
        if (!path)
            *ret_missing = g_strdup_printf("no program '%s' in PATH", name);
        return g_steal_pointer(&path);
    }
    path = g_canonicalize_filename(name, home);
    if (is_program(path))
        return g_steal_pointer(&path);
    *ret_missing = access(path, F_OK) == 0
                       ? g_strdup_printf("'%s' is not an executable file", path)
                       : g_strdup_printf("no program '%s'", path);
    return NULL;
}

char *
brain_program(const ConfBrain *conf, const char *home)
{
    g_auto(GStrv) env = set_all(program_own_env(conf), conf->env);
    g_autofree char *missing = NULL;

    return conf->command && conf->command[0] && *conf->command[0]
               ? program_find(conf, home, env, &missing)
               : NULL;
}

char *
program_version(const char *path, char **env)
{
    const char *const argv[] = {path, "--version", NULL};
    const ProcSpec spec = {.argv = argv,
                           .env = (const char *const *)env,
                           .cwd = "/",
                           .limits = {.time_us = VERSION_US, .out_max = 4096}};
    g_autoptr(Proc) proc = NULL;

    if (!proc_run(&spec, &proc, NULL) || proc_result(proc)->why)
        return NULL;
    gsize len;
    const void *out = g_bytes_get_data(proc_result(proc)->out, &len);
    g_autofree char *text = brain_clean(out, len);
    text[strcspn(text, "\n")] = '\0';
    return *g_strstrip(text) ? text_shorten(text, VERSION_CHARS) : NULL;
}
