#pragma once

/*
 * The master's two clocks. One goes by CLOCK_BOOTTIME, which counts through suspend and never
 * jumps: sweeps, backoff, the end of patience. The other goes by the wall clock, for moments
 * that stand in the store; it also wakes us when somebody sets the clock.
 */

typedef struct Alarm {
    int mono_fd, wall_fd;
} Alarm;

/* On failure one of the two may be open: alarm_close() is due in any case. */
bool alarm_open(Alarm *ret, GError **error);
void alarm_close(Alarm *alarm);
/* At that CLOCK_BOOTTIME; a moment that has passed fires at once. */
void alarm_set_mono(const Alarm *alarm, int64_t at_us);
/* In so many microseconds of the wall clock, and when somebody sets the clock. More than a year
 * (USEC_NEVER too) counts as a year: whoever is woken early looks again. */
void alarm_set_wall(const Alarm *alarm, int64_t in_us);
/* Makes the descriptor quiet again. */
void alarm_drain(int fd);
