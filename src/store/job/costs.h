#pragma once

/* What was paid, summed up: the costs of steps, and what was paid for answers that no step has
 * taken over yet. Days are those of UTC, as the budget of a day is. */
#include "base/list.h"
#include "store/job/jobs.h"

/* Sums by day, role, job, brain or artifact since that moment; 0: all. Days come in order of
 * time, everything else with the dearest first. The artifact "-" has what was spent on none. */
bool costs_list(Db *db, CostBy by, int64_t since_us, CostRows **ret, GError **error);
