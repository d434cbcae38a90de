/* `briefing status` and `briefing list`: in the front, since people look at them often. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "store/report.h"
#include "view/job_rows.h"

static bool
load_lines(Cli *cli, const char *role, const char *date, json_t **ret)
{
    g_autoptr(ReportLines) lines = NULL;
    bool known;
    if (!report_known(cli->db, &known, &cli->error))
        return false;
    if (known && !report_lines(cli->db, role, date, &lines, &cli->error))
        return false;
    *ret = lines ? shape_list_json(&report_line_shape, lines) : json_array();
    return true;
}

/* Who has said the last word, and what happens next; caller frees. */
static char *
cell(Cli *cli, const json_t *row, const char *member)
{
    json_int_t replies = json_integer_value(json_object_get(row, "replies"));
    json_int_t open = json_integer_value(json_object_get(row, "open"));
    if (g_str_equal(member, "answered"))
        return g_strdup_printf("%lld", replies - open);
    if (g_str_equal(member, "cost_usd"))
        return cli_money(json_object_get(row, "cost_usd"));
    if (!g_str_equal(member, "state"))
        return NULL;
    if (json_is_null(json_object_get(row, "sent")))
        return g_strdup("skipped");
    JobState state;
    if (open == 0 || !job_state_parse(cli_member(row, "state"), &state))
        return g_strdup("");
    return g_strdup(state == JOB_DONE ? "open" : job_state_words(state));
}

static int
show(Cli *cli, const char *date, bool whole)
{
    static const CliColumn columns[] = {{"DATE", "date"},      {"ROLE", "role", 12},
                                        {"REPLIES", "replies"}, {"ANSWERED", "answered"},
                                        {"WAITING", "open"},   {"COST", "cost_usd"},
                                        {"STATE", "state", 10}, {NULL}};
    static const CliColumn subjects[] = {
        {"DATE", "date"}, {"ROLE", "role", 12}, {"SUBJECT", "subject", 50}, {NULL}};
    const char *role = cli_text(cli, "role");
    g_autofree char *day = NULL;
    g_autoptr(json_t) rows = NULL;
    int status = cli_db(cli, DB_READ);
    if (status || (date && (status = cli_date(cli, date, &day))))
        return status;
    if (!load_lines(cli, role, day, &rows))
        return cli_failed(cli, 0);
    bool none = json_array_size(rows) == 0;
    if (none && role && !config_role_get(cli->home->config, role, &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    if (none && day)
        return cli_fail(EX_NOINPUT, "there is no briefing of %s", day);
    cli_print_list(cli, g_steal_pointer(&rows), whole ? subjects : columns, "no briefings", cell);
    return 0;
}

int
cmd_briefing_status(Cli *cli, int argc, char **argv)
{
    return show(cli, argv[1], false);
}

int
cmd_briefing_list(Cli *cli, int argc, char **argv)
{
    return show(cli, NULL, true);
}
