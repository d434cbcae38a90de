#pragma once

/*
 * Time and randomness are passed in, so that a test can hold them still. A zeroed Clock is the
 * real one. All times are microseconds; wall times are since 1970 UTC.
 *
 * Environment for tests, read once by clock_from_env(): POSTRIDER_CLOCK=@SECONDS fixes the wall
 * clock at that second, POSTRIDER_CLOCK=+N shifts it; the clock since boot goes along, unless
 * POSTRIDER_BOOT=ID@SECONDS says which boot this is and how long ago it was.
 * POSTRIDER_PATIENCE=SECONDS is the longest that anybody waits for a server, so that a test
 * with silent servers ends soon.
 */

#define USEC_PER_SEC INT64_C(1000000)
#define USEC_PER_MSEC INT64_C(1000)
#define USEC_NEVER INT64_MAX
/* A wall clock that is set by less than this was not set, only kept. */
#define CLOCK_SLACK_US (2 * USEC_PER_SEC)

typedef struct Clock {
    int64_t fixed_wall_us; /* 0: the real one */
    int64_t shift_us;
    const char *boot; /* NULL: this machine's; interned */
    int64_t boot_us;  /* with boot */
} Clock;

/* When a wait ends. A moment is one of the calendar and stays that ("until Friday"). Anything
 * else is a span, whose end moves with the wall clock when that is set: us is where it lies by
 * the clock of now. store/due.h keeps both. */
typedef struct Due {
    int64_t us; /* wall time; USEC_NEVER */
    bool moment;
} Due;
#define DUE_NEVER ((Due){USEC_NEVER, false})

Clock clock_from_env(void);
int64_t clock_wall_us(const Clock *clock);
/* The name of this boot, and the time since it: CLOCK_BOOTTIME. */
const char *clock_boot(const Clock *clock, int64_t *ret_us);
/* CLOCK_BOOTTIME: intervals and deadlines; counts through suspend, never jumps. */
int64_t clock_mono_us(void);
/* How long to wait for a server: usual_us, or less where POSTRIDER_PATIENCE says so. */
int64_t clock_patience_us(int64_t usual_us);

/* How long to wait before the next try after nth others (0, 1 …) came to nothing: twice as long
 * each time, at most max_us. */
int64_t clock_backoff(int64_t first_us, int64_t max_us, int nth);

/* "2026-11-15T09:30:00Z"; caller frees. */
char *clock_format_iso(int64_t wall_us);
/* Accepts YYYY-MM-DD and the form above, with or without fraction and offset. */
bool clock_parse_iso(const char *text, int64_t *ret_wall_us);
/* "2026-02-09", a day that there is. */
bool clock_date_valid(const char *date);
/* "today" (of this moment, in the zone of this machine), or a date: as a date; NULL: it is
 * none. Caller frees. */
char *clock_date(const char *text, int64_t wall_us);
/* RFC 5322 date in UTC: "Sun, 15 Nov 2026 09:30:00 +0000"; caller frees. */
char *clock_format_mail(int64_t wall_us);
/* "200 ms", "4 s", "12 min", "3 h", "5 d"; up to two of the next unit in the smaller one ("90
 * s"). Caller frees. */
char *clock_format_span(int64_t us);

/* A zeroed Random is getrandom(2); with a seed it is a repeatable stream for tests. */
typedef struct Random {
    uint64_t seed;
} Random;
void random_bytes(Random *random, void *buf, size_t len);
