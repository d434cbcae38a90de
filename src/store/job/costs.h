#pragma once

/* What steps have cost, summed up. Days are those of UTC, as the budget of a day is. */
#include "base/list.h"
#include "store/job/jobs.h"

/* Steps since that moment (0: all). Days in order; roles and jobs, the dearest first. */
bool costs_list(Db *db, CostBy by, int64_t since_us, CostRows **ret, GError **error);
