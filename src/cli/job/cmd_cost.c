/* cost: what was spent, and what may still be. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "show/spending.h"

/* A date, a moment, or a span back from now. */
static int
parse_since(Cli *cli, const char *text, int64_t *ret)
{
    int64_t span;
    if (clock_parse_iso(text, ret))
        return 0;
    if (!text_parse_span(text, &span))
        return cli_usage(cli, "'%s' is neither a date (2026-11-15) nor a span (7d)", text);
    *ret = home_now(cli->home) - span;
    return 0;
}

static void
print_rows(Cli *cli, const json_t *costs)
{
    static const CliColumn by_job[] = {
        {"JOB", "job"},       {"ROLE", "role"},           {"STEPS", "steps"},
        {"COST", "cost_usd"}, {"SUBJECT", "subject", 50}, {NULL}};
    const char *by = cli_member(costs, "by");
    g_autofree char *heading = g_ascii_strup(by, -1);
    const CliColumn others[] = {
        {heading, by}, {"STEPS", "steps"}, {"COST", "cost_usd"}, {NULL}};
    json_t *rows = json_incref(json_object_get(costs, "rows"));
    json_array_append_new(rows, json_pack("{s:s, s:O, s:O}", by, "all", "steps",
                                          json_object_get(costs, "steps"), "cost_usd",
                                          json_object_get(costs, "total_usd")));
    cli_print_list(cli, rows, g_str_equal(by, "job") ? by_job : others, NULL, NULL);
}

static void
print_today(Cli *cli, const json_t *costs)
{
    const json_t *most = json_object_get(costs, "max_cost_per_day_usd");
    g_autofree char *today = cli_money(json_object_get(costs, "today_usd"));
    g_autofree char *left = cli_money(json_object_get(costs, "left_today_usd"));
    g_autofree char *limit = cli_money(most);
    if (json_is_null(most))
        cli_print(cli, "today (UTC): %s; max-cost-per-day is not set\n", today);
    else
        cli_print(cli, "today (UTC): %s of %s; %s left\n", today, limit, left);
}

int
cmd_cost(Cli *cli, int argc, char **argv)
{
    const char *said = cli_text(cli, "by"), *since = cli_text(cli, "since");
    g_autoptr(json_t) costs = NULL;
    CostBy by = COST_DAY;
    int64_t since_us = 0;
    int status;
    if (said && !cost_by_parse(said, &by))
        return cli_usage(cli, "'%s' is none of day, role, job, brain, artifact", said);
    if ((status = cli_db(cli, DB_READ)) ||
        (since && (status = parse_since(cli, since, &since_us))))
        return status;
    if (!spending_json(cli->db, by, since_us, &costs, &cli->error))
        return cli_failed(cli, 0);
    if (cli->json) {
        cli_print_json(cli, g_steal_pointer(&costs));
        return 0;
    }
    print_rows(cli, costs);
    print_today(cli, costs);
    return 0;
}
