#pragma once

/*
 * Steps: what was decided, one row each, append only. A step row is the checkpoint of its job
 * and the receipt of what was done; it is written in the transaction that made it true.
 */
#include "base/list.h"
#include "store/job/jobs.h"

typedef struct Step {
    JobId job;
    int n, round;
    int64_t at_us, took_us, cost_micro;
    char *phase;
    char *brain; /* which was asked; NULL: none, or not known */
    char *did;   /* one line for people: "answered <id>" */
    char *because;
    GBytes *answer;   /* what the brain said; NULL */
    GBytes *manifest; /* what it was shown; NULL */
    Digest context;
    GBytes *state; /* JSON of the mode: what the next step goes on with; NULL */
    char *results; /* JSON list of lines: what became of its notes and mails; NULL */
} Step;
void step_free(Step *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Step, step_free)
LIST_OF(Steps, steps, Step, step_free)

/* The lines of a step's results; char *, owned by the array. Empty for NULL and for what is no
 * such list. */
GPtrArray *step_results_parse(const char *results);
/* The other way round; NULL for no lines. Caller frees. */
char *step_results_format(const GPtrArray *lines);

bool step_put(Txn *txn, const Step *s, GError **error);
/* The newest step of a job; NULL with true: it has none. */
bool step_last(Db *db, JobId job, Step **ret, GError **error);
/* A number that grows with every step of any job: what is parked later is behind it. */
bool steps_mark(Db *db, int64_t *ret, GError **error);
/* A version of a note that a step wrote. */
typedef struct StepNote {
    char *key;
    int64_t version;
    bool deleted;
} StepNote;
/* In the order in which they were written. Elements are StepNote. */
bool step_notes(Db *db, JobId job, int n, GPtrArray **ret, GError **error);
/* Oldest first. */
bool steps_list(Db *db, const Viewer *viewer, JobId job, Steps **ret, GError **error);
