#pragma once

/*
 * Durable timers: a row with a moment and a purpose. Whoever works for the purpose asks what is
 * due and removes it in the transaction that acts on it, so a timer fires once and survives any
 * crash. db_next_deadline() knows them.
 */
#include "store/db.h"

typedef struct Timer {
    int64_t id, due_us;
    JobId job;     /* {0}: none */
    char *purpose; /* "ack" */
} Timer;
void timer_free(Timer *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Timer, timer_free)

/* One per (job, purpose): setting again moves it. */
bool timer_set(Txn *txn, JobId job, const char *purpose, int64_t due_us, GError **error);
bool
timer_drop(Txn *txn, JobId job, const char *purpose, GError **error); /* NULL: all of the job */
/* When it is due; USEC_NEVER: none is set. */
bool timer_find(Db *db, JobId job, const char *purpose, int64_t *ret_due_us, GError **error);
/* Those of a purpose whose moment has come, oldest first. Elements are Timer. */
bool
timers_due(Db *db, const char *purpose, int64_t now_us, GPtrArray **ret_timers, GError **error);
