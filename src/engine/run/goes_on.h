#pragma once

/* After a wait for a brain (run_pause.c): when the brain works again for the first time, people
 * are told so. */
#include "engine/run/think.h"

/* Sends one line to the person behind this job if that person was told that jobs wait for this
 * brain, once for all jobs of the person; the line says what the question may cost. ERR_NEVER:
 * the claim is gone. Has a transaction of its own. */
bool goes_on_say(const Think *ask, GError **error);
