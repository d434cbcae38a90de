#pragma once

/* Whose job it is, as far as orders go. */
#include "store/jobs.h"

/* May this person, who may steer their own threads, steer the job? They asked, began it, were
 * named by somebody else in it, or were written to before they wrote themselves: a mail of
 * their own into somebody else's thread makes them no part of it. */
bool job_steered_by(Db *db, JobId job, const char *spec, bool *ret, GError **error);
