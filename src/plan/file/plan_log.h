#pragma once

/*
 * `.pilot/state/log.jsonl`: what happened to the plans of a project, one JSON object per line, oldest first. A write of the
 * state adds its line under the lock, flushed, before the state's new file gets its name: whatever was acknowledged is in
 * the log. A line has `at`, `act`, `revision`, and `from`, the revision that the write was made from. A line whose
 * revision no later line comes from was never in force (a crash between the two), or a person put an older file back.
 * Lines without a revision are remarks, such as an error of a hook.
 */
#include <jansson.h>

#define PLAN_LOG "log.jsonl"

/* Appends the line and flushes it. On failure nothing of it is left. The caller has the lock. */
bool plan_log_append(int state_fd, const json_t *line, GError **error);
/* A remark by somebody who may not have the lock, as a hook that failed: one write, no promise. */
void plan_log_remark(int state_fd, const json_t *line);
/* The revision in the last line that has one; 0: there is none. */
int64_t plan_log_last_revision(int state_fd);
/* The last n lines (0: all of them) as an array of objects, oldest first; lines that are no JSON are left out. */
bool plan_log_read(int state_fd, size_t n, json_t **ret, GError **error);
