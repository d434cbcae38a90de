#pragma once

/*
 * What a program changes under the path of an artifact in its worktree becomes an act `write` of its job: when it notifies, and
 * when it ends. The file of the worktree is compared with what this job wrote last, or else with what the worktree began with,
 * and these bytes are the ones that the write takes the place of: where the artifact has others by then, nothing is written.
 *
 * A file that the record does not know, and that lies in the root already, is left to the branch of the job, as all other files
 * are; so is one that was removed, and a move, which is an act of its own.
 */
#include "engine/act.h"

/* Adds the acts to the proposal. about: name of the artifact that an event is about, which is refused where its write is
 * (ERR_NEVER); NULL: none. refused: gets a line for each other one that may not be written, char *; NULL: nobody wants them. */
bool flow_tree_writes(Engine *engine,
                      const Job *job,
                      const StepInput *in,
                      const char *about,
                      Proposal *p,
                      GPtrArray *refused,
                      GError **error);
