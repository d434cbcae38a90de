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
/* The other way round; NULL for no lines. Caller frees. */
char *step_results_format(const GPtrArray *lines);

bool step_put(Txn *txn, const Step *s, GError **error);
/* The newest step of a job; NULL with true: it has none. */
bool step_last(Db *db, JobId job, Step **ret, GError **error);
/* A number that grows with every step of any job: what is parked later is behind it. */
bool steps_mark(Db *db, int64_t *ret, GError **error);
/* The versions of notes that a step wrote, in that order. */
bool step_notes(Db *db, JobId job, int n, Notes **ret, GError **error);
/* The newest step up to that number, with all of it; NULL with true: there is none. */
bool step_upto(Db *db, const Viewer *viewer, JobId job, int n, Step **ret, GError **error);
/* Those behind that number (0: all), oldest first; without what it said, was shown and goes on
 * with. */
bool
steps_list(Db *db, const Viewer *viewer, JobId job, int behind, Steps **ret, GError **error);
/* All of them, with all of it. */
bool steps_list_whole(Db *db, const Viewer *viewer, JobId job, Steps **ret, GError **error);
