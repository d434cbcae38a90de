#include "brain/limit.h"
#include "base/banned.h"
#include "base/clock.h"
#include <glib.h>
#include <string.h>

#define LEAST_US (60 * USEC_PER_SEC)
#define FURTHEST_US (31 * 86400 * USEC_PER_SEC)
#define DAY_US (86400 * USEC_PER_SEC)

/* A number at *p, which moves behind it; -1: there is none. */
static int
take_number(const char **p, int max)
{
    int n = -1;

    while (g_ascii_isdigit(**p) && n <= max) {
        n = MAX(n, 0) * 10 + (**p - '0');
        (*p)++;
    }
    return n > max ? -1 : n;
}

static bool
take(const char **p, const char *word)
{
    if (!g_str_has_prefix(*p, word))
        return false;
    *p += strlen(word);
    return true;
}

/* --- a span: "2 hours 5 minutes", "3h 20m" --- */

static int64_t
take_unit(const char **p)
{
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {
        {"days", DAY_US},
        {"day", DAY_US},
        {"d", DAY_US},
        {"hours", 3600 * USEC_PER_SEC},
        {"hour", 3600 * USEC_PER_SEC},
        {"h", 3600 * USEC_PER_SEC},
        {"minutes", 60 * USEC_PER_SEC},
        {"minute", 60 * USEC_PER_SEC},
        {"min", 60 * USEC_PER_SEC},
        {"m", 60 * USEC_PER_SEC},
        {"seconds", USEC_PER_SEC},
        {"second", USEC_PER_SEC},
        {"s", USEC_PER_SEC},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (take(p, units[i].name))
            return units[i].us;
    }
    return 0;
}

static int64_t
parse_span(const char *p)
{
    int64_t total = 0;

    for (;;) {
        int n = take_number(&p, 100000);
        (void)take(&p, " ");
        int64_t unit = n < 0 ? 0 : take_unit(&p);
        if (unit == 0)
            return total;
        total += n * unit;
        (void)take(&p, ",");
        (void)take(&p, " ");
        (void)take(&p, "and ");
    }
}

/* --- a time of day: "3am", "3:30 pm", "15:00", "nov 20, 3pm" --- */

typedef struct When {
    int month, day; /* 0: today or tomorrow */
    int hour, minute;
} When;

static void
take_date(const char **p, When *w)
{
    static const char months[12][4] = {"jan", "feb", "mar", "apr", "may", "jun",
                                       "jul", "aug", "sep", "oct", "nov", "dec"};
    const char *at = *p;

    for (int i = 0; i < 12; i++) {
        if (!take(&at, months[i]))
            continue;
        while (g_ascii_isalpha(*at) || *at == ' ')
            at++;
        int day = take_number(&at, 31);
        if (day < 1)
            return;
        while (*at == ',' || *at == ' ')
            at++;
        (void)take(&at, "at ");
        *w = (When){.month = i + 1, .day = day};
        *p = at;
        return;
    }
}

static bool
take_clock(const char **p, When *w)
{
    bool half = false;

    w->hour = take_number(p, 23);
    if (w->hour < 0)
        return false;
    if (take(p, ":")) {
        w->minute = take_number(p, 59);
        half = true;
    }
    (void)take(p, " ");
    bool am = take(p, "am"), pm = !am && take(p, "pm");
    if (w->minute < 0 || (!am && !pm && !half) || ((am || pm) && (w->hour < 1 || w->hour > 12)))
        return false;
    if (am || pm)
        w->hour = w->hour % 12 + (pm ? 12 : 0);
    return true;
}

/* What stands in brackets, "(Europe/Berlin)": text is as it came, since names of zones are not
 * small. Else the fallback, else this machine's. */
static GTimeZone *
find_zone(const char *text, const char *fallback)
{
    const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
    g_autofree char *name =
        close ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strdup(fallback);
    GTimeZone *zone = name ? g_time_zone_new_identifier(name) : NULL;

    return zone ? zone : g_time_zone_new_local();
}

static int64_t
next_time(const When *w, GTimeZone *zone, int64_t now_us)
{
    g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(now_us / USEC_PER_SEC);
    g_autoptr(GDateTime) now = g_date_time_to_timezone(utc, zone);
    int year = g_date_time_get_year(now);
    int month = w->month ? w->month : g_date_time_get_month(now);
    int day = w->month ? w->day : g_date_time_get_day_of_month(now);
    g_autoptr(GDateTime) at = g_date_time_new(zone, year, month, day, w->hour, w->minute, 0);

    if (at && g_date_time_compare(at, now) <= 0) {
        GDateTime *later =
            w->month ? g_date_time_add_years(at, 1) : g_date_time_add_days(at, 1);
        g_date_time_unref(at);
        at = later;
    }
    return at ? g_date_time_to_unix(at) * USEC_PER_SEC : 0;
}

/* --- the places where it stands --- */

/* Words that lead to a time; *ret_span: to a span. NULL: none. */
static const char *
find_words(const char *small, bool *ret_span)
{
    static const struct {
        const char *lead;
        bool span;
    } leads[] = {{"resets in ", true},
                 {"try again in ", true},
                 {"resets at ", false},
                 {"try again at ", false},
                 {"resets ", false}};

    for (size_t i = 0; i < G_N_ELEMENTS(leads); i++) {
        const char *found = strstr(small, leads[i].lead);
        if (found) {
            *ret_span = leads[i].span;
            return found + strlen(leads[i].lead);
        }
    }
    return NULL;
}

static int64_t
in_words(const char *text, const char *zone_name, int64_t now_us)
{
    g_autofree char *small = g_ascii_strdown(text, -1);
    bool span = false;
    const char *p = strstr(small, "limit") ? find_words(small, &span) : NULL;
    When w = {0};

    if (!p)
        return 0;
    if (span) {
        int64_t us = parse_span(p);
        return us > 0 ? now_us + us : 0;
    }
    take_date(&p, &w);
    if (!take_clock(&p, &w))
        return 0;
    g_autoptr(GTimeZone) zone = find_zone(text + (p - small), zone_name);
    return next_time(&w, zone, now_us);
}

static int64_t
seconds_at(const char *p)
{
    char *end;
    gint64 s = g_ascii_strtoll(p, &end, 10);

    return end > p && s > 0 && s < INT64_MAX / USEC_PER_SEC ? s * USEC_PER_SEC : 0;
}

/* Seconds since 1970 behind a bar, or in the event that says that a request was rejected. */
static int64_t
in_numbers(const char *text)
{
    static const char bar[] = "limit reached|", resets[] = "\"resetsAt\"";
    const char *found = strstr(text, bar);

    if (found)
        return seconds_at(found + strlen(bar));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        const char *at = strstr(*line, resets);
        if (at && strstr(*line, "rate_limit_event") && strstr(*line, "\"rejected\"")) {
            at += strlen(resets);
            return seconds_at(at + strspn(at, ": \t"));
        }
    }
    return 0;
}

bool
limit_find(const char *text, const char *zone, int64_t now_us, int64_t *ret_us)
{
    int64_t at = in_numbers(text);

    if (at == 0)
        at = in_words(text, zone, now_us);
    if (at == 0)
        return false;
    *ret_us = CLAMP(at, now_us + LEAST_US, now_us + FURTHEST_US);
    return true;
}
