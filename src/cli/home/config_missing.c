#include "cli/home/config_missing.h"

typedef struct Look {
    const Home *home;
    GPtrArray *missing;
    const char *kind, *name; /* of the section */
} Look;

static void complain(const Look *l, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void
complain(const Look *l, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_autofree char *what = g_strdup_vprintf(fmt, args);
    va_end(args);
    g_ptr_array_add(l->missing, g_strdup_printf("[%s%s%s]: %s", l->kind, *l->name ? " " : "",
                                                l->name, what));
}

/* credential:NAME is systemd's, which hands it to the service alone. */
static void
want_file(const Look *l, const char *key, const char *value)
{
    if (!*value || g_str_has_prefix(value, "credential:"))
        return;
    g_autofree char *path = g_canonicalize_filename(value, l->home->path);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        complain(l, "%s '%s' is not there", key, value);
    else if (access(path, R_OK) < 0)
        complain(l, "%s '%s' can't be read", key, value);
}

static void
want_folder(const Look *l, const char *key, const char *value)
{
    g_autofree char *path = *value ? g_canonicalize_filename(value, l->home->path) : NULL;
    if (path && !g_file_test(path, G_FILE_TEST_IS_DIR))
        complain(l, "%s '%s' is no folder that is there", key, value);
}

/* As it is started: a name with a slash is beneath the home, another in PATH. */
static void
want_program(const Look *l, const char *key, const char *const *argv)
{
    const char *name = argv[0];
    if (!name)
        return;
    g_autofree char *path = strchr(name, '/') ? g_canonicalize_filename(name, l->home->path)
                                              : g_find_program_in_path(name);
    if (!path)
        complain(l, "%s: no program '%s' in PATH", key, name);
    else if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        complain(l, "%s: program '%s' is not there", key, name);
    else if (access(path, X_OK) < 0)
        complain(l, "%s: '%s' can't be run; run: chmod +x '%s'", key, name, path);
}

static void
look_at_brain(const Look *l, const ConfBrain *b)
{
    bool api = b->kind == BRAIN_ANTHROPIC || b->kind == BRAIN_OPENAI;

    if (b->kind == BRAIN_SCRIPT)
        want_file(l, "script", b->script);
    if (config_is_program(b))
        want_program(l, "command", b->command);
    want_file(l, "key-file", b->key_file);
    if (api && !*b->model)
        complain(l, "it has no 'model'");
}

static void
look_at_server(const Look *l, const char *prefix, const ConfServer *server)
{
    g_autofree char *ca = g_strconcat(prefix, "ca-file", NULL);
    g_autofree char *file = g_strconcat(prefix, "password-file", NULL);
    g_autofree char *password = g_strconcat(prefix, "password-command", NULL);
    g_autofree char *token = g_strconcat(prefix, "token-command", NULL);

    want_file(l, ca, server->ca_file);
    want_file(l, file, server->password_file);
    want_program(l, password, server->password_command);
    want_program(l, token, server->token_command);
}

GPtrArray *
config_missing(const Home *home)
{
    const Config *config = home->config;
    Look l = {.home = home, .missing = g_ptr_array_new_with_free_func(g_free)};

    l.kind = "account";
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *a = &config->accounts[i];
        l.name = a->name;
        look_at_server(&l, "", &a->server);
        look_at_server(&l, "smtp-", &a->smtp);
    }
    l.kind = "brain";
    for (unsigned i = 0; i < config->n_brains; i++) {
        l.name = config->brains[i].name;
        look_at_brain(&l, &config->brains[i]);
    }
    l.kind = "role";
    for (unsigned i = 0; i < config->n_roles; i++) {
        l.name = config->roles[i].name;
        want_folder(&l, "workdir", config->roles[i].workdir);
        want_file(&l, "instructions", config->roles[i].instructions);
    }
    return l.missing;
}
