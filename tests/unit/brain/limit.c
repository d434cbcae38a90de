#include "brain/limit.h"
#include "base/banned.h"
#include "base/clock.h"
#include <glib.h>

#define NOW "2026-11-15T10:00:00Z"

static const struct {
    const char *name, *text, *zone;
    const char *want; /* NULL: none is found */
} cases[] = {
    {"an hour of tomorrow", "You've hit your limit · resets 3am", "UTC",
     "2026-11-16T03:00:00Z"},
    {"an hour of today", "Usage limit. It resets at 3pm.", "UTC", "2026-11-15T15:00:00Z"},
    {"with minutes", "limit reached, resets 3:30 PM", "UTC", "2026-11-15T15:30:00Z"},
    {"of 24 hours", "5-hour limit reached; resets at 15:05", "UTC", "2026-11-15T15:05:00Z"},
    {"noon", "limit: resets 12pm", "UTC", "2026-11-15T12:00:00Z"},
    {"midnight", "limit: resets 12am", "UTC", "2026-11-16T00:00:00Z"},
    {"a zone in the text", "limit, resets 3am (America/New_York)", "UTC",
     "2026-11-16T08:00:00Z"},
    {"a zone by default", "limit, resets 3pm", "Asia/Tokyo", "2026-11-16T06:00:00Z"},
    {"a day", "weekly limit, resets Nov 20, 3pm (UTC)", "UTC", "2026-11-20T15:00:00Z"},
    {"a day of next year is too far", "limit, resets Nov 2, 3pm", "UTC",
     "2026-12-16T10:00:00Z"},
    {"a span", "You've hit your usage limit. Try again in 2 hours 5 minutes.", "UTC",
     "2026-11-15T12:05:00Z"},
    {"a short span", "limit; resets in 1h 30m", "UTC", "2026-11-15T11:30:00Z"},
    {"days", "limit. try again in 1 day, 2 hours and 3 minutes", "UTC", "2026-11-16T12:03:00Z"},
    {"seconds behind a bar", "Claude AI usage limit reached|1794747600", "UTC",
     "2026-11-15T13:00:00Z"},
    {"an event",
     "{\"type\":\"system\"}\n{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":"
     "\"rejected\",\"resetsAt\": 1794747600}}\n",
     "UTC", "2026-11-15T13:00:00Z"},
    {"an event that is only news",
     "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\",\"resetsAt\":"
     "1794747600}}",
     "UTC", NULL},
    {"a time that has passed", "usage limit reached|1000", "UTC", "2026-11-15T10:01:00Z"},
    {"no limit", "the counter resets 3am", "UTC", NULL},
    {"no time", "limit reached; it resets tomorrow", "UTC", NULL},
    {"a bare number", "limit: resets 3", "UTC", NULL},
    {"no hour", "limit: resets 25:00", "UTC", NULL},
    {"nonsense", "limit: resets 13pm", "UTC", NULL},
    {"many digits", "limit: resets in 99999999999999999999 h", "UTC", NULL},
    {"empty", "", "UTC", NULL},
};

static void
test_find(void)
{
    int64_t now, at;

    g_assert_true(clock_parse_iso(NOW, &now));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool found = limit_find(cases[i].text, cases[i].zone, now, &at);
        g_autofree char *got = found ? clock_format_iso(at) : NULL;
        g_test_message("%s: %s", cases[i].name, got ? got : "none");
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/limit/find", test_find);
    return g_test_run();
}
