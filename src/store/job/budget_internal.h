#pragma once

/* What a call may cost that is under way: in meta, as BUDGET_ASKING "JOB" = "MICRO@FENCE". */
#define BUDGET_ASKING "asking:"

/* What was paid and is in no step's row yet: in meta, as BUDGET_UNBOOKED "JOB" = "MICRO@WHEN". */
#define BUDGET_UNBOOKED "unbooked:"
/* The same as a table (job, cost, at_us); ';' follows ':'. */
#define BUDGET_UNBOOKED_SQL                                                                    \
    "SELECT CAST(substr(key, 10) AS INTEGER) AS job, CAST(value AS INTEGER) AS cost, "         \
    "CAST(substr(value, instr(value, '@') + 1) AS INTEGER) AS at_us "                          \
    "FROM meta WHERE key >= 'unbooked:' AND key < 'unbooked;'"
