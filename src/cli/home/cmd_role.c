/*
 * `role new`, `list`, `edit`, `pause`, `resume`, `remove`. A role is its section in postrider.conf, which is replaced as
 * a whole, checked before, comments kept. What it has beside it (mail, notes, instructions) is made
 * before the section is there and stays when it is gone, so whatever is broken off can be done again.
 */
#include "base/file.h"
#include "base/json.h"
#include "cli/cmds.h"
#include "cli/home/conf_write.h"
#include "cli/home/reload.h"
#include "cli/home/role_make.h"
#include "cli/home/role_template.h"
#include "store/job/jobs.h"
#include "store/job/budget.h"
#include "store/job/role_pauses.h"
#include "store/job/schedules.h"
#include "store/out/outbox.h"
#include "store/workflow.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/wait.h>

/* --- the settings --- */

static int
find_role(Cli *cli, const char *name, const ConfRole **ret)
{
    int status = cli_home(cli);
    if (status)
        return status;
    *ret = config_role_get(cli->home->config, name, &cli->error);
    return *ret ? 0 : cli_failed(cli, EX_NOINPUT);
}

/* --- new --- */

typedef struct NewRole {
    const char *name;
    const RoleTemplate *from;
    const char *brain, *address; /* as options say; NULL: not said */
    const char *task, *script;   /* of the template; NULL: none */
} NewRole;

static int
check_new(Cli *cli, const NewRole *n)
{
    const Config *config = cli->home->config;
    if (!text_name_valid(n->name))
        return cli_usage(cli, "'%s': a name is a-z, 0-9, '.', '_', '-'", n->name);
    if (config_role(config, n->name))
        return cli_fail(EX_CANTCREAT, "there is a role '%s' already; nothing was changed",
                        n->name);
    if (n->brain && !config_brain(config, n->brain))
        return cli_fail(EX_CONFIG, "there is no [brain %s]; nothing was changed", n->brain);
    if (n->script && !n->brain && config_brain(config, n->name))
        return cli_fail(
            EX_CANTCREAT,
            "there is a [brain %s] already; nothing was changed. To use it: --brain %s",
            n->name, n->name);
    return 0;
}

/* What is there already stays: it is somebody's. */
static bool
write_file(Cli *cli,
           const char *folder,
           const char *name,
           const char *text,
           mode_t mode,
           GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (!text || faccessat(cli->home->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    return dir_make(cli->home->fd, folder, 0700, error) &&
           file_create(cli->home->fd, path, text, strlen(text), mode, error);
}

static char *
new_sections(const Config *config, const NewRole *n, const char *old)
{
    GString *s = g_string_new(old);
    bool own = n->script && !n->brain;
    const char *brain = n->brain ? n->brain : own ? n->name : "default";
    g_autofree char *about = role_template_about(n->from);
    g_autofree char *settings = role_template_part(n->from, "settings", NULL);
    if (s->len > 0 && s->str[s->len - 1] != '\n')
        g_string_append_c(s, '\n');
    if (own)
        g_string_append_printf(s, "\n[brain %s]\nkind = command\ncommand = scripts/%s\n", brain,
                               n->name);
    g_string_append_printf(s, "\n# %s\n[role %s]\n", about, n->name);
    if (n->address)
        g_string_append_printf(s, "address = %s\n", n->address);
    else
        g_string_append_printf(s, "address = %s@%s\n", n->name, config->domain);
    g_string_append_printf(s, "brain = %s\n%s", brain, settings ? settings : "");
    if (n->task)
        g_string_append_printf(s, "instructions = roles/%s.md\n", n->name);
    return g_string_free(s, FALSE);
}

static void
say_new(Cli *cli, const NewRole *n)
{
    g_autofree char *subject = NULL;
    g_autofree char *mail = role_template_part(n->from, "mail", &subject);
    g_autofree char *call = cli_next_call(cli);
    g_autofree char *quoted_subject = g_shell_quote(subject);
    g_autofree char *quoted_mail = g_shell_quote(g_strstrip(g_strdelimit(mail, "\n", ' ')));
    const ConfRole *role = config_role(cli->home->config, n->name);
    cli_print(cli, "made the role '%s', which has the address %s\n", n->name, role->address);
    if (n->task)
        cli_print(cli, "what it is told: roles/%s.md, and the note %s/start\n", n->name,
                  n->name);
    reload_tell(cli);
    cli_print(cli, "try it: %s ask --to %s -s %s %s\n", call, n->name, quoted_subject,
              quoted_mail);
}

static int
make_new(Cli *cli, const NewRole *n)
{
    g_autofree char *old = NULL, *file = g_strconcat(n->name, ".md", NULL);
    int status = check_new(cli, n);
    if (status)
        return status;
    if (!home_read_config(cli->home, &old, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    g_autofree char *text = new_sections(cli->home->config, n, old);
    if (!conf_is_sound(text, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    if (!write_file(cli, "roles", file, n->task, 0600, &cli->error) ||
        !write_file(cli, "scripts", n->name, n->brain ? NULL : n->script, 0700, &cli->error) ||
        !role_make(cli, n->name, n->task, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    status = conf_write(cli, old, text);
    if (status == 0 && !home_reload(cli->home, &cli->error))
        return cli_failed(cli, 0);
    if (status == 0)
        say_new(cli, n);
    return status;
}

/* Settings are the owner's. */
static int
check_caller(const char *form)
{
    return cli_in_agent()
               ? cli_fail(EX_NOPERM, "role %s: the owner's, so an agent may not", form)
               : 0;
}

int
cmd_role_new(Cli *cli, int argc, char **argv)
{
    const char *from = cli_text(cli, "from");
    const RoleTemplate *template = from ? role_template_find(from) : NULL;
    g_autofree char *all = g_strjoinv("|", (char **)(uintptr_t)role_template_names());
    int status = check_caller("new");
    if (status)
        return status;
    if (!from)
        return cli_usage(cli, "new needs --from %s", all);
    g_autofree char *hint = text_did_you_mean(from, role_template_names());
    if (!template)
        return cli_usage(cli, "no template '%s'%s", from, hint);
    if ((status = cli_home(cli)))
        return status;
    g_autofree char *task = role_template_part(template, "task", NULL);
    g_autofree char *script = role_template_part(template, "script", NULL);
    return make_new(cli, &(NewRole){argv[1], template, cli_text(cli, "brain"),
                                    cli_text(cli, "address"), task, script});
}

/* --- list --- */

static bool
open_jobs(Cli *cli, const char *role, Jobs **ret, GError **error)
{
    const JobQuery q = {.role = role, .live_only = true, .limit = 1000};
    return jobs_list(cli->db, &VIEWER_OPERATOR, &q, ret, error);
}

int
cmd_role_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"NAME", "name"},       {"OPEN JOBS", "open_jobs"},
                                        {"BRAIN", "brain"},     {"MODE", "mode"},
                                        {"ADDRESS", "address"}, {NULL}};
    g_autoptr(json_t) all = json_array();
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    for (unsigned i = 0; i < cli->home->config->n_roles; i++) {
        const ConfRole *r = &cli->home->config->roles[i];
        g_autoptr(Jobs) jobs = NULL;
        if (r->person)
            continue;
        if (!open_jobs(cli, r->name, &jobs, &cli->error))
            return cli_failed(cli, 0);
        json_array_append_new(all, json_pack("{s:s, s:i, s:s, s:s, s:s}", "name", r->name,
                                             "open_jobs", (int)jobs->len, "brain", r->brain,
                                             "mode", role_mode_word(r->mode), "address", r->address));
    }
    cli_print_list(cli, g_steal_pointer(&all), columns, NULL, NULL);
    return 0;
}

/* --- edit --- */

/* The person's editor on a file, with the terminal that we have. */
static int
run_editor(const char *path)
{
    const char *said = g_getenv("VISUAL") ? g_getenv("VISUAL") : g_getenv("EDITOR");
    g_auto(GStrv) words = NULL;
    g_autoptr(GError) error = NULL;
    int ended;
    if (!g_shell_parse_argv(said && *said ? said : "vi", NULL, &words, &error))
        return cli_fail(EX_CONFIG, "EDITOR '%s': %s", said, error->message);
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_strv_builder_addv(argv, (const char **)words);
    g_strv_builder_add(argv, path);
    g_auto(GStrv) all = g_strv_builder_end(argv);
    if (!g_spawn_sync(NULL, all, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL,
                      NULL, NULL, NULL, &ended, &error))
        return cli_fail(EX_UNAVAILABLE, "the editor: %s", error->message);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return cli_fail(EX_UNAVAILABLE, "the editor '%s' failed; nothing was changed", all[0]);
    return 0;
}

/* Is it still this one section? Another one in it would be somebody else's. */
static bool
is_one_section(const char *text, const char *section)
{
    g_autofree char *own = config_section(text, section);
    g_autofree char *rest = config_with_section(text, section, "");
    g_auto(GStrv) lines = g_strsplit(rest, "\n", -1);
    for (char **line = lines; *line; line++) {
        if ((*line)[strspn(*line, " \t")] == '[')
            return false;
    }
    return own != NULL;
}

/* The text from the editor takes the section's place. */
static int
put_edited(
    Cli *cli, const char *section, const char *old, const char *before, const char *edited)
{
    if (g_str_equal(before, edited)) {
        cli_print(cli, "nothing was changed\n");
        return 0;
    }
    if (!is_one_section(edited, section))
        return cli_fail(EX_CONFIG, "the text is no longer one section [%s]", section);
    g_autofree char *text = config_with_section(old, section, edited);
    if (!conf_is_sound(text, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    int status = conf_write(cli, old, text);
    if (status == 0)
        reload_tell(cli);
    return status;
}

static int
edit_copy(Cli *cli, const char *section, const char *old, const char *before, const char *path)
{
    g_autofree char *edited = NULL;
    if (!g_file_set_contents(path, before, -1, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    int status = run_editor(path);
    if (status == 0 && !g_file_get_contents(path, &edited, NULL, &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    if (status == 0 && !g_utf8_validate(edited, -1, NULL))
        status = cli_fail(EX_CONFIG, "the text is no UTF-8");
    if (status == 0)
        status = put_edited(cli, section, old, before, edited);
    if (status == 0 || !edited)
        (void)g_unlink(path);
    else
        (void)cli_fail(status, "nothing was changed; what you wrote is in %s", path);
    return status;
}

int
cmd_role_edit(Cli *cli, int argc, char **argv)
{
    const ConfRole *role = NULL;
    g_autofree char *old = NULL, *path = NULL;
    int status = check_caller("edit");
    if (status || (status = find_role(cli, argv[1], &role)))
        return status;
    g_autofree char *section = g_strconcat("role ", role->name, NULL);
    if (!home_read_config(cli->home, &old, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    g_autofree char *before = config_section(old, section);
    if (!before)
        return cli_fail(EX_NOINPUT, HOME_CONFIG " has no section [%s]", section);
    auto_fd fd = g_file_open_tmp("postrider-role-XXXXXX.conf", &path, &cli->error);
    if (fd < 0)
        return cli_failed(cli, EX_CANTCREAT);
    return edit_copy(cli, section, old, before, path);
}

/* --- remove --- */

static int
refuse_busy(Cli *cli, const char *name)
{
    g_autoptr(Jobs) jobs = NULL;
    g_autoptr(GString) ids = g_string_new(NULL);
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (!open_jobs(cli, name, &jobs, &cli->error))
        return cli_failed(cli, 0);
    for (guint i = 0; i < jobs->len && i < 10; i++) {
        const Job *job = g_ptr_array_index(jobs, i);
        g_string_append_printf(ids, "%s%" PRId64, i ? ", " : "", job->id.v);
    }
    return jobs->len == 0
               ? 0
               : cli_fail(EX_TEMPFAIL,
                          "role '%s' has open jobs (%s%s); nothing was changed. End them "
                          "first: postrider cancel JOB",
                          name, ids->str, jobs->len > 10 ? ", ..." : "");
}

/* What goes on without the role, or waits for a word about it. */
static bool
say_left(Cli *cli, const char *name, GError **error)
{
    const Viewer viewer = {.role = name};
    const OutQuery held = {.state = "held", .limit = 1000};
    g_autoptr(Schedules) schedules = NULL;
    g_autoptr(OutRows) rows = NULL;
    OutId last = {0};
    if (!schedules_list(cli->db, USEC_NEVER, &schedules, error) ||
        !outbox_list(cli->db, &viewer, &held, &rows, error))
        return false;
    LIST_EACH(const Schedule, s, schedules) {
        if (g_str_equal(s->role, name))
            cli_print(cli,
                      "still there: schedule %" PRId64 " (%s), which mails nobody now; to end "
                      "it: postrider every remove %" PRId64 "\n",
                      s->id, s->spec, s->id);
    }
    LIST_EACH(const OutRow, row, rows) {
        if (row->id.v != last.v) /* one row per recipient */
            cli_print(cli,
                      "still there: held mail %" PRId64 "; to see it: postrider outbox show "
                      "%" PRId64 ", to decide: approve or reject\n",
                      row->id.v, row->id.v);
        last = row->id;
    }
    return true;
}

static int
say_removed(Cli *cli, const char *name, bool brain, bool told)
{
    cli_print(cli, "removed the role '%s' from " HOME_CONFIG "\n", name);
    cli_print(cli, "kept: its mail in %s/mail/%s, its notes in %s/notes/%s\n", cli->home->path,
              name, cli->home->path, name);
    if (told)
        cli_print(cli, "kept: what it was told, in %s/roles/%s.md\n", cli->home->path, name);
    if (brain)
        cli_print(cli, "kept: [brain %s]\n", name);
    bool ok = say_left(cli, name, &cli->error);
    reload_tell(cli);
    return ok ? 0 : cli_failed(cli, 0);
}

int
cmd_role_pause(Cli *cli, int argc, char **argv)
{
    const ConfRole *role = NULL;
    bool is_new;
    int status = check_caller("pause");
    if (status || (status = find_role(cli, argv[1], &role)) || (status = cli_db(cli, DB_WRITE)))
        return status;
    const char *said = cli_text(cli, "why");
    const RolePause pause = {.role = (char *)role->name,
                             .why = (char *)(said ? said : "a person said so"),
                             .report = (char *)""};
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = role_pause_begin(&txn, &pause, &is_new, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    cli_print(cli, is_new ? "'%s' is paused: its jobs wait, and its mail is taken in\n"
                          : "'%s' was paused already\n",
              role->name);
    return 0;
}

int
cmd_role_resume(Cli *cli, int argc, char **argv)
{
    const ConfRole *role = NULL;
    bool was, talks;
    int status = check_caller("resume");
    if (status || (status = find_role(cli, argv[1], &role)) || (status = cli_db(cli, DB_WRITE)))
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = role_pause_end(&txn, role->name, &was, &cli->error) &&
                 budget_role_anew(&txn, role->name, &cli->error) &&
                 workflow_known(cli->db, &talks, &cli->error) &&
                 (!talks || (talk_end(&txn, role->name, &cli->error) &&
                             faults_end(&txn, role->name, &cli->error)));
    if (!txn.done)
        return cli_failed(cli, 0);
    db_hint(cli->db);
    cli_print(cli, was ? "'%s' goes on\n" : "'%s' was not paused\n", role->name);
    return 0;
}

int
cmd_role_remove(Cli *cli, int argc, char **argv)
{
    const ConfRole *role = NULL;
    g_autofree char *old = NULL;
    int status = check_caller("remove");
    if (status || (status = find_role(cli, argv[1], &role)) ||
        (status = refuse_busy(cli, role->name)))
        return status;
    g_autofree char *section = g_strconcat("role ", role->name, NULL);
    g_autofree char *file = g_strdup_printf("roles/%s.md", role->name);
    if (!home_read_config(cli->home, &old, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    g_autofree char *text = config_with_section(old, section, "");
    status = conf_write(cli, old, text);
    if (status)
        return status;
    return say_removed(cli, role->name, config_brain(cli->home->config, role->name) != NULL,
                       faccessat(cli->home->fd, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
}
