/*
 * `setup service`: a systemd unit for this home. For one's own systemd (--user) or the
 * machine's
 * (--system, the default for root); the second runs as whoever the home belongs to.
 *
 * The unit closes the service in: it may write to its home and nothing else. Two things open it
 * again. Programs that work as agents keep files of their own all over their user's folder. And
 * Postfix's sendmail needs rights of a group that a closed service can't get.
 */
#include "base/file.h"
#include "base/secretfile.h"
#include "cli/cmds.h"
#include "setup/setup.h"
#include <pwd.h>
#include <sys/stat.h>

#define UNIT "postrider.service"
#define WATCHDOG_S 180 /* the master tells once a minute that it lives */
#define STOP_SLACK_S 30

typedef struct Service {
    const Config *config; /* NULL: any user's, with the settings of a new home */
    const char *home;     /* as it stands in the unit */
    char *program;
    bool user;
    char *runs_as;          /* NULL: whoever starts it */
    GPtrArray *credentials; /* "NAME:/PATH"; "NAME": where systemd looks by itself; or NULL */
} Service;

/* --- the text --- */

/* '%' begins a specifier in every setting, '$' a variable in commands alone. */
static char *
quote(const char *word, bool command)
{
    GString *out = g_string_new("\"");
    for (const char *p = word; *p; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_c(out, '\\');
        else if (*p == '%' || (*p == '$' && command))
            g_string_append_c(out, *p);
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, FALSE);
}

static bool
has_programs(const Config *config)
{
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person && config->roles[i].mode == MODE_PROGRAM)
            return true;
    }
    return false;
}

static bool
has_sendmail(const Config *config)
{
    for (unsigned i = 0; i < config->n_accounts; i++) {
        if (config->accounts[i].submit == CONF_SUBMIT_SENDMAIL)
            return true;
    }
    return false;
}

static void
add_path(GString *out, const char *path)
{
    g_autofree char *quoted = quote(path, false);
    g_string_append_printf(out, "ReadWritePaths=%s\n", quoted);
}

/* In the unit for any user %h is a specifier, and nothing is to be quoted. */
static void
add_places(GString *out, const Service *s)
{
    if (!s->config) {
        g_string_append_printf(out, "ReadWritePaths=%s\n", s->home);
        return;
    }
    add_path(out, s->home);
    for (unsigned i = 0; i < s->config->n_roles; i++) {
        const char *workdir = s->config->roles[i].workdir;
        if (g_path_is_absolute(workdir))
            add_path(out, workdir);
    }
    if (!has_programs(s->config))
        return;
    struct passwd *pw = s->runs_as ? getpwnam(s->runs_as) : getpwuid(getuid());
    if (pw && !g_str_equal(pw->pw_dir, "/")) {
        g_string_append(out, "# Agents that are programs keep their own files here.\n");
        add_path(out, pw->pw_dir);
    }
}

static void
add_walls(GString *out, const Service *s)
{
    bool sendmail = s->config && has_sendmail(s->config);
    g_string_append(out, "UMask=0077\nProtectSystem=strict\n");
    add_places(out, s);
    if (sendmail)
        g_string_append(out, "# For sendmail, which Postfix runs with its group's rights.\n"
                             "ReadWritePaths=-/var/spool/postfix -/var/spool/exim4\n");
    else
        g_string_append(out, "NoNewPrivileges=yes\nRestrictSUIDSGID=yes\n");
    if (s->user && !sendmail) /* without it, one's own systemd can't close anything in */
        g_string_append(out, "PrivateUsers=yes\n");
    if (!g_str_has_prefix(s->home, "/tmp/") && !g_str_has_prefix(s->home, "/var/tmp/"))
        g_string_append(out, "PrivateTmp=yes\n");
    g_string_append(out, "LockPersonality=yes\n");
}

static void
add_command(GString *out, const Service *s)
{
    g_autofree char *program = quote(s->program, true);
    g_autofree char *home = s->config ? quote(s->home, true) : g_strdup(s->home);
    const char *path = g_getenv("PATH");
    g_string_append_printf(out, "ExecStart=%s --home %s serve\n", program, home);
    g_string_append(out, "ExecReload=/bin/kill -HUP $MAINPID\n");
    if (s->config && path && has_programs(s->config)) {
        g_autofree char *setting = g_strconcat("PATH=", path, NULL);
        g_autofree char *quoted = quote(setting, false);
        g_string_append_printf(out, "Environment=%s\n", quoted);
    }
    for (guint i = 0; s->credentials && i < s->credentials->len; i++) {
        g_autofree char *quoted = quote(g_ptr_array_index(s->credentials, i), false);
        g_string_append_printf(out, "LoadCredential=%s\n", quoted);
    }
}

static char *
unit_text(const Service *s)
{
    GString *out = g_string_new("# Written by: postrider setup service\n[Unit]\n"
                                "Description=postrider, agents that live in mail\n"
                                "Documentation=man:postrider(1)\n");
    int64_t drain_s = s->config ? s->config->drain_us / USEC_PER_SEC : 60;
    if (!s->user)
        g_string_append(out, "Wants=network-online.target\nAfter=network-online.target\n");
    g_string_append(out, "\n[Service]\nType=notify\nNotifyAccess=main\n");
    if (s->runs_as)
        g_string_append_printf(out, "User=%s\n", s->runs_as);
    add_command(out, s);
    g_string_append_printf(out, "WatchdogSec=%ds\n", WATCHDOG_S);
    g_string_append(out,
                    "Restart=on-failure\nRestartSec=5s\n"
                    "# Wrong usage and wrong settings: starting again is no use.\n"
                    "RestartPreventExitStatus=64 78\n"
                    "# SIGTERM lets steps finish; what is left then is killed, and goes on "
                    "at the next start.\n"
                    "KillMode=mixed\n");
    g_string_append_printf(out, "TimeoutStopSec=%" G_GINT64_FORMAT "s\n",
                           drain_s + STOP_SLACK_S);
    add_walls(out, s);
    g_string_append_printf(out, "\n[Install]\nWantedBy=%s\n",
                           s->user ? "default.target" : "multi-user.target");
    return g_string_free(out, FALSE);
}

/* --- where --- */

/* We are a helper: the program itself lies above us, in the build tree or in bin/. */
static char *
find_program(const Cli *cli)
{
    static const char *const places[] = {"../../postrider", "../../bin/postrider"};
    g_autofree char *dir = g_path_get_dirname(cli->self);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *place = g_build_filename(dir, places[i], NULL);
        g_autofree char *path = g_canonicalize_filename(place, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&path);
    }
    return NULL;
}

static char *
folder_of(const Setup *s, bool user)
{
    if (cli_text(s->cli, "dir"))
        return setup_flag_path(s, "dir");
    if (!user)
        return g_strdup("/etc/systemd/system");
    return g_build_filename(g_get_user_config_dir(), "systemd", "user", NULL);
}

/* The one that the home belongs to; NULL: we can't tell. */
static char *
owner_of(const char *home)
{
    struct stat st;
    struct passwd *pw = stat(home, &st) == 0 ? getpwuid(st.st_uid) : NULL;
    return pw ? g_strdup(pw->pw_name) : NULL;
}

/* --- credentials --- */

static bool
is_of(const char *credential, const char *name)
{
    size_t len = strlen(name);
    return strncmp(credential, name, len) == 0 && (!credential[len] || credential[len] == ':');
}

/* Every one that the settings name is handed over. */
static void
take_credential(
    const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    GPtrArray *list = data;
    const char *name = secretfile_credential(value);
    for (guint i = 0; name && i < list->len; i++)
        name = is_of(g_ptr_array_index(list, i), name) ? NULL : name;
    if (name && text_name_valid(name))
        g_ptr_array_add(list, g_strdup(name));
}

/* NULL after a message: one of those that were said is none. */
static GPtrArray *
find_credentials(const Setup *s, const Config *config)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    for (char **c = cli_texts(s->cli, "credential"); c && *c; c++) {
        const char *colon = strchr(*c, ':');
        g_autofree char *name = colon ? g_strndup(*c, (gsize)(colon - *c)) : NULL;
        if (!name || !text_name_valid(name) || !g_path_is_absolute(colon + 1)) {
            (void)cli_usage(s->cli, "--credential is NAME:/PATH");
            return NULL;
        }
        g_ptr_array_add(list, g_strdup(*c));
    }
    config_visit(config, take_credential, list);
    return g_steal_pointer(&list);
}

/* --- writing --- */

static void
say_secrets(Setup *s, const Service *service)
{
    for (unsigned i = 0; i < service->config->n_brains; i++) {
        const ConfBrain *b = &service->config->brains[i];
        if (*b->key_env)
            setup_say(s,
                      "brain '%s' takes its key from $%s, which a service does not have; keep "
                      "it in a file: postrider setup brain --name %s\n",
                      b->name, b->key_env, b->name);
    }
    LIST_EACH(const char, name, service->credentials) {
        if (!strchr(name, ':'))
            setup_say(s,
                      "systemd takes '%s' from /etc/credstore/%s; for another place say "
                      "--credential %s:/PATH\n",
                      name, name, name);
    }
}

static void
say_next(Setup *s, const Service *service, const char *path)
{
    const char *own = service->user ? " --user" : "";
    int master = (int)home_master(s->cli->home);
    setup_say(s, "written: %s\n", path);
    say_secrets(s, service);
    setup_say(s, "next: systemctl%s daemon-reload && systemctl%s enable --now postrider\n", own,
              own);
    if (master)
        setup_say(s,
                  "process %d serves this home now. If systemd started it: systemctl%s restart "
                  "postrider; if you did, end it first: kill %d\n",
                  master, own, master);
    if (service->user)
        setup_say(s, "so that it runs while you are logged out: loginctl enable-linger %s\n",
                  g_get_user_name());
}

static int
write_unit(Setup *s, const Service *service, const char *folder)
{
    g_autofree char *text = unit_text(service);
    g_autofree char *path = g_build_filename(folder, UNIT, NULL);
    g_autofree char *old = NULL;
    (void)g_file_get_contents(path, &old, NULL, NULL);
    if (g_strcmp0(old, text) == 0) {
        setup_say(s, "nothing is to change: %s\n", path);
        return 0;
    }
    g_autofree char *diff = setup_diff(old ? old : "", text);
    setup_say(s, "%s", diff);
    if (!cli_flag(s->cli, "yes") && !s->ask)
        return cli_fail(EX_USAGE, "nothing was written; say --yes to write %s", path);
    if (!cli_flag(s->cli, "yes") && !setup_ask_yes(s, "Write it?", true))
        return setup_no_answer(s);
    if (g_mkdir_with_parents(folder, 0755) != 0)
        return cli_fail(EX_CANTCREAT, "can't make '%s': %s", folder, g_strerror(errno));
    auto_fd fd = dir_open(folder, &s->cli->error);
    if (fd < 0 || !file_replace(fd, UNIT, text, strlen(text), 0644, &s->cli->error))
        return cli_failed(s->cli, EX_CANTCREAT);
    say_next(s, service, path);
    return 0;
}

/* For a package: the same unit for the home of whoever starts it. */
static int
print_for_all(Setup *s)
{
    g_autofree char *program = g_strdup(cli_text(s->cli, "program"));
    const Service service = {.user = true, .home = "%h/.postrider", .program = program};
    if (!cli_flag(s->cli, "print") || !program)
        return cli_usage(s->cli, "--any-user needs --print and --program");
    g_autofree char *text = unit_text(&service);
    setup_say(s, "%s", text);
    return 0;
}

static int
make_unit(Setup *s)
{
    bool user = cli_flag(s->cli, "user") || (!cli_flag(s->cli, "system") && geteuid() != 0);
    const Home *home = s->cli->home;
    const char *said = cli_text(s->cli, "program");
    g_autofree char *program = said ? g_strdup(said) : find_program(s->cli);
    g_autofree char *runs_as = user ? NULL : owner_of(home->path);
    g_autoptr(GPtrArray) credentials = find_credentials(s, home->config);
    if (!credentials)
        return EX_USAGE;
    if (!program)
        return cli_fail(EX_SOFTWARE,
                        "the program is not where it was installed; say --program");
    const Service service = {.config = home->config,
                             .home = home->path,
                             .program = program,
                             .user = user,
                             .runs_as = runs_as,
                             .credentials = credentials};
    if (cli_flag(s->cli, "print")) {
        g_autofree char *text = unit_text(&service);
        setup_say(s, "%s", text);
        return 0;
    }
    g_autofree char *folder = folder_of(s, user);
    return write_unit(s, &service, folder);
}

static int
work(Setup *s)
{
    const char *program = cli_text(s->cli, "program");
    if (cli_flag(s->cli, "user") && cli_flag(s->cli, "system"))
        return cli_usage(s->cli, "--user or --system, not both");
    if (program && !g_path_is_absolute(program))
        return cli_usage(s->cli, "--program needs a whole path");
    return cli_flag(s->cli, "any-user") ? print_for_all(s) : make_unit(s);
}

int
cmd_setup_service(Cli *cli, int argc, char **argv)
{
    return setup_run(&(SetupPart){.homeless = "any-user", .work = work}, cli, argc, argv);
}
