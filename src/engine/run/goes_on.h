#pragma once

/* The end of a wait for a brain (run_pause.c): the first program that works again says so. */
#include "engine/run/think.h"

/* One line to whoever was told that jobs of this brain wait, once for all of theirs; with what it may
 * cost. ERR_NEVER: the claim is gone. */
bool goes_on_say(const Think *ask, GError **error);
