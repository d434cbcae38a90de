#pragma once

/*
 * Mail about long work (`progress-every`): one mail at most per interval, to whoever asked, and
 * none where something else was said meanwhile. A job that waits is spoken of once; one that is
 * only to be tried again is not spoken of at all.
 */
#include "engine/engine.h"
#include "store/job/jobs.h"

/* To be called when the timer TIMER_PROGRESS of this job is due: sends the mail and sets the
 * timer on, or only sets it on. *ret_said false: there was nothing to say, or somebody else was
 * faster. */
bool progress_say(Engine *engine, JobId job, bool *ret_said, GError **error);
