#pragma once

/*
 * What people are told about jobs, in words: the answers to STATUS and WHY by mail, and the
 * first sentence of `show`. Reads the store only. Callers free the text; NULL with error.
 */
#include "store/job/jobs.h"

/* How the job is and what it waits for. */
char *tell_job(Db *db, JobId id, GError **error);
/* The same, and the steps so far. */
char *tell_why(Db *db, JobId id, GError **error);
/* Every job of this role that has not ended. */
char *tell_role(Db *db, const char *role, GError **error);
