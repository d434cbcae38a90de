#pragma once

/* All that was decided about a job; `job log` prints it. */
#include "show/events.h"
#include "store/job/jobs.h"

/* The events in the order of time; the last one says how the job is now. */
bool job_events(Db *db, const Job *job, Events **ret, GError **error);
