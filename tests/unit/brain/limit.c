#include "brain/limit.h"
#include "base/banned.h"
#include "base/clock.h"
#include <glib.h>

#define NOW "2026-11-15T10:00:00Z"

#define HIT "You've hit your limit · "
#define EVENT(status, at)                                                                      \
    "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"" status                 \
    "\",\"resetsAt\": " at "}}"
#define RESULT "{\"is_error\":true,\"type\":\"result\",\"result\":\"x\"}"

/* A line and what it means, as the only one on stderr. */
static const struct {
    const char *name, *text, *zone;
    const char *want; /* NULL: none is found */
} lines[] = {
    {"an hour of tomorrow", HIT "resets 3am", "UTC", "2026-11-16T03:00:00Z"},
    {"an hour of today", "Usage limit reached. It resets at 3pm.", "UTC",
     "2026-11-15T15:00:00Z"},
    {"with minutes", "limit reached, resets 3:30 PM", "UTC", "2026-11-15T15:30:00Z"},
    {"of 24 hours", "5-hour limit reached; resets at 15:05", "UTC", "2026-11-15T15:05:00Z"},
    {"noon", HIT "resets 12pm", "UTC", "2026-11-15T12:00:00Z"},
    {"midnight", HIT "resets 12am", "UTC", "2026-11-16T00:00:00Z"},
    {"a zone in the text", HIT "resets 3am (America/New_York)", "UTC", "2026-11-16T08:00:00Z"},
    {"a zone by default", HIT "resets 3pm", "Asia/Tokyo", "2026-11-16T06:00:00Z"},
    {"of five hours", "You've hit your 5-hour limit · resets 7:09am (UTC)", "UTC",
     "2026-11-16T07:09:00Z"},
    {"a day", "weekly limit reached, resets Nov 20, 3pm (UTC)", "UTC", "2026-11-20T15:00:00Z"},
    {"a day and a year",
     "You’ve hit your usage limit. Upgrade to Pro (https://x.example/pro) or try again at Nov "
     "17th, 2026 7:20 AM.",
     "UTC", "2026-11-17T07:20:00Z"},
    {"the same on the same day",
     "ERROR: You’ve hit your usage limit. Upgrade or try again at 11:17 AM.", "UTC",
     "2026-11-15T11:17:00Z"},
    {"a year that has passed",
     "You've hit your usage limit. Try again at Nov 17th, 2025 7:20 AM.", "UTC",
     "2026-11-15T10:01:00Z"},
    {"a day of next year is too far", HIT "resets Nov 2, 3pm", "UTC", "2026-12-16T10:00:00Z"},
    {"a span", "You've hit your usage limit. Try again in 2 hours 5 minutes.", "UTC",
     "2026-11-15T12:05:00Z"},
    {"a short span", HIT "resets in 1h 30m", "UTC", "2026-11-15T11:30:00Z"},
    {"days", HIT "try again in 1 day, 2 hours and 3 minutes", "UTC", "2026-11-16T12:03:00Z"},
    {"seconds behind a bar", "Claude AI usage limit reached|1794747600", "UTC",
     "2026-11-15T13:00:00Z"},
    {"a time that has passed", "usage limit reached|1000", "UTC", "2026-11-15T10:01:00Z"},
    {"seconds of no year", "usage limit reached|999999999999999", "UTC", NULL},
    {"something behind the seconds", "usage limit reached|1794747600 is what it said", "UTC",
     NULL},
    {"something behind the hour", HIT "resets 3pm, they wrote", "UTC", NULL},
    {"something behind the span", HIT "try again in 2 hours or so", "UTC", NULL},
    {"something in front", "can't parse: usage limit reached|1794747600", "UTC", NULL},
    {"more words in front", "he said that the usage limit reached|1794747600", "UTC", NULL},
    {"quoted", "> usage limit reached|1794747600", "UTC", NULL},
    {"no limit", "the counter resets 3am", "UTC", NULL},
    {"another limit", "Your limit: resets 3am", "UTC", NULL},
    {"no time", HIT "it resets tomorrow", "UTC", NULL},
    {"a bare number", HIT "resets 3", "UTC", NULL},
    {"no hour", HIT "resets 25:00", "UTC", NULL},
    {"nonsense", HIT "resets 13pm", "UTC", NULL},
    {"many digits", HIT "resets in 99999999999999999999 h", "UTC", NULL},
    {"empty", "", "UTC", NULL},
};

static void
check(const char *name, const LimitText *text, const char *want)
{
    int64_t now;
    Due at;

    g_assert_true(clock_parse_iso(NOW, &now));
    g_autofree char *line = limit_find(text, now, &at);
    g_autofree char *got = line ? clock_format_iso(at.us) : NULL;
    g_test_message("%s: %s", name, got ? got : "none");
    g_assert_cmpstr(got, ==, want);
    g_assert_true(!line || at.moment == !strstr(line, " in "));
}

static void
test_lines(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        LimitText text = {
            .out = "", .log = lines[i].text, .prompt = "question\n", .zone = lines[i].zone};
        check(lines[i].name, &text, lines[i].want);
    }
}

#define SAID "usage limit reached|1794747600"
#define AT "2026-11-15T13:00:00Z"

/* Where a line stands, and whether it is the program's own. */
static const struct {
    const char *name, *out, *log, *prompt;
    const char *want; /* NULL: none is found */
} places[] = {
    {"stderr", "", SAID, "question", AT},
    {"the end of stderr", "half an answer\nof two lines", "started\n" SAID "\n\n", "question",
     AT},
    {"within stderr", "", SAID "\nTraceback: no such key", "question", NULL},
    {"stdout", SAID "\n", "", "question", AT},
    {"stdout, with a warning on stderr", SAID, "warning: old settings", "question", AT},
    {"the end of stdout", "Dear Kim,\n" SAID, "", "question", NULL},
    {"the begin of stdout", SAID "\nis what they say", "", "question", NULL},
    {"an event", "{\"type\":\"system\"}\n" EVENT("rejected", "1794747600") "\n" RESULT, "",
     "question", AT},
    {"an event that is only news", EVENT("allowed", "1794747600") "\n" RESULT, "", "question",
     NULL},
    {"an event of no time", EVENT("rejected", "\"soon\""), "", "question", NULL},
    {"an event of no year", EVENT("rejected", "-1"), "", "question", NULL},
    {"an event in a text", "Hello,\n" EVENT("rejected", "1794747600"), "", "question", NULL},
    {"an event in an event", "{\"type\":\"text\",\"text\":" EVENT("rejected", "1794747600") "}",
     "", "question", NULL},
    {"half an event", "{\"type\":\"rate_limit_event\",\"status\":\"rejected\",\"resetsAt\":179",
     "", "question", NULL},
    {"an event that was given", EVENT("rejected", "1794747600"), "",
     "Please see:\n> " EVENT("rejected", "1794747600"), NULL},
    {"a line that was given", "", SAID, "From: a@b.example\n\n" SAID "\n", NULL},
    {"within a line", "", SAID, "They say: \"" SAID "\".", NULL},
    {"on stdout", SAID, "", "They say: \"" SAID "\".", NULL},
    {"in other letters", "", SAID, "USAGE  Limit\tReached | 1794747600", NULL},
    {"quoted and wrapped", "", SAID, "> > Claude usage limit\n> > reached|1794747600", NULL},
    {"with other words in front", "", "Error: weekly " SAID, "limit reached|1794747600", NULL},
    {"with another mark", "", HIT "resets in 5 h", "hit your *limit*: resets in 5 h", NULL},
    {"other words were given", "", SAID, "Is the usage limit reached?", AT},
    {"another time was given", "", SAID, "usage limit reached|1794740000", AT},
};

static void
test_places(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        LimitText text = {.out = places[i].out,
                          .log = places[i].log,
                          .prompt = places[i].prompt,
                          .zone = "UTC"};
        check(places[i].name, &text, places[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/limit/lines", test_lines);
    g_test_add_func("/limit/places", test_places);
    return g_test_run();
}
