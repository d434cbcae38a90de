#pragma once

/*
 * What a program changes under the path of an artifact in its worktree becomes an act `write` of its job: when it notifies, and
 * when it ends. The file of the worktree is compared with what this job wrote last, or else with what the worktree began with,
 * and the write takes the place of these bytes alone: where the artifact has other bytes by then, nothing is written.
 *
 * A file that the record does not know, and that lies in the root already, is left to the branch of the job, as all other files
 * are; so is one that was removed, and a move, which is an act of its own.
 */
#include "engine/act.h"

/* Adds the acts to the proposal; adds none where the settings have no workflow, or the job no worktree of its project. Starts
 * git and waits for it, so it belongs in no transaction. about: path of the artifact that an event is about, or NULL; where
 * its write is refused, the call fails with that error (ERR_NEVER, ERR_LIMIT, ERR_LATER). refused: gets a line for each other
 * artifact that may not be written, char *; NULL: nobody wants them. */
bool flow_tree_writes(Engine *engine,
                      const Job *job,
                      const StepInput *in,
                      const char *about,
                      Proposal *p,
                      GPtrArray *refused,
                      GError **error);
