#pragma once

/*
 * Steps: what was decided, one row each, append only. A step row is the checkpoint of its job
 * and the receipt of what was done; it is written in the transaction that made it true.
 */
#include "store/jobs.h"

typedef struct Step {
    JobId job;
    int n, round;
    int64_t at_us, took_us, cost_micro;
    char *phase;
    char *did; /* one line for people: "answered <id>" */
    char *because;
    GBytes *answer;   /* what the brain said; NULL */
    GBytes *manifest; /* what it was shown; NULL */
    Digest context;
} Step;
void step_free(Step *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Step, step_free)

bool step_put(Txn *txn, const Step *s, GError **error);
/* Oldest first. Elements are Step. */
bool steps_list(Db *db, const Viewer *viewer, JobId job, GPtrArray **ret, GError **error);
