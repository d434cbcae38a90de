#pragma once

/*
 * Steps: what was decided, one row each, append only. A step row is the checkpoint of its job
 * and the receipt of what was done; it is written in the transaction that made it true.
 */
#include "store/job/jobs.h"
#include "view/note_rows.h"

/* The lines of a step's results; char *, owned by the array. Empty for NULL and for what is no
 * such list. */
GPtrArray *step_results_parse(const char *results);
/* The lines as the text that step_results_parse() reads; NULL for no lines. Caller frees. */
char *step_results_format(const GPtrArray *lines);

bool step_put(Txn *txn, const Step *s, GError **error);
/* The newest step of a job; NULL with true: it has none. */
bool step_last(Db *db, JobId job, Step **ret, GError **error);
/* The number of the newest step of any job, for job_claim(): jobs that are parked from now on have a
 * higher one. */
bool steps_mark(Db *db, int64_t *ret, GError **error);
/* The versions of notes that a step wrote, in that order. */
bool step_notes(Db *db, JobId job, int n, Notes **ret, GError **error);
/* The newest step up to that number, with all of it; NULL with true: there is none. */
bool step_upto(Db *db, const Viewer *viewer, JobId job, int n, Step **ret, GError **error);
/* The job's steps behind that number (0: all), oldest first; without answer, manifest and
 * state. */
bool
steps_list(Db *db, const Viewer *viewer, JobId job, int behind, Steps **ret, GError **error);
/* All steps of the job with all that they hold, oldest first. */
bool steps_list_whole(Db *db, const Viewer *viewer, JobId job, Steps **ret, GError **error);
