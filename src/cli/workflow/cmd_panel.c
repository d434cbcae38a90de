/* `panel review`, `list`, `status`, `audit`: several judge an artifact, each alone. */
#include "base/json.h"
#include "base/list.h"
#include "base/lock.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/workflow/open_workflow.h"
#include "engine/run/settle.h"
#include "store/job/role_rows.h"
#include "workflow/ballot_text.h"
#include "workflow/event_send.h"
#include "workflow/panel.h"
#include "workflow/panel_audit.h"
#include <poll.h>

#define LOOK_AGAIN_MS 200

/* --- showing --- */

/* What of a ballot may be read. */
static json_t *
ballot_json(const PanelRow *p, const BallotRow *b, bool unseal)
{
    bool open = b->round <= p->revealed || unseal, in = *b->verdict != '\0';

    if (!open)
        return json_pack("{s:i, s:I, s:b, s:b}", "round", (int)b->round, "job",
                         (json_int_t)b->job.v, "in", in, "sealed", true);
    json_t *row = shape_json(&ballot_row_shape, b), *findings = NULL;
    json_object_set_new(row, "in", json_boolean(in));
    json_object_set_new(row, "sealed", json_false());
    if (*b->findings && json_parse(b->findings, strlen(b->findings), 0, &findings, NULL))
        json_object_set_new(row, "findings", findings);
    return row;
}

static int
panel_json(Cli *cli, Engine *engine, const PanelRow *p, bool unseal, json_t **ret)
{
    g_autoptr(PanelMembers) members = NULL;
    g_autoptr(BallotRows) ballots = NULL;
    g_autoptr(GPtrArray) seen = NULL;

    if (!panel_members_of(engine->db, p->id, &members, &cli->error) ||
        !ballot_list(engine->db, p->id, &ballots, &cli->error) ||
        !panel_unsealed(engine->db, p->id, &seen, &cli->error))
        return cli_failed(cli, 0);
    json_t *doc = shape_json(&panel_row_shape, p), *list = json_array();
    LIST_EACH(const PanelMember, m, members) {
        json_t *row = shape_json(&panel_member_shape, m), *all = json_array();
        LIST_EACH(const BallotRow, b, ballots)
            if (b->member == m->n)
                json_array_append_new(all, ballot_json(p, b, unseal));
        json_object_set_new(row, "ballots", all);
        json_array_append_new(list, row);
    }
    json_object_set_new(doc, "members", list);
    json_object_set_new(doc, "unsealed_by", shape_texts(seen));
    *ret = doc;
    return 0;
}

/* "revise", "in, sealed", "asked"; of one that was asked in no round "-". Caller frees. */
static char *
say_ballot(const json_t *ballot)
{
    bool in = json_is_true(json_object_get(ballot, "in"));

    if (!ballot)
        return g_strdup("-");
    if (json_is_true(json_object_get(ballot, "sealed")))
        return g_strdup(in ? "in, sealed" : "asked");
    if (!in)
        return g_strdup("asked");
    return g_strdup_printf("%s%s", cli_member(ballot, "verdict"),
                           json_is_true(json_object_get(ballot, "late")) ? ", too late" : "");
}

static char *
member_cell(Cli *cli, const json_t *row, const char *member)
{
    const json_t *ballots = json_object_get(row, "ballots");
    size_t n = json_array_size(ballots);

    if (g_str_equal(member, "rounds")) {
        GString *all = g_string_new(NULL);
        for (size_t i = 0; i < n; i++) {
            g_autofree char *one = say_ballot(json_array_get(ballots, i));
            g_string_append_printf(all, "%s%s", i ? " > " : "", one);
        }
        return g_string_free(all, FALSE);
    }
    return g_str_equal(member, "model") && !*cli_member(row, "model")
               ? g_strdup(cli_member(row, "brain"))
               : NULL;
}

static void
print_findings(Cli *cli, const json_t *member)
{
    const json_t *ballots = json_object_get(member, "ballots");
    const json_t *last = json_array_get(ballots, json_array_size(ballots) - 1);
    const json_t *findings = json_object_get(last, "findings");

    if (!last || !json_object_get(last, "verdict") || !*cli_member(last, "verdict"))
        return;
    cli_print_line(cli, "%s: %s", cli_member(member, "member"), cli_member(last, "assessment"));
    if (*cli_member(last, "complaint"))
        cli_print_line(cli, "  %s", cli_member(last, "complaint"));
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        if (json_is_object(f))
            cli_print_line(cli, "  [%s] %s: %s", cli_member(f, "severity"), cli_member(f, "where"),
                       cli_member(f, "what"));
    }
}

static int
print_panel(Cli *cli, Engine *engine, const PanelRow *p, bool unseal)
{
    static const CliColumn columns[] = {{"MEMBER", "member", 24},
                                        {"MODEL", "model", 30},
                                        {"VERDICT", "rounds", 50},
                                        {"NOTE", "note", 60},
                                        {NULL}};
    g_autoptr(json_t) doc = NULL;
    int status = panel_json(cli, engine, p, unseal, &doc);

    if (status)
        return status;
    if (cli->json) {
        cli_print_json(cli, g_steal_pointer(&doc));
        return 0;
    }
    bool closed = g_str_equal(p->state, "closed");
    cli_print_line(cli, "panel %" G_GINT64_FORMAT ", %s: %s: %s%s%s", p->id.v, p->name, p->subject,
                   closed ? p->verdict : p->state, *p->why ? ": " : "", p->why);
    json_t *members = json_object_get(doc, "members");
    cli_print_list(cli, json_incref(members), columns, "", member_cell);
    for (size_t i = 0; i < json_array_size(members); i++)
        print_findings(cli, json_array_get(members, i));
    return 0;
}

/* --- review --- */

static int
exit_of(const PanelRow *p)
{
    return !g_str_equal(p->state, "closed")       ? EX_TEMPFAIL
           : g_str_equal(p->verdict, "approve") || g_str_equal(p->verdict, "written") ? 0
           : g_str_equal(p->verdict, "none")      ? EX_TEMPFAIL
                                                  : 1;
}

/* The newest panel of the job or, without one yet, of the artifact's cycle; NULL: not yet. */
static bool
find_panel(Engine *engine,
           JobId job,
           const char *artifact,
           CycleId cycle,
           PanelRow **ret,
           GError **error)
{
    g_autoptr(PanelRows) all = NULL;

    *ret = NULL;
    if (job.v)
        return panel_of_job(engine->db, job, ret, error);
    if (!panel_list(engine->db, artifact, false, &all, error))
        return false;
    return all->len == 0 || ((PanelRow *)all->pdata[0])->cycle != cycle.v ||
           panel_load(engine->db, ((PanelRow *)all->pdata[0])->id, ret, error);
}

/* Its job has ended, and it decides nothing. */
static bool
is_over(Engine *engine, JobId job, const PanelRow *p, GError **error)
{
    g_autoptr(Job) row = NULL;

    if (p && !g_str_equal(p->state, "open"))
        return true;
    return job.v && job_load(engine->db, &VIEWER_OPERATOR, job, &row, error) &&
           (row->state == JOB_DONE || row->state == JOB_FAILED || row->state == JOB_CANCELLED ||
            row->state == JOB_STOPPED);
}

/* As `ask` does: without a service the work is done here. */
static int
wait_for(Cli *cli, Engine *engine, JobId job, const char *artifact, CycleId cycle)
{
    for (;;) {
        g_autoptr(PanelRow) p = NULL;
        PassStats stats = {0};
        if (!find_panel(engine, job, artifact, cycle, &p, &cli->error))
            return cli_failed(cli, 0);
        if (is_over(engine, job, p, &cli->error)) {
            if (!p)
                return cli_fail(EX_TEMPFAIL, "no panel has begun; see: postrider status");
            int status = print_panel(cli, engine, p, false);
            return status ? status : exit_of(p);
        }
        if (cli->error)
            return cli_failed(cli, 0);
        bool served = lock_is_held(cli->home->state_fd, "master.lock");
        if (!served && !pass_run(engine, 0, &stats, &cli->error)) {
            if (!err_is(cli->error, ERR_LATER))
                return cli_failed(cli, err_is(cli->error, ERR_CANCELLED) ? EX_TEMPFAIL : 0);
            g_clear_error(&cli->error);
        }
        if (served || stats.mails + stats.jobs + stats.sent == 0)
            (void)poll(NULL, 0, LOOK_AGAIN_MS);
    }
}

/* A panel of the settings is asked by a review-request, as `notify` would send it. */
static int
request_review(Cli *cli,
               Engine *engine,
               const ArtifactPlace *place,
               const char *panel,
               const char *from)
{
    g_autoptr(EventVars) vars = event_vars_new();
    g_autoptr(EventPlan) plan = NULL;
    g_autoptr(GPtrArray) to = g_ptr_array_new();
    g_autofree char *msgid = NULL;
    g_autoptr(Artifact) a = NULL;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};

    g_ptr_array_add(to, (char *)panel);
    const EventNew in = {.type = EVENT_REVIEW_REQUEST,
                         .path = place->path,
                         .from = from,
                         .to = to,
                         .vars = vars};
    if (!event_plan(engine, &in, &plan, &cli->error))
        return cli_failed(cli, 0);
    while (txn_again(&txn, &cli->error)) {
        g_clear_pointer(&msgid, g_free);
        txn.ok = event_commit(engine, &txn, plan, NULL, &msgid, &cli->error);
    }
    if (!txn.done || !artifact_find(engine->db, place->name, &a, &cli->error))
        return cli_failed(cli, 0);
    (void)settle_local(engine, NULL, NULL);
    db_hint(engine->db);
    if (cli_flag(cli, "no-wait")) {
        cli_print_line(cli, "<%s>", msgid);
        return 0;
    }
    return wait_for(cli, engine, (JobId){0}, place->name, a->cycle);
}

static bool
keep_role(Engine *engine, GError **error)
{
    g_autofree char *address = g_strdup_printf(PANEL_ROLE "@%s", engine->home->config->domain);
    const RoleRow row = {.face = (char *)"workflow", .display = (char *)PANEL_ROLE, .address = address};
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_LAZY};

    if (config_role(engine->home->config, PANEL_ROLE))
        return err_set(error, ERR_CONFIG,
                       "[role " PANEL_ROLE "] has the name that panels without settings have");
    while (txn_again(&txn, error))
        txn.ok = role_row_put(&txn, PANEL_ROLE, &row, error);
    return txn.done;
}

static int
begin_panel(Cli *cli, Engine *engine, const PanelAsk *ask, GBytes *content)
{
    g_autoptr(PanelRow) terms = NULL;
    g_autoptr(PanelMembers) members = NULL;
    JobId job;

    if (!panel_check_content(content, &cli->error)) {
        g_prefix_error(&cli->error, "'%s': ", ask->subject);
        return cli_failed(cli, 0);
    }
    if (!panel_terms(engine, ask, &terms, &members, &cli->error) ||
        (g_str_equal(ask->name, PANEL_ROLE) && !keep_role(engine, &cli->error)))
        return cli_failed(cli, 0);
    g_autofree char *said = g_strndup(g_bytes_get_data(content, NULL), g_bytes_get_size(content));
    g_autofree char *text = panel_mail_format(ask, said);
    g_autofree char *subject = g_strdup_printf(PANEL_SUBJECT "%s", ask->subject);
    const SessionMail mail = {.role = ask->name, .subject = subject, .text = text};
    if (!session_begin(engine, &mail, NULL, &job, &cli->error))
        return cli_failed(cli, 0);
    if (cli_flag(cli, "no-wait")) {
        cli_print_line(cli, "job %" G_GINT64_FORMAT, job.v);
        return 0;
    }
    return wait_for(cli, engine, job, NULL, (CycleId){0});
}

static bool
read_options(Cli *cli, bool reviews, PanelAsk *ask, GError **error)
{
    const char *deadline = cli_text(cli, "deadline"), *walls = cli_text(cli, "walls");
    PanelRule rule;

    ask->primary = cli_text(cli, "primary");
    ask->rule = reviews ? cli_text(cli, "rule") : NULL;
    ask->quorum = reviews ? cli_number(cli, "quorum", -1) : -1;
    ask->discuss = cli_number(cli, "discuss", -1);
    ask->deadline_us = -1;
    ask->advice = walls && g_str_equal(walls, "advice");
    if (ask->rule && !panel_rule_parse(ask->rule, &rule, error))
        return false;
    if (ask->discuss > 3)
        return err_set(error, ERR_NEVER, "--discuss is 0 to 3");
    if (walls && !ask->advice && !g_str_equal(walls, "required"))
        return err_set(error, ERR_NEVER, "--walls is required or advice");
    return !deadline || (text_parse_span(deadline, &ask->deadline_us) && ask->deadline_us > 0) ||
           err_set(error, ERR_NEVER, "--deadline '%s': expected a span such as 2h", deadline);
}

/* Does any option ask for a panel of its own? */
static bool
is_own(const PanelAsk *ask)
{
    return ask->members || ask->primary || ask->rule || ask->quorum >= 0 || ask->discuss >= 0 ||
           ask->deadline_us > 0 || ask->advice;
}

int
cmd_panel_review(Cli *cli, int argc, char **argv)
{
    const char *names = cli_text(cli, "members"), *said = cli_text(cli, "from");
    const char *env = g_getenv("POSTRIDER_ROLE");
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GBytes) content = NULL;
    g_auto(ArtifactPlace) place = {0};
    PanelAsk ask = {.name = PANEL_ROLE};
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "panel review: an agent may not");
    g_auto(GStrv) members = names ? g_strsplit_set(names, ", ", -1) : NULL;
    if (!read_options(cli, true, &ask, &cli->error))
        return cli_failed(cli, EX_USAGE);
    ask.members = (const char *const *)members;
    int status = cli_workflow_act(cli, &engine);
    if (status)
        return status;
    bool known = !g_str_equal(argv[1], "-") && *cli->home->config->workflow_root &&
                 artifact_place_find(engine, argv[1], &place, NULL);
    g_autofree char *panel = known ? g_strdup_printf("%s-reviewer-panel", place.kind->name) : NULL;
    if (known && !is_own(&ask) && config_panel(cli->home->config, panel))
        return request_review(cli, engine, &place, panel,
                              said ? said : env && *env ? env : cli->home->config->persons[0].name);
    if (!members && (!panel || !config_panel_is_usual(panel)))
        return cli_fail(EX_USAGE, "panel review: who is on it? say --members A,B,C");
    ask.usual = !members;
    bool stdin_read = g_str_equal(argv[1], "-");
    g_autofree char *base =
        stdin_read ? g_strdup("standard input") : g_path_get_basename(argv[1]);
    ask.subject = base;
    if ((status = cli_read_file(cli, "", stdin_read ? "/dev/stdin" : argv[1],
                                PANEL_CONTENT_MAX + 1, &content)))
        return status;
    return begin_panel(cli, engine, &ask, content);
}

/* --- write --- */

#define USUAL_SECTIONS "Problem Statement;Goals and Non-Goals;Design;Risks and Open Questions"
#define SECTIONS_MAX 26u

/* Titles with ';' between, as lines; NULL: there are none, or too many. Caller frees. */
static char *
read_sections(const char *said)
{
    g_auto(GStrv) titles = g_strsplit(said, ";", -1);
    GString *lines = g_string_new(NULL);
    unsigned n = 0;

    for (char **title = titles; *title; title++)
        if (*g_strstrip(g_strdelimit(*title, "\r\n", ' ')))
            g_string_append_printf(lines, "%s%s", n++ ? "\n" : "", *title);
    return g_string_free(lines, n == 0 || n > SECTIONS_MAX);
}

int
cmd_panel_write(Cli *cli, int argc, char **argv)
{
    const char *names = cli_text(cli, "members"), *titles = cli_text(cli, "sections");
    g_autoptr(Engine) engine = NULL;
    g_autofree char *path = NULL;
    const ConfArtifact *kind;
    PanelAsk ask = {.name = PANEL_ROLE};
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "panel write: an agent may not");
    g_auto(GStrv) members = names ? g_strsplit_set(names, ", ", -1) : NULL;
    g_autofree char *sections = read_sections(titles ? titles : USUAL_SECTIONS);
    if (!read_options(cli, false, &ask, &cli->error))
        return cli_failed(cli, EX_USAGE);
    if (!sections)
        return cli_fail(EX_USAGE, "panel write: 1 to %u sections, with ';' between", SECTIONS_MAX);
    int status = cli_workflow_act(cli, &engine);
    if (status)
        return status;
    if (!artifact_place_new(engine, argv[1], &kind, &path, &cli->error))
        return cli_failed(cli, 0);
    ask.members = (const char *const *)members;
    ask.sections = sections;
    ask.path = path;
    ask.usual = !members;
    g_autofree char *base = g_path_get_basename(path);
    ask.subject = base;
    g_autofree char *panel = g_strdup_printf("%s-writer-panel", kind->name);
    if (!members && config_panel(cli->home->config, panel))
        ask.name = panel;
    else if (!members && !config_panel_is_usual(panel))
        return cli_fail(EX_USAGE, "panel write: who is on it? say --members A,B,C");
    g_autoptr(GBytes) brief = g_bytes_new(argv[2], strlen(argv[2]));
    return begin_panel(cli, engine, &ask, brief);
}

/* --- list, status --- */

static char *
panel_cell(Cli *cli, const json_t *row, const char *member)
{
    if (g_str_equal(member, "verdict"))
        return g_strdup(g_str_equal(cli_member(row, "state"), "closed") ? cli_member(row, "verdict")
                                                                        : cli_member(row, "state"));
    return NULL;
}

int
cmd_panel_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"PANEL", "panel"},
                                        {"NAME", "name", 30},
                                        {"JUDGES", "subject", 40},
                                        {"ROUND", "round"},
                                        {"VERDICT", "verdict"},
                                        {"OPENED", "opened"},
                                        {NULL}};
    g_autoptr(Engine) engine = NULL;
    g_autoptr(PanelRows) all = NULL;
    int status = cli_workflow(cli, &engine);
    if (status)
        return status;
    if (!panel_list(engine->db, NULL, cli_flag(cli, "open"), &all, &cli->error))
        return cli_failed(cli, 0);
    cli_print_list(cli, shape_list_json(&panel_row_shape, all), columns, "no panels", panel_cell);
    return 0;
}

static int
find_by_number(Cli *cli, Engine *engine, const char *said, PanelRow **ret)
{
    int64_t id;

    if (!text_parse_int(said, 1, INT64_MAX, &id))
        return cli_fail(EX_USAGE, "'%s' is no number of a panel; 'panel list' has them", said);
    if (!panel_load(engine->db, (PanelId){id}, ret, &cli->error))
        return cli_failed(cli, 0);
    return *ret ? 0 : cli_fail(EX_NOINPUT, "there is no panel %s; 'panel list' has them", said);
}

int
cmd_panel_status(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(PanelRow) p = NULL;
    bool unseal = cli_flag(cli, "unseal");
    if (unseal && cli_in_agent())
        return cli_fail(EX_NOPERM, "panel status: an agent may not read what is sealed");
    int status = cli_workflow(cli, &engine);
    if (status || (status = find_by_number(cli, engine, argv[1], &p)))
        return status;
    if (unseal && p->revealed < p->round) {
        g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
        while (txn_again(&txn, &cli->error))
            txn.ok = panel_unseal(&txn, p->id, cli->home->config->persons[0].name, &cli->error);
        if (!txn.done)
            return cli_failed(cli, 0);
    }
    return print_panel(cli, engine, p, unseal);
}

/* --- vote --- */

/* 'blocker: section 2: no timeout' */
static int
add_finding(Cli *cli, json_t *to, const char *said)
{
    g_auto(GStrv) parts = g_strsplit(said, ":", 3);

    if (g_strv_length(parts) != 3)
        return cli_usage(cli, "'%s' is not 'SEVERITY: WHERE: WHAT'", said);
    for (char **part = parts; *part; part++)
        g_strstrip(*part);
    json_array_append_new(to, json_pack("{s:s, s:s, s:s}", "where", parts[1], "what", parts[2],
                                        "severity", parts[0]));
    return 0;
}

int
cmd_panel_vote(Cli *cli, int argc, char **argv)
{
    char **said = cli_texts(cli, "finding");
    g_autoptr(json_t) findings = json_array(), done = NULL;
    if (!cli_in_agent())
        return cli_fail(EX_NOPERM, "panel vote: only a member that is at work may");
    for (int status; said && *said; said++)
        if ((status = add_finding(cli, findings, *said)))
            return status;
    g_autofree char *list = json_format(findings);
    return cli_call(cli,
                    json_pack("{s:s, s:s, s:s, s:s}", "verb", "vote", "verdict", argv[1],
                              "assessment", argv[2], "findings", list),
                    "ok", &done);
}

/* --- audit --- */

int
cmd_panel_audit(Cli *cli, int argc, char **argv)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(json_t) lines = NULL;
    g_auto(ArtifactPlace) place = {0};
    unsigned faults = 0;
    int64_t id = 0;
    int status = cli_workflow(cli, &engine);
    if (status)
        return status;
    bool number = text_parse_int(argv[1], 1, INT64_MAX, &id);
    if (!number && !artifact_place_find(engine, argv[1], &place, &cli->error))
        return cli_failed(cli, 0);
    if (!panel_audit(engine, (PanelId){id}, place.name, &lines, &faults, &cli->error))
        return cli_failed(cli, 0);
    if (json_array_size(lines) == 0)
        return cli_fail(EX_NOINPUT, "no panel has judged '%s'", argv[1]);
    static const CliColumn columns[] = {{"PANEL", "panel"},   {"ROUND", "round"},
                                        {"MEMBER", "member", 24}, {"BRAIN", "brain", 20},
                                        {"MODEL", "model", 24},   {"JOB", "job"},
                                        {"SHOWN", "shown", 40},   {"FAULT", "fault", 60},
                                        {NULL}};
    cli_print_list(cli, g_steal_pointer(&lines), columns, "", NULL);
    return faults > 0 ? 1 : 0;
}
