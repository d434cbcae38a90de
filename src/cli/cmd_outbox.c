#include "base/banned.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "mail/msgid.h"
#include "store/outbox.h"

static json_t *
row_json(const OutRow *o)
{
    g_autofree char *id = msgid_format(o->msgid);
    json_t *v =
        json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:i, s:s?}", "id", (json_int_t)o->id.v,
                  "message_id", id, "from", o->from, "to", o->address, "subject", o->subject,
                  "state", out_state_name(o->state), "attempts", o->attempts, "why", o->why);
    json_object_set_new(v, "next_try",
                        o->state == OUT_RETRY ? cli_json_time(o->next_us) : json_null());
    json_object_set_new(v, "job", o->job.v ? json_integer(o->job.v) : json_null());
    return v;
}

static int
list(Cli *cli, int argc, char **argv)
{
    g_autofree char *state = NULL;
    gboolean all = FALSE, copies = FALSE;
    int limit = 0;
    const GOptionEntry options[] = {{"all", 'a', 0, G_OPTION_ARG_NONE, &all, NULL, NULL},
                                    {"copies", 0, 0, G_OPTION_ARG_NONE, &copies, NULL, NULL},
                                    {"state", 0, 0, G_OPTION_ARG_STRING, &state, NULL, NULL},
                                    {"limit", 'n', 0, G_OPTION_ARG_INT, &limit, NULL, NULL},
                                    G_OPTION_ENTRY_NULL};
    const Viewer viewer = VIEWER_OPERATOR;
    GError *error = NULL;
    g_autoptr(GPtrArray) rows = NULL;
    int status = cli_options("outbox", options, &argc, &argv);
    if (status || (status = cli_db(cli, DB_READ)))
        return status;
    if (argc > 1 || limit < 0)
        return cli_usage("outbox", "list takes no operand");
    OutQuery q = {.state = state, .all = all, .copies = copies, .limit = (unsigned)limit};
    if (!outbox_list(cli->db, &viewer, &q, &rows, &error))
        return cli_error(0, error);
    if (cli->json) {
        json_t *array = json_array();
        for (guint i = 0; i < rows->len; i++)
            json_array_append_new(array, row_json(g_ptr_array_index(rows, i)));
        cli_print_json(cli, array);
        return 0;
    }
    if (rows->len == 0) {
        cli_print(cli, "nothing %s\n",
                  all ? "was ever sent" : "waits; --all shows what has left");
        return 0;
    }
    static const char *const headings[] = {"ID",  "STATE",   "TO", "TRIES",
                                           "WHY", "SUBJECT", NULL};
    CliTable *t = cli_table_new(headings);
    for (guint i = 0; i < rows->len; i++) {
        const OutRow *o = g_ptr_array_index(rows, i);
        g_autofree char *id = g_strdup_printf("%" G_GINT64_FORMAT, o->id.v);
        g_autofree char *tries = g_strdup_printf("%d", o->attempts);
        g_autofree char *why = text_shorten(o->why ? o->why : "", 40);
        cli_table_add(t, id, out_state_name(o->state), o->address, tries, why, o->subject,
                      NULL);
    }
    cli_table_print(cli, t);
    return 0;
}

/* A row by its number or Message-ID; exit status after a message. */
static int
find(Cli *cli, const char *text, OutRow **ret)
{
    const Viewer viewer = VIEWER_OPERATOR;
    GError *error = NULL;
    int64_t number;
    if (text_parse_int(text, 1, INT64_MAX, &number)) {
        g_autoptr(GPtrArray) rows = NULL;
        OutQuery q = {.id = {number}, .all = true, .copies = true, .limit = 1};
        if (!outbox_list(cli->db, &viewer, &q, &rows, &error))
            return cli_error(0, error);
        if (rows->len == 1) {
            const OutRow *row = g_ptr_array_index(rows, 0);
            if (!outbox_find(cli->db, &viewer, row->msgid, ret, &error))
                return cli_error(0, error);
        }
    } else {
        g_autofree char *id = msgid_parse(text);
        if (id && !outbox_find(cli->db, &viewer, id, ret, &error))
            return cli_error(0, error);
    }
    return *ret ? 0 : cli_fail(EX_NOINPUT, "no mail '%s' in the outbox", text);
}

static int
show(Cli *cli, const OutRow *row)
{
    if (cli->json) {
        cli_print_json(cli, row_json(row));
        return 0;
    }
    cli_print(cli, "state: %s%s%s\nto: %s\n\n", out_state_name(row->state),
              row->why ? ", " : "", row->why ? row->why : "", row->address);
    if (!row->bytes) {
        cli_print(cli, "(delivered; the mail is in the sender's Sent folder)\n");
        return 0;
    }
    gsize len;
    const char *data = g_bytes_get_data(row->bytes, &len);
    g_autofree char *text = g_strndup(data, len);
    cli_print_vis(cli, text, true);
    return 0;
}

static int
change(Cli *cli, const char *sub, const OutRow *row)
{
    GError *error = NULL;
    g_auto(Txn) txn = {0};
    bool ok = txn_begin(cli->db, TXN_DURABLE, DB_WAIT_MS, &txn, &error);
    if (ok && g_str_equal(sub, "retry"))
        ok = outbox_again(&txn, row->id, &error);
    else if (ok)
        ok = outbox_decide(&txn, row->id, g_str_equal(sub, "approve"), "the operator", &error);
    if (!ok || !txn_commit(&txn, &error))
        return cli_error(0, error);
    db_hint(cli->db);
    return 0;
}

int
cmd_outbox(Cli *cli, int argc, char **argv)
{
    static const char *const subs[] = {"list", "show", "approve", "reject", "retry", NULL};
    if (argc < 2 || g_str_equal(argv[1], "list"))
        return list(cli, MAX(argc - 1, 1), argc < 2 ? argv : argv + 1);
    const char *sub = argv[1];
    if (!g_strv_contains(subs, sub)) {
        const char *near = text_nearest(sub, subs);
        return cli_usage("outbox", "no '%s'%s%s%s", sub, near ? "; did you mean '" : "",
                         near ? near : "", near ? "'?" : "");
    }
    if (argc != 3)
        return cli_usage("outbox", "%s needs one ID", sub);
    g_autoptr(OutRow) row = NULL;
    bool reads = g_str_equal(sub, "show");
    int status = cli_db(cli, reads ? DB_READ : DB_WRITE);
    if (status || (status = find(cli, argv[2], &row)))
        return status;
    return reads ? show(cli, row) : change(cli, sub, row);
}
