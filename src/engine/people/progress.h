#pragma once

/*
 * The word about long work (`progress-every`): one mail at most per interval, to whoever asked,
 * and none while something else was said meanwhile. A job that waits is spoken of once; one
 * that is only to be tried again is not spoken of at all.
 */
#include "engine/engine.h"
#include "store/job/jobs.h"

/* The timer TIMER_PROGRESS of this job is due: says it, or sets the timer on. *ret_said false:
 * there was nothing to say, or somebody else was faster. */
bool progress_say(Engine *engine, JobId job, bool *ret_said, GError **error);
