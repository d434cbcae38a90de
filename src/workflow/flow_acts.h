#pragma once

/* What brains do in the workflow (engine/act.h): notify, move, write. Each does what the command of that name does. */
#include "engine/act.h"

extern const ActOps act_notify, act_move, act_write;
