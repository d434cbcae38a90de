#include "base/file.h"
#include "base/proc.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/home_files.h"
#include "cli/workflow/init_team.h"
#include "engine/in/recurrence.h"
#include "mail/maildir.h"
#include "notes/first_notes.h"
#include "notes/notes.h"
#include "report/report_template.h"
#include "store/job/schedules.h"
#include "store/mail/mailbox_visit.h"
#include <fcntl.h>
#include <sys/stat.h>

#define BRIEFING_WHEN "weekday 07:00"
#define BRIEFING_NOTE "carlton/reply"

static const char *const folders[] = {"mail",    "notes",   "reports", "work", "templates",
                                      "scripts", "secrets", "state",   "log",  NULL};

/*
 * The marker HOME_UNFINISHED is written first and removed last. An init that was killed can so
 * be repeated: each step leaves alone what is there, since a file of ours is there whole or not
 * at all.
 */

/* An empty folder is fine, so is one that an init had begun; anything else in it is somebody's.
 */
static bool
refuse_used(const char *path, GError **error)
{
    g_autofree char *conf = g_build_filename(path, "postrider.conf", NULL);
    g_autofree char *begun = g_build_filename(path, HOME_UNFINISHED, NULL);
    if (g_file_test(begun, G_FILE_TEST_IS_REGULAR))
        return true;
    if (g_file_test(conf, G_FILE_TEST_EXISTS))
        return err_set(error, ERR_NEVER, "'%s' is a home already", path);
    g_autoptr(DIR) dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? true : err_set_errno(error, errno, "'%s'", path);
    if (dir_next(dir))
        return err_set(error, ERR_NEVER, "'%s' is not empty; nothing was changed", path);
    return true;
}

/* The folder and what is missing above it, each flushed into the one that holds it: else a
 * power loss takes the whole home back. Where the folder above can't be read, the system
 * decides. */
static bool
make_folder(const char *path)
{
    g_autofree char *above = g_path_get_dirname(path);
    if (mkdir(path, 0700) < 0 && errno != EEXIST &&
        (errno != ENOENT || !make_folder(above) || mkdir(path, 0700) < 0))
        return false;
    auto_fd fd = dir_open(above, NULL);
    return fd < 0 || dir_flush(fd, NULL);
}

/* Under its own name at once: a tmp name that is left behind would look like somebody's. */
static bool
mark_begun(int fd, GError **error)
{
    auto_fd marker =
        openat(fd, HOME_UNFINISHED, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (marker < 0)
        return err_set_errno(error, errno, "'%s'", HOME_UNFINISHED);
    return dir_flush(fd, error);
}

static bool
mark_ended(int fd, GError **error)
{
    unsigned n;
    auto_fd scripts = dir_open_beneath(fd, "scripts", error);
    if (scripts < 0 || !file_sweep(scripts, 0, &n, error) || !file_sweep(fd, 0, &n, error))
        return false;
    if (unlinkat(fd, HOME_UNFINISHED, 0) < 0)
        return err_set_errno(error, errno, "'%s'", HOME_UNFINISHED);
    return dir_flush(fd, error);
}

/* As file_create(), but what an earlier init has written stays. */
static bool
write_once(int fd, const char *path, const char *text, mode_t mode, GError **error)
{
    return faccessat(fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           file_create(fd, path, text, strlen(text), mode, error);
}

static bool
make_key(int fd, GError **error)
{
    Random random = {0};
    Digest key;
    random_bytes(&random, key.v, sizeof key.v);
    g_autofree char *hex = digest_hex(&key);
    g_autofree char *line = g_strdup_printf("%s\n", hex);
    return write_once(fd, "key", line, 0600, error);
}

static char *
expand(const char *template, const char *const *pairs)
{
    g_autoptr(GString) s = g_string_new(template);
    for (; pairs[0]; pairs += 2) {
        g_autofree char *name = g_strdup_printf("{{%s}}", pairs[0]);
        g_string_replace(s, name, pairs[1], 0);
    }
    return g_string_free(g_steal_pointer(&s), FALSE);
}

/* mutt quotes as a shell does, but splits `sendmail` at every space: a program whose path has one
 * is found by PATH. */
static char *
say_sendmail(const char *program)
{
    bool spaced = strchr(program, ' ') != NULL;
    g_autofree char *name = g_path_get_basename(program), *dir = g_path_get_dirname(program);
    g_autofree char *command = g_strdup_printf("%s sendmail -oem -oi", spaced ? name : program);
    g_autofree char *quoted = g_shell_quote(command), *place = g_shell_quote(dir);
    return spaced ? g_strdup_printf("%s\nsetenv PATH %s:\"$PATH\"", quoted, place)
                  : g_steal_pointer(&quoted);
}

static bool
write_muttrc(const Home *home, const char *program, GError **error)
{
    const Config *config = home->config;
    const char *name = config_mailbox_at(config, config->owner);
    g_autofree char *path = g_build_filename(home->path, "muttrc", NULL);
    g_autofree char *rc = g_shell_quote(path);
    g_autofree char *dir = g_shell_quote(home->path);
    g_autofree char *sendmail = say_sendmail(program);
    g_autofree char *folder = g_build_filename(home->path, "mail", name, NULL);
    g_autofree char *mailbox = g_shell_quote(folder);
    g_autofree char *owner = g_shell_quote(config->owner);
    g_autofree char *domain = g_shell_quote(config->domain);
    const char *pairs[] = {"RC",  rc,       "HOME", dir,       "SENDMAIL", sendmail, "OWNER",
                           owner, "DOMAIN", domain, "MAILBOX", mailbox,    NULL};
    g_autofree char *text = expand(home_muttrc, pairs);
    return write_once(home->fd, "muttrc", text, 0600, error);
}

/* What the home is made for, beside mail. */
typedef struct Kind {
    bool briefing, team;
} Kind;

/* The settings of a home with briefings have their roles at the end; the addresses of a team are those of a workflow. */
static bool
write_home_file(int fd, const HomeFile *h, Kind kind, GError **error)
{
    bool settings = g_str_equal(h->path, "postrider.conf");
    g_autoptr(GString) text = g_string_new(h->text);
    if (kind.briefing && settings) {
        g_string_append(text, home_briefing_conf);
        if (!write_once(fd, "scripts/curator.md", home_curator, 0600, error))
            return false;
    }
    if (kind.team && settings)
        g_string_replace(text, "postrider.local", TEAM_DOMAIN, 0);
    return write_once(fd, h->path, text->str, h->mode, error);
}

static bool
make_files(int fd, Kind kind, GError **error)
{
    for (const char *const *f = folders; *f; f++) {
        if (!dir_make(fd, *f, 0700, error))
            return false;
    }
    if (!make_key(fd, error))
        return false;
    for (size_t i = 0; home_files[i].path; i++) {
        if (!write_home_file(fd, &home_files[i], kind, error))
            return false;
    }
    return true;
}

/* Known to the store as new: nothing in them is old. With each role come its first notes. */
static bool
note_roles(Txn *txn, const Config *config, GError **error)
{
    for (unsigned i = 0; i < config->n_roles; i++) {
        const ConfRole *role = &config->roles[i];
        if (!mailbox_set_visited(txn, role->name, error) ||
            (!role->person && !notes_write_first(txn, role->name, error)))
            return false;
    }
    return true;
}

/* The template of carlton's prompt, and the morning that curator is asked for. */
static bool
note_briefing(Txn *txn, const Home *home, GError **error)
{
    const NoteBy by = {.author = "operator", .label = TRUST_OPERATOR};
    g_autoptr(GBytes) template =
        g_bytes_new_static(report_prompt_default, strlen(report_prompt_default));
    g_autoptr(Schedules) there = NULL;
    g_autoptr(Note) note = NULL;
    Recurrence when;
    int64_t now = home_now(home), id;
    if (!recurrence_parse(BRIEFING_WHEN, &when, NULL, error) ||
        !schedules_list(txn->db, USEC_NEVER, &there, error) ||
        !note_load(txn->db, &VIEWER_OPERATOR, BRIEFING_NOTE, 0, &note, error))
        return false;
    const Schedule s = {.spec = (char *)BRIEFING_WHEN,
                        .role = (char *)"curator",
                        .subject = (char *)"The briefing of today",
                        .body = (char *)"Write the briefing of today, and send it.",
                        .created_us = now,
                        .next_us = recurrence_next(&when, now, now)};
    return (note || note_put(txn, BRIEFING_NOTE, template, NOTE_ABSENT, &by, NULL, error)) &&
           (there->len > 0 || schedule_put(txn, &s, &id, error));
}

/* Mailboxes of roles and of local persons. */
static bool
make_mailboxes(Cli *cli, GError **error)
{
    const Home *home = cli->home;
    if (!db_open(home, DB_WRITE, &cli->db, error))
        return false;
    for (unsigned i = 0; i < home->config->n_roles; i++) {
        g_autoptr(Maildir) md = NULL;
        if (!maildir_open(home->mail_fd, home->config->roles[i].name, true, &md, error))
            return false;
    }
    for (unsigned i = 0; i < home->config->n_persons; i++) {
        static const char *const beside[] = {"Sent", "Drafts"};
        const char *name = config_mailbox_at(home->config, home->config->persons[i].address);
        g_autoptr(Maildir) md = NULL;
        if (!name)
            continue;
        if (!maildir_open(home->mail_fd, name, true, &md, error))
            return false;
        for (size_t k = 0; k < G_N_ELEMENTS(beside); k++) {
            if (!maildir_make_folder(md, beside[k], error))
                return false;
        }
    }
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = note_roles(&txn, home->config, error) &&
                 (!cli_flag(cli, "briefing") || note_briefing(&txn, home, error));
    return txn.done && notes_sync(home, cli->db, NULL, error);
}

static void
print_next(Cli *cli)
{
    static const struct {
        const char *program, *kind;
    } agents[] = {{"claude", "--kind claude"},
                  {"codex", "--kind codex"},
                  {"opencode", "--kind opencode"},
                  {"ollama", "--kind openai"}};
    g_autofree char *next = cli_next_call(cli);
    cli_print_line(cli, "made the home %s", cli->home->path);
    for (size_t i = 0; i < G_N_ELEMENTS(agents); i++) {
        g_autofree char *path = g_find_program_in_path(agents[i].program);
        if (path)
            cli_print(cli, "found %s: 'postrider setup brain %s' can use it\n", path,
                      agents[i].kind);
    }
    cli_print_line(cli, "next: %s ask \"hello\"", next);
    cli_print_line(cli, "for a model: %s setup brain", next);
}

/* Only at a terminal, where somebody can answer. Returns when they would rather not. */
static void
offer_brain(Cli *cli)
{
    char line[16];
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || cli_in_agent())
        return;
    cli_print(cli, "Set up a model for it now? [y/N] ");
    if (!cli_flush(cli) || !fgets(line, sizeof line, stdin) || g_ascii_tolower(*line) != 'y')
        return;
    g_autofree char *program = proc_helper_path("postrider-setup", NULL);
    char *argv[] = {(char *)"postrider", (char *)"--home", cli->home->path,
                    (char *)"setup",     (char *)"brain",  NULL};
    if (program)
        execv(program, argv);
    (void)cli_fail(EX_SOFTWARE, "can't start 'postrider-setup'; run: postrider setup brain");
}

static int
make_home(Cli *cli, const char *path, Kind kind)
{
    if (!refuse_used(path, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    if (!make_folder(path) || chmod(path, 0700) < 0)
        return cli_fail(EX_CANTCREAT, "can't make '%s': %s", path, g_strerror(errno));
    auto_fd fd = dir_open(path, &cli->error);
    if (fd < 0 || !mark_begun(fd, &cli->error) || !make_files(fd, kind, &cli->error) ||
        !home_open_bare(path, &cli->home, &cli->error) ||
        !home_reload(cli->home, &cli->error) ||
        !write_muttrc(cli->home, cli->self, &cli->error) || !make_mailboxes(cli, &cli->error) ||
        !mark_ended(fd, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    print_next(cli);
    return 0;
}

/* A home that is there gets what it lacks. */
static int
make_team(Cli *cli, const char *path, Kind kind)
{
    g_autofree char *conf = g_build_filename(path, HOME_CONFIG, NULL), *root = NULL;
    g_autofree char *begun = g_build_filename(path, HOME_UNFINISHED, NULL);
    bool there = !kind.briefing && g_file_test(conf, G_FILE_TEST_EXISTS) &&
                 !g_file_test(begun, G_FILE_TEST_EXISTS);
    unsigned made;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "init: the owner's, so an agent may not");
    if (there && !home_open(path, &cli->home, &cli->error))
        return cli_failed(cli, 0);
    if (!there && !refuse_used(path, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    int status = team_find_root(cli, path, &root);
    if (status || (status = team_write_project(cli, root, path, &made)) ||
        (!there && (status = make_home(cli, path, kind))))
        return status;
    return team_write_home(cli, root, cli_flag(cli, "links"), made);
}

int
cmd_init(Cli *cli, int argc, char **argv)
{
    const Kind kind = {cli_flag(cli, "briefing"), cli_flag(cli, "workflow")};
    if (argv[1] && !*argv[1])
        return cli_usage(cli, "takes one DIR");
    if (!kind.team && (cli_text(cli, "root") || cli_flag(cli, "links")))
        return cli_usage(cli, "--root and --links need --workflow");
    g_autofree char *path = home_find(argv[1] ? argv[1] : cli->home_option, &cli->error);
    if (!path)
        return cli_failed(cli, 0);
    int status = kind.team ? make_team(cli, path, kind) : make_home(cli, path, kind);
    if (status == 0)
        offer_brain(cli);
    return status;
}
