#pragma once

/*
 * Retention: how long what jobs leave behind is kept once they have ended ([keep] in the
 * settings). One table in keep.c says what goes, by which setting. Mail, versions of notes, and
 * the rows that say what was done and paid stay for ever, and so does all of a job that has not
 * ended.
 *
 * (1) Ages are counted from the look before this one, an hour or more ago: what a clock makes
 *     old that was set wrong, and right again within the hour, does not go.
 * (2) A look is bounded. One that left something over is taken up by whoever has nothing to do
 *     next.
 * (3) While nothing may run or leave (db_hold_all()) nothing goes.
 * (4) A work folder is moved to work/.gone while no run can claim its job, and emptied there: a
 *     run that comes later makes its own, and what a crash leaves in work/.gone goes with the
 *     next look. Before that its git repository forgets the worktree; the branch stays.
 *
 * Old log files are kept by number (base/log.h).
 */
#include "engine/engine.h"

/* One look: deletes what is too old. Does nothing when the last look was less than an hour
 * ago. */
bool keep_prune(Engine *engine, GError **error);
/* Adds a line for people about each kind of thing that may go and is still there. */
bool keep_count(Engine *engine, GPtrArray *lines, GError **error);
