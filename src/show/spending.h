#pragma once

/* What was spent, and what may still be today: `cost`. */
#include "store/job/costs.h"

/* Since that moment; 0: ever. */
bool spending_json(Db *db, CostBy by, int64_t since_us, json_t **ret, GError **error);
