#include "engine/permit/permit_answer.h"
#include "base/clock.h"

void
permit_said_free(PermitSaid *said)
{
    if (said)
        g_free(said->why);
    g_free(said);
}

/* --- yes and no --- */

/* A number, then a word that decides. What stands between two of them is the reason of the
 * first. */
#define ITEM "(?:^|[,;\\n])\\s*(?:(\\d{1,3})\\s*[.:)]?\\s+)?(yes|ok|approve|no|reject)\\b"

static bool
is_yes(const char *word)
{
    return g_ascii_strcasecmp(word, "no") != 0 && g_ascii_strcasecmp(word, "reject") != 0;
}

/* The reason between this decision and the next one, without the marks around it; NULL:
 * none. */
static char *
reason_of(const char *text, int from, int to)
{
    g_autofree char *why = g_strndup(text + from, (size_t)(to - from));
    char *begin = why + strspn(why, " \t\r\n:,;.-!");
    g_strchomp(begin);
    for (size_t len = strlen(begin); len > 0 && strchr(",;", begin[len - 1]); len--)
        begin[len - 1] = '\0';
    return *begin ? g_strdup(begin) : NULL;
}

static PermitSaid *
read_item(const GMatchInfo *match)
{
    PermitSaid *said = g_new0(PermitSaid, 1);
    g_autofree char *number = g_match_info_fetch(match, 1);
    g_autofree char *word = g_match_info_fetch(match, 2);
    said->n = (int)g_ascii_strtoll(number ? number : "", NULL, 10);
    said->approve = is_yes(word);
    return said;
}

PermitSaids *
permit_said_parse(const char *text)
{
    g_autoptr(GRegex) item = g_regex_new(ITEM, G_REGEX_CASELESS, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    g_autoptr(PermitSaids) all = permit_saids_new();
    int begin, end, behind = 0;
    for (g_regex_match(item, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        (void)g_match_info_fetch_pos(match, 0, &begin, &end);
        PermitSaid *said = read_item(match);
        PermitSaid *last = all->len ? all->pdata[all->len - 1] : NULL;
        bool numbered = said->n > 0;
        /* The first must begin the text; one without a number is the only one. */
        if ((!last && begin != 0) || (last && (!numbered || last->n == 0))) {
            permit_said_free(said);
            if (!last)
                return NULL;
            break;
        }
        if (last)
            last->why = reason_of(text, behind, begin);
        permit_saids_add(all, said);
        behind = end;
    }
    if (all->len == 0)
        return NULL;
    PermitSaid *last = all->pdata[all->len - 1];
    bool lines = text[behind + (int)strspn(text + behind, " .!\t\r")] == '\n';
    last->why = reason_of(text, behind, (int)strlen(text));
    LIST_EACH(const PermitSaid, said, all) /* "yes, but …" is no yes; lines below it are fine */
        if (said->approve && said->why && !(said == last && lines))
            return NULL;
    return g_steal_pointer(&all);
}

/* --- choices --- */

static const char *
label_of(const json_t *options, int64_t n)
{
    const json_t *option = n >= 1 ? json_array_get(options, (size_t)(n - 1)) : NULL;
    return json_string_value(json_object_get(option, "label"));
}

/* "2", "1, 3", "1 and 3": the labels with these numbers. NULL: the text is something else. */
static char *
by_numbers(const json_t *options, const char *text)
{
    g_auto(GStrv) words = text_words(text, " ,;.&)\t\n");
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (char **word = words; *word; word++) {
        int64_t n;
        if (g_ascii_strcasecmp(*word, "and") == 0)
            continue;
        const char *label = text_parse_int(*word, 1, 1000, &n) ? label_of(options, n) : NULL;
        if (!label)
            return NULL;
        g_ptr_array_add(labels, (char *)label);
    }
    if (labels->len == 0)
        return NULL;
    g_ptr_array_add(labels, NULL);
    return g_strjoinv(", ", (char **)labels->pdata);
}

static char *
choose(const json_t *question, const char *text)
{
    const json_t *options = json_object_get(question, "options"), *option;
    g_autofree char *said = g_strstrip(g_strdup(text));
    g_autofree char *folded = g_utf8_casefold(said, -1);
    size_t i;
    char *numbered = by_numbers(options, said);
    if (numbered)
        return numbered;
    json_array_foreach(options, i, option)
    {
        const char *label = json_string_value(json_object_get(option, "label"));
        g_autofree char *other = g_utf8_casefold(label ? label : "", -1);
        if (label && g_str_equal(other, folded))
            return g_strdup(label);
    }
    return g_steal_pointer(&said);
}

/* The lines of an answer to several questions, each in its place; NULL entries: not
 * answered. */
static char **
spread(const char *words, size_t n)
{
    char **said = g_new0(char *, n + 1);
    g_auto(GStrv) lines = g_strsplit(words, "\n", -1);
    g_auto(GStrv) parts = text_words(words, " ,;\n");
    bool list = g_strv_length(parts) == n && strspn(words, "0123456789 ,;\n") == strlen(words);
    size_t next = 0;
    for (char **line = list ? parts : lines; *line; line++) {
        const char *text = g_strstrip(*line);
        size_t digits = strspn(text, "0123456789");
        bool numbered = !list && digits > 0 && digits < 4 && text[digits] && strchr(".:)", text[digits]);
        size_t at = numbered ? (size_t)g_ascii_strtoull(text, NULL, 10) - 1 : next;
        if (!*text || at >= n)
            continue;
        const char *value = numbered ? text + digits + 1 : text;
        char *before = said[at];
        said[at] = before ? g_strjoin("\n", before, value, NULL) : g_strdup(value);
        g_free(before);
        next = at + 1;
    }
    return said;
}

json_t *
permit_answers(const json_t *input, const char *words)
{
    json_t *whole = json_deep_copy(input), *answers = json_object();
    const json_t *questions = json_object_get(input, "questions"), *question;
    size_t n = json_array_size(questions), i;
    char **said = NULL;
    if (n == 1) {
        said = g_new0(char *, 2);
        said[0] = g_strdup(words);
    } else {
        said = spread(words, n);
    }
    json_array_foreach(questions, i, question)
    {
        const char *text = json_string_value(json_object_get(question, "question"));
        g_autofree char *chosen = said[i] ? choose(question, said[i]) : g_strdup("(no answer)");
        if (text)
            json_object_set_new(answers, text, json_string(chosen));
    }
    for (i = 0; i < n; i++)
        g_free(said[i]);
    g_free(said);
    json_object_set_new(whole, "answers", answers);
    return whole;
}

/* --- until when --- */

/* The end of the day that is so many days after today. */
static int64_t
end_of_day(GDateTime *now, int days)
{
    g_autoptr(GTimeZone) zone = g_time_zone_new_local();
    g_autoptr(GDateTime) day = g_date_time_add_days(now, days + 1);
    g_autoptr(GDateTime) midnight = g_date_time_new(zone, g_date_time_get_year(day),
                                                    g_date_time_get_month(day),
                                                    g_date_time_get_day_of_month(day), 0, 0, 0);
    return g_date_time_to_unix(midnight) * USEC_PER_SEC;
}

/* 1 is Monday; 0: no name of a day. */
static int
weekday_of(const char *word)
{
    static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                        "friday", "saturday", "sunday"};
    for (int i = 0; i < 7; i++) {
        bool shorter = strlen(word) == 3 && g_ascii_strncasecmp(word, names[i], 3) == 0;
        if (shorter || g_ascii_strcasecmp(word, names[i]) == 0)
            return i + 1;
    }
    return 0;
}

static bool
parse_clock(const char *text, GDateTime *now, int64_t *ret_us)
{
    g_auto(GStrv) halves = g_strsplit(text, ":", 2);
    int64_t hour, minute;
    if (g_strv_length(halves) != 2 || !text_parse_int(halves[0], 0, 23, &hour) ||
        strlen(halves[1]) != 2 || !text_parse_int(halves[1], 0, 59, &minute))
        return false;
    g_autoptr(GTimeZone) zone = g_time_zone_new_local();
    g_autoptr(GDateTime) at =
        g_date_time_new(zone, g_date_time_get_year(now), g_date_time_get_month(now),
                        g_date_time_get_day_of_month(now), (int)hour, (int)minute, 0);
    if (!at)
        return false;
    g_autoptr(GDateTime) next =
        g_date_time_compare(at, now) > 0 ? g_date_time_ref(at) : g_date_time_add_days(at, 1);
    *ret_us = g_date_time_to_unix(next) * USEC_PER_SEC;
    return true;
}

static bool
parse_date(const char *text, GDateTime *now, int64_t *ret_us)
{
    int64_t utc;
    if (strlen(text) != strlen("2026-11-20") || !clock_parse_iso(text, &utc))
        return false;
    g_autoptr(GTimeZone) zone = g_time_zone_new_local();
    g_autoptr(GDateTime) day = g_date_time_new_from_unix_utc(utc / USEC_PER_SEC);
    g_autoptr(GDateTime) there = g_date_time_new(zone, g_date_time_get_year(day),
                                                 g_date_time_get_month(day),
                                                 g_date_time_get_day_of_month(day), 0, 0, 0);
    *ret_us = end_of_day(there, 0);
    return g_date_time_to_unix(now) * USEC_PER_SEC < *ret_us;
}

bool
permit_until_parse(const char *text, int64_t now_us, int64_t *ret_us)
{
    g_autoptr(GDateTime) now = g_date_time_new_from_unix_local(now_us / USEC_PER_SEC);
    int day = weekday_of(text);
    if (day)
        *ret_us = end_of_day(now, (day - g_date_time_get_day_of_week(now) + 7) % 7);
    return day || parse_clock(text, now, ret_us) || parse_date(text, now, ret_us);
}
