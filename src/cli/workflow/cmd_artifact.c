/* `artifact list`, `move`, `check`, `log`: what the workflow's record says of artifacts. */
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/list.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "cli/workflow/open_workflow.h"
#include "engine/run/settle.h"
#include "engine/tree/file_effects.h"
#include "store/job/artifact_money.h"
#include "workflow/artifact_move.h"
#include "workflow/artifact_write.h"
#include "workflow/face_workflow.h"

/* Whom the artifact waits for: where its money is spent the coordinator, else its reviewers, else who may bring it to the next state. */
static bool
set_waits(Engine *engine,
          const Artifact *a,
          const ArtifactMoneys *paused,
          json_t *row,
          GError **error)
{
    g_autoptr(Cycle) c = NULL;
    g_autofree char *next = NULL;

    for (guint i = 0; paused && i < paused->len; i++) {
        if (paused->pdata[i]->id.v != a->id.v)
            continue;
        json_object_set_new(row, "waits_for", json_string(workflow_coordinator(engine)));
        return true;
    }
    if (!cycle_load(engine->db, a->cycle, &c, error))
        return false;
    if (!c || *c->outcome)
        next = artifact_next_movers(engine, a);
    json_object_set_new(row, "waits_for", json_string(next ? next : c->reviewers));
    return true;
}

/* As the table of its kind has the states; what moved last comes first. */
static gint
by_state(gconstpointer p, gconstpointer q, gpointer engine)
{
    const Artifact *a = *(Artifact *const *)p, *b = *(Artifact *const *)q;
    int kinds = strcmp(a->kind, b->kind);
    int states = (int)artifact_state_order(engine, a) - (int)artifact_state_order(engine, b);

    return kinds    ? kinds
           : states ? states
                    : (a->since_us < b->since_us) - (a->since_us > b->since_us);
}

static char *
cell(Cli *cli, const json_t *row, const char *member)
{
    const char *to = cli_member(row, "moving_to");

    if (g_str_equal(member, "state") && *to)
        return g_strdup_printf("%s > %s", cli_member(row, "state"), to);
    if (g_str_equal(member, "age_s"))
        return clock_format_span(json_integer_value(json_object_get(row, member)) * G_USEC_PER_SEC);
    return NULL;
}

int
cmd_artifact_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"STATE", "state", 15},
                                        {"ARTIFACT", "name", 26},
                                        {"HOLDER", "holder", 12},
                                        {"SINCE", "age_s", 7},
                                        {"WAITS FOR", "waits_for", 16},
                                        {NULL}};
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Artifacts) all = NULL;
    g_autoptr(ArtifactMoneys) paused = NULL;
    int status = cli_workflow(cli, &engine);
    if (status)
        return status;
    if (!artifact_list(engine->db, cli_text(cli, "kind"), cli_text(cli, "state"), &all,
                       &cli->error) ||
        !artifact_moneys_paused(engine->db, &paused, &cli->error))
        return cli_failed(cli, 0);
    g_ptr_array_sort_with_data((GPtrArray *)all, by_state, engine);
    json_t *rows = json_array();
    LIST_EACH(const Artifact, a, all) {
        json_t *row = shape_json(&artifact_shape, a);
        int64_t age = MAX(home_now(cli->home) - a->since_us, 0) / G_USEC_PER_SEC;
        json_object_set_new(row, "age_s", json_integer(age));
        json_array_append_new(rows, row);
        if (!set_waits(engine, a, paused, row, &cli->error)) {
            json_decref(rows);
            return cli_failed(cli, 0);
        }
    }
    cli_print_list(cli, rows, columns, "no artifacts", cell);
    return 0;
}

/* open: cli_workflow() or cli_workflow_act(). */
static int
find(Cli *cli,
     int (*open)(Cli *cli, Engine **ret),
     const char *said,
     Engine **ret_engine,
     ArtifactPlace *ret,
     Artifact **ret_row)
{
    int status = open(cli, ret_engine);

    if (status)
        return status;
    if (!artifact_place_find(*ret_engine, said, ret, &cli->error) ||
        !artifact_find((*ret_engine)->db, ret->name, ret_row, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

/* Who does it: --from, else whom the environment names, else the owner. */
static int
find_who(Cli *cli, const char **ret)
{
    const char *said = cli_text(cli, "from"), *env = g_getenv("POSTRIDER_ROLE");
    const char *name = said ? said : env && *env ? env : cli->home->config->persons[0].name;
    const char *who = workflow_who(cli->home->config, name);

    if (!workflow_address(cli->home->config, who))
        return cli_fail(EX_NOINPUT, "no role '%s'", who);
    *ret = who;
    return 0;
}

/* An agent at work does it through its port, as the role that it is. */
static int
call_port(Cli *cli, json_t *request)
{
    g_autoptr(json_t) done = NULL;

    if (!cli_text(cli, "from"))
        return cli_call(cli, request, "ok", &done);
    json_decref(request);
    return cli_fail(EX_NOPERM, "an agent acts as its own role");
}

int
cmd_artifact_move(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Artifact) a = NULL;
    g_auto(ArtifactPlace) place = {0};
    g_auto(ArtifactMove) move = {0};
    ArtifactId id;
    EffectId after;
    const char *who = NULL;
    if (cli_in_agent() && cli_flag(cli, "commit"))
        return cli_fail(EX_NOPERM,
                        "an agent commits nothing: that is for '[workflow] commit' to do");
    if (cli_in_agent())
        return call_port(cli, json_pack("{s:s, s:s, s:s}", "verb", "move", "artifact", argv[1],
                                        "state", argv[2]));
    int status = find(cli, cli_workflow_act, argv[1], &engine, &place, &a);
    if (status || (status = find_who(cli, &who)))
        return status;
    if (!artifact_move_plan(engine, &place, a, argv[2], who, &move, &cli->error) ||
        !artifact_move_alone(engine, &move, a, &cli->error))
        return cli_failed(cli, 0);
    g_autofree char *goal = g_strconcat(" to ", argv[2], NULL);
    if (engine->home->config->workflow_commit)
        artifact_move_say(&move, "Move", goal);
    if (cli_flag(cli, "commit") &&
        !artifact_move_with_commit(engine, &move, "Move", goal, &cli->error))
        return cli_failed(cli, 0);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = artifact_move_commit(&txn, &move, a, &id, &after, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    (void)settle_local(engine, NULL, NULL);
    g_autoptr(Artifact) now = NULL;
    if (!artifact_load(engine->db, id, &now, &cli->error))
        return cli_failed(cli, 0);
    if (*now->to)
        return cli_fail(EX_TEMPFAIL, "'%s' can't be moved now; it is tried again", now->path);
    if (!g_str_equal(now->state, argv[2]))
        return cli_fail(EX_TEMPFAIL, "'%s' was not moved: somebody else was there", now->path);
    cli_print_line(cli, "%s", now->path);
    return 0;
}

/* What it is to be: a file, or standard input. */
static int
read_text(Cli *cli, const char *file, char **ret)
{
    g_autoptr(GBytes) bytes = NULL;
    int status = file && !g_str_equal(file, "-")
                     ? cli_read_file(cli, "", file, LIMIT_MESSAGE_BYTES, &bytes)
                     : outgoing_read_stdin(LIMIT_MESSAGE_BYTES, "the artifact", &bytes);

    if (!status)
        *ret = text_from_bytes(bytes);
    if (!status && strlen(*ret) != g_bytes_get_size(bytes))
        return cli_fail(EX_DATAERR, "an artifact is text");
    return status;
}

int
cmd_artifact_write(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(ArtifactWrite) write = NULL;
    g_autofree char *text = NULL;
    const char *digest = cli_text(cli, "if-digest"), *who = NULL;
    EffectId owed;
    int status = read_text(cli, argv[2], &text);
    if (status)
        return status;
    if (cli_in_agent())
        return call_port(cli, json_pack("{s:s, s:s, s:s, s:s}", "verb", "write", "path", argv[1],
                                        "content", text, "if_digest", digest ? digest : ""));
    if ((status = cli_workflow_act(cli, &engine)) || (status = find_who(cli, &who)))
        return status;
    if (!artifact_write_plan(engine, argv[1], text, digest, who, &write, &cli->error))
        return cli_failed(cli, 0);
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = artifact_write_commit(&txn, write, (JobId){0}, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    (void)settle_local(engine, NULL, NULL);
    const ArtifactPlace *p = &write->place;
    if (!file_effect_last(engine->db, p->said_root, p->name, &owed, &cli->error))
        return cli_failed(cli, 0);
    if (owed.v)
        return cli_fail(EX_TEMPFAIL, "'%s' can't be written now; it is tried again", p->path);
    bool there;
    Digest now;
    if (!file_digest(p->root, p->path, &there, &now, NULL) || !there || !digest_equal(&now, &p->bytes))
        return cli_fail(EX_TEMPFAIL, "'%s' was not written: somebody else was there", p->path);
    g_autofree char *hex = digest_hex(&p->bytes);
    cli_print_line(cli, "%s", hex);
    return 0;
}

int
cmd_artifact_check(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Artifact) one = NULL;
    int status = cli_workflow(cli, &engine);
    if (status)
        return status;
    if (argv[1] && !artifact_find(engine->db, argv[1], &one, &cli->error))
        return cli_failed(cli, 0);
    if (argv[1] && !one)
        return cli_fail(EX_NOINPUT, "nothing is known of '%s'; 'artifact list' has the names",
                        argv[1]);
    (void)settle_local(engine, NULL, NULL);
    if (!workflow_check(engine, argv[1], findings, &cli->error))
        return cli_failed(cli, 0);
    if (cli->json)
        cli_print_json(cli, shape_texts(findings));
    for (guint i = 0; !cli->json && i < findings->len; i++)
        cli_print_line(cli, "%s", (const char *)g_ptr_array_index(findings, i));
    return findings->len > 0 ? 1 : 0;
}

int
cmd_artifact_log(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"AT", "at"},
                                        {"EVENT", "event"},
                                        {"FROM", "from", 20},
                                        {"TO", "to", 40},
                                        {"STATE", "state", 12},
                                        {"MESSAGE-ID", "message_id"},
                                        {NULL}};
    g_autoptr(Engine) engine = NULL;
    g_autoptr(Artifact) a = NULL;
    g_autoptr(FlowEvents) events = NULL;
    g_auto(ArtifactPlace) place = {0};
    int status = find(cli, cli_workflow, argv[1], &engine, &place, &a);
    if (status)
        return status;
    if (!a)
        return cli_fail(EX_NOINPUT, "nothing is known of '%s'", place.name);
    if (!flow_event_list(engine->db, a->id, &events, &cli->error))
        return cli_failed(cli, 0);
    cli_print_list(cli, shape_list_json(&flow_event_shape, events), columns, "no events", NULL);
    return 0;
}
