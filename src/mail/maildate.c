#include "mail/maildate.h"

#include "base/banned.h"
#include "base/clock.h"
#include <glib.h>
#include <time.h>

#define YEAR_MIN 1970
#define YEAR_MAX 2200

/* Steps over comments and over characters of the set. */
static const char *
skip(const char *p, const char *set)
{
    unsigned depth = 0;

    for (; *p; p++) {
        if (*p == '(')
            depth++;
        else if (*p == ')' && depth > 0)
            depth--;
        else if (depth == 0 && !strchr(set, *p))
            break;
    }
    return p;
}

/* At most max digits; -1 when there is none. */
static int
number(const char **p, int max)
{
    int n = 0, digits = 0;

    while (g_ascii_isdigit(**p) && digits < max) {
        n = n * 10 + (**p - '0');
        digits++;
        ++*p;
    }
    return digits > 0 && !g_ascii_isdigit(**p) ? n : -1;
}

static int
month(const char **p)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

    for (int m = 0; m < 12; m++) {
        if (g_ascii_strncasecmp(*p, names + m * 3, 3) != 0)
            continue;
        while (g_ascii_isalpha(**p))
            ++*p;
        return m + 1;
    }
    return -1;
}

static int
year(const char **p)
{
    const char *start = *p;
    int y = number(p, 4);

    if (*p - start == 2 && y >= 0)
        return y < 50 ? 2000 + y : 1900 + y; /* RFC 5322 4.3 */
    return y;
}

/* HH:MM[:SS]; false when out of range. */
static bool
clock_time(const char **p, struct tm *tm)
{
    tm->tm_hour = number(p, 2);
    if (tm->tm_hour < 0 || tm->tm_hour > 23 || **p != ':')
        return false;
    ++*p;
    tm->tm_min = number(p, 2);
    if (tm->tm_min < 0 || tm->tm_min > 59)
        return false;
    tm->tm_sec = 0;
    if (**p == ':') {
        ++*p;
        tm->tm_sec = number(p, 2);
    }
    return tm->tm_sec >= 0 && tm->tm_sec <= 60;
}

/* Minutes east of Greenwich. Unknown names are UTC, as RFC 5322 4.3 has it. */
static bool
zone(const char *p, int *ret)
{
    static const struct {
        const char *name;
        int minutes;
    } zones[] = {{"EDT", -240}, {"EST", -300}, {"CDT", -300}, {"CST", -360},
                 {"MDT", -360}, {"MST", -420}, {"PDT", -420}, {"PST", -480}};

    *ret = 0;
    if (*p == '+' || *p == '-') {
        int sign = *p++ == '-' ? -1 : 1;
        int n = number(&p, 4);
        *ret = sign * (n / 100 * 60 + n % 100);
        return n >= 0 && n / 100 <= 14 && n % 100 < 60;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(zones); i++)
        if (g_ascii_strncasecmp(p, zones[i].name, 3) == 0)
            *ret = zones[i].minutes;
    return true;
}

bool
maildate_parse(const char *text, int64_t *ret_wall_us)
{
    static const char between[] = " \t,-"; /* "15-Nov-2026" too */
    struct tm tm = {0};
    const char *p = skip(text, between);
    int minutes;

    while (g_ascii_isalpha(*p)) /* the day of the week is not needed */
        p++;
    p = skip(p, between);
    tm.tm_mday = number(&p, 2);
    p = skip(p, between);
    int m = month(&p);
    p = skip(p, between);
    int y = year(&p);
    if (m < 0 || y < YEAR_MIN || y > YEAR_MAX || tm.tm_mday < 1 ||
        !g_date_valid_dmy((GDateDay)tm.tm_mday, (GDateMonth)m, (GDateYear)y))
        return false;
    tm.tm_mon = m - 1;
    tm.tm_year = y - 1900;
    p = skip(p, between);
    if (!clock_time(&p, &tm) || !zone(skip(p, " \t"), &minutes))
        return false;
    int64_t wall_us = ((int64_t)timegm(&tm) - minutes * 60) * USEC_PER_SEC;
    if (wall_us <= 0)
        return false;
    *ret_wall_us = wall_us;
    return true;
}
