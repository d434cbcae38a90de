#pragma once

/*
 * Schedules: mail that a role gets again and again. A row holds what is mailed and the moment
 * of the next occurrence; when it has come, the mail is queued and the moment moves on in one
 * transaction, so an occurrence is one mail with one Message-ID whatever crashes. What the
 * words of a spec mean is engine/in/recurrence.h's.
 */
#include "base/list.h"
#include "store/db.h"
#include "view/job_rows.h"

/* Adds a schedule; of s count spec, role, subject, body, created_us and next_us. */
bool schedule_put(Txn *txn, const Schedule *s, int64_t *ret_id, GError **error);
/* NULL with true: there is none. */
bool schedule_load(Db *db, int64_t id, Schedule **ret, GError **error);
bool schedule_remove(Txn *txn, int64_t id, GError **error);
/* The next occurrence; last_us USEC_NEVER: the last one stays as it is. *ret is false,
 * and nothing changes, where somebody else has moved it on from s->next_us already. */
bool schedule_move(
    Txn *txn, const Schedule *s, int64_t last_us, int64_t next_us, bool *ret, GError **error);
/* Forgets the last occurrence: it was one of a clock that went wrong and was put back. */
bool schedule_replan(Txn *txn, const Schedule *s, int64_t next_us, GError **error);
/* A schedule that was mailed so far in the future waits for a clock that is no more. */
#define SCHEDULE_AHEAD_US (600 * USEC_PER_SEC)
/* In SQL: ?1 is now, ?2 is SCHEDULE_AHEAD_US later. */
#define SCHEDULE_IS_DUE                                                                        \
    "(next_us <= ?1 OR last_us > ?2) AND " MAILBOX_LETS_WORK("schedule.role")
/* due_us USEC_NEVER: all schedules by id. Else those whose next occurrence has come by due_us, or
 * whose last one lies ahead of it (SCHEDULE_AHEAD_US), the most overdue first. */
bool schedules_list(Db *db, int64_t due_us, Schedules **ret, GError **error);
/* One line for each that mails a role which is not in the settings: for `status` and `doctor`.
 */
bool schedules_check(Db *db, GPtrArray *lines, GError **error);
