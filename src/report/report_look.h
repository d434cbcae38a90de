#pragma once

/*
 * Files that people, or an older store, left in reports/:
 *
 *   a date that the store does not know, and that was sent    all of it is taken over, as history
 *   NN-reply.md that is none of ours                          a reply; the job is queued
 *   NN-response.md that is none of ours                       the answer: it is mailed
 *   .processing that somebody made                            a pause, for ten minutes
 */
#include "engine/run/run.h"
#include "store/report.h"

/* Looks for such files and takes them; adds to *n how many. What can't be taken stays, and is a
 * finding (report_check()). */
bool report_look(Engine *engine, unsigned *n, GError **error);
void report_check(Engine *engine, GPtrArray *findings);

/* What the job's `why` says while a lock made by hand holds it back (engine/run/run.c). */
#define REPORT_PAUSED RUN_NOT_YET

/* Until when a lock that somebody made by hand counts; 0: there is no such lock. Any other lock,
 * which is too old or was left by a run that is dead, is removed. */
int64_t report_lock_until(const Engine *engine, const Report *r);
/* The lock's bytes where somebody made it and it counts; NULL: it is ours to write. Caller unrefs. */
GBytes *report_lock_by_hand(const Engine *engine, const char *path);
