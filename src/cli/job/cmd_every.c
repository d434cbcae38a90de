/* every: mail that a role gets again and again. */
#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "engine/in/every.h"
#include "engine/in/recurrence.h"
#include "mail/compose.h"
#include <inttypes.h>

#define SUBJECT_MAX 70

/* --- list, remove, now --- */

static json_t *
schedule_json(Cli *cli, const Schedule *s)
{
    bool known = config_role(cli->home->config, s->role) != NULL;
    json_t *o = shape_json(&schedule_shape, s);
    json_object_set_new(o, "problem", known ? json_null() : json_string("no such role"));
    return o;
}

/* In the time zone that the schedule means. */
static char *
local_time(int64_t wall_us)
{
    g_autoptr(GDateTime) at =
        wall_us == USEC_NEVER ? NULL : g_date_time_new_from_unix_local(wall_us / USEC_PER_SEC);
    return at ? g_date_time_format(at, "%a %Y-%m-%d %H:%M %Z") : g_strdup("-");
}

static int
check_caller(void)
{
    return cli_in_agent()
               ? cli_fail(EX_NOPERM, "every: mails as the owner, so an agent may not")
               : 0;
}

int
cmd_every_list(Cli *cli, int argc, char **argv)
{
    static const char *const headings[] = {"ID",   "WHEN",    "ROLE", "NEXT",
                                           "LAST", "SUBJECT", NULL};
    GError *error = NULL;
    g_autoptr(Schedules) rows = NULL;
    int status = argc == 1 ? check_caller() : cli_usage(cli, "list takes no operand");
    if (status || (status = cli_db(cli, DB_READ)))
        return status;
    if (!schedules_list(cli->db, USEC_NEVER, &rows, &error))
        return cli_error(0, error);
    if (cli->json) {
        json_t *array = json_array();
        for (guint i = 0; i < rows->len; i++)
            json_array_append_new(array, schedule_json(cli, g_ptr_array_index(rows, i)));
        cli_print_json(cli, array);
        return 0;
    }
    if (rows->len == 0) {
        cli_print(cli, "nothing is mailed by the clock; see: postrider help every\n");
        return 0;
    }
    CliTable *t = cli_table_new(headings);
    LIST_EACH(const Schedule, s, rows) {
        bool known = config_role(cli->home->config, s->role) != NULL;
        g_autofree char *id = g_strdup_printf("%" PRId64, s->id);
        g_autofree char *role = g_strdup_printf("%s%s", s->role, known ? "" : " (gone)");
        g_autofree char *next = local_time(s->next_us), *last = local_time(s->last_us);
        g_autofree char *subject = text_shorten(s->subject, SUBJECT_MAX);
        cli_table_add(t, id, s->spec, role, next, last, subject, NULL);
    }
    cli_table_print(cli, t);
    return 0;
}

static int
find(const Cli *cli, Db *db, const char *text, Schedule **ret)
{
    GError *error = NULL;
    int64_t id;
    if (!text_parse_int(text, 1, INT64_MAX, &id))
        return cli_usage(cli, "'%s' is no number; see: postrider every list", text);
    if (!schedule_load(db, id, ret, &error))
        return cli_error(0, error);
    return *ret ? 0
                : cli_fail(EX_NOINPUT, "there is no schedule %s; see: postrider every list",
                           text);
}

int
cmd_every_remove(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    g_autoptr(Schedule) s = NULL;
    int status = argc == 2 ? check_caller() : cli_usage(cli, "remove needs one ID");
    if (status || (status = cli_db(cli, DB_WRITE)) ||
        (status = find(cli, cli->db, argv[1], &s)))
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = schedule_remove(&txn, s->id, &error);
    if (!txn.done)
        return cli_error(0, error);
    cli_print(cli, "schedule %" PRId64 " is removed\n", s->id);
    return 0;
}

int
cmd_every_now(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Schedule) s = NULL;
    g_autofree char *msgid = NULL;
    int status = argc == 2 ? check_caller() : cli_usage(cli, "now needs one ID");
    if (status || (status = cli_engine(cli, &engine)) ||
        (status = find(cli, engine->db, argv[1], &s)))
        return status;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = every_mail(engine, &txn, s, &msgid, &error);
    if (!txn.done)
        return cli_error(0, error);
    db_hint(engine->db);
    cli_print(cli, "<%s>\n", msgid);
    return 0;
}

/* --- a new one --- */

/* WHEN is the first words; the rest is the text. */
static int
take_when(char **words, Recurrence *ret, char **ret_spec, unsigned *ret_n)
{
    unsigned n = recurrence_words(words);
    GError *error = NULL;
    char *behind = g_steal_pointer(&words[n]);
    g_autofree char *text = g_strjoinv(" ", words);
    words[n] = behind;
    *ret_n = n;
    return recurrence_parse(text, ret, ret_spec, &error) ? 0 : cli_error(EX_USAGE, error);
}

static char *
first_line(const char *text)
{
    g_autofree char *first = g_strndup(text, strcspn(text, "\r\n"));
    return text_shorten(g_strstrip(first), SUBJECT_MAX);
}

static int
read_body(char **words, char **ret)
{
    if (*words) {
        g_autofree char *text = g_strjoinv(" ", words);
        *ret = text_make_valid(text, -1);
        return 0;
    }
    if (isatty(STDIN_FILENO)) {
        *ret = g_strdup("");
        return 0;
    }
    return outgoing_read_text(LIMIT_MESSAGE_BYTES, "the text", ret);
}

static int
save(Cli *cli, Schedule *s)
{
    GError *error = NULL;
    int status = cli_db(cli, DB_WRITE);
    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = schedule_put(&txn, s, &s->id, &error);
    if (!txn.done)
        return cli_error(0, error);
    db_hint(cli->db);
    if (cli->json) {
        cli_print_json(cli, schedule_json(cli, s));
        return 0;
    }
    g_autofree char *next = local_time(s->next_us);
    cli_print(cli, "schedule %" PRId64 ": %s, to %s, for the first time %s\n", s->id, s->spec,
              s->role, next);
    return 0;
}

static int
add(Cli *cli, char **words)
{
    g_autofree char *spec = NULL, *body = NULL, *subject = NULL;
    const char *said = cli_text(cli, "subject");
    GError *error = NULL;
    Recurrence when;
    unsigned n;
    int status = cli_home(cli);
    if (status || (status = take_when(words, &when, &spec, &n)))
        return status;
    const Config *config = cli->home->config;
    const ConfRole *role = config_role_get(config, cli_text(cli, "to"), &error);
    if (!role)
        return cli_error(EX_NOINPUT, error);
    if ((status = read_body(words + n, &body)))
        return status;
    subject = said ? text_make_valid(said, -1) : first_line(body);
    if (!*subject)
        return cli_usage(cli, "needs --subject or a text");
    g_autoptr(Compose) trial = compose_new(); /* what can't be mailed is refused now */
    if (!compose_subject(trial, subject, &error))
        return cli_error(EX_DATAERR, error);
    g_autofree char *name = g_strdup(role->name);
    int64_t now_us = home_now(cli->home);
    Schedule s = {.spec = spec,
                  .role = name,
                  .subject = subject,
                  .body = body,
                  .created_us = now_us,
                  .last_us = USEC_NEVER,
                  .next_us = recurrence_next(&when, now_us, now_us)};
    return save(cli, &s);
}

int
cmd_every(Cli *cli, int argc, char **argv)
{
    int status = check_caller();
    if (status)
        return status;
    if (argc < 2)
        return cli_usage(cli, "when?");
    if (cli_text(cli, "to"))
        return add(cli, argv + 1);
    g_autoptr(GPtrArray) forms = verb_names("every");
    const char *near = text_nearest(argv[1], (const char *const *)forms->pdata);
    return near ? cli_usage(cli, "no '%s'; did you mean '%s'?", argv[1], near)
                : cli_usage(cli, "needs --to");
}
