/* `role inbox`: the typed mail that waits for a role, in the order in which it is to be read: blockers, reviews, questions,
 * the rest; and its own questions that nobody has answered. */
#include "base/json.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/workflow/open_workflow.h"
#include "cli/workflow/role_inbox.h"
#include "workflow/artifact_place.h"
#include "workflow/event_kind.h"

#define SHOWN 50

const char *
inbox_role(Cli *cli, const char *said)
{
    const Config *config = cli->home->config;
    const char *name = workflow_who(config, said);

    if (workflow_address(config, name))
        return name;
    g_autoptr(GPtrArray) names = workflow_names(config);
    g_autofree char *hint = text_did_you_mean(name, (const char *const *)names->pdata);
    (void)cli_fail(EX_NOINPUT, "no role '%s'%s", name, hint);
    return NULL;
}

static const CliColumn columns[] = {{"EVENT", "event", 24},
                                    {"FROM", "from", 20},
                                    {"ARTIFACT", "artifact", 40},
                                    {"STATE", "state", 12},
                                    {"AT", "at"},
                                    {"MESSAGE-ID", "message_id"},
                                    {NULL}};

static char *
cell(Cli *cli, const json_t *row, const char *member)
{
    if (g_str_equal(member, "event") && json_is_true(json_object_get(row, "asked")))
        return g_strdup_printf("%s (asked)", cli_member(row, "event"));
    return NULL;
}

/* Names that the glob means; NULL: all. */
static int
find_artifacts(Cli *cli, Engine *engine, const char *glob, GArray **ret)
{
    g_autoptr(Artifacts) all = NULL;
    g_autoptr(Artifact) one = NULL;
    g_auto(ArtifactPlace) place = {0};

    if (!glob)
        return 0;
    *ret = g_array_new(FALSE, FALSE, sizeof(ArtifactId));
    g_autofree char *name =
        artifact_place_look(engine, glob, &place, NULL) ? g_strdup(place.name) : g_strdup(glob);
    if (!artifact_find(engine->db, name, &one, &cli->error))
        return cli_failed(cli, 0);
    if (one) {
        g_array_append_val(*ret, one->id);
        return 0;
    }
    if (!artifact_list(engine->db, NULL, NULL, &all, &cli->error))
        return cli_failed(cli, 0);
    LIST_EACH(const Artifact, a, all)
        if (g_pattern_match_simple(glob, a->name) || g_pattern_match_simple(glob, a->path))
            g_array_append_val(*ret, a->id);
    return 0;
}

static void
add_rows(json_t *rows, const FlowEvents *events, bool asked)
{
    LIST_EACH(const FlowEvent, e, events) {
        json_t *row = shape_json(&flow_event_shape, e);
        json_object_set_new(row, "asked", json_boolean(asked));
        json_array_append_new(rows, row);
    }
}

static bool
read_inbox(Cli *cli, Engine *engine, FlowInbox q, const GArray *of, json_t *rows)
{
    for (guint i = 0; i < (of ? of->len : 1); i++) {
        g_autoptr(FlowEvents) events = NULL;
        if (of)
            q.artifact = g_array_index(of, ArtifactId, i);
        if (!flow_inbox(engine->db, &q, &events, &cli->error))
            return false;
        add_rows(rows, events, false);
    }
    return true;
}

int
cmd_role_inbox(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GArray) of = NULL;
    g_autoptr(json_t) rows = json_array();
    const char *event = cli_text(cli, "event"), *glob = cli_text(cli, "artifact");
    EventType type;
    int status = cli_workflow(cli, &engine);
    if (status)
        return status;
    const char *role = inbox_role(cli, argv[1]);
    if (!role)
        return EX_NOINPUT;
    if (event && !event_type_parse(event, &type, &cli->error))
        return cli_failed(cli, EX_USAGE);
    if ((status = find_artifacts(cli, engine, glob, &of)))
        return status;
    const FlowInbox q = {.role = role,
                         .type = event,
                         .state = cli_text(cli, "state"),
                         .all = cli_flag(cli, "all"),
                         .limit = (unsigned)cli_number(cli, "limit", SHOWN)};
    g_autoptr(FlowEvents) asked = NULL;
    if (!read_inbox(cli, engine, q, of, rows) ||
        (!event && !glob && !q.state && !flow_asked(engine->db, role, &asked, &cli->error)))
        return cli_failed(cli, 0);
    if (asked)
        add_rows(rows, asked, true);
    cli_print_list(cli, g_steal_pointer(&rows), columns, "no typed mail waits", cell);
    return 0;
}

int
inbox_show(Cli *cli, Engine *engine, const char *role, EventId behind, unsigned *ret_n)
{
    const FlowInbox q = {.role = role, .behind = behind, .limit = SHOWN};
    g_autoptr(FlowEvents) events = NULL;

    if (!flow_inbox(engine->db, &q, &events, &cli->error))
        return cli_failed(cli, 0);
    *ret_n = events->len;
    LIST_EACH(const FlowEvent, e, events) {
        g_autofree char *line = g_strdup_printf("  %s of %s%s%s", e->type, e->sender,
                                                *e->name ? ": " : "", e->name);
        cli_print_vis(cli, line, true);
        cli_print(cli, "  <%s>\n", e->msgid);
    }
    return 0;
}
