#pragma once

/* What brains do in the workflow (engine/act.h): notify, move, write. Each does what the command of that name does. */
#include "engine/act.h"

extern const ActOps act_notify, act_move, act_write;
/* This write has the bytes of the job's worktree (workflow/flow_tree.h). */
void act_write_of_tree(ProposedAct *write);
