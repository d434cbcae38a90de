/*
 * libc reads the usual form of RFC 5322, GLib ISO dates, and GMime all the others: older relatives, ctime. GMime
 * takes what it can't read for nought, though, and makes a date of it: "+01:00" and "-9999" are
 * its UTC, year 0000 is its 2000, a time with dots is its midnight. So the zone is read here
 * before, and the year and the time must really stand there.
 */
#include "mail/maildate.h"
#include "mail/mime/gmime_late.h"
#include <stdlib.h>
#include <time.h>

#define YEAR_MAX 2200
#define ZONE_MAX (15 * 3600)

/* A copy whose zone is a word of four digits, which starts at sign; NULL when that is no
 * zone. */
static char *
tidy_zone(const char *text, const char *sign)
{
    const char *minutes = sign + 1 + strspn(sign + 1, "0123456789:") - 2;
    size_t len = (size_t)(minutes + 2 - sign);

    if (!(len == 5 || (len == 6 && sign[3] == ':')) || sign[1] > '1' || sign[2] == ':' ||
        (sign[1] == '1' && sign[2] > '4') || minutes[0] > '5' || minutes[1] == ':')
        return NULL;
    return g_strdup_printf("%.*s %.3s%s", (int)(sign - text), text, sign, minutes);
}

/* True when the year stands in the text, with four digits or with two. */
static bool
has_year(const char *text, uint64_t year)
{
    size_t n;

    for (const char *p = text; *(p += strcspn(p, "0123456789")); p += n) {
        n = strspn(p, "0123456789");
        bool time = p[n] == ':' || (p > text && p[-1] == ':');
        uint64_t value = g_ascii_strtoull(p, NULL, 10);
        if (!time && ((n == 4 && value == year) || (n == 2 && value == year % 100)))
            return true;
    }
    return false;
}

/* "Sun, 15 Nov 2026 09:30:00 +0100 (CET)"; NULL: it is not written like this. */
static GDateTime *
read_usual(const char *text)
{
    struct tm t = {0};
    const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S %z", &t);

    if (!end || !strchr("+-", end[-5]) || (*end && !g_str_has_prefix(end, " (")) ||
        t.tm_year < 70 || labs(t.tm_gmtoff) >= ZONE_MAX)
        return NULL;
    g_autoptr(GTimeZone) zone = g_time_zone_new_offset((gint32)t.tm_gmtoff);
    return g_date_time_new(zone, t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
                           t.tm_sec);
}

static GDateTime *
read_date(const char *text, const char *time)
{
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    GDateTime *iso = g_date_time_new_from_iso8601(text, utc);
    const char *sign = strpbrk(time, "+-(");

    if (iso || !sign || *sign == '(')
        return iso ? iso : g_mime_utils_header_decode_date(text);
    g_autofree char *tidied = tidy_zone(text, sign);
    return tidied ? g_mime_utils_header_decode_date(tidied) : NULL;
}

bool
maildate_parse(const char *text, int64_t *ret_wall_us)
{
    const char *time = strchr(text, ':');
    g_autoptr(GDateTime) at = read_usual(text);

    if (!at && time)
        at = read_date(text, time);
    if (!at || !has_year(text, (uint64_t)g_date_time_get_year(at)) ||
        g_date_time_get_year(at) > YEAR_MAX || g_date_time_to_unix(at) <= 0)
        return false;
    *ret_wall_us = g_date_time_to_unix(at) * G_USEC_PER_SEC;
    return true;
}
