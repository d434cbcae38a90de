#include "base/json.h"
#include "cli/cmds.h"
#include "cli/mail/outbox_cmd.h"
#include "mail/msgid.h"
#include "store/out/outbox_smtp.h"

bool
outbox_question(Cli *cli, const OutRow *o, Question **ret, GError **error)
{
    *ret = NULL;
    return (o->question.v == 0 && o->state != OUT_IN_DOUBT) ||
           question_of(cli->db, o->id, ret, error);
}

json_t *
outbox_row_json(const Home *home, const OutRow *o, const Question *q)
{
    Minted minted;
    bool ours = msgid_read(&home->key, o->msgid, home->config->domain, &minted);
    json_t *v = shape_json(&out_row_shape, o);
    json_object_set_new(v, "kind",
                        ours ? json_string(mail_kind_name(minted.kind)) : json_null());
    g_autofree char *asked = q ? msgid_format(q->msgid) : NULL;
    json_object_set_new(v, "question", asked ? json_string(asked) : json_null());
    json_object_set_new(v, "question_state",
                        q ? json_string(question_state_name(q->state)) : json_null());
    return v;
}

/* For people, that somebody was asked stands with the reason. */
static bool
list_json(Cli *cli, const OutRows *rows, json_t *ret, GError **error)
{
    LIST_EACH(const OutRow, o, rows) {
        g_autoptr(Question) q = NULL;
        if (cli->json && !outbox_question(cli, o, &q, error))
            return false;
        json_t *row = outbox_row_json(cli->home, o, q);
        json_array_append_new(ret, row);
        g_autofree char *why = g_strconcat("asked: ", o->why, NULL);
        if (!cli->json && o->state == OUT_HELD && o->question.v)
            json_object_set_new(row, "why", json_string(why));
    }
    return true;
}

int
cmd_outbox_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {
        {"ID", "id"},       {"STATE", "state"},     {"TO", "to"}, {"TRIES", "attempts"},
        {"WHY", "why", 40}, {"SUBJECT", "subject"}, {NULL}};
    bool all = cli_flag(cli, "all");
    int limit = cli_number(cli, "limit", 0);
    OutQuery q = {.state = cli_text(cli, "state"),
                  .all = all,
                  .copies = cli_flag(cli, "copies"),
                  .limit = (unsigned)limit};
    g_autoptr(OutRows) rows = NULL;
    g_autoptr(json_t) list = json_array();
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (limit < 0)
        return cli_usage(cli, "--limit must be 1 or more");
    if (q.state && words_find(&out_state_all, q.state) < 0)
        return cli_no_state(cli, q.state, &out_state_all, NULL);
    if (!outbox_list(cli->db, &VIEWER_OPERATOR, &q, &rows, &cli->error) ||
        !list_json(cli, rows, list, &cli->error))
        return cli_failed(cli, 0);
    cli_print_list(cli, g_steal_pointer(&list), columns,
                   all ? "nothing was ever sent" : "nothing waits; --all shows what has left",
                   NULL);
    return 0;
}

int
outbox_find_row(Cli *cli, const char *text, OutRow **ret)
{
    int64_t number;
    if (text_parse_int(text, 1, INT64_MAX, &number)) {
        if (!outbox_load(cli->db, (OutId){number}, ret, &cli->error))
            return cli_failed(cli, 0);
    } else {
        g_autofree char *id = NULL;
        int status = cli_msgid(cli->db, text, &id);
        if (status)
            return status;
        if (id && !outbox_find(cli->db, &VIEWER_OPERATOR, id, ret, &cli->error))
            return cli_failed(cli, 0);
    }
    return *ret ? 0 : cli_fail(EX_NOINPUT, "no mail '%s' in the outbox", text);
}

/* The mail that the one operand names, to be written. */
static int
get_row(Cli *cli, const char *id, OutRow **ret)
{
    int status = cli_db(cli, DB_WRITE);
    return status ? status : outbox_find_row(cli, id, ret);
}

/* Only a person's yes moves what is held. */
static int
not_again(Cli *cli, const OutRow *row)
{
    if (row->state != OUT_HELD || !err_is(cli->error, ERR_NEVER))
        return cli_failed(cli, 0);
    g_clear_error(&cli->error);
    return cli_fail(EX_DATAERR,
                    "mail %" G_GINT64_FORMAT " is held%s%s; postrider approve %" G_GINT64_FORMAT
                    " lets it leave, reject %" G_GINT64_FORMAT " does not",
                    row->id.v, row->why ? ": " : "", row->why ? row->why : "", row->id.v,
                    row->id.v);
}

int
cmd_outbox_retry(Cli *cli, int argc, char **argv)
{
    g_autoptr(OutRow) row = NULL;
    int status = get_row(cli, argv[1], &row);
    if (status)
        return status;
    const ConfAccount *way = config_way_out(cli->home->config, NULL);
    const char *account = *row->account ? row->account : way ? way->name : "";
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = outbox_resume_account(&txn, account, &cli->error) &&
                 outbox_again(&txn, row->id, &cli->error);
    if (!txn.done)
        return not_again(cli, row);
    db_hint(cli->db);
    return 0;
}

/* A person knows what became of mail that was in doubt. */
int
cmd_outbox_arrived(Cli *cli, int argc, char **argv)
{
    g_autoptr(OutRow) row = NULL;
    unsigned n;
    int status = get_row(cli, argv[1], &row);
    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = outbox_arrived(&txn, row->id, "a person says so", &n, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    if (n == 0)
        return cli_fail(EX_DATAERR, "mail %" G_GINT64_FORMAT " is not in doubt", row->id.v);
    db_hint(cli->db); /* its copies may be filed */
    return 0;
}
