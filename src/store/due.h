#pragma once

/*
 * Waits in the tables (Due, base/clock.h). Clocks are set: a machine boots with a wrong one and
 * learns the time later, or a person corrects it by a year. What waits for a span is to wait
 * for that span all the same.
 *
 * So spans end on the home's own clock, which nobody sets. It goes with CLOCK_BOOTTIME from one
 * end of a boot to the other; over a boot it goes with the wall clock, or stands still where
 * that was set back meanwhile, so that what is left of every span begins there (but for a
 * second). It differs from the wall clock by a number that only changes when that is set; in
 * the table clock stand this number, and boot and both times at which it was last right.
 * Whoever commits keeps it.
 *
 * In SQL, all with wall times and with NULL for USEC_NEVER:
 *
 *   next_us = steady(?)         a span that ends then
 *   resume_us = due(?, ?)       the same, or with 1 a moment: one number that knows which it is
 *   wall(resume_us)             when either ends, by the wall clock of now
 *   SQL_IS_DUE("ready_us", "?1")
 *
 * A span sorts before every moment.
 */
#include "store/db.h"

#define DUE_MOMENTS INT64_C(4000000000000000000) /* added to moments */
#define SQL_MOMENTS "4000000000000000000"
#define SQL_IS_DUE(column, now)                                                                \
    "(" column " <= steady(" now ") OR " column " BETWEEN " SQL_MOMENTS " AND due(" now ", "   \
    "1))"

/* Part of a Db: the clocks when they were last compared. */
typedef struct ClockMark {
    const char *boot; /* NULL: never; interned */
    int64_t boot_us, wall_us;
    int64_t ahead_us; /* of the wall clock: the home's own */
    bool owed;        /* not in the store yet */
} ClockMark;
ClockMark *db_clock_mark(Db *db);

/* Parts of txn_begin() and txn_commit(): compare the clocks again, where that was not done for
 * a second or one was set, and write it down with whatever is written. */
bool due_begin(Db *db, GError **error);
bool due_keep(Txn *txn, GError **error);
/* Both in one call, where a clock was set: for whoever looks from time to time. That it can't
 * be written, on a full disk, is only logged. */
void due_look(Db *db);

/* The number that stands for a wait in the tables, and the wait for which a number stands. */
int64_t due_keeps(Db *db, Due due);
Due due_read(Db *db, int64_t kept);
