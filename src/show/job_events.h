#pragma once

/* All that was decided about a job: `job log`. */
#include "show/events.h"
#include "store/job/jobs.h"

/* In the order of time; how the job is now is the last. */
bool job_events(Db *db, const Job *job, Events **ret, GError **error);
