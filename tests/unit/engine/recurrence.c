/* What the words mean, and when the next time is: the tables, and a walk through two years
 * beside an oracle that knows nothing but minutes. */
#include "engine/in/recurrence.h"
#include "base/err.h"
#include <time.h>

static void
set_zone(const char *zone)
{
    g_setenv("TZ", zone, TRUE);
    tzset();
}

static int64_t
parse_iso(const char *text)
{
    int64_t us;
    g_assert_true(clock_parse_iso(text, &us));
    return us;
}

/* --- words --- */

typedef struct Words {
    const char *text;
    const char *want; /* in one form; NULL: refused */
    const char *want_why;
} Words;

static const Words words[] = {
    {"30m", "30m", NULL},
    {" 2H ", "2h", NULL},
    {"1d", "1d", NULL},
    {"1w", "1w", NULL},
    {"1m", "1m", NULL},
    {"0m", NULL, "from 1m"},
    {"30s", NULL, "is no time"},
    {"-5m", NULL, "is no time"},
    {"9999d", NULL, "from 1m"},
    {"99999999999999999999m", NULL, "is no time"},
    {"m", NULL, "is no time"},
    {"", NULL, "is no time"},
    {"day 07:00", "day 07:00", NULL},
    {"Day  7:05", "day 7:05", NULL},
    {"day 24:00", NULL, "'24:00' is no time of day"},
    {"day 07:60", NULL, "is no time"},
    {"day 07", NULL, "is no time"},
    {"day 07:00:00", NULL, "is no time"},
    {"day", NULL, "is no time"},
    {"weekday 07:00", "weekday 07:00", NULL},
    {"Monday 09:30", "monday 09:30", NULL},
    {"mon 09:30", "monday 09:30", NULL},
    {"mo 09:30", NULL, "is no time"},
    {"month 1 08:00", "month 1 08:00", NULL},
    {"month 31 08:00", "month 31 08:00", NULL},
    {"month 32 08:00", NULL, "'32' is no day of a month"},
    {"month 0 08:00", NULL, "no day of a month"},
    {"0 7 * * 1-5", "0 7 * * 1-5", NULL},
    {"*/15   9-17 1,15 jan-mar mon,wed", "*/15 9-17 1,15 jan-mar mon,wed", NULL},
    {"0 0 * * 7", "0 0 * * 7", NULL},
    {"60 7 * * *", NULL, "no minute"},
    {"0 24 * * *", NULL, "no hour"},
    {"0 7 0 * *", NULL, "no day"},
    {"0 7 * 13 *", NULL, "no month"},
    {"0 7 * * 8", NULL, "no weekday"},
    {"0 7 * * 5-1", NULL, "no weekday"},
    {"0 7 * * 1-", NULL, "no weekday"},
    {"*/0 * * * *", NULL, "no minute"},
    {", * * * *", NULL, "no minute"},
    {"0 0 30 2 *", NULL, "never comes"},
    {"0 0 29 2 *", "0 0 29 2 *", NULL},
    {"* * * * * *", NULL, "is no time"},
};

static void
test_words(void)
{
    set_zone("UTC");
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const Words *w = &words[i];
        g_autoptr(GError) error = NULL;
        g_autofree char *form = NULL;
        Recurrence when;
        g_test_message("'%s'", w->text);
        bool ok = recurrence_parse(w->text, &when, &form, &error);
        g_assert_cmpstr(ok ? form : NULL, ==, w->want);
        if (ok)
            continue;
        g_assert_true(err_is(error, ERR_NEVER));
        g_assert_nonnull(strstr(error->message, w->want_why));
    }
}

/* Where the time ends and the task begins, in what a person typed. */
static void
test_how_many(void)
{
    static const struct {
        const char *words;
        unsigned want;
    } typed[] = {
        {"day 07:00 look at it", 2},    {"weekday 07:00 look", 2}, {"monday 09:30 look", 2}, {"0 7 * * 1 look", 5},
        {"*/5 * * * * look", 5},        {"5 minutes look", 2},     {"5m look", 1},           {"* * * * * look", 5},
        {"nonsense look at it", 1},     {"0 7", 2},                {"-1 7 * * * look", 1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(typed); i++) {
        g_auto(GStrv) split = g_strsplit(typed[i].words, " ", -1);
        g_test_message("%s", typed[i].words);
        g_assert_cmpuint(recurrence_words(split), ==, typed[i].want);
    }
}

/* --- times --- */

typedef struct Times {
    const char *name, *zone, *spec;
    const char *after;
    const char *want[4]; /* one after the other; NULL: enough */
} Times;

static const Times times[] = {
    {"a day",
     "UTC",
     "day 07:00",
     "2026-01-01T07:00:00Z",
     {"2026-01-02T07:00:00Z", "2026-01-03T07:00:00Z", NULL}},
    {"a second before",
     "UTC",
     "day 07:00",
     "2026-01-01T06:59:59Z",
     {"2026-01-01T07:00:00Z", NULL}},
    {"weekdays pass over the weekend",
     "UTC",
     "weekday 07:00",
     "2026-01-02T07:00:00Z",
     {"2026-01-05T07:00:00Z", "2026-01-06T07:00:00Z", NULL}},
    {"a weekday by name",
     "Europe/Berlin",
     "monday 09:30",
     "2026-11-15T12:00:00Z",
     {"2026-11-16T08:30:00Z", "2026-11-23T08:30:00Z", NULL}},
    {"the first of the month",
     "UTC",
     "month 1 08:00",
     "2026-12-15T00:00:00Z",
     {"2027-01-01T08:00:00Z", "2027-02-01T08:00:00Z", NULL}},
    {"the 31st is the last day of a shorter month",
     "UTC",
     "month 31 08:00",
     "2027-12-31T08:00:00Z",
     {"2028-01-31T08:00:00Z", "2028-02-29T08:00:00Z", "2028-03-31T08:00:00Z",
      "2028-04-30T08:00:00Z"}},
    {"the 30th in February",
     "UTC",
     "month 30 08:00",
     "2026-01-30T08:00:00Z",
     {"2026-02-28T08:00:00Z", "2026-03-30T08:00:00Z", "2026-04-30T08:00:00Z",
      "2026-05-30T08:00:00Z"}},
    {"cron's 31st comes in long months alone",
     "UTC",
     "0 8 31 * *",
     "2026-01-31T08:00:00Z",
     {"2026-03-31T08:00:00Z", "2026-05-31T08:00:00Z", NULL}},
    {"a leap day",
     "UTC",
     "0 0 29 2 *",
     "2026-03-01T00:00:00Z",
     {"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", NULL}},
    {"a leap day over the year 2100",
     "UTC",
     "0 0 29 2 *",
     "2096-03-01T00:00:00Z",
     {"2104-02-29T00:00:00Z", NULL}},
    {"cron: day or weekday",
     "UTC",
     "0 0 13 * fri",
     "2026-02-06T00:00:00Z",
     {"2026-02-13T00:00:00Z", "2026-02-20T00:00:00Z", "2026-02-27T00:00:00Z",
      "2026-03-06T00:00:00Z"}},
    {"cron: steps, ranges, lists",
     "UTC",
     "5/20 9-10,14 * * *",
     "2026-01-01T09:25:00Z",
     {"2026-01-01T09:45:00Z", "2026-01-01T10:05:00Z", "2026-01-01T10:25:00Z",
      "2026-01-01T10:45:00Z"}},
    {"cron: 7 is Sunday",
     "UTC",
     "0 0 * * 7",
     "2026-11-15T00:00:00Z",
     {"2026-11-22T00:00:00Z", NULL}},
    {"jumped over: due at the jump",
     "Europe/Berlin",
     "day 02:30",
     "2026-03-28T01:30:00Z",
     {"2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", NULL}},
    {"jumped over, several: one",
     "Europe/Berlin",
     "*/20 2 * * *",
     "2026-03-28T01:40:00Z",
     {"2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z", NULL}},
    {"every hour over the jump",
     "Europe/Berlin",
     "0 * * * *",
     "2026-03-29T00:00:00Z",
     {"2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z", NULL}},
    {"every hour in the middle of the jump",
     "Europe/Berlin",
     "15 * * * *",
     "2026-03-29T00:15:00Z",
     {"2026-03-29T01:15:00Z", "2026-03-29T02:15:00Z", NULL}},
    {"every hour where the jump is shorter than one",
     "Australia/Lord_Howe",
     "15 * * * *",
     "2026-10-03T14:45:00Z",
     {"2026-10-03T15:30:00Z", "2026-10-03T16:15:00Z", NULL}},
    {"shown twice: the first time",
     "Europe/Berlin",
     "day 02:30",
     "2026-10-24T00:30:00Z",
     {"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", NULL}},
    {"shown twice, asked in between",
     "Europe/Berlin",
     "day 02:30",
     "2026-10-25T00:45:00Z",
     {"2026-10-26T01:30:00Z", NULL}},
    {"every hour goes through the repeated one",
     "Europe/Berlin",
     "0 * * * *",
     "2026-10-24T23:00:00Z",
     {"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", NULL}},
    {"after the change the wall clock counts",
     "Europe/Berlin",
     "day 07:00",
     "2026-10-24T05:00:00Z",
     {"2026-10-25T06:00:00Z", "2026-10-26T06:00:00Z", NULL}},
    {"half an hour of summer time",
     "Australia/Lord_Howe",
     "day 02:15",
     "2026-10-02T15:45:00Z",
     {"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z", NULL}},
    {"midnight that there is not",
     "America/Asuncion",
     "day 00:00",
     "2022-10-01T04:00:00Z",
     {"2022-10-02T04:00:00Z", "2022-10-03T03:00:00Z", NULL}},
    {"a whole day that there was not",
     "Pacific/Apia",
     "day 12:00",
     "2011-12-29T22:00:00Z",
     {"2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z", NULL}},
    {"far west, far east",
     "Pacific/Kiritimati",
     "day 00:01",
     "2026-01-01T10:00:00Z",
     {"2026-01-01T10:01:00Z", NULL}},
    {"elapsed time knows no summer",
     "Europe/Berlin",
     "1d",
     "2026-03-28T12:00:00Z",
     {"2026-03-29T12:00:00Z", "2026-03-30T12:00:00Z", NULL}},
};

static void
test_times(gconstpointer data)
{
    const Times *t = data;
    Recurrence when;
    set_zone(t->zone);
    g_assert_true(recurrence_parse(t->spec, &when, NULL, NULL));
    int64_t anchor = parse_iso(t->after), at = anchor;
    for (size_t i = 0; i < G_N_ELEMENTS(t->want) && t->want[i]; i++) {
        at = recurrence_next(&when, anchor, at);
        g_autofree char *got = clock_format_iso(at);
        g_assert_cmpstr(got, ==, t->want[i]);
        g_assert_cmpint(recurrence_last(&when, anchor, at), ==, at);
        g_assert_cmpint(recurrence_last(&when, anchor, at + 59 * USEC_PER_SEC), ==, at);
    }
}

static void
test_intervals(void)
{
    int64_t anchor = parse_iso("2026-01-01T00:00:07Z");
    int64_t minute = 60 * USEC_PER_SEC;
    Recurrence when;
    g_assert_true(recurrence_parse("30m", &when, NULL, NULL));
    g_assert_cmpint(recurrence_next(&when, anchor, anchor), ==, anchor + 30 * minute);
    g_assert_cmpint(recurrence_next(&when, anchor, anchor - minute), ==, anchor + 30 * minute);
    g_assert_cmpint(recurrence_next(&when, anchor, anchor + 30 * minute), ==,
                    anchor + 60 * minute);
    g_assert_cmpint(recurrence_next(&when, anchor, anchor + 1000 * minute), ==,
                    anchor + 1020 * minute);
    g_assert_cmpint(recurrence_last(&when, anchor, anchor + 29 * minute), ==, USEC_NEVER);
    g_assert_cmpint(recurrence_last(&when, anchor, anchor + 1000 * minute), ==,
                    anchor + 990 * minute);
}

static void
test_before_it_was_set_up(void)
{
    int64_t anchor = parse_iso("2026-01-01T08:00:00Z");
    Recurrence when;
    set_zone("UTC");
    g_assert_true(recurrence_parse("day 07:00", &when, NULL, NULL));
    g_assert_cmpint(recurrence_last(&when, anchor, anchor + 1), ==, USEC_NEVER);
}

/* --- the oracle: every minute of two years, as the wall clock shows it --- */

/* Does cron's line 'minute hour' match what the clock shows at t? Written from the rule in the
 * header: minutes are walked in real time, a wall time that was seen already does not count
 * unless every hour is meant, and what a jump passes over counts at the jump, unless every hour
 * is meant. */
typedef struct Walk {
    int minute, hour; /* -1: any */
    int64_t seen;     /* the highest wall minute so far */
} Walk;

static bool
matches(const Walk *w, int64_t wall_minute)
{
    return (w->minute < 0 || wall_minute % 60 == w->minute) &&
           (w->hour < 0 || wall_minute / 60 % 24 == w->hour);
}

static bool
is_due(Walk *w, int64_t t)
{
    time_t at = (time_t)t;
    struct tm tm = {0};
    (void)localtime_r(&at, &tm);
    int64_t wall = (t + tm.tm_gmtoff) / 60;
    bool due = false;
    if (wall <= w->seen)
        return w->hour < 0 && matches(w, wall);
    for (int64_t m = w->hour < 0 ? wall : w->seen + 1; m <= wall && !due; m++)
        due = matches(w, m);
    w->seen = wall;
    return due;
}

typedef struct Year {
    const char *zone;
    int minute, hour;
} Year;

static const Year years[] = {
    {"Europe/Berlin", 30, 2},    {"Europe/Berlin", 0, 3},        {"Europe/Berlin", 15, -1},
    {"America/New_York", 59, 1}, {"Australia/Lord_Howe", 10, 2}, {"America/Asuncion", 30, 0},
    {"Asia/Kathmandu", 0, 0},    {"Pacific/Apia", 0, 12},        {"America/Sao_Paulo", 30, 23},
};

static void
test_years(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(years); i++) {
        const Year *y = &years[i];
        int64_t begin = parse_iso("2026-01-01T00:00:00Z") / USEC_PER_SEC;
        g_autofree char *hour = y->hour < 0 ? g_strdup("*") : g_strdup_printf("%d", y->hour);
        g_autofree char *spec = g_strdup_printf("%d %s * * *", y->minute, hour);
        Walk walk = {.minute = y->minute, .hour = y->hour};
        unsigned n = 0;
        Recurrence when;
        set_zone(y->zone);
        g_test_message("%s %s", y->zone, spec);
        g_assert_true(recurrence_parse(spec, &when, NULL, NULL));
        time_t first = (time_t)(begin - 60);
        struct tm tm = {0};
        (void)localtime_r(&first, &tm);
        walk.seen = (begin - 60 + tm.tm_gmtoff) / 60;
        int64_t next = recurrence_next(&when, 0, (begin - 1) * USEC_PER_SEC) / USEC_PER_SEC;
        for (int64_t t = begin; t < begin + INT64_C(400) * 86400; t += 60) {
            bool due = is_due(&walk, t);
            g_assert_cmpint(due, ==, next == t);
            if (due)
                next = recurrence_next(&when, 0, t * USEC_PER_SEC) / USEC_PER_SEC;
            n += due;
        }
        g_assert_cmpuint(n, ==, y->hour < 0 ? 400 * 24 : 400);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/when/words", test_words);
    g_test_add_func("/when/how many words", test_how_many);
    g_test_add_func("/when/intervals", test_intervals);
    g_test_add_func("/when/before it was set up", test_before_it_was_set_up);
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        g_autofree char *path = g_strdup_printf("/when/times/%s", times[i].name);
        g_test_add_data_func(path, &times[i], test_times);
    }
    g_test_add_func("/when/every minute of a year beside the oracle", test_years);
    return g_test_run();
}
