#include "brain/limit.h"
#include "base/banned.h"
#include "base/clock.h"
#include "base/json.h"
#include <glib.h>
#include <string.h>

#define LEAST_US (60 * USEC_PER_SEC)
#define FURTHEST_US (31 * 86400 * USEC_PER_SEC)
#define DAY_US (86400 * USEC_PER_SEC)
#define SECONDS_MAX INT64_C(253402300799) /* the last one of the year 9999 */

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
take_span(const char **p)
{
    int64_t total = 0;

    for (;;) {
        int n = take_number(p, 100000);
        (void)take(p, " ");
        int64_t unit = n < 0 ? 0 : take_unit(p);
        if (unit == 0)
            return total;
        total += n * unit;
        (void)take(p, ",");
        (void)take(p, " ");
        (void)take(p, "and ");
    }
}

/* --- a time of day: "3am", "3:30 pm", "15:00", "nov 20, 3pm", "nov 17th, 2026 7:20 am" --- */

typedef struct When {
    int year;       /* 0: the next one that fits */
    int month, day; /* 0: today or tomorrow */
    int hour, minute;
} When;

/* 0: there is none. */
static int
take_year(const char **p)
{
    const char *at = *p;
    int year = take_number(&at, 9999);

    if (year < 2000 || !take(&at, " "))
        return 0;
    *p = at;
    return year;
}

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
        (void)(take(&at, "st") || take(&at, "nd") || take(&at, "rd") || take(&at, "th"));
        at += strspn(at, ", ");
        *w = (When){.year = take_year(&at), .month = i + 1, .day = day};
        (void)take(&at, "at ");
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
    int year = w->year ? w->year : g_date_time_get_year(now);
    int month = w->month ? w->month : g_date_time_get_month(now);
    int day = w->month ? w->day : g_date_time_get_day_of_month(now);
    g_autoptr(GDateTime) at = g_date_time_new(zone, year, month, day, w->hour, w->minute, 0);

    if (at && !w->year && g_date_time_compare(at, now) <= 0) {
        GDateTime *later =
            w->month ? g_date_time_add_years(at, 1) : g_date_time_add_days(at, 1);
        g_date_time_unref(at);
        at = later;
    }
    return at ? g_date_time_to_unix(at) * USEC_PER_SEC : 0;
}

/* --- a line that says so, from its first to its last word --- */

/* Behind "limit", where the line begins as the programs begin it; NULL: it does not. *ret_core:
 * at "limit". */
static const char *
skip_opening(const char *p, const char **ret_core)
{
    (void)take(&p, "error: ");
    bool yours = take(&p, "you've hit your ") || take(&p, "you’ve hit your ");

    for (int words = 0; words < 4; words++) {
        *ret_core = p;
        if (take(&p, yours ? "limit" : "limit reached"))
            return p;
        p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (!take(&p, " "))
            break;
    }
    return NULL;
}

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

/* Nothing stands behind the time, but its zone in brackets and a full stop. */
static bool
is_end(const char *p)
{
    (void)take(&p, " ");
    const char *close = *p == '(' ? strchr(p, ')') : NULL;
    p = close ? close + 1 : p;
    (void)take(&p, ".");
    return *p == '\0';
}

/* Seconds since 1970; 0: none. */
static int64_t
take_seconds(const char **p)
{
    char *end;
    gint64 s = g_ascii_strtoll(*p, &end, 10);

    *p = end;
    return s > 0 && s <= SECONDS_MAX ? s * USEC_PER_SEC : 0;
}

/* .us 0: the line says nothing of a limit, or not when it ends. *ret_core: where in the line. */
static Due
read_words(const char *line, const char *zone_name, int64_t now_us, const char **ret_core)
{
    g_autofree char *small = g_ascii_strdown(line, -1);
    const char *core, *p = skip_opening(small, &core);
    bool span = false;
    int64_t at = 0;
    When w = {0};

    if (!p)
        return (Due){0};
    *ret_core = line + (core - small);
    if (take(&p, "|")) {
        at = take_seconds(&p);
    } else if (!(p = find_words(p, &span))) {
        return (Due){0};
    } else if (span) {
        int64_t us = take_span(&p);
        at = us > 0 ? now_us + us : 0;
    } else {
        take_date(&p, &w);
        g_autoptr(GTimeZone) zone =
            take_clock(&p, &w) ? find_zone(line + (p - small), zone_name) : NULL;
        at = zone ? next_time(&w, zone, now_us) : 0;
    }
    return (Due){is_end(p) ? at : 0, !span};
}

/* --- the places where it stands --- */

/* The event that says that a request was rejected; 0: this is not it. */
static int64_t
read_event(const char *line)
{
    g_autoptr(json_t) root = NULL;
    const char *type, *status;
    int64_t at;

    if (!strstr(line, "rate_limit_event") || !json_parse(line, strlen(line), 0, &root, NULL))
        return 0;
    const json_t *info = json_object_get(root, "rate_limit_info");
    bool rejected = json_get_string(root, "", "type", &type, NULL) &&
                    g_str_equal(type, "rate_limit_event") &&
                    json_get_string(info, "", "status", &status, NULL) &&
                    g_str_equal(status, "rejected") &&
                    json_get_int(info, "", "resetsAt", 1, SECONDS_MAX, &at, NULL);
    return rejected ? at * USEC_PER_SEC : 0;
}

static char *
squeeze(const char *text)
{
    GString *s = g_string_new(NULL);

    for (const char *p = text; *p; p++) {
        if (g_ascii_isalnum(*p))
            g_string_append_c(s, g_ascii_tolower(*p));
    }
    return g_string_free(s, FALSE);
}

/* Does it stand in what the program was given, whatever is put around it, however it is broken
 * into lines and quoted? */
static bool
is_echo(const char *core, const char *prompt)
{
    g_autofree char *said = squeeze(core), *given = squeeze(prompt);

    return strstr(given, said) != NULL;
}

/* What is left of the text, by lines without blanks around them. */
static GPtrArray *
split(const char *text)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);

    for (char **line = all; *line; line++) {
        if (*g_strstrip(*line))
            g_ptr_array_add(lines, g_strdup(*line));
    }
    return lines;
}

/* A line of a stream that is nothing but JSON. */
static const char *
find_event(const GPtrArray *lines, Due *ret)
{
    const char *found = NULL;

    for (guint i = 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i);
        if (*line != '{')
            return NULL;
        int64_t at = read_event(line);
        if (at > 0) {
            found = line;
            *ret = (Due){at, true};
        }
    }
    return found;
}

char *
limit_find(const LimitText *t, int64_t now_us, Due *ret)
{
    g_autoptr(GPtrArray) log = split(t->log), out = split(t->out);
    const char *core = NULL, *line = log->len ? g_ptr_array_index(log, log->len - 1) : "";
    Due at = read_words(line, t->zone, now_us, &core);

    if (at.us == 0 && out->len == 1) {
        line = g_ptr_array_index(out, 0);
        at = read_words(line, t->zone, now_us, &core);
    }
    if (at.us == 0)
        line = core = find_event(out, &at);
    if (at.us == 0 || is_echo(core, t->prompt))
        return NULL;
    *ret = (Due){CLAMP(at.us, now_us + LEAST_US, now_us + FURTHEST_US), at.moment};
    return g_strdup(line);
}
