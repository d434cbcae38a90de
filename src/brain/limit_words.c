#include "brain/limit_words.h"
#include "base/clock.h"

#define MOST_COUNT 1000 /* days; more is no limit of a plan */
#define MOST_US (INT64_C(86400) * MOST_COUNT * USEC_PER_SEC)

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                     "jul", "aug", "sep", "oct", "nov", "dec"};

/* What the words say; -1: nothing about it. */
typedef struct Said {
    int year, month, day, hour, minute;
    GTimeZone *zone; /* NULL: none */
} Said;

static const char *
skip(const char *p, const char *set)
{
    return p + strspn(p, set);
}

static bool
take_number(const char **p, int *ret)
{
    size_t len = strspn(*p, "0123456789");

    if (len == 0 || len > 4)
        return false;
    *ret = (int)g_ascii_strtoll(*p, NULL, 10);
    *p += len;
    return true;
}

static bool
take_word(const char **p, const char *word)
{
    size_t len = strlen(word);

    if (g_ascii_strncasecmp(*p, word, len) != 0)
        return false;
    *p += len;
    return true;
}

/* "Nov 17th, 2026 ", "Nov 20, ", "Nov 20 at ". */
static void
take_date(const char **p, Said *said)
{
    const char *q = *p;
    int month = 0;

    while (month < 12 && g_ascii_strncasecmp(q, months[month], 3) != 0)
        month++;
    if (month == 12)
        return;
    while (g_ascii_isalpha(*q))
        q++;
    q = skip(q, " .");
    if (!take_number(&q, &said->day))
        return;
    said->month = month + 1;
    while (g_ascii_isalpha(*q))
        q++; /* 17th */
    q = skip(q, " ,");
    const char *after = q;
    int year;
    if (take_number(&after, &year) && year >= 2000) {
        said->year = year;
        q = skip(after, " ,");
    }
    (void)take_word(&q, "at ");
    *p = q;
}

/* "7:20 AM", "7:09am", "7am", "19:05". */
static bool
take_time(const char **p, Said *said)
{
    const char *q = *p;
    bool minutes, am, pm;

    if (!take_number(&q, &said->hour))
        return false;
    minutes = *q == ':';
    said->minute = 0;
    if (minutes) {
        q++;
        if (!take_number(&q, &said->minute))
            return false;
    }
    while (g_str_has_prefix(q, " ") || g_str_has_prefix(q, "\302\240") ||
           g_str_has_prefix(q, "\342\200\257"))
        q += *q == ' ' ? 1 : *q == '\302' ? 2 : 3;
    am = take_word(&q, "am") || take_word(&q, "a.m.");
    pm = !am && (take_word(&q, "pm") || take_word(&q, "p.m."));
    if ((!minutes && !am && !pm) || said->hour > ((am || pm) ? 12 : 23) || said->minute > 59)
        return false;
    if (am || pm)
        said->hour = said->hour % 12 + (pm ? 12 : 0);
    *p = q;
    return true;
}

/* "(UTC)", "(Europe/Berlin)". GLib opens the file that the name leads to, so it must not lead out of the
 * folder of zones. */
static void
take_zone(const char *p, Said *said)
{
    p = skip(p, " ");
    if (*p != '(')
        return;
    g_autofree char *name = g_strndup(p + 1, strcspn(p + 1, ")"));
    bool safe = g_ascii_isalpha(*name) && strlen(name) < 64 &&
                name[strspn(name, G_CSET_a_2_z G_CSET_A_2_Z "0123456789_+-/")] == '\0';
    said->zone = safe ? g_time_zone_new_identifier(name) : NULL;
}

static int64_t
as_wall(const Said *said, int64_t now_us)
{
    g_autoptr(GTimeZone) zone =
        said->zone ? g_time_zone_ref(said->zone) : g_time_zone_new_local();
    g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(now_us / USEC_PER_SEC);
    g_autoptr(GDateTime) now = g_date_time_to_timezone(utc, zone);
    int year = said->year > 0 ? said->year : g_date_time_get_year(now);
    int month = said->month > 0 ? said->month : g_date_time_get_month(now);
    int day = said->month > 0 ? said->day : g_date_time_get_day_of_month(now);
    g_autoptr(GDateTime) then =
        g_date_time_new(zone, year, month, day, said->hour, said->minute, 0);

    if (!then)
        return 0;
    if (g_date_time_compare(then, now) <= 0 && said->year < 0) {
        GDateTime *next = said->month > 0 ? g_date_time_add_years(then, 1)
                                          : g_date_time_add_days(then, 1);
        g_date_time_unref(then);
        then = next;
    }
    return then && g_date_time_compare(then, now) > 0
               ? g_date_time_to_unix(then) * USEC_PER_SEC
               : 0;
}

static int64_t
read_moment(const char *p, int64_t now_us)
{
    Said said = {-1, -1, -1, -1, -1, NULL};
    int64_t us = 0;

    take_date(&p, &said);
    if (take_time(&p, &said)) {
        take_zone(p, &said);
        us = as_wall(&said, now_us);
    }
    g_clear_pointer(&said.zone, g_time_zone_unref);
    return us;
}

/* "1 day 3 hours 5 minutes". */
static int64_t
read_span(const char *p, int64_t now_us)
{
    static const struct {
        const char *word;
        int64_t seconds;
    } units[] = {{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}};
    int64_t seconds = 0;
    int n;

    while (take_number(&p, &n) && n <= MOST_COUNT) {
        size_t i = 0;
        p = skip(p, " ");
        while (i < G_N_ELEMENTS(units) && !take_word(&p, units[i].word))
            i++;
        if (i == G_N_ELEMENTS(units))
            break;
        seconds += n * units[i].seconds;
        (void)take_word(&p, "s");
        p = skip(p, " ,");
        (void)take_word(&p, "and ");
    }
    return seconds > 0 ? now_us + seconds * USEC_PER_SEC : 0;
}

int64_t
limit_words_until(const char *words, int64_t now_us)
{
    static const struct {
        const char *before;
        int64_t (*read)(const char *, int64_t);
    } forms[] = {
        {"try again at ", read_moment}, {"resets at ", read_moment}, {"resets ", read_moment},
        {"try again in ", read_span},   {"resets in ", read_span},
    };
    g_autofree char *lower = g_ascii_strdown(words, -1);

    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        const char *at = strstr(lower, forms[i].before);
        /* The zone's name is looked up as it is written, so what is read is the original. */
        int64_t us =
            at ? forms[i].read(words + (at - lower) + strlen(forms[i].before), now_us) : 0;
        if (us > 0 && us - now_us <= MOST_US)
            return us;
    }
    return 0;
}
