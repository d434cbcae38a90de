#pragma once

/*
 * When something is to happen again and again, by elapsed time or by the clock on the wall, in
 * the time zone of the process (TZ, else the machine's):
 *
 *   30m 2h 1d 1w    so much time after the last one, counted from when it was set up
 *
 *   day 07:00
 *
 *   weekday 07:00
 *
 *   monday 09:30
 *
 *   month 1 08:00   the 31st of a shorter month is its last day
 *
 *   0 7 * * 1-5     minute, hour, day, month, weekday, as cron reads them: lists, ranges,
 *                   steps, names; a day and a weekday together mean either of them
 *
 * When clocks change, no occurrence is lost and none comes twice. A time that the wall clock
 * jumps over is due at the jump: 02:30 comes at 03:00 on that day, and several that were jumped
 * over come as one. A time that the wall clock shows twice is due the first time alone. What is
 * due at every hour of the day goes by real hours: a jump by whole hours adds nothing to it,
 * and the repeated hour counts.
 *
 * Plain data; nothing here does I/O but read the time zone.
 */
#include "base/clock.h"

#define WHEN_MIN_US (60 * USEC_PER_SEC)

typedef struct Recurrence {
    int64_t interval_us; /* 0: by the calendar, below */
    uint64_t minutes;    /* bits 0 to 59 */
    uint32_t hours;      /* bits 0 to 23 */
    uint32_t days;       /* bits 1 to 31 */
    uint16_t months;     /* bits 1 to 12 */
    uint8_t weekdays;    /* bits 0 (Sunday) to 6 */
    bool either;         /* both day and weekday are named: one is enough */
    bool month_end;      /* a day that the month has not is its last one */
} Recurrence;

/* ret_text: the same in one form, for people and for parsing again; caller frees, may be NULL.
 * ERR_NEVER says what is wrong; so is what can never come, as the 30th of February. */
bool recurrence_parse(const char *text, Recurrence *ret, char **ret_text, GError **error);
/* How many of these words, of which there is one at least, are the time that they begin with:
 * as many as it has if it is right, so that an error names no word behind it. */
unsigned recurrence_words(char **words);
/* The first occurrence after a moment. anchor_us: when it was set up. */
int64_t recurrence_next(const Recurrence *when, int64_t anchor_us, int64_t after_us);
/* The last occurrence at or before a moment; USEC_NEVER: there was none since the anchor. */
int64_t recurrence_last(const Recurrence *when, int64_t anchor_us, int64_t at_us);
