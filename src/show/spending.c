#include "show/spending.h"
#include "store/job/budget.h"

static json_t *
dollars(int64_t micro)
{
    return json_real((double)micro / 1e6);
}

static json_t *
row_json(CostBy by, const CostRow *row)
{
    if (by == COST_JOB)
        return shape_json(&cost_row_shape, row);
    json_t *o = shape_pick(&cost_row_shape, row, "steps", "cost_usd", NULL);
    json_object_set_new(o, cost_by_name(by), json_string(row->name));
    return o;
}

bool
spending_json(Db *db, CostBy by, int64_t since_us, json_t **ret, GError **error)
{
    g_autoptr(CostRows) costs = NULL;
    int64_t steps = 0, total = 0, today, limit;
    if (!costs_list(db, by, since_us, &costs, error) ||
        !budget_today(db, &limit, &today, error))
        return false;
    json_t *rows = json_array();
    LIST_EACH(const CostRow, row, costs) {
        steps += row->steps;
        total += row->cost_micro;
        json_array_append_new(rows, row_json(by, row));
    }
    *ret =
        json_pack("{s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "by", cost_by_name(by), "since",
                  shape_time(since_us), "rows", rows, "steps", (json_int_t)steps, "total_usd",
                  dollars(total), "today_usd", dollars(today), "max_cost_per_day_usd",
                  limit > 0 ? dollars(limit) : json_null(), "left_today_usd",
                  limit > 0 ? dollars(MAX(limit - today, 0)) : json_null());
    return true;
}
