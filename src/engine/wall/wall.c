#include "engine/wall/wall.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/secretfile.h"
#include "engine/face.h"
#include "engine/wall/wall_internal.h"
#include <fcntl.h>

#define STATE_FILE_MAX (16u << 20)

/* Beneath $HOME, or absolute: what opens other doors. */
static const char *const secrets[] = {
    /* keys and logins */
    ".ssh", ".gnupg", ".netrc", ".authinfo", ".authinfo.gpg", ".git-credentials",
    ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli", ".password-store",
    ".local/share/keyrings", ".local/share/kwalletd", ".pki", ".vault-token", ".config/op",
    ".config/keepassxc", ".config/sops", ".config/age", ".Xauthority", ".ICEauthority",
    /* clouds, machines, data bases */
    ".aws", ".azure", ".config/gcloud", ".config/doctl", ".config/hcloud", ".oci", ".kube",
    ".docker", ".config/containers/auth.json", ".terraform.d", ".config/rclone", ".s3cfg",
    ".boto", ".pgpass", ".my.cnf", ".mylogin.cnf",
    /* package registries */
    ".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml",
    ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    /* mail, browsers, other homes of ours */
    ".mbsyncrc", ".msmtprc", ".fetchmailrc", ".getmail", ".offlineimaprc", ".muttrc", ".mutt",
    ".config/mutt", ".config/neomutt", ".config/aerc", ".mozilla", ".thunderbird",
    ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".postrider",
    /* what was typed */
    ".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history",
    ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".viminfo",
    ".lesshst",
    /* where root runs this */
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key",
    "/etc/credstore", "/etc/credstore.encrypted", "/var/lib/systemd/credential.secret",
    "/var/spool/cron",
};

/* The files that the agent programs keep beneath $HOME. A program that could write to their
 * settings could have a command started when a person uses them next. So settings are
 * read-only, and a file that holds both settings and state is a copy. */
typedef enum StateKind {
    STATE_FOLDER, /* writable; made where it is missing */
    STATE_KEPT,   /* in it: read-only */
    STATE_MADE,   /* in it: a read-only file, made where it is missing */
    STATE_COPY,   /* a file: a copy, for one run */
} StateKind;

static const struct {
    BrainKind program; /* or what speaks as it does */
    StateKind kind;
    const char *path;
    const char *text; /* STATE_MADE: what means nothing there */
} states[] = {
    {BRAIN_CLAUDE, STATE_FOLDER, ".claude", NULL},
    {BRAIN_CLAUDE, STATE_COPY, ".claude.json", NULL},
    {BRAIN_CLAUDE, STATE_MADE, ".claude/settings.json", "{}\n"},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/settings.local.json", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/CLAUDE.md", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/agents", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/commands", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/hooks", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/output-styles", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/plugins", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/rules", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/skills", NULL},
    {BRAIN_CLAUDE, STATE_KEPT, ".claude/local", NULL},
    {BRAIN_CODEX, STATE_FOLDER, ".codex", NULL},
    {BRAIN_CODEX, STATE_MADE, ".codex/config.toml", ""},
    {BRAIN_CODEX, STATE_KEPT, ".codex/AGENTS.md", NULL},
    {BRAIN_CODEX, STATE_KEPT, ".codex/hooks", NULL},
    {BRAIN_CODEX, STATE_KEPT, ".codex/hooks.json", NULL},
    {BRAIN_CODEX, STATE_KEPT, ".codex/prompts", NULL},
    {BRAIN_CODEX, STATE_KEPT, ".codex/rules", NULL},
    {BRAIN_CODEX, STATE_KEPT, ".codex/skills", NULL},
    {BRAIN_OPENCODE, STATE_FOLDER, ".local/share/opencode", NULL},
    {BRAIN_OPENCODE, STATE_FOLDER, ".local/state/opencode", NULL},
    {BRAIN_OPENCODE, STATE_FOLDER, ".cache/opencode", NULL},
    {BRAIN_OPENCODE, STATE_KEPT, ".local/share/opencode/bin", NULL},
};

/* --- is there one? --- */

/* Tests of other things start programs that write wherever they like. */
static bool
is_waived(const ConfRole *role)
{
    return role->sandbox != CONF_SANDBOX_REQUIRED &&
           g_strcmp0(g_getenv("POSTRIDER_TEST_SANDBOX"), "off") == 0;
}

const char *
wall_lacks(const ConfRole *role)
{
    if (is_waived(role))
        return NULL;
    return role->sandbox == CONF_SANDBOX_OFF ? "'sandbox = off' is set" : sandbox_lacks(role->net == CONF_NET_ANY);
}

char *
wall_forbids(const ConfRole *role, Trust floor)
{
    const char *why = role->sandbox == CONF_SANDBOX_REQUIRED || floor < TRUST_ROLE ? wall_lacks(role) : NULL;
    if (!why)
        return NULL;
    if (role->sandbox == CONF_SANDBOX_REQUIRED)
        return g_strdup_printf("its program runs in a sandbox only, and %s", why);
    return g_strdup_printf("words of somebody who may not give it work are part of this, and its "
                           "program would have no sandbox: %s",
                           why);
}

const char *
wall_remedy(const ConfRole *role)
{
    return role->sandbox == CONF_SANDBOX_OFF ? "Set 'sandbox = auto' for that role in postrider.conf."
                             : "Install bubblewrap (Debian: apt install bubblewrap), or see why it "
                               "does not work: postrider doctor";
}

/* A program thinks for it, or may do so while another brain can't. */
static bool
starts_programs(const Config *config, const ConfRole *role)
{
    const ConfBrain *b = config_brain(config, role->brain);
    for (unsigned n = 0; b && n < config->n_brains; n++, b = config_brain(config, b->fallback)) {
        if (config_is_program(b))
            return true;
    }
    return false;
}

void
wall_check(const Config *config, GPtrArray *lines)
{
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        const char *why = starts_programs(config, role) ? wall_lacks(role) : NULL;
        if (why && role->sandbox == CONF_SANDBOX_REQUIRED)
            g_ptr_array_add(lines, g_strdup_printf("the role '%s' starts no program: it needs a "
                                                   "sandbox, and %s; its jobs wait",
                                                   role->name, why));
        else if (why)
            g_ptr_array_add(
                lines, g_strdup_printf("programs of the role '%s' have no sandbox (%s): they can "
                                       "do all that you can, and mail of people who may not "
                                       "give it work starts none",
                                       role->name, why));
    }
}

/* --- what is seen --- */

static void
hide_secrets(Sandbox *s)
{
    for (size_t i = 0; i < G_N_ELEMENTS(secrets); i++) {
        g_autofree char *path = g_canonicalize_filename(secrets[i], g_get_home_dir());
        sandbox_add(s, SANDBOX_HIDE, path);
    }
}

/* A file that a setting names, wherever it is. */
static void
hide_setting(Sandbox *s, const Home *home, const char *setting)
{
    if (!setting || !*setting || secretfile_credential(setting))
        return;
    g_autofree char *path = g_canonicalize_filename(setting, home->path);
    sandbox_add(s, SANDBOX_HIDE, path);
}

static void
hide_home(Sandbox *s, const Home *home)
{
    const Config *c = home->config;
    g_autofree char *log = home_log_file(home);
    sandbox_add(s, SANDBOX_HIDE, home->path);
    if (log && !g_file_test(log, G_FILE_TEST_IS_DIR))
        hide_setting(s, home, log);
    for (unsigned i = 0; i < c->n_brains; i++)
        hide_setting(s, home, c->brains[i].key_file);
    for (unsigned i = 0; i < c->n_accounts; i++) {
        hide_setting(s, home, c->accounts[i].server.password_file);
        hide_setting(s, home, c->accounts[i].smtp.password_file);
    }
}

/* By its kind, or a command that speaks as it does. */
static bool
is_of(const ConfBrain *brain, BrainKind kind)
{
    static const ConfParser parsers[] = {[BRAIN_CLAUDE] = CONF_PARSER_CLAUDE,
                                         [BRAIN_CODEX] = CONF_PARSER_CODEX,
                                         [BRAIN_OPENCODE] = CONF_PARSER_OPENCODE};

    return brain->kind == kind ||
           (brain->kind == BRAIN_COMMAND && brain->parser == parsers[kind]);
}

/* A variable of the brain's settings, or of ours that it is passed; NULL: not set. Caller
 * frees. */
static char *
find_variable(const ConfBrain *brain, const char *name)
{
    const char *set = g_environ_getenv((char **)brain->env, name);
    bool passed = brain->pass_env && g_strv_contains(brain->pass_env, name);
    return g_strdup(set ? set : passed ? g_getenv(name) : NULL);
}

/* Where a program keeps it: beneath $HOME, or where it was told to. Caller frees. */
static char *
state_path(const ConfBrain *brain, const char *path)
{
    static const char *const moved[][2] = {{".claude", "CLAUDE_CONFIG_DIR"},
                                           {".codex", "CODEX_HOME"}};
    for (size_t i = 0; i < G_N_ELEMENTS(moved); i++) {
        size_t len = strlen(moved[i][0]);
        g_autofree char *folder = find_variable(brain, moved[i][1]);
        if (folder && strncmp(path, moved[i][0], len) == 0 && strchr("/", path[len]))
            return g_build_filename(folder, path + len, NULL);
    }
    return g_build_filename(g_get_home_dir(), path, NULL);
}

static void
make_file(const char *path, const char *text)
{
    auto_fd fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)file_write_all(fd, text, strlen(text), NULL);
}

/* The operator's file as it is now; what the program makes of it stays in the job's folder. */
static void
add_copy(Sandbox *s, const char *work, const char *path)
{
    g_autofree char *name = g_path_get_basename(path), *copy = g_build_filename(work, name, NULL);
    g_autoptr(GBytes) bytes = NULL;
    auto_fd folder = dir_open(work, NULL), fd = open(path, O_RDONLY | O_CLOEXEC);
    gsize len;
    if (folder < 0 || fd < 0 || !file_read_fd(fd, STATE_FILE_MAX, &bytes, NULL))
        return;
    const void *data = g_bytes_get_data(bytes, &len);
    if (file_replace(folder, name, data, len, 0600, NULL))
        sandbox_put(s, SANDBOX_WRITE, copy, path);
    else
        sandbox_add(s, SANDBOX_READ, path);
}

static void
add_state(Sandbox *s, const WallView *view, StateKind kind, const char *path, const char *text)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    switch (kind) {
    case STATE_FOLDER:
        (void)g_mkdir_with_parents(path, 0700);
        sandbox_add(s, SANDBOX_WRITE, path);
        break;
    case STATE_MADE:
        make_file(path, text);
        sandbox_add_in(s, SANDBOX_READ, folder, name);
        break;
    case STATE_KEPT:
        sandbox_add_in(s, SANDBOX_READ, folder, name);
        break;
    case STATE_COPY:
        add_copy(s, view->work, path);
    }
}

static void
add_states(Sandbox *s, const WallView *view)
{
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        bool own = is_of(view->brain, states[i].program);
        g_autofree char *path = own ? state_path(view->brain, states[i].path)
                                    : g_build_filename(g_get_home_dir(), states[i].path, NULL);
        if (own)
            add_state(s, view, states[i].kind, path, states[i].text);
        else
            sandbox_add(s, SANDBOX_HIDE, path); /* another program's login */
    }
}

static void
add_job(Sandbox *s, const WallView *view)
{
    static const char *const kept[] = {"in", "log", "old"};
    sandbox_add(s, SANDBOX_WRITE, view->work);
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++)
        sandbox_add_in(s, SANDBOX_READ, view->work, kept[i]);
    sandbox_add(s, SANDBOX_WRITE, view->cwd);
    wall_add_git(s, view->work, view->cwd);
    if (view->port) /* a place of its own, so that nobody puts another socket there */
        sandbox_add(s, SANDBOX_READ, view->port);
}

/* The answer is that of a role whose settings say nothing about it. */
static const ConfRole nobody = {.net = CONF_NET_ANY};

const char *
wall_lacks_apart(void)
{
    return wall_lacks(&nobody);
}

/* The folder, and the repository that it lies in: its history tells as much as its files. */
static void
hide_project(Sandbox *s, const Home *home, const char *said)
{
    g_autofree char *top = g_canonicalize_filename(said, home->path);

    if (!*said)
        return;
    sandbox_add(s, SANDBOX_HIDE, top);
    while (!g_str_equal(top, "/")) {
        g_autofree char *git = g_build_filename(top, ".git", NULL), *at = g_steal_pointer(&top);
        if (g_file_test(git, G_FILE_TEST_EXISTS)) {
            sandbox_add(s, SANDBOX_HIDE, at);
            return;
        }
        top = g_path_get_dirname(at);
    }
}

/* An agent calls postrider, which may lie in a folder that is hidden: who has built it tries it there. */
static void
add_programs(Sandbox *s, const WallView *view)
{
    static const char *const ours[] = {"postrider", "postrider-mail", "postrider-net"};

    for (unsigned i = 0; i < G_N_ELEMENTS(ours); i++) {
        g_autofree char *path = proc_helper_path(ours[i], NULL);
        if (path)
            sandbox_add_program(s, path);
    }
    if (view->program)
        sandbox_add_program(s, view->program);
}

static bool
apart_argv(const WallView *view, char ***ret, GError **error)
{
    const Home *home = view->engine->home;
    g_autoptr(Sandbox) s = sandbox_new();
    if (is_waived(&nobody) || wall_lacks(&nobody))
        return true;
    s->net = true;
    hide_secrets(s);
    sandbox_add(s, SANDBOX_SCRATCH, g_get_home_dir());
    hide_home(s, home);
    hide_project(s, home, home->config->workflow_root);
    for (unsigned i = 0; i < home->config->n_roles; i++)
        hide_project(s, home, home->config->roles[i].workdir);
    sandbox_add(s, SANDBOX_WRITE, view->work);
    sandbox_add_in(s, SANDBOX_READ, view->work, WALL_APART_FILE);
    if (view->port)
        sandbox_add(s, SANDBOX_READ, view->port);
    add_programs(s, view);
    *ret = sandbox_argv(s, error);
    return *ret != NULL;
}

bool
wall_argv(const WallView *view, char ***ret, GError **error)
{
    g_autoptr(Sandbox) s = NULL;
    *ret = NULL;
    if (view->apart)
        return apart_argv(view, ret, error);
    if (is_waived(view->role) ||
        (view->role->sandbox != CONF_SANDBOX_REQUIRED && wall_lacks(view->role))) {
        faces_show(view->engine, view->job, NULL);
        return true;
    }
    s = sandbox_new();
    s->net = view->role->net == CONF_NET_ANY;
    sandbox_add(s, SANDBOX_READ, g_get_home_dir()); /* also where it is below /tmp */
    hide_secrets(s);
    add_states(s, view);
    hide_home(s, view->engine->home);
    add_job(s, view);
    faces_show(view->engine, view->job, s);
    add_programs(s, view);
    *ret = sandbox_argv(s, error);
    return *ret != NULL;
}
