#include "engine/in/recurrence.h"

#define DAY_S INT64_C(86400)
#define INTERVAL_MAX_DAYS 3660
/* The 29th of February may be eight years away, and on a given weekday forty. */
#define DAYS_MAX (41 * 366)
#define ALL_HOURS 0xffffffu
#define ALL_DAYS 0xfffffffeu
#define ALL_MONTHS 0x1ffeu
#define ALL_WEEKDAYS 0x7fu

static const char *const day_names[] = {"sunday",   "monday", "tuesday",  "wednesday",
                                        "thursday", "friday", "saturday", NULL};
static const char *const month_names[] = {"",    "jan", "feb", "mar", "apr", "may", "jun",
                                          "jul", "aug", "sep", "oct", "nov", "dec", NULL};

/* --- words --- */

static bool
wrong(GError **error, const char *text)
{
    return err_set(error, ERR_NEVER,
                   "'%s' is no time; say 30m, 2h, 1d, 'day 07:00', 'weekday 07:00', 'monday "
                   "09:30', 'month 1 08:00', or five fields as cron has them",
                   text);
}

static bool
parse_interval(const char *word, Recurrence *ret, GError **error)
{
    static const char units[] = "mhdw";
    static const int64_t minutes[] = {1, 60, 24 * 60, 7 * 24 * 60};
    size_t len = strlen(word);
    const char *unit = len > 1 ? strchr(units, word[len - 1]) : NULL;
    g_autofree char *digits = g_strndup(word, len > 0 ? len - 1 : 0);
    int64_t n;
    if (!unit || !text_parse_int(digits, 0, INT32_MAX, &n))
        return wrong(error, word);
    n *= minutes[unit - units];
    if (n < 1 || n > INTERVAL_MAX_DAYS * INT64_C(1440))
        return err_set(error, ERR_NEVER, "'%s': from 1m to %dd", word, INTERVAL_MAX_DAYS);
    *ret = (Recurrence){.interval_us = n * WHEN_MIN_US};
    return true;
}

/* "07:30" */
static bool
parse_clock(const char *text, Recurrence *ret)
{
    g_auto(GStrv) parts = g_strsplit(text, ":", -1);
    int64_t hour, minute;
    if (g_strv_length(parts) != 2 || strlen(parts[0]) > 2 || strlen(parts[1]) != 2 ||
        !text_parse_int(parts[0], 0, 23, &hour) || !text_parse_int(parts[1], 0, 59, &minute))
        return false;
    ret->hours = UINT32_C(1) << hour;
    ret->minutes = UINT64_C(1) << minute;
    return true;
}

/* Three letters or the whole name; -1: neither. */
static int
find_name(const char *const *names, const char *word)
{
    size_t len = strlen(word);
    for (int i = 0; names[i]; i++) {
        if (len >= 3 && (g_ascii_strcasecmp(names[i], word) == 0 ||
                         (len == 3 && g_ascii_strncasecmp(names[i], word, 3) == 0)))
            return i;
    }
    return -1;
}

/* How many words "day 07:00" and its kin have; 0: nothing of the kind begins so. */
static unsigned
count_words(const char *first)
{
    if (g_ascii_strcasecmp(first, "month") == 0)
        return 3;
    bool named = g_ascii_strcasecmp(first, "day") == 0 ||
                 g_ascii_strcasecmp(first, "weekday") == 0 || find_name(day_names, first) >= 0;
    return named ? 2 : 0;
}

/* As many words as these have; ret_text is set with true. */
static bool
parse_words(char **words, unsigned n, Recurrence *ret, char **ret_text, GError **error)
{
    Recurrence w = {.days = ALL_DAYS, .months = ALL_MONTHS, .weekdays = ALL_WEEKDAYS};
    int day = find_name(day_names, words[0]);
    int64_t of_month;
    const char *last = words[n - 1];
    if (n == 3 && !text_parse_int(words[1], 1, 31, &of_month))
        return err_set(error, ERR_NEVER, "'%s' is no day of a month; 1 to 31", words[1]);
    if (!parse_clock(last, &w))
        return err_set(error, ERR_NEVER, "'%s' is no time of day; 00:00 to 23:59", last);
    if (n == 3) {
        w.days = UINT32_C(1) << of_month;
        w.month_end = true;
        *ret_text = g_strdup_printf("month %d %s", (int)of_month, last);
    } else if (g_str_equal(words[0], "weekday")) {
        w.weekdays = 0x3e;
        *ret_text = g_strdup_printf("weekday %s", last);
    } else if (day >= 0) {
        w.weekdays = (uint8_t)(1u << day);
        *ret_text = g_strdup_printf("%s %s", day_names[day], last);
    } else {
        *ret_text = g_strdup_printf("day %s", last);
    }
    *ret = w;
    return true;
}

/* --- cron --- */

typedef struct Field {
    const char *what;
    int min, max;
    const char *const *names; /* NULL: numbers only */
} Field;

static const Field fields[] = {{"minute", 0, 59, NULL},
                               {"hour", 0, 23, NULL},
                               {"day", 1, 31, NULL},
                               {"month", 1, 12, month_names},
                               {"weekday", 0, 7, day_names}};

static bool
parse_number(const Field *f, const char *text, int *ret)
{
    int64_t n;
    int named = f->names ? find_name(f->names, text) : -1;
    if (named >= 0)
        n = named;
    else if (!text_parse_int(text, f->min, f->max, &n))
        return false;
    *ret = (int)n;
    return true;
}

/* "*", "5", "1-5", each with a step: "*" "/15". */
static bool
parse_item(const Field *f, const char *item, uint64_t *bits)
{
    g_auto(GStrv) halves = g_strsplit(item, "/", 2);
    int64_t step = 1;
    int from = f->min, to = f->max;
    if (!halves[0] || (halves[1] && !text_parse_int(halves[1], 1, f->max, &step)))
        return false;
    if (!g_str_equal(halves[0], "*")) {
        g_auto(GStrv) ends = g_strsplit(halves[0], "-", 2);
        if (!ends[0] || !parse_number(f, ends[0], &from))
            return false;
        if (ends[1] && !parse_number(f, ends[1], &to))
            return false;
        if (!ends[1] && !halves[1])
            to = from;
        if (to < from)
            return false;
    }
    for (int i = from; i <= to; i += (int)step)
        *bits |= UINT64_C(1) << i;
    return true;
}

static bool
parse_field(const Field *f, const char *text, uint64_t *ret, GError **error)
{
    g_auto(GStrv) items = g_strsplit(text, ",", -1);
    *ret = 0;
    for (char **item = items; *item; item++) {
        if (!parse_item(f, *item, ret))
            return err_set(error, ERR_NEVER, "'%s' is no %s; %d to %d, lists, ranges, */N",
                           text, f->what, f->min, f->max);
    }
    return true;
}

static bool
parse_cron(char **words, Recurrence *ret, char **ret_text, GError **error)
{
    uint64_t bits[G_N_ELEMENTS(fields)];
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (!parse_field(&fields[i], words[i], &bits[i], error))
            return false;
    }
    *ret = (Recurrence){.minutes = bits[0],
                        .hours = (uint32_t)bits[1],
                        .days = (uint32_t)bits[2],
                        .months = (uint16_t)bits[3],
                        .weekdays = (uint8_t)((bits[4] | bits[4] >> 7) & ALL_WEEKDAYS),
                        .either = words[2][0] != '*' && words[4][0] != '*'};
    *ret_text = g_strjoinv(" ", words);
    return true;
}

/* --- the calendar --- */

/* A day by its number since 1970; pseudo: as if the wall clock showed UTC. */
static bool
is_day(const Recurrence *w, int64_t day)
{
    time_t pseudo = (time_t)(day * DAY_S);
    struct tm tm = {0};
    (void)gmtime_r(&pseudo, &tm);
    int month = tm.tm_mon + 1;
    int last = g_date_get_days_in_month((GDateMonth)month, (GDateYear)(tm.tm_year + 1900));
    bool of_month = w->days >> tm.tm_mday & 1;
    bool of_week = w->weekdays >> tm.tm_wday & 1;
    if (w->month_end && tm.tm_mday == last && last < 31)
        of_month |= (w->days >> (last + 1)) != 0;
    return (w->months >> month & 1) && (w->either ? of_month || of_week : of_month && of_week);
}

/* Seconds by which the wall clock is ahead of UTC. */
static int64_t
offset_at(int64_t t)
{
    time_t at = (time_t)t;
    struct tm tm = {0};
    (void)localtime_r(&at, &tm);
    return tm.tm_gmtoff;
}

static int64_t
wall_of(int64_t t)
{
    return t + offset_at(t);
}

/* The first second at which the wall clock shows more than `wall`, somewhere in low..high. */
static int64_t
jump_over(int64_t wall, int64_t low, int64_t high)
{
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (wall_of(middle) > wall)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The moments at which the wall clock shows this: one, or two where it is put back. One that it
 * never shows is the moment of the jump; *ret_jump tells of how many seconds. */
static int
moments_of(int64_t wall, int64_t ret[2], int64_t *ret_jump)
{
    *ret_jump = 0;
    int64_t before = offset_at(wall - DAY_S), after = offset_at(wall + DAY_S);
    int64_t first = wall - MAX(before, after), second = wall - MIN(before, after);
    bool is_first = wall_of(first) == wall, is_second = wall_of(second) == wall;
    if (!is_first && !is_second) {
        ret[0] = jump_over(wall, first - 1, second + 1);
        *ret_jump = second - first;
        return 1;
    }
    ret[0] = is_first ? first : second;
    ret[1] = second;
    return is_first && is_second && first != second ? 2 : 1;
}

/* A search for the nearest occurrence on one side of a moment, in seconds. */
typedef struct Search {
    const Recurrence *when;
    int64_t limit;
    bool back;
    int64_t found;
    bool has;
} Search;

static void
offer(Search *s, int64_t t)
{
    if (s->back ? t > s->limit : t <= s->limit)
        return;
    if (!s->has || (s->back ? t > s->found : t < s->found))
        s->found = t;
    s->has = true;
}

static void
offer_minute(Search *s, int64_t wall)
{
    bool hourly = s->when->hours == ALL_HOURS;
    int64_t at[2], jump;
    int n = moments_of(wall, at, &jump);
    if (!hourly || jump == 0 || jump % 3600 != 0)
        offer(s, at[0]);
    if (n == 2 && hourly)
        offer(s, at[1]);
}

static void
offer_day(Search *s, int64_t day)
{
    for (int hour = 0; hour < 24; hour++) {
        if (!(s->when->hours >> hour & 1))
            continue;
        for (int minute = 0; minute < 60; minute++) {
            if (s->when->minutes >> minute & 1)
                offer_minute(s, day * DAY_S + hour * 3600 + minute * 60);
        }
    }
}

/* Days in order, from one behind the moment: no time zone is further away than that. */
static bool
search(Search *s)
{
    tzset();
    int64_t day = wall_of(s->limit) / DAY_S;
    for (int i = -1; i < DAYS_MAX && !s->has; i++) {
        int64_t d = s->back ? day - i : day + i;
        if (is_day(s->when, d))
            offer_day(s, d);
    }
    return s->has;
}

/* --- outside --- */

bool
recurrence_parse(const char *text, Recurrence *ret, char **ret_text, GError **error)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);
    g_autofree char *form = NULL;
    g_auto(GStrv) list = text_words(lower, " \t\n");
    unsigned n = g_strv_length(list);
    Recurrence w;
    if (n == 1 && g_ascii_isdigit(list[0][0])) {
        if (!parse_interval(list[0], &w, error))
            return false;
        form = g_strdup(list[0]);
    } else if (n == G_N_ELEMENTS(fields)) {
        if (!parse_cron(list, &w, &form, error))
            return false;
    } else if (n == 0 || n != count_words(list[0])) {
        return wrong(error, text);
    } else if (!parse_words(list, n, &w, &form, error)) {
        return false;
    }
    Search ever = {.when = &w};
    if (!w.interval_us && !search(&ever))
        return err_set(error, ERR_NEVER, "'%s' never comes", text);
    *ret = w;
    if (ret_text)
        *ret_text = g_steal_pointer(&form);
    return true;
}

unsigned
recurrence_words(char **words)
{
    const char *first = words[0] ? words[0] : "";
    unsigned n = count_words(first), all = g_strv_length(words);
    size_t len = strlen(first);
    bool cron = g_ascii_isdigit(*first) || *first == '*';
    if (n == 0 && cron && !strpbrk(first, " :") && !g_ascii_isalpha(first[len - 1]))
        n = all > 1 && g_ascii_isalpha(*words[1]) ? 2 : G_N_ELEMENTS(fields);
    return CLAMP(n, 1, all);
}

int64_t
recurrence_next(const Recurrence *when, int64_t anchor_us, int64_t after_us)
{
    if (when->interval_us) {
        int64_t n = after_us < anchor_us ? 0 : (after_us - anchor_us) / when->interval_us;
        return anchor_us + (n + 1) * when->interval_us;
    }
    Search s = {.when = when, .limit = after_us / USEC_PER_SEC};
    return search(&s) ? s.found * USEC_PER_SEC : USEC_NEVER;
}

int64_t
recurrence_last(const Recurrence *when, int64_t anchor_us, int64_t at_us)
{
    int64_t last = USEC_NEVER;
    if (when->interval_us) {
        int64_t n = at_us < anchor_us ? 0 : (at_us - anchor_us) / when->interval_us;
        return n > 0 ? anchor_us + n * when->interval_us : USEC_NEVER;
    }
    Search s = {.when = when, .limit = at_us / USEC_PER_SEC, .back = true};
    if (search(&s))
        last = s.found * USEC_PER_SEC;
    return last >= anchor_us ? last : USEC_NEVER;
}
