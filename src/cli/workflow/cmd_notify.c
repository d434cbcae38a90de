/* `notify`: a role or person tells others what has become of an artifact, and decides it by that. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "cli/workflow/open_workflow.h"
#include "engine/run/settle.h"
#include "store/out/outbox.h"
#include "workflow/event_send.h"

/* Who speaks: --from, else whom the environment names, else the owner. */
static const char *
sender(const Cli *cli)
{
    const char *said = cli_text(cli, "from");
    const char *env = g_getenv("POSTRIDER_ROLE");

    return said ? said : env && *env ? env : cli->home->config->persons[0].name;
}

static int
read_vars(Cli *cli, char **assignments, EventVars *vars)
{
    for (char **a = assignments; *a; a++)
        if (!event_vars_add(vars, *a, &cli->error))
            return cli_failed(cli, EX_USAGE);
    return 0;
}

/* The mail as it was frozen. */
static bool
print_mail(Cli *cli, Engine *engine, const char *msgid, GError **error)
{
    g_autoptr(OutRow) row = NULL;

    if (!outbox_find(engine->db, &VIEWER_OPERATOR, msgid, &row, error))
        return false;
    cli_print_bytes(cli, row ? row->bytes : NULL);
    return true;
}

/* All that would happen, but for the commit. */
static int
show_only(Cli *cli, Engine *engine, const EventPlan *plan)
{
    g_autofree char *msgid = NULL;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};

    if (!txn_again(&txn, &cli->error) ||
        !event_commit(engine, &txn, plan, NULL, &msgid, &cli->error) ||
        !print_mail(cli, engine, msgid, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

static int
send(Cli *cli, Engine *engine, const EventPlan *plan)
{
    g_autofree char *msgid = NULL;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};

    while (txn_again(&txn, &cli->error)) {
        g_clear_pointer(&msgid, g_free);
        txn.ok = event_commit(engine, &txn, plan, NULL, &msgid, &cli->error);
    }
    if (!txn.done)
        return cli_failed(cli, 0);
    (void)settle_local(engine, NULL, NULL); /* what can't be done now stays owed */
    db_hint(engine->db);
    if (cli_flag(cli, "quiet"))
        cli_print(cli, "<%s>\n", msgid);
    else if (!print_mail(cli, engine, msgid, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

/* An agent at work says it through its port, as the role that it is. */
static int
notify_port(Cli *cli, char **argv)
{
    g_autoptr(json_t) id = NULL;
    g_autoptr(GPtrArray) parents = NULL;
    int status = outgoing_parents(cli, NULL, false, &parents);
    if (status)
        return status;
    json_t *request = json_pack("{s:s, s:s, s:s, s:s}", "verb", "notify", "event", argv[1],
                                "artifact", argv[2], "to", argv[3]);

    outgoing_put_parents(request, parents);
    for (char **a = argv + 4; *a; a++) {
        g_auto(GStrv) parts = g_strsplit(*a, "=", 2);
        g_autofree char *name = g_ascii_strdown(parts[0], -1);
        if (!parts[1]) {
            json_decref(request);
            return cli_fail(EX_USAGE, "'%s' is no NAME=value", *a);
        }
        json_object_set_new(request, name, json_string(parts[1]));
    }
    status = cli_call(cli, request, "message_id", &id);
    if (!status)
        cli_print(cli, "%s\n", json_string_value(id));
    return status;
}

int
cmd_notify(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(EventPlan) plan = NULL;
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_autoptr(GPtrArray) parents = NULL;
    EventType type;
    if (cli_in_agent())
        return cli_flag(cli, "commit")
                   ? cli_fail(EX_NOPERM,
                              "an agent commits nothing: that is for '[workflow] commit' to do")
               : cli_text(cli, "from") || cli_flag(cli, "dry-run")
                   ? cli_fail(EX_NOPERM, "notify: an agent speaks as its own role, at once")
                   : notify_port(cli, argv);
    if (!event_type_parse(argv[1], &type, &cli->error))
        return cli_failed(cli, EX_USAGE);
    int status = read_vars(cli, argv + 4, vars);
    if (status ||
        (status = (cli_flag(cli, "dry-run") ? cli_workflow : cli_workflow_act)(cli, &engine)) ||
        (status = outgoing_parents(cli, engine->db, true, &parents)))
        return status;
    g_ptr_array_add(to, argv[3]);
    const EventNew in = {.type = type,
                         .path = g_str_equal(argv[2], "-") ? NULL : argv[2],
                         .from = sender(cli),
                         .to = to,
                         .vars = vars,
                         .parents = parents,
                         .commit = cli_flag(cli, "commit")};
    if (in.commit && !in.path)
        return cli_fail(EX_USAGE, "--commit: '-' is no artifact");
    if (!event_plan(engine, &in, &plan, &cli->error))
        return cli_failed(cli, 0);
    return (cli_flag(cli, "dry-run") ? show_only : send)(cli, engine, plan);
}
