/* cost: what was spent, and what may still be. */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "store/job/budget.h"
#include "store/job/costs.h"
#include <inttypes.h>

static const char *const by_names[] = {"day", "role", "job", "brain", NULL};

typedef struct Costs {
    CostBy by;
    int64_t since_us;
    CostRows *rows;
    int64_t steps, total, today, day_limit;
} Costs;

static int
parse_by(const Cli *cli, const char *text, CostBy *ret)
{
    for (int i = 0; by_names[i]; i++) {
        if (g_str_equal(by_names[i], text)) {
            *ret = (CostBy)i;
            return 0;
        }
    }
    return cli_usage(cli, "'%s' is none of day, role, job, brain", text);
}

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

static bool
collect(Cli *cli, Costs *c, GError **error)
{
    if (!costs_list(cli->db, c->by, c->since_us, &c->rows, error) ||
        !budget_today(cli->db, &c->day_limit, &c->today, error))
        return false;
    LIST_EACH(const CostRow, row, c->rows) {
        c->steps += row->steps;
        c->total += row->cost_micro;
    }
    return true;
}

static json_t *
dollars(int64_t micro)
{
    return json_real((double)micro / 1e6);
}

static json_t *
row_json(const Costs *c, const CostRow *row)
{
    if (c->by == COST_JOB)
        return shape_json(&cost_row_shape, row);
    json_t *o = shape_pick(&cost_row_shape, row, "steps", "cost_usd", NULL);
    json_object_set_new(o, by_names[c->by], json_string(row->name));
    return o;
}

static void
print_json(Cli *cli, const Costs *c)
{
    json_t *rows = json_array();
    for (guint i = 0; i < c->rows->len; i++)
        json_array_append_new(rows, row_json(c, g_ptr_array_index(c->rows, i)));
    bool limited = c->day_limit > 0;
    cli_print_json(cli,
                   json_pack("{s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "by", by_names[c->by],
                             "since", shape_time(c->since_us), "rows", rows, "steps",
                             (json_int_t)c->steps, "total_usd", dollars(c->total), "today_usd",
                             dollars(c->today), "max_cost_per_day_usd",
                             limited ? dollars(c->day_limit) : json_null(), "left_today_usd",
                             limited ? dollars(MAX(c->day_limit - c->today, 0)) : json_null()));
}

static void
print_rows(Cli *cli, const Costs *c)
{
    static const char *const days[] = {"DAY", "STEPS", "COST", NULL};
    static const char *const roles[] = {"ROLE", "STEPS", "COST", NULL};
    static const char *const jobs[] = {"JOB", "ROLE", "STEPS", "COST", "SUBJECT", NULL};
    static const char *const brains[] = {"BRAIN", "STEPS", "COST", NULL};
    static const char *const *const headings[] = {days, roles, jobs, brains};
    g_autofree char *all = g_strdup_printf("%" PRId64, c->steps);
    g_autofree char *total = text_money(c->total);
    CliTable *t = cli_table_new(headings[c->by]);
    LIST_EACH(const CostRow, row, c->rows) {
        g_autofree char *steps = g_strdup_printf("%" PRId64, row->steps);
        g_autofree char *cost = text_money(row->cost_micro);
        g_autofree char *job = g_strdup_printf("%" PRId64, row->job.v);
        g_autofree char *subject = text_shorten(row->name, 50);
        if (c->by == COST_JOB)
            cli_table_add(t, job, row->role, steps, cost, subject, NULL);
        else
            cli_table_add(t, row->name, steps, cost, NULL);
    }
    if (c->by == COST_JOB)
        cli_table_add(t, "all", "", all, total, "", NULL);
    else
        cli_table_add(t, "all", all, total, NULL);
    cli_table_print(cli, t);
}

static void
print_today(Cli *cli, const Costs *c)
{
    g_autofree char *today = text_money(c->today), *limit = text_money(c->day_limit);
    g_autofree char *left = text_money(MAX(c->day_limit - c->today, 0));
    if (c->day_limit > 0)
        cli_print(cli, "today (UTC): %s of %s; %s left\n", today, limit, left);
    else
        cli_print(cli, "today (UTC): %s; max-cost-per-day is not set\n", today);
}

int
cmd_cost(Cli *cli, int argc, char **argv)
{
    const char *by = cli_text(cli, "by"), *since = cli_text(cli, "since");
    GError *error = NULL;
    Costs c = {.by = COST_DAY};
    int status;
    if (argc > 1)
        return cli_usage(cli, "what is '%s'?", argv[1]);
    if ((by && (status = parse_by(cli, by, &c.by))) || (status = cli_db(cli, DB_READ)) ||
        (since && (status = parse_since(cli, since, &c.since_us))))
        return status;
    if (!collect(cli, &c, &error))
        status = cli_error(0, error);
    else if (cli->json)
        print_json(cli, &c);
    else {
        print_rows(cli, &c);
        print_today(cli, &c);
    }
    g_clear_pointer(&c.rows, cost_rows_free);
    return status;
}
