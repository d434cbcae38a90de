#include "measure.h"
#include <time.h>

int
measure_main(bool (*measure)(Measure *m, GError **error))
{
    g_autoptr(GError) error = NULL;
    Measure m = {0};

    g_print("%-34s %12s %12s %7s %12s\n", "", "floor", "subject", "ratio", "goal");
    (void)measure(&m, &error);
    if (error) {
        g_printerr("bench: %s\n", error->message);
        return 2;
    }
    return m.missed > 0;
}

double
measure_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void
samples_init(Samples *s)
{
    s->v = g_array_new(FALSE, FALSE, sizeof(double));
}

void
samples_clear(Samples *s)
{
    g_clear_pointer(&s->v, g_array_unref);
}

void
samples_add(Samples *s, double x)
{
    g_array_append_val(s->v, x);
}

static int
compare(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double
samples_at(const Samples *s, double share)
{
    if (s->v->len == 0)
        return 0;
    g_autoptr(GArray) sorted = g_array_copy(s->v);
    g_array_sort(sorted, compare);
    return g_array_index(sorted, double, (guint)(share * (sorted->len - 1) + 0.5));
}

static bool
time_slice(
    const Runner *r, void *data, unsigned round, unsigned n, Samples *rates, GError **error)
{
    if (r->ready && !r->ready(data, round, n, error))
        return false;
    double start = measure_now();
    if (!r->run(data, round, n, error))
        return false;
    samples_add(rates, n / (measure_now() - start));
    return true;
}

bool
measure_race(const Runner *floor,
             const Runner *subject,
             void *data,
             unsigned rounds,
             unsigned n,
             double *ret_floor,
             double *ret_subject,
             GError **error)
{
    const Runner *runners[] = {floor, subject};
    g_auto(Samples) a = {0}, b = {0};
    Samples *rates[] = {&a, &b};

    samples_init(&a);
    samples_init(&b);
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned who = (round + i) % 2;
            if (!time_slice(runners[who], data, round, n, rates[who], error))
                return false;
        }
    *ret_floor = samples_at(&a, 0.5);
    *ret_subject = samples_at(&b, 0.5);
    return true;
}

static char *
figure(double x, const char *unit)
{
    int digits = x >= 100 ? 0 : x >= 10 ? 1 : 2;

    return g_strdup_printf("%.*f %s", digits, x, unit);
}

static void
print_line(const char *name,
           double floor,
           double subject,
           const char *unit,
           const char *goal,
           const char *verdict)
{
    g_autofree char *left = floor > 0 ? figure(floor, unit) : g_strdup("-");
    g_autofree char *right = figure(subject, unit);
    g_autofree char *ratio =
        floor > 0 ? g_strdup_printf("%.2f", subject / floor) : g_strdup("-");

    g_print("%-34s %12s %12s %7s %12s  %s\n", name, left, right, ratio, goal, verdict);
}

static void
judge(Measure *m,
      const char *name,
      double floor,
      double subject,
      const char *unit,
      const char *goal,
      bool met)
{
    m->missed += !met;
    print_line(name, floor, subject, unit, goal, met ? "ok" : "short");
}

void
goal_ratio(
    Measure *m, const char *name, double floor, double subject, const char *unit, double least)
{
    g_autofree char *goal = g_strdup_printf(">= %.2f", least);

    judge(m, name, floor, subject, unit, goal, subject >= least * floor);
}

void
goal_ratio_most(
    Measure *m, const char *name, double floor, double subject, const char *unit, double most)
{
    g_autofree char *goal = g_strdup_printf("<= %.2f", most);

    judge(m, name, floor, subject, unit, goal, subject <= most * floor);
}

void
goal_least(
    Measure *m, const char *name, double floor, double subject, const char *unit, double least)
{
    g_autofree char *goal = g_strdup_printf(">= %g %s", least, unit);

    judge(m, name, floor, subject, unit, goal, subject >= least);
}

void
goal_most(
    Measure *m, const char *name, double floor, double subject, const char *unit, double most)
{
    g_autofree char *goal = g_strdup_printf("<= %g %s", most, unit);

    judge(m, name, floor, subject, unit, goal, subject <= most);
}

void
goal_none(const char *name, double floor, double subject, const char *unit)
{
    print_line(name, floor, subject, unit, "-", "");
}

void
goal_skip(const char *name, const char *why)
{
    g_print("%-34s skipped: %s\n", name, why);
}
