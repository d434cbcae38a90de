#pragma once

/*
 * What every bench shares: samples and their medians, a race of a floor against a subject in
 * alternating slices, and one line of output per goal:
 *
 *     name                     floor      subject    ratio   goal       ok
 *
 * Disks and machines drift by a factor of three within minutes, so a figure means something
 * only beside a floor that was measured in the same seconds.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Measure {
    unsigned missed;
} Measure;

/* A whole bench: prints the head of the table, and an error of measure(). Its exit status: 1 when a
 * goal was missed, 2 when it could not run. */
int measure_main(bool (*measure)(Measure *m, GError **error));

/* Seconds, for intervals only. */
double measure_now(void);

/* Numbers of one kind. Copied where they go; nothing fails. */
typedef struct Samples {
    GArray *v; /* of double */
} Samples;
void samples_init(Samples *s);
void samples_clear(Samples *s);
void samples_add(Samples *s, double x);
/* share: 0.5 is the median. 0 without samples. */
double samples_at(const Samples *s, double share);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Samples, samples_clear)

/* One slice of n operations. Only `run` is timed, `ready` goes before it. */
typedef struct Runner {
    bool (*ready)(void *data, unsigned round, unsigned n, GError **error); /* NULL: nothing */
    bool (*run)(void *data, unsigned round, unsigned n, GError **error);
} Runner;
/* Who goes first changes every round. Results are medians of operations per second. */
bool measure_race(const Runner *floor,
                  const Runner *subject,
                  void *data,
                  unsigned rounds,
                  unsigned n,
                  double *ret_floor,
                  double *ret_subject,
                  GError **error);

/* subject / floor must be at least, or at most, so much. */
void goal_ratio(
    Measure *m, const char *name, double floor, double subject, const char *unit, double least);
void goal_ratio_most(
    Measure *m, const char *name, double floor, double subject, const char *unit, double most);
/* subject must be at least or at most so much; floor is printed beside it, 0: there is none. */
void goal_least(
    Measure *m, const char *name, double floor, double subject, const char *unit, double least);
void goal_most(
    Measure *m, const char *name, double floor, double subject, const char *unit, double most);
/* A figure without a goal, and a goal that could not be measured. */
void goal_none(const char *name, double floor, double subject, const char *unit);
void goal_skip(const char *name, const char *why);
