#pragma once

/*
 * The act `todo`: a brain moves a todo of the plan that its job works on, by `id` and `status`, with `why`. The plan is
 *
 *   of a job of face `plan`           that job's own
 *   of a job with a git worktree      the worktree's, if a plan was begun in it; else that of the project around the role's
 *                                     `workdir`, from which the worktree was made: its checks run in the worktree, where the
 *                                     work is
 *   of any other                      that of the project around the role's `workdir`
 *
 * The plan's file is the truth of a plan, and complete means that the check has exited 0. So the file is changed, and the check
 * run, when the act is proposed (plan/file/plan_mark.h), and nothing of it is left for the step's transaction but the line that
 * says so: who asks again finds the todo where it is. A check that fails refuses the act with the end of its output. While the
 * check runs, an order to the job or a signal ends it within a second.
 */
#include "engine/act.h"

extern const ActOps act_todo;
