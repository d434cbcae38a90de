#include "base/err.h"
#include "base/text.h"
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

static int
list_json(Cli *cli, const OutRows *rows)
{
    json_t *array = json_array();
    LIST_EACH(const OutRow, o, rows) {
        g_autoptr(Question) q = NULL;
        GError *error = NULL;
        if (!outbox_question(cli, o, &q, &error)) {
            json_decref(array);
            return cli_error(0, error);
        }
        json_array_append_new(array, outbox_row_json(cli->home, o, q));
    }
    cli_print_json(cli, array);
    return 0;
}

static int
check_state(const Cli *cli, const char *name)
{
    const char *names[OUT_N_STATES + 1] = {NULL};
    for (int s = 0; s < OUT_N_STATES; s++)
        names[s] = out_state_name((OutState)s);
    return !name || g_strv_contains(names, name) ? 0 : cli_no_state(cli, name, names);
}

int
cmd_outbox_list(Cli *cli, int argc, char **argv)
{
    const char *state = cli_text(cli, "state");
    bool all = cli_flag(cli, "all");
    int limit = cli_number(cli, "limit", 0);
    GError *error = NULL;
    g_autoptr(OutRows) rows = NULL;
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (argc > 1 || limit < 0)
        return cli_usage(cli, "list takes no operand");
    if ((status = check_state(cli, state)))
        return status;
    OutQuery q = {.state = state,
                  .all = all,
                  .copies = cli_flag(cli, "copies"),
                  .limit = (unsigned)limit};
    if (!outbox_list(cli->db, &VIEWER_OPERATOR, &q, &rows, &error))
        return cli_error(0, error);
    if (cli->json)
        return list_json(cli, rows);
    if (rows->len == 0) {
        cli_print(cli, "nothing %s\n",
                  all ? "was ever sent" : "waits; --all shows what has left");
        return 0;
    }
    static const char *const headings[] = {"ID",  "STATE",   "TO", "TRIES",
                                           "WHY", "SUBJECT", NULL};
    CliTable *t = cli_table_new(headings);
    LIST_EACH(const OutRow, o, rows) {
        g_autofree char *id = g_strdup_printf("%" G_GINT64_FORMAT, o->id.v);
        g_autofree char *tries = g_strdup_printf("%d", o->attempts);
        g_autofree char *whole = g_strconcat(
            o->state == OUT_HELD && o->question.v ? "asked: " : "", o->why ? o->why : "", NULL);
        g_autofree char *why = text_shorten(whole, 40);
        cli_table_add(t, id, out_state_name(o->state), o->address, tries, why, o->subject,
                      NULL);
    }
    cli_table_print(cli, t);
    return 0;
}

int
outbox_find_row(Cli *cli, const char *text, OutRow **ret)
{
    GError *error = NULL;
    int64_t number;
    if (text_parse_int(text, 1, INT64_MAX, &number)) {
        if (!outbox_load(cli->db, (OutId){number}, ret, &error))
            return cli_error(0, error);
    } else {
        g_autofree char *id = NULL;
        int status = cli_msgid(cli->db, text, &id);
        if (status)
            return status;
        if (id && !outbox_find(cli->db, &VIEWER_OPERATOR, id, ret, &error))
            return cli_error(0, error);
    }
    return *ret ? 0 : cli_fail(EX_NOINPUT, "no mail '%s' in the outbox", text);
}

/* Only a person's yes moves what is held. */
static int
not_again(const OutRow *row, GError *error)
{
    if (row->state != OUT_HELD || !err_is(error, ERR_NEVER))
        return cli_error(0, error);
    g_error_free(error);
    return cli_fail(EX_DATAERR,
                    "mail %" G_GINT64_FORMAT " is held%s%s; postrider approve %" G_GINT64_FORMAT
                    " lets it leave, reject %" G_GINT64_FORMAT " does not",
                    row->id.v, row->why ? ": " : "", row->why ? row->why : "", row->id.v,
                    row->id.v);
}

/* The mail that the one operand names, to be written. */
static int
get_row(Cli *cli, int argc, char **argv, OutRow **ret)
{
    if (argc != 2)
        return cli_usage(cli, "%s needs one ID", argv[0]);
    int status = cli_db(cli, DB_WRITE);
    return status ? status : outbox_find_row(cli, argv[1], ret);
}

int
cmd_outbox_retry(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    g_autoptr(OutRow) row = NULL;
    int status = get_row(cli, argc, argv, &row);
    if (status)
        return status;
    const ConfAccount *way = config_way_out(cli->home->config, NULL);
    const char *account = *row->account ? row->account : way ? way->name : "";
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok =
            outbox_resume_account(&txn, account, &error) && outbox_again(&txn, row->id, &error);
    if (!txn.done)
        return not_again(row, error);
    db_hint(cli->db);
    return 0;
}

/* A person knows what became of mail that was in doubt. */
int
cmd_outbox_arrived(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    g_autoptr(OutRow) row = NULL;
    unsigned n;
    int status = get_row(cli, argc, argv, &row);
    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = outbox_arrived(&txn, row->id, "a person says so", &n, &error);
    if (!txn.done)
        return cli_error(0, error);
    if (n == 0)
        return cli_fail(EX_DATAERR, "mail %" G_GINT64_FORMAT " is not in doubt", row->id.v);
    db_hint(cli->db); /* its copies may be filed */
    return 0;
}
