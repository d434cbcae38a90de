#pragma once

/* A model that is led through steps: prompt.h says what it is shown, loop.h what becomes of its
 * answer, state.h what it keeps from step to step. */
#include "engine/mode.h"

extern const ModeOps mode_steps; /* "steps" */
