#include "base/clock.h"
#include "base/proc.h"
#include <sys/random.h>

/* "ID@SECONDS" */
static void
read_boot(Clock *clock)
{
    g_autofree char *text = g_strdup(g_getenv("POSTRIDER_BOOT"));
    char *at = text ? strchr(text, '@') : NULL;
    int64_t seconds;

    if (!at || !text_parse_int(at + 1, 0, INT64_MAX / USEC_PER_SEC, &seconds))
        return;
    *at = '\0';
    clock->boot = g_intern_string(text);
    clock->boot_us = seconds * USEC_PER_SEC;
}

Clock
clock_from_env(void)
{
    const char *text = g_getenv("POSTRIDER_CLOCK");
    Clock clock = {0};
    int64_t seconds;

    read_boot(&clock);
    if (!text || (text[0] != '@' && text[0] != '+') ||
        !text_parse_int(text + 1, 0, INT64_MAX / USEC_PER_SEC, &seconds))
        return clock;
    *(text[0] == '@' ? &clock.fixed_wall_us : &clock.shift_us) = seconds * USEC_PER_SEC;
    return clock;
}

static int64_t
read_clock(clockid_t id)
{
    struct timespec ts;

    (void)clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * USEC_PER_SEC + ts.tv_nsec / 1000;
}

int64_t
clock_wall_us(const Clock *clock)
{
    if (clock->fixed_wall_us)
        return clock->fixed_wall_us;
    return read_clock(CLOCK_REALTIME) + clock->shift_us;
}

const char *
clock_boot(const Clock *clock, int64_t *ret_us)
{
    *ret_us = clock->boot            ? clock->boot_us
              : clock->fixed_wall_us ? clock->fixed_wall_us
                                     : read_clock(CLOCK_BOOTTIME) + clock->shift_us;
    return clock->boot ? clock->boot : clock->fixed_wall_us ? "held" : proc_boot_id();
}

int64_t
clock_mono_us(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t
clock_patience_us(int64_t usual_us)
{
    const char *text = g_getenv("POSTRIDER_PATIENCE");
    int64_t seconds;

    if (!text || !text_parse_int(text, 1, 3600, &seconds))
        return usual_us;
    return MIN(usual_us, seconds * USEC_PER_SEC);
}

/* Rounds down, also before 1970. */
static struct tm
broken_down(int64_t wall_us)
{
    time_t seconds = wall_us / USEC_PER_SEC - (wall_us % USEC_PER_SEC < 0);
    struct tm tm = {0};

    (void)gmtime_r(&seconds, &tm);
    return tm;
}

int64_t
clock_backoff(int64_t first_us, int64_t max_us, int nth)
{
    int64_t wait = first_us;

    for (int i = 0; i < nth && wait < max_us; i++)
        wait *= 2;
    return MIN(wait, max_us);
}

char *
clock_format_iso(int64_t wall_us)
{
    struct tm tm = broken_down(wall_us);

    return g_strdup_printf("%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                           tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* By hand: strftime's names follow the locale, and those of a mail must not. */
bool
clock_date_valid(const char *date)
{
    if (strlen(date) != 10 || date[4] != '-' || date[7] != '-')
        return false;
    for (int i = 0; i < 10; i++) {
        if (i != 4 && i != 7 && !g_ascii_isdigit(date[i]))
            return false;
    }
    unsigned y = (unsigned)g_ascii_strtoull(date, NULL, 10);
    unsigned m = (unsigned)g_ascii_strtoull(date + 5, NULL, 10);
    unsigned d = (unsigned)g_ascii_strtoull(date + 8, NULL, 10);
    return y >= 1970 && m >= 1 && m <= 12 &&
           g_date_valid_dmy((GDateDay)d, (GDateMonth)m, (GDateYear)y);
}

char *
clock_date(const char *text, int64_t wall_us)
{
    if (g_str_equal(text, "today")) {
        g_autoptr(GDateTime) now = g_date_time_new_from_unix_local(wall_us / USEC_PER_SEC);
        return g_date_time_format(now, "%Y-%m-%d");
    }
    return clock_date_valid(text) ? g_strdup(text) : NULL;
}

char *
clock_format_mail(int64_t wall_us)
{
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm tm = broken_down(wall_us);

    return g_strdup_printf("%s, %d %s %04d %02d:%02d:%02d +0000", days[tm.tm_wday], tm.tm_mday,
                           months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
                           tm.tm_sec);
}

char *
clock_format_span(int64_t us)
{
    int64_t seconds = us / USEC_PER_SEC;

    if (us > 0 && us < USEC_PER_SEC)
        return g_strdup_printf("%d ms", (int)(us / USEC_PER_MSEC));
    if (seconds < 120)
        return g_strdup_printf("%d s", (int)MAX(seconds, 0));
    if (seconds < 120 * 60)
        return g_strdup_printf("%d min", (int)(seconds / 60));
    if (seconds < INT64_C(48) * 3600)
        return g_strdup_printf("%d h", (int)(seconds / 3600));
    return g_strdup_printf("%" G_GINT64_FORMAT " d", seconds / 86400);
}

/* True when the text begins as the shape does, in which '0' stands for any digit. */
static bool
begins_as(const char *text, const char *shape)
{
    for (; *shape; text++, shape++) {
        if (*shape == '0' ? !g_ascii_isdigit(*text) : *text != *shape)
            return false;
    }
    return true;
}

static int
number_at(const char *text)
{
    return (int)g_ascii_strtoll(text, NULL, 10);
}

/* "." and digits; those behind the sixth are dropped. Moves on behind them. */
static bool
take_fraction(const char **p, int64_t *ret_us)
{
    int64_t unit = USEC_PER_SEC / 10;

    *ret_us = 0;
    if (**p != '.')
        return true;
    if (!g_ascii_isdigit(*++*p))
        return false;
    for (; g_ascii_isdigit(**p); (*p)++, unit /= 10)
        *ret_us += unit * (**p - '0');
    return true;
}

/* All that is left of the text: nothing, "Z", or "+01:00". */
static bool
read_offset(const char *p, int64_t *ret_seconds)
{
    *ret_seconds = 0;
    if (*p == '\0' || g_str_equal(p, "Z"))
        return true;
    if ((*p != '+' && *p != '-') || !begins_as(p + 1, "00:00") || p[strlen("+00:00")])
        return false;

    int hours = number_at(p + 1), minutes = number_at(p + 4);
    *ret_seconds = (*p == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return hours <= 23 && minutes <= 59;
}

bool
clock_parse_iso(const char *text, int64_t *ret_wall_us)
{
    static const char date[] = "0000-00-00", time[] = "T00:00:00";
    int64_t fraction = 0, offset = 0;

    if (!begins_as(text, date))
        return false;
    int year = number_at(text), month = number_at(text + 5), day = number_at(text + 8);
    struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
    if (!g_date_valid_dmy((GDateDay)day, (GDateMonth)month, (GDateYear)year))
        return false;

    const char *p = text + strlen(date);
    if (*p) {
        if (!begins_as(p, time))
            return false;
        tm.tm_hour = number_at(p + 1);
        tm.tm_min = number_at(p + 4);
        tm.tm_sec =
            number_at(p + 7); /* 60 is a leap second; timegm() makes it the next minute */
        p += strlen(time);
        if (tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60 ||
            !take_fraction(&p, &fraction) || !read_offset(p, &offset))
            return false;
    }
    *ret_wall_us = ((int64_t)timegm(&tm) - offset) * USEC_PER_SEC + fraction;
    return true;
}

/* splitmix64: small, and good enough for tests, which are all that it is for. */
static uint64_t
next_of_seed(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void
random_bytes(Random *random, void *buf, size_t len)
{
    uint8_t *p = buf;

    while (len > 0) {
        ssize_t n;

        if (random->seed) {
            uint64_t word = next_of_seed(&random->seed);
            n = (ssize_t)MIN(len, sizeof word);
            memcpy(p, &word, (size_t)n);
        } else if ((n = getrandom(p, len, 0)) < 0) {
            if (errno != EINTR)
                g_error("getrandom: %s", g_strerror(errno));
            continue;
        }
        p += n;
        len -= (size_t)n;
    }
}
