/* every: mail that a role gets again and again. */
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "engine/in/every.h"
#include "engine/in/recurrence.h"
#include "mail/compose.h"

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

/* For people, times are those of the clock that it goes by. */
static json_t *
list_json(Cli *cli, const Schedules *rows)
{
    json_t *list = json_array();
    LIST_EACH(const Schedule, s, rows) {
        json_t *row = schedule_json(cli, s);
        json_array_append_new(list, row);
        if (cli->json)
            continue;
        bool known = json_is_null(json_object_get(row, "problem"));
        g_autofree char *role = g_strconcat(s->role, known ? "" : " (gone)", NULL);
        g_autofree char *next = local_time(s->next_us), *last = local_time(s->last_us);
        json_object_set_new(row, "role", json_string(role));
        json_object_set_new(row, "next", json_string(next));
        json_object_set_new(row, "last", json_string(last));
    }
    return list;
}

int
cmd_every_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"ID", "id"},
                                        {"WHEN", "when"},
                                        {"ROLE", "role"},
                                        {"NEXT", "next"},
                                        {"LAST", "last"},
                                        {"SUBJECT", "subject", SUBJECT_MAX},
                                        {NULL}};
    g_autoptr(Schedules) rows = NULL;
    int status = check_caller();
    if (status || (status = cli_db(cli, DB_READ)))
        return status;
    if (!schedules_list(cli->db, USEC_NEVER, &rows, &cli->error))
        return cli_failed(cli, 0);
    cli_print_list(cli, list_json(cli, rows), columns,
                   "nothing is mailed by the clock; see: postrider help every", NULL);
    return 0;
}

static int
find(Cli *cli, Db *db, const char *text, Schedule **ret)
{
    int64_t id;
    if (!text_parse_int(text, 1, INT64_MAX, &id))
        return cli_usage(cli, "'%s' is no number; see: postrider every list", text);
    if (!schedule_load(db, id, ret, &cli->error))
        return cli_failed(cli, 0);
    return *ret ? 0
                : cli_fail(EX_NOINPUT, "there is no schedule %s; see: postrider every list",
                           text);
}

int
cmd_every_remove(Cli *cli, int argc, char **argv)
{
    g_autoptr(Schedule) s = NULL;
    int status = check_caller();
    if (status || (status = cli_db(cli, DB_WRITE)) ||
        (status = find(cli, cli->db, argv[1], &s)))
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = schedule_remove(&txn, s->id, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    cli_print(cli, "schedule %" PRId64 " is removed\n", s->id);
    return 0;
}

int
cmd_every_now(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Schedule) s = NULL;
    g_autofree char *msgid = NULL;
    int status = check_caller();
    if (status || (status = cli_engine(cli, &engine)) ||
        (status = find(cli, engine->db, argv[1], &s)))
        return status;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error)) {
        g_clear_pointer(&msgid, g_free);
        txn.ok = every_mail(engine, &txn, s, &msgid, &cli->error);
    }
    if (!txn.done)
        return cli_failed(cli, 0);
    db_hint(engine->db);
    cli_print(cli, "<%s>\n", msgid);
    return 0;
}

/* --- a new one --- */

/* WHEN is the first words; the rest is the text. */
static int
take_when(Cli *cli, char **words, Recurrence *ret, char **ret_spec, unsigned *ret_n)
{
    unsigned n = recurrence_words(words);
    char *behind = g_steal_pointer(&words[n]);
    g_autofree char *text = g_strjoinv(" ", words);
    words[n] = behind;
    *ret_n = n;
    return recurrence_parse(text, ret, ret_spec, &cli->error) ? 0 : cli_failed(cli, EX_USAGE);
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
    int status = cli_db(cli, DB_WRITE);
    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = schedule_put(&txn, s, &s->id, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
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
    Recurrence when;
    unsigned n;
    int status = cli_home(cli);
    if (status || (status = take_when(cli, words, &when, &spec, &n)))
        return status;
    const Config *config = cli->home->config;
    const ConfRole *role = config_role_get(config, cli_text(cli, "to"), &cli->error);
    if (!role)
        return cli_failed(cli, EX_NOINPUT);
    if ((status = read_body(words + n, &body)))
        return status;
    subject = said ? text_make_valid(said, -1) : outgoing_subject(body);
    if (!*subject)
        return cli_usage(cli, "needs --subject or a text");
    g_autoptr(Compose) trial = compose_new(); /* what can't be mailed is refused now */
    if (!compose_subject(trial, subject, &cli->error))
        return cli_failed(cli, EX_DATAERR);
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
    if (cli_text(cli, "to"))
        return add(cli, argv + 1);
    g_autoptr(GPtrArray) forms = verb_names("every");
    const char *near = text_nearest(argv[1], (const char *const *)forms->pdata);
    return near ? cli_usage(cli, "no '%s'; did you mean '%s'?", argv[1], near)
                : cli_usage(cli, "needs --to");
}
