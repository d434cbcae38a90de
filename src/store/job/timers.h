#pragma once

/*
 * Durable timers: a row with the end of a span and a purpose. Whoever works for the purpose asks what is
 * due and removes it in the transaction that acts on it, so a timer fires once and survives any
 * crash. db_next_deadline() knows them.
 */
#include "store/db.h"

/* Purposes. An acknowledgement is the running job's own; the others are for any run. */
#define TIMER_ACK "ack"
#define TIMER_WAIT "wait"             /* the wait contract: job_wait_over() */
#define TIMER_PROGRESS "progress"     /* a word about long work */
#define TIMER_CHECKPOINT "checkpoint" /* its checkpoint mail was missed: look again */

typedef struct Timer {
    int64_t id, due_us;
    JobId job; /* {0}: none */
    char *purpose;
} Timer;

/* One per (job, purpose): setting again moves it. */
bool timer_set(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error);
/* TIMER_WAIT, for when the parked job's own time comes: a span or a moment. */
bool timer_set_wait(Txn *txn, JobId job, GError **error);
/* As timer_set(), where none is set yet. */
bool timer_begin(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error);
bool
timer_drop(Txn *txn, JobId job, const char *purpose, GError **error); /* NULL: all of the job */
/* When it is due; USEC_NEVER: none is set. */
bool timer_find(Db *db, JobId job, const char *purpose, int64_t *ret_due_us, GError **error);
/* How many wait for any run to act on them, schedules included; 0 while db_hold_all(). */
bool timers_ready(Db *db, int64_t now_us, unsigned *ret_n, GError **error);
/* Those of a purpose whose moment has come, oldest first. Elements are Timer. */
bool
timers_due(Db *db, const char *purpose, int64_t now_us, GPtrArray **ret_timers, GError **error);
