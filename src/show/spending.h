#pragma once

/* What was spent, and what may still be spent today; `cost` prints it. */
#include "store/job/costs.h"

/* The sums since that moment (0: since ever), and the money of today. Caller unrefs *ret. */
bool spending_json(Db *db, CostBy by, int64_t since_us, json_t **ret, GError **error);
