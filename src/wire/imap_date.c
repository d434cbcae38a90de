#include "wire/imap_date.h"
#include "base/clock.h"

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static struct tm
utc(int64_t wall_us)
{
    time_t seconds = (time_t)(wall_us / USEC_PER_SEC);
    struct tm tm = {.tm_mday = 1, .tm_year = 70};

    (void)gmtime_r(&seconds, &tm);
    return tm;
}

char *
imap_date_format_day(int64_t wall_us)
{
    struct tm tm = utc(wall_us);
    return g_strdup_printf("%d-%s-%04d", tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900);
}

char *
imap_date_format(int64_t wall_us)
{
    struct tm tm = utc(wall_us);
    return g_strdup_printf("%2d-%s-%04d %02d:%02d:%02d +0000", tm.tm_mday, months[tm.tm_mon],
                           tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

bool
imap_date_parse(const char *text, int64_t *ret_wall_us)
{
    unsigned month = 0;

    while (*text == ' ')
        text++;
    size_t day = strspn(text, "0123456789");
    /* D-Mon-YYYY HH:MM:SS +ZZZZ: behind the day all of it has fixed places */
    if (day < 1 || day > 2 || strlen(text) != day + 24)
        return false;
    const char *rest = text + day;
    while (month < 12 && g_ascii_strncasecmp(rest + 1, months[month], 3) != 0)
        month++;
    if (month == 12)
        return false;
    g_autofree char *iso =
        g_strdup_printf("%.4s-%02u-%s%.*sT%.8s%.3s:%.2s", rest + 5, month + 1,
                        day == 1 ? "0" : "", (int)day, text, rest + 10, rest + 19, rest + 22);
    return clock_parse_iso(iso, ret_wall_us);
}
