/*
 * How long the program takes to start and end, when it needs no mail library: `help`, and
 * `status`, which opens the store beside a running `serve`. /bin/true is what a start costs at
 * least.
 */
#include "measure.h"
#include "place.h"

#define STARTS 200u
#define SETTLE_US 1000000

static bool
time_start(const Place *place, const char *const *argv, Samples *times, GError **error)
{
    double start = measure_now();

    if (!place_run(place, argv, error))
        return false;
    samples_add(times, (measure_now() - start) * 1e3);
    return true;
}

static bool
measure_verb(Measure *m, const Place *place, const char *verb, const char *name, GError **error)
{
    const char *bare[] = {"/bin/true", NULL}, *ours[] = {place->program, verb, NULL};
    g_auto(Samples) floor, subject;

    samples_init(&floor);
    samples_init(&subject);
    for (unsigned i = 0; i < STARTS; i++)
        if (!time_start(place, bare, &floor, error) ||
            !time_start(place, ours, &subject, error))
            return false;
    goal_most(m, name, samples_at(&floor, 0.5), samples_at(&subject, 0.5), "ms", 3);
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    pid_t serve;

    if (!place_open(&place, NULL, error))
        return false;
    const char *argv[] = {place.program, "serve", NULL};
    if (!place_start(&place, argv, &serve, error))
        return false;
    g_usleep(SETTLE_US);
    bool ok = measure_verb(m, &place, "help", "'postrider help'", error) &&
              measure_verb(m, &place, "status", "'postrider status'", error);
    place_stop(serve);
    return ok;
}

int
main(void)
{
    return measure_main(measure);
}
