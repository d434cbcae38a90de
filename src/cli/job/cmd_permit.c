/* permit: what agents may do without asking, because a person said so for longer than once. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "store/job/permits.h"

#define COVERS_MAX 60

/* "always", "3 more", "until 2026-11-20T23:00:00Z", "over". */
static char *
describe_end(const Permit *p, int64_t now_us)
{
    if (p->ended_us)
        return g_strdup("revoked");
    if (p->left == 0 || p->until_us <= now_us)
        return g_strdup("over");
    if (p->left > 0)
        return g_strdup_printf("%" PRId64 " more", p->left);
    if (p->until_us == USEC_NEVER)
        return g_strdup("always");
    g_autofree char *until = clock_format_iso(p->until_us);
    return g_strdup_printf("until %s", until);
}

int
cmd_permit_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"ID", "id"},       {"ROLE", "role"},
                                        {"TOOL", "tool"},   {"HOLDS", "holds"},
                                        {"USES", "uses"},   {"FOLDER", "folder"},
                                        {"COVERS", "covers", COVERS_MAX}, {NULL}};
    g_autoptr(Permits) rows = NULL;
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (!permits_list(cli->db, cli_flag(cli, "all"), &rows, &cli->error))
        return cli_failed(cli, 0);
    json_t *list = json_array();
    LIST_EACH(const Permit, p, rows) {
        g_autofree char *holds = describe_end(p, home_now(cli->home));
        json_t *row = shape_json(&permit_shape, p);
        json_object_set_new(row, "holds", json_string(holds));
        json_array_append_new(list, row);
    }
    cli_print_list(cli, list, columns, "nothing is allowed for longer than once", NULL);
    return 0;
}

int
cmd_permit_revoke(Cli *cli, int argc, char **argv)
{
    int64_t id;
    bool ended = false;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "permit revoke: an agent can't decide about itself");
    if (!text_parse_int(argv[1], 1, INT64_MAX, &id))
        return cli_usage(cli, "'%s' is no number; see: postrider permit list", argv[1]);
    int status = cli_db(cli, DB_WRITE);
    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = permit_revoke(&txn, (PermitId){id}, "the operator", &ended, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    if (!ended)
        return cli_fail(EX_NOINPUT, "there is no permit %s that holds; see: postrider permit list",
                        argv[1]);
    if (cli->json)
        cli_print_json(cli, json_pack("{s:I, s:b}", "id", (json_int_t)id, "revoked", 1));
    else
        cli_print(cli, "permit %" PRId64 " is revoked: it is asked about again\n", id);
    return 0;
}
