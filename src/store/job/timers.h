#pragma once

/*
 * Durable timers: a row with the end of a span and a purpose. Whoever works for the purpose
 * asks what is due and removes it in the transaction that acts on it, so a timer fires once and
 * survives any crash. db_next_deadline() knows them. A purpose of a face begins with its name
 * and a colon.
 */
#include "store/db.h"
#include "view/shape.h"

/* Purposes of ours. An acknowledgement is the running job's own; the others are for any run. */
#define TIMER_ACK "ack"
#define TIMER_WAIT "wait"             /* the wait contract: job_wait_over() */
#define TIMER_PROGRESS "progress"     /* a word about long work */
#define TIMER_PERMIT "permit"         /* a question about tool calls is still open; its subject is the mail */
#define TIMER_CHECKPOINT "checkpoint" /* its checkpoint mail was missed: look again */
#define TIMER_LOOK ":look"            /* behind a face's name: the face has files to write (FaceOps.look) */

typedef struct Timer {
    int64_t id, due_us;
    JobId job; /* {0}: none */
    char *purpose;
    char *subject; /* what it is about beside the job, such as a date; "": nothing */
} Timer;
SHAPE_OF(Timer, timer, Timers, timers)

/* Sets a timer that any run may act on. There is one per (job, purpose, subject): setting it
 * again moves it. */
bool timer_set(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error);
bool timer_set_about(Txn *txn,
                     JobId job,
                     const char *purpose,
                     const char *subject,
                     int64_t due_us,
                     GError **error);
/* Sets a timer that only the run which works on the job may act on. */
bool timer_set_own(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error);
/* Sets TIMER_WAIT for the time at which the parked job goes on, a span or a moment. */
bool timer_set_wait(Txn *txn, JobId job, GError **error);
/* Sets TIMER_PERMIT anew for each mail in which a call of the job, or a question of its agent,
 * is open. */
bool timer_set_permits(Txn *txn, JobId job, int64_t due_us, GError **error);
/* As timer_set(), where none is set yet. */
bool timer_begin(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error);
/* Removes the job's timers of this purpose, whatever their subjects; purpose NULL: all of the
 * job's timers. */
bool timer_drop(Txn *txn, JobId job, const char *purpose, GError **error);
/* Removes this very timer. *ret_was: it was still there, and nobody had moved it. */
bool timer_take(Txn *txn, const Timer *t, bool *ret_was, GError **error);
/* When the job's timer of this purpose is due; USEC_NEVER: none is set. */
bool timer_find(Db *db, JobId job, const char *purpose, int64_t *ret_due_us, GError **error);
/* Likewise of two purposes. */
bool timers_find(Db *db,
                 JobId job,
                 const char *one,
                 int64_t *ret_one_us,
                 const char *other,
                 int64_t *ret_other_us,
                 GError **error);
/* Counts the timers and schedules that are due for any run to act on; 0 while db_hold_all()
 * says why nothing may run. */
bool timers_ready(Db *db, int64_t now_us, unsigned *ret_n, GError **error);
/* The timers for any run whose time has come, oldest first. */
bool timers_due(Db *db, int64_t now_us, Timers **ret, GError **error);
