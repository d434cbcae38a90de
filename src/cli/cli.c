#include "cli/cli.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"
#include "cli/options.h"
#include "engine/engine.h"
#include "mail/msgid.h"
#include "port/port_client.h"
#include "store/job/jobs.h"
#include <fcntl.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

/* --- messages --- */

static void say(const char *fmt, va_list args) G_GNUC_PRINTF(1, 0);
static void
say(const char *fmt, va_list args)
{
    g_autofree char *text = g_strdup_vprintf(fmt, args);
    g_autofree char *safe = text_vis(text, false); /* one line, whatever it quotes */
    g_autofree char *line = g_strdup_printf("postrider: %s\n", safe);
    (void)file_write_all(STDERR_FILENO, line, strlen(line), NULL);
}

int
cli_fail(int status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
    return status;
}

int
cli_error(int status, GError *error)
{
    int own = err_exit_status(error);
    (void)cli_fail(own, "%s", error->message);
    g_error_free(error);
    return status ? status : own;
}

int
cli_failed(Cli *cli, int status)
{
    return cli_error(status, g_steal_pointer(&cli->error));
}

/* What is longer is for `help`, not for a line that names a mistake. */
#define USAGE_CHARS 160

int
cli_usage(const Cli *cli, const char *fmt, ...)
{
    g_autofree char *form = verb_usage(cli->row);
    va_list args;
    va_start(args, fmt);
    g_autofree char *what = g_strdup_vprintf(fmt, args);
    va_end(args);
    return cli_fail(EX_USAGE, "%s: %s%s usage: postrider %s%s", cli->verb, what,
                    g_str_has_suffix(what, "?") ? "" : ";",
                    strlen(form) > USAGE_CHARS ? cli->row->name : form,
                    strlen(form) > USAGE_CHARS ? " [OPTION]..." : "");
}

int
cli_no_state(const Cli *cli, const char *state, const Words *words, const Words *others)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (int i = 0; i < words->n; i++)
        g_ptr_array_add(names, (char *)words->names[i]);
    for (int i = 0; others && i < others->n; i++)
        g_ptr_array_add(names, (char *)others->names[i]);
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = text_did_you_mean(state, (const char *const *)names->pdata);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    return cli_usage(cli, "no state '%s'%s%s", state, *hint ? hint : "; there are ",
                     *hint ? "" : all);
}

/* --- output --- */

void
cli_print(Cli *cli, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_string_append_vprintf(cli->out, fmt, args);
    va_end(args);
}

void
cli_print_vis(Cli *cli, const char *text, bool keep_lines)
{
    g_autofree char *safe = text_vis(text ? text : "", keep_lines);
    g_string_append(cli->out, safe);
}

void
cli_print_line(Cli *cli, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, args);
    va_end(args);
    cli_print_vis(cli, text, false);
    g_string_append_c(cli->out, '\n');
}

void
cli_print_bytes(Cli *cli, GBytes *bytes)
{
    gsize len = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;
    g_string_append_len(cli->out, data ? data : "", (gssize)len);
}

void
cli_print_json(Cli *cli, json_t *value)
{
    g_autoptr(json_t) owned = value;
    g_autofree char *text = json_format_pretty(owned);
    g_string_append(cli->out, text);
    g_string_append_c(cli->out, '\n');
}

bool
cli_flush(Cli *cli)
{
    bool ok =
        cli->out->len == 0 || file_write_all(STDOUT_FILENO, cli->out->str, cli->out->len, NULL);
    g_string_truncate(cli->out, 0);
    return ok;
}

char *
cli_ago(Cli *cli, int64_t wall_us)
{
    if (wall_us <= 0 || wall_us == USEC_NEVER)
        return g_strdup("never");
    int64_t now = cli->home ? home_now(cli->home) : g_get_real_time();
    if (wall_us <= now && now - wall_us < USEC_PER_SEC)
        return g_strdup("just now");
    g_autofree char *span = clock_format_span(ABS(now - wall_us));
    return wall_us <= now ? g_strdup_printf("%s ago", span) : g_strdup_printf("in %s", span);
}

/* A column that must give way on a narrow terminal keeps so many characters. */
#define COLUMN_MIN 6

typedef struct Table {
    guint columns;
    GPtrArray *cells; /* char *, safe for a terminal */
} Table;

const char *
cli_member(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : "";
}

char *
cli_money(const json_t *dollars)
{
    return text_money((int64_t)(json_real_value(dollars) * 1e6 + 0.5));
}

/* Amounts of money are the only numbers with a fraction. */
static char *
cell_text(const json_t *value)
{
    if (json_is_real(value))
        return cli_money(value);
    return json_is_integer(value)
               ? g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value))
               : g_strdup(json_is_string(value) ? json_string_value(value) : "");
}

static void
add_row(Cli *cli, Table *t, const json_t *row, const CliColumn *c, CliCell *cell)
{
    for (; c->heading; c++) {
        g_autofree char *said = cell ? cell(cli, row, c->member) : NULL;
        g_autofree char *text =
            said ? g_steal_pointer(&said) : cell_text(json_object_get(row, c->member));
        g_autofree char *brief = c->width ? text_shorten(text, c->width) : g_strdup(text);
        g_ptr_array_add(t->cells, text_vis(brief, false));
    }
}

/* SIZE_MAX: it goes to no terminal, and a program that reads it wants all of it. */
static size_t
room_in_line(void)
{
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO))
        return SIZE_MAX;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* The widest column gives way first, and none becomes unreadable. */
static void
fit_columns(size_t *width, guint n, size_t room)
{
    for (;;) {
        size_t total = 2 * (n - 1);
        guint widest = 0;
        for (guint i = 0; i < n; i++) {
            total += width[i];
            if (width[i] > width[widest])
                widest = i;
        }
        if (total <= room || width[widest] <= COLUMN_MIN)
            return;
        width[widest]--;
    }
}

static void
print_table(Cli *cli, const Table *t)
{
    g_autofree size_t *width = g_new0(size_t, t->columns);
    for (guint i = 0; i < t->cells->len; i++)
        width[i % t->columns] =
            MAX(width[i % t->columns], text_chars(g_ptr_array_index(t->cells, i)));
    fit_columns(width, t->columns, room_in_line());
    for (guint i = 0; i < t->cells->len; i++) {
        g_autofree char *cell =
            text_shorten(g_ptr_array_index(t->cells, i), width[i % t->columns]);
        bool last = i % t->columns == t->columns - 1, bold = cli->color && i < t->columns;
        size_t chars = text_chars(cell);
        size_t pad =
            last || chars > width[i % t->columns] ? 0 : width[i % t->columns] - chars + 2;
        cli_print(cli, "%s%s%s%*s%s", bold ? "\033[1m" : "", cell, bold ? "\033[0m" : "",
                  (int)pad, "", last ? "\n" : "");
    }
}

void
cli_print_list(
    Cli *cli, json_t *take_rows, const CliColumn *columns, const char *none, CliCell *cell)
{
    g_autoptr(json_t) rows = take_rows;
    if (cli->json) {
        cli_print_json(cli, g_steal_pointer(&rows));
        return;
    }
    if (none && json_array_size(rows) == 0) {
        cli_print(cli, "%s\n", none);
        return;
    }
    g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
    Table t = {.cells = cells};
    for (; columns[t.columns].heading; t.columns++)
        g_ptr_array_add(cells, g_strdup(columns[t.columns].heading));
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(cli, &t, json_array_get(rows, i), columns, cell);
    print_table(cli, &t);
}

/* Mails that are named where a short id may mean several. */
#define CANDIDATES 5u

/* --- what verbs open --- */

/* The parts of the service log as the settings say, where other verbs only complain. They hold the
 * key for as long as they live, so no debugger and no core file gets at it; nor does an agent get
 * at the environment of whoever started it, be that a part or a verb that works by itself. */
static void
become_part(const Cli *cli)
{
    if (!(verb_find(cli->verb, NULL)->flags & VERB_WORKS))
        return;
    if (!g_getenv(
            "POSTRIDER_TRACED")) /* by tests that follow system calls without being root */
        (void)prctl(PR_SET_DUMPABLE, 0);
    /* What can't be written is told by the master, and by `status`. */
    (void)home_log(cli->home, cli->verb, g_str_equal(cli->verb, "ask"));
}

bool
cli_has_home(const Cli *cli)
{
    g_autofree char *path = home_find(cli->home_option, NULL);
    g_autofree char *conf = path ? g_build_filename(path, "postrider.conf", NULL) : NULL;
    return cli->home_option || (conf && g_file_test(conf, G_FILE_TEST_EXISTS));
}

int
cli_home(Cli *cli)
{
    if (cli->home)
        return 0;
    g_autofree char *path = home_find(cli->home_option, &cli->error);
    if (!path || !home_open(path, &cli->home, &cli->error))
        return cli_failed(cli, 0);
    become_part(cli);
    return 0;
}

int
cli_db(Cli *cli, DbMode mode)
{
    int status = cli_home(cli);
    if (status || cli->db)
        return status;
    if (!db_open(cli->home, mode, &cli->db, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

static bool
is_refused(const Home *home, const char *name)
{
    return faccessat(home->state_fd, name, W_OK, AT_EACCESS) < 0 &&
           (errno == EROFS || errno == EACCES);
}

int
cli_db_to_read(Cli *cli)
{
    int status = cli_home(cli);
    if (status || cli->db)
        return status;
    if (!is_refused(cli->home, ".") && !is_refused(cli->home, "postrider.db"))
        return cli_db(cli, DB_WRITE);
    status = cli_db(cli, DB_READ);
    if (status == 0)
        (void)cli_fail(0, "this home can't be written: it is shown as it was when it could be");
    return status;
}

int
cli_job(Cli *cli, const char *text, JobId *ret)
{
    g_autoptr(Job) job = NULL;
    if (!job_id_parse(text, ret))
        return cli_fail(EX_USAGE, "'%s' is no job; a job is a number, see: postrider job list",
                        text);
    if (!job_load(cli->db, &VIEWER_OPERATOR, *ret, &job, &cli->error))
        return cli_failed(cli, 0);
    if (!job)
        return cli_fail(EX_NOINPUT, "there is no job %s; see: postrider job list", text);
    return 0;
}

int
cli_date(Cli *cli, const char *text, char **ret)
{
    int status = cli_home(cli);
    if (status)
        return status;
    *ret = clock_date(text, home_now(cli->home));
    return *ret ? 0 : cli_fail(EX_DATAERR, "'%s' is no date such as 2026-02-09, nor 'today'", text);
}

int
cli_step(Cli *cli, const char *text, JobId *ret_job, int *ret_step)
{
    const char *at = strchr(text, '@');
    g_autofree char *job = g_strndup(text, at ? (size_t)(at - text) : strlen(text));
    int64_t step = 0;
    int status = cli_job(cli, job, ret_job);
    if (status)
        return status;
    if (at && !text_parse_int(at + 1, 1, INT_MAX, &step))
        return cli_usage(cli, "'%s' is no step", at + 1);
    *ret_step = (int)step;
    return 0;
}

bool
cli_in_agent(void)
{
    return port_client_path() != NULL;
}

int
cli_call(Cli *cli, json_t *request, const char *member, json_t **ret)
{
    g_autoptr(json_t) answer = NULL;
    int status = 0;
    if (!request)
        return cli_fail(EX_DATAERR, "that is no text (UTF-8)");
    if (!port_call(port_client_path(), request, &answer, &status, &cli->error))
        return cli_failed(cli, status);
    *ret = json_incref(json_object_get(answer, member));
    return 0;
}

/* --- main --- */

static void
set_home(Cli *cli, const char *path)
{
    g_free(cli->home_option); /* given twice, the last one counts */
    cli->home_option = g_strdup(path);
}

/* Takes the options that every verb has out of argv, wherever they stand before "--". */
static int
take_globals(Cli *cli, int *argc, char **argv, bool *ret_help, bool *ret_version)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        const char *a = argv[i];
        if (g_str_equal(a, "--")) {
            while (i < *argc)
                argv[kept++] = argv[i++];
            break;
        }
        if (g_str_equal(a, "--json")) {
            cli->json = true;
        } else if (g_str_equal(a, "--help") || g_str_equal(a, "-h")) {
            *ret_help = true;
        } else if (g_str_equal(a, "--version")) {
            *ret_version = true;
        } else if (g_str_equal(a, "--home")) {
            if (i + 1 >= *argc)
                return cli_fail(EX_USAGE, "--home needs a folder");
            set_home(cli, argv[++i]);
        } else if (g_str_has_prefix(a, "--home=")) {
            set_home(cli, a + strlen("--home="));
        } else {
            argv[kept++] = argv[i];
        }
    }
    argv[kept] = NULL;
    *argc = kept;
    return 0;
}

static int
unknown_verb(const char *name)
{
    static const char *const globals[] = {"--home", "--json", "--help", "--version", NULL};
    bool option = *name == '-';
    g_autoptr(GPtrArray) names = verb_names(NULL);
    g_autofree char *hint =
        text_did_you_mean(name, option ? globals : (const char *const *)names->pdata);
    return cli_fail(EX_USAGE, "no %s '%s'%s", option ? "option" : "verb", name,
                    *hint ? hint : "; see: postrider help");
}

static int
unknown_form(const Cli *cli, const char *name)
{
    g_autoptr(GPtrArray) names = verb_names(cli->verb);
    g_autofree char *hint = text_did_you_mean(name, (const char *const *)names->pdata);
    JobId number;
    if (job_id_parse(name, &number) && verb_find(cli->verb, "show"))
        return cli_usage(cli, "no '%s'; did you mean '%s show %s'?", name, cli->verb, name);
    return cli_usage(cli, "no '%s'%s", name, hint);
}

/* Which program holds the verb, by the settings of now. A home that can't be opened is for the verb
 * itself to complain about: any settings will do then. */
static const char *
program_for(const Cli *cli, const char *operand)
{
    static const Config none = {0};
    g_autofree char *path = cli_in_agent() ? NULL : home_find(cli->home_option, NULL);
    g_autoptr(Home) home = NULL;

    if (!path || !(verb_find(cli->verb, NULL)->flags & VERB_BY_SETTINGS) ||
        !home_open(path, &home, NULL))
        return verb_program(cli->verb, &none, operand);
    return verb_program(cli->verb, home->config, operand);
}

/* argv is what we were called with. */
static int
exec_program(const char *name, char **argv)
{
    GError *error = NULL;
    g_autofree char *path = proc_helper_path(name, &error);
    if (!path)
        return cli_error(EX_SOFTWARE, error);
    g_setenv(PROC_NO_GNUTLS, "1", TRUE);
    execv(path, argv);
    return cli_fail(EX_SOFTWARE, "can't start '%s': %s", path, g_strerror(errno));
}

/* Whoever started us, the front or the master, chose by settings that may be older than those that we
 * read: then the other program goes on, before anything else was read. `doctor`, which does not work,
 * opens the home by itself. */
static void
become_right_program(Cli *cli, const char *operand, char **argv)
{
    unsigned flags = verb_find(cli->verb, NULL)->flags;
    g_autofree char *path = NULL;

    if (!g_str_has_suffix(cli->self, "/postrider-mail") || !(flags & VERB_WORKS) ||
        !(flags & VERB_BY_SETTINGS) || cli_in_agent() ||
        !(path = home_find(cli->home_option, NULL)) || !home_open(path, &cli->home, NULL))
        return;
    const char *right = verb_program(cli->verb, cli->home->config, operand);
    if (!g_str_has_suffix(cli->self, right))
        (void)exec_program(right, argv);
    become_part(cli);
}

/* Does it read mail of the home, or write some? */
static bool
is_mail_verb(const char *verb, const Verb *form)
{
    static const char *const of_mail[] = {"ask",     "send",     "sendmail", "receive", "inject",
                                        "notify",  "mail",     "outbox",   "every",   "briefing",
                                        "respond", "reply-to", "report",   "mcp",     "session",
                                        "panel",   NULL};

    return g_strv_contains(of_mail, verb) ||
           (form && (g_str_equal(form->name, "role inbox") || g_str_equal(form->name, "role run")));
}

static int
run_verb(Cli *cli, int argc, char **argv, char **whole, bool front)
{
    const Verb *form = argc > 1 ? verb_find(argv[0], argv[1]) : NULL;
    const char *helper = g_getenv("POSTRIDER_HELPER");
    cli->verb = argv[0];
    cli->row = form ? form : verb_find(argv[0], NULL);
    if (!cli->row)
        return unknown_verb(argv[0]);
    if (!form && cli->row->flags & VERB_FORMS && argc > 1 && *argv[1] != '-')
        return unknown_form(cli, argv[1]);
    if (is_mail_verb(argv[0], form) && helper && *helper)
        return cli_fail(EX_NOPERM, "'%s' takes no mail and sends none: it works with you alone, so %s is not for its session",
                        helper, cli->row->name);
    argc -= form != NULL;
    argv += form != NULL;
    int status = cli->row->flags & VERB_RAW ? 0 : options_read(cli, &argc, &argv);
    if (status)
        return status;
    const char *operand = argc > 1 ? argv[1] : NULL;
    if (!front)
        become_right_program(cli, operand, whole);
    status = cli->row->run ? cli->row->run(cli, argc, argv) : -1;
    if (status == ENGINE_AGAIN || (status < 0 && front))
        return exec_program(program_for(cli, operand), whole);
    return status < 0 ? cli_fail(EX_SOFTWARE, "'%s' belongs to another program", cli->row->name)
                      : status;
}

int
cli_main(int argc, char **argv, bool front)
{
    bool help = false, version = false;
    proc_init();
    setlocale(LC_CTYPE, "C.UTF-8"); /* in and out, whatever the locale: cron has none */

    g_auto(GStrv) whole = g_new0(char *, argc + 1);
    for (int i = 0; i < argc; i++)
        whole[i] = g_strdup(argv[i]);
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_unsetenv(PROC_NO_GNUTLS);
    Cli cli = {.self = self ? self : argv[0], .out = g_string_new(NULL)};
    const char *no_color = g_getenv("NO_COLOR"); /* https://no-color.org */
    cli.color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
    int status = take_globals(&cli, &argc, argv, &help, &version);
    cli.verb = argc > 1 ? argv[1] : "postrider";
    /* `ask` tells by its answer what went wrong on the way, in words for people. */
    LogLevel usual = g_str_equal(cli.verb, "ask") ? LOG_NONE : LOG_INFO;
    (void)log_init(cli.verb, log_level_parse(g_getenv("POSTRIDER_LOG"), usual), NULL, LOG_NONE,
                   0);
    if (status == 0) {
        char *overview[] = {(char *)"help", NULL};
        char *about[] = {(char *)"help", argc > 1 ? argv[1] : NULL, NULL};
        if (version)
            cli_print(&cli, "postrider %s\n", POSTRIDER_VERSION);
        else if (argc < 2)
            status = run_verb(&cli, 1, overview, whole, front);
        else if (help)
            status = run_verb(&cli, 2, about, whole, front);
        else
            status = run_verb(&cli, argc - 1, argv + 1, whole, front);
    }
    if (!cli_flush(&cli) && status == 0)
        status = cli_fail(EX_IOERR, "can't write the answer: %s", g_strerror(errno));
    options_clear(&cli);
    short_ids_free(cli.ids);
    db_close(cli.db);
    home_close(cli.home);
    g_string_free(cli.out, TRUE);
    g_free(cli.home_option);
    return status;
}

char *
cli_short_ids(Cli *cli, const char *text)
{
    GString *out = g_string_new(NULL);
    if (!cli->ids && cli->db)
        (void)short_ids_load(cli->db, &cli->ids, NULL); /* whole ids are right, too */
    for (const char *p = text; *p;) {
        size_t len = *p == '<' ? strcspn(p, "> ") : 0;
        if (cli->ids && len > 1 + SHORT_ID_MIN && p[len] == '>' && memchr(p, '@', len)) {
            g_autofree char *id = g_strndup(p + 1, len - 1);
            g_autofree char *cut = short_id(cli->ids, id);
            g_string_append(out, cut);
            p += len + 1;
        } else {
            g_string_append_c(out, *p++);
        }
    }
    return g_string_free(out, FALSE);
}

int
cli_msgid(Db *db, const char *text, char **ret)
{
    GError *error = NULL;
    g_autoptr(GPtrArray) ids = NULL;
    *ret = msgid_parse(text);
    if (*ret)
        return 0;
    if (!g_utf8_validate(text, -1, NULL))
        return 0;
    if (!short_id_find(db, text, CANDIDATES, &ids, &error))
        return cli_error(0, error);
    if (ids->len == 1)
        *ret = g_strdup(g_ptr_array_index(ids, 0));
    if (ids->len < 2)
        return 0;
    g_autoptr(GString) all = g_string_new(NULL);
    for (guint i = 0; i < MIN(ids->len, CANDIDATES); i++)
        g_string_append_printf(all, " <%s>", (const char *)g_ptr_array_index(ids, i));
    return cli_fail(EX_DATAERR, "'%s' may be any of%s%s", text, all->str,
                    ids->len > CANDIDATES ? ", or others" : "");
}

int
cli_read_file(Cli *cli, const char *what, const char *path, size_t max, GBytes **ret)
{
    auto_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cli_fail(EX_NOINPUT, "%s'%s': %s", what, path, g_strerror(errno));
    if (file_read_fd(fd, max, ret, &cli->error))
        return 0;
    (void)err_prefix(&cli->error, "%s'%s'", what, path);
    return cli_failed(cli, 0);
}

char *
cli_next_call(const Cli *cli)
{
    g_autofree char *usual = home_find(NULL, NULL);
    g_autofree char *found = usual ? g_canonicalize_filename(usual, NULL) : NULL;
    g_autofree char *quoted = g_shell_quote(cli->home->path);
    return g_strcmp0(found, cli->home->path) == 0
               ? g_strdup("postrider")
               : g_strdup_printf("postrider --home %s", quoted);
}
