#include "cli/workflow/init_team.h"
#include "base/file.h"
#include "base/list.h"
#include "base/template.h"
#include "cli/home/conf_write.h"
#include "cli/home/reload.h"
#include "cli/home/role_make.h"
#include "cli/home/role_template.h"
#include "workflow/event_kind.h"
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/team_data.h" /* made of share/workflow */

#define FORMS "Workflow/email-templates"
#define SCRIPTS "Workflow/scripts"
#define LINKS ".maildir/workflow"

static const RoleTemplate roles = {"team", team_roles};

/* A file of the project. */
typedef struct TeamFile {
    const char *folder, *name;
    mode_t mode;
    const char *text;
} TeamFile;

static const TeamFile project_files[] = {
    {SCRIPTS, "workflow-notify.sh", 0755, workflow_notify_sh},
    {SCRIPTS, "run-role.sh", 0755, run_role_sh},
    {FORMS, "README.md", 0644, templates_readme},
};

/* Git keeps no empty folder, and `git mv` makes none. */
static const char *const state_folders[] = {
    "specs/proposed", "specs/todo",   "specs/doing",   "specs/done", "specs/blocked",
    "specs/deferred", "bugs/to_fix",  "bugs/fixing",   "bugs/fixed", "bugs/blocked",
    "rfcs/open",      "rfcs/approved", "rfcs/rejected"};

/* --- the project --- */

/* The checkout that a folder lies in: the nearest above it with a `.git`; NULL: none. Caller frees. */
static char *
find_checkout(const char *folder)
{
    g_autofree char *at = g_strdup(folder);

    for (;;) {
        g_autofree char *git = g_build_filename(at, ".git", NULL);
        if (g_file_test(git, G_FILE_TEST_EXISTS))
            return g_steal_pointer(&at);
        char *above = g_path_get_dirname(at);
        bool top = g_str_equal(above, at);
        g_free(at);
        at = above;
        if (top)
            return NULL;
    }
}

static bool
is_beneath(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* A home has one project. */
static int
check_project(Cli *cli, const char *root)
{
    const char *there = cli->home ? cli->home->config->workflow_root : "";
    g_autofree char *path = *there ? g_canonicalize_filename(there, cli->home->path) : NULL;
    g_autofree char *real = path ? realpath(path, NULL) : NULL;

    return !path || g_str_equal(real ? real : path, root)
               ? 0
               : cli_fail(EX_CONFIG,
                          "the workflow of this home is in '%s'; for '%s' take another home: "
                          "postrider init --workflow DIR",
                          path, root);
}

int
team_find_root(Cli *cli, const char *home, char **ret_root)
{
    const char *said = cli_text(cli, "root");
    g_autofree char *here = g_get_current_dir();
    g_autofree char *path = said ? g_canonicalize_filename(said, here) : find_checkout(here);
    g_autofree char *real = path ? realpath(path, NULL) : NULL;
    g_autofree char *home_real = realpath(home, NULL);

    if (!path)
        return cli_fail(EX_NOINPUT,
                        "'%s' is in no git checkout; go to the project's folder, or say --root DIR", here);
    if (!real || !g_file_test(real, G_FILE_TEST_IS_DIR))
        return cli_fail(EX_NOINPUT, "'%s' is no folder; --root takes the project's", path);
    if (is_beneath(real, home_real ? home_real : home))
        return cli_fail(EX_DATAERR, "'%s' lies in the home; go to the project's folder, or say --root DIR",
                        real);
    for (const char *c = real; *c; c++)
        if (g_ascii_iscntrl(*c))
            return cli_fail(EX_DATAERR, "the project's path has a line break or the like in it");
    int status = check_project(cli, real);
    *ret_root = g_steal_pointer(&real);
    return status;
}

/* What is there already stays: it is somebody's. */
static bool
write_file(int fd, const TeamFile *f, unsigned *made, GError **error)
{
    g_autofree char *path = g_build_filename(f->folder, f->name, NULL);

    if (faccessat(fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    (*made)++;
    return dir_make(fd, f->folder, f->mode & 0044 ? 0755 : 0700, error) &&
           file_create(fd, path, f->text, strlen(f->text), f->mode, error);
}

static bool
write_forms(int fd, unsigned *made, GError **error)
{
    for (EventType t = 0; t < EVENT_N_TYPES; t++) {
        g_autofree char *name = g_strconcat(event_kinds[t].name, ".txt", NULL), *form = event_form(t);
        if (!write_file(fd, &(TeamFile){FORMS, name, 0644, form}, made, error))
            return false;
    }
    return true;
}

static bool
make_state_folders(int fd, unsigned *made, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(state_folders); i++) {
        const TeamFile keep = {state_folders[i], ".gitkeep", 0644, ""};
        if (faccessat(fd, state_folders[i], F_OK, 0) < 0 && !write_file(fd, &keep, made, error))
            return false;
    }
    return true;
}

/* Lines of a script that name the home, for whoever has not said which one; "" where it is the usual one. Caller frees. */
static char *
home_lines(const char *home)
{
    g_autofree char *usual = g_build_filename(g_get_home_dir(), ".postrider", NULL);
    g_autofree char *quoted = g_shell_quote(home);

    return g_str_equal(home, usual) ? g_strdup("")
                                    : g_strdup_printf("home=%s\nexport POSTRIDER_HOME=\"${POSTRIDER_HOME:-$home}\"\n", quoted);
}

int
team_write_project(Cli *cli, const char *root, const char *home, unsigned *ret_made)
{
    g_autofree char *lines = home_lines(home);
    const TemplateValue values[] = {{"HOME_LINES", lines}, {NULL, NULL}};
    auto_fd fd = dir_open(root, &cli->error);
    unsigned made = 0;
    bool ok = fd >= 0;

    for (size_t i = 0; ok && i < G_N_ELEMENTS(project_files); i++) {
        TeamFile f = project_files[i];
        g_autofree char *text = template_expand_double(f.text, values);
        f.text = text;
        ok = write_file(fd, &f, &made, &cli->error);
    }
    if (!ok || !write_forms(fd, &made, &cli->error) || !make_state_folders(fd, &made, &cli->error)) {
        (void)err_prefix(&cli->error, "the project '%s'", root);
        return cli_failed(cli, EX_CANTCREAT);
    }
    *ret_made = made;
    return 0;
}

/* --- the settings --- */

/* The title in a block of team_conf: "[role spec-writer]" is "role spec-writer". Caller frees. */
static char *
title_of(const char *block)
{
    const char *at = *block == '[' ? block : strstr(block, "\n[");

    at += *at == '\n' ? 2 : 1;
    return g_strndup(at, strcspn(at, "]"));
}

/* A program that a person can talk to at a terminal; NULL: there is none here. */
static const char *
find_helper(void)
{
    static const char *const programs[] = {"claude", "codex", "opencode"};

    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
        g_autofree char *path = g_find_program_in_path(programs[i]);
        if (path)
            return programs[i];
    }
    return NULL;
}

/* The text with the sections that it lacks behind it, and with the root. titles: of those sections. Caller frees both. */
static char *
add_sections(const char *before, bool has_root, const char *root, GPtrArray **ret_titles)
{
    g_autofree char *flow = config_section(before, "workflow");
    g_autofree char *old =
        flow && !has_root ? config_with(before, "workflow", "root", root) : g_strdup(before);
    const char *helper = find_helper();
    const TemplateValue values[] = {{"ROOT", root},
                                    {"HELPER", helper ? helper : ""},
                                    {"HELPERS_BRAIN", helper ? "helper" : "claude"},
                                    {NULL, NULL}};
    g_autofree char *conf = template_expand_double(team_conf, values);
    g_auto(GStrv) blocks = g_strsplit(conf, "\n\n", -1);
    GString *s = g_string_new(old);
    GPtrArray *titles = g_ptr_array_new_with_free_func(g_free);

    for (char **block = blocks; *block; block++) {
        g_autofree char *title = title_of(*block);
        g_autofree char *there = config_section(old, title);
        if (there || (!helper && g_str_equal(title, "brain helper")))
            continue;
        g_string_append_printf(s, "%s\n%s\n", s->len && s->str[s->len - 1] != '\n' ? "\n" : "",
                               g_strchomp(*block));
        g_ptr_array_add(titles, g_steal_pointer(&title));
    }
    *ret_titles = titles;
    return g_string_free(s, FALSE);
}

/* --- roles --- */

/* What the role is told, with the parts that it shares. Caller frees. */
static char *
task_of(const char *name)
{
    static const char *const shared[] = {"PLANNING", "BUILDING", "WRITING",
                                         "REVIEWING", "TEAM",   "HELPING"};
    g_autofree char *text = role_template_part(&roles, name, NULL);
    TemplateValue values[G_N_ELEMENTS(shared) + 1] = {0};
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);

    for (size_t i = 0; i < G_N_ELEMENTS(shared); i++) {
        char *part = role_template_part(&roles, shared[i], NULL);
        g_ptr_array_add(parts, part);
        values[i] = (TemplateValue){shared[i], g_strchomp(part)};
    }
    return template_expand_double(text, values);
}

static bool
make_role(Cli *cli, const char *name, GError **error)
{
    g_autofree char *task = task_of(name), *file = g_strconcat(name, ".md", NULL);
    unsigned made = 0;

    return write_file(cli->home->fd, &(TeamFile){"roles", file, 0600, task}, &made, error) &&
           (g_str_has_suffix(name, "-helper") || role_make(cli, name, task, error));
}

static bool
make_roles(Cli *cli, const GPtrArray *titles, GError **error)
{
    g_autoptr(GPtrArray) panels = g_ptr_array_new();

    LIST_EACH(const char, title, titles) {
        if (g_str_has_prefix(title, "panel "))
            g_ptr_array_add(panels, (char *)title + strlen("panel "));
        if (g_str_has_prefix(title, "role ") && !make_role(cli, title + strlen("role "), error))
            return false;
    }
    return role_make_mailboxes(cli, panels, error);
}

/* --- links --- */

/* ~/.maildir/workflow/ROLE leads to the role's mailbox. */
static bool
link_mailbox(Cli *cli, int fd, const char *name, unsigned *made)
{
    g_autofree char *to = g_build_filename(cli->home->path, "mail", name, NULL);
    char there[PATH_MAX + 1];

    if (symlinkat(to, fd, name) == 0)
        return ++*made;
    if (errno != EEXIST)
        return err_set_errno(&cli->error, errno, "~/" LINKS "/%s", name);
    ssize_t n = readlinkat(fd, name, there, PATH_MAX);
    there[MAX(n, 0)] = '\0';
    if (!g_str_equal(there, to))
        cli_print(cli, "kept: ~/" LINKS "/%s is there already\n", name);
    return true;
}

static int
link_mailboxes(Cli *cli, unsigned *made)
{
    const Config *config = cli->home->config;
    g_autofree char *path = g_build_filename(g_get_home_dir(), LINKS, NULL);

    if (g_mkdir_with_parents(path, 0700) < 0)
        return cli_fail(EX_CANTCREAT, "can't make '%s': %s", path, g_strerror(errno));
    auto_fd fd = dir_open(path, &cli->error);
    if (fd < 0)
        return cli_failed(cli, EX_CANTCREAT);
    for (unsigned i = 0; i < config->n_roles; i++)
        if (!link_mailbox(cli, fd, config->roles[i].name, made))
            return cli_failed(cli, EX_CANTCREAT);
    return 0;
}

/* --- all of it --- */

/* Models that can't be asked, by their sections. */
static void
say_keys(Cli *cli)
{
    const Config *config = cli->home->config;

    for (unsigned i = 0; i < config->n_brains; i++) {
        const ConfBrain *b = &config->brains[i], *in_place = config_stand_in(config, b);
        if (in_place != b)
            cli_print_line(cli, "no key for [brain %s]: set %s; until then '%s' is asked in its place", b->name,
                           b->key_env, in_place->name);
    }
}

static void
say_team(Cli *cli, const char *root, unsigned n_sections, unsigned n_files, unsigned n_links)
{
    g_autofree char *call = cli_next_call(cli);

    cli_print_line(cli, "the workflow of %s has its home in %s", root, cli->home->path);
    if (n_sections + n_files + n_links == 0)
        cli_print(cli, "nothing was missing\n");
    if (n_sections)
        cli_print(cli, "added %u sections to " HOME_CONFIG ": artifacts, models, roles, panels\n",
                  n_sections);
    if (n_files)
        cli_print(cli, "wrote %u files in the project: Workflow/, and folders for states\n", n_files);
    if (n_links)
        cli_print(cli, "made %u links in ~/" LINKS "\n", n_links);
    say_keys(cli);
    if (n_sections) {
        reload_tell(cli);
        cli_print_line(cli, "next: %s role run -i vision-writing-helper", call);
    }
}

int
team_write_home(Cli *cli, const char *root, bool links, unsigned made)
{
    g_autoptr(GPtrArray) titles = NULL;
    g_autofree char *old = NULL;
    bool has_root = *cli->home->config->workflow_root;
    unsigned n_links = 0;
    int status;

    if (!home_read_config(cli->home, &old, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    g_autofree char *text = add_sections(old, has_root, root, &titles);
    if (!conf_is_sound(text, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    if (!make_roles(cli, titles, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    if (!g_str_equal(text, old) && (status = conf_write(cli, old, text)))
        return status;
    if (!home_reload(cli->home, &cli->error))
        return cli_failed(cli, 0);
    if (links && (status = link_mailboxes(cli, &n_links)))
        return status;
    say_team(cli, root, titles->len, made, n_links);
    return 0;
}
