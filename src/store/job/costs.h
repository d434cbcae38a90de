#pragma once

/* What steps have cost, summed up. Days are those of UTC, as the budget of a day is. */
#include "base/list.h"
#include "store/job/jobs.h"

typedef enum CostBy { COST_DAY, COST_ROLE, COST_JOB, COST_BRAIN } CostBy;

typedef struct CostRow {
    char *name;    /* "2026-11-15", a role, a brain, or the subject of the job */
    char *role;    /* of the job; NULL else */
    JobId job;     /* {0}: not by job */
    int64_t steps; /* those that cost nothing included */
    int64_t cost_micro;
} CostRow;
void cost_row_free(CostRow *row);
LIST_OF(CostRows, cost_rows, CostRow, cost_row_free)

/* Steps since that moment (0: all). Days in order; roles and jobs, the dearest first. */
bool costs_list(Db *db, CostBy by, int64_t since_us, CostRows **ret, GError **error);
