#pragma once

/* For whoever waits at a terminal: a line on stderr for each step. Elsewhere nothing is to be said: the
 * caller asks step_lines_wanted() first, the other calls do not. */
#include "engine/engine.h"

/* Is stderr a terminal? */
bool step_lines_wanted(void);
/* Says the steps of a job whose number is above *told, and sets *told to the last of them. What can't be
 * read is left out. */
void step_lines_tell(Db *db, JobId job, int *told);
/* Says the newest step; for RunLimits.committed. */
void step_lines_show(const Engine *engine, JobId job);
