/* When a limit ends, in all the words that were seen. */
#include "brain/limit_words.h"
#include "base/clock.h"
#include "brain/brain.h"

const BrainOps *const brain_kinds[] = {NULL};

/* Tuesday, 17 November 2026, 05:00 UTC; 06:00 in Berlin, which is local. */
#define NOW INT64_C(1794891600)

static const struct {
    const char *words;
    int64_t want; /* seconds behind NOW; 0: no time */
} cases[] = {
    /* Codex: an ordinal day, a year, local time. */
    {"You’ve hit your usage limit. Upgrade to Pro or try again at Nov 17th, 2026 7:20 AM.",
     4800},
    {"try again at Nov 18th, 2026 12:00 AM.", 64800},
    {"try again at Dec 1st, 2026 12:00 PM.", 14 * 86400 + 21600},
    {"try again at 7:17 AM.", 4620},
    {"try again at 6:30 PM.", 45000},
    {"try again at 5:59 AM.", 86400 - 60}, /* over for today */
    {"try again at Nov 16th, 2026 7:20 AM.", 0},
    {"Try again in 1 day 3 hours 5 minutes.", 86400 + 3 * 3600 + 300},
    {"try again in 42 seconds", 42},
    {"try again in a while", 0},
    /* Claude Code: lower case, a zone in brackets. */
    {"You've hit your 5-hour limit · resets 7:09am (UTC)", 7740},
    {"You've hit your limit · resets 3am (America/New_York)", 3 * 3600},
    {"You've hit your weekly limit · resets Nov 20, 7am (UTC)", 3 * 86400 + 7200},
    {"resets Nov 20 at 7am (UTC)", 3 * 86400 + 7200},
    {"resets Jan 2, 7am (UTC)", 46 * 86400 + 7200}, /* next year */
    {"resets 19:05 (UTC)", 14 * 3600 + 300},
    {"resets 7:09am (Mars/Olympus)", 4140}, /* no such zone: local */
    {"resets at 7am", 3600},
    /* Nothing of it is a time. */
    {"API Error: Request rejected (429) · slow down", 0},
    {"resets soon", 0},
    {"resets 25:00 (UTC)", 0},
    {"resets 13pm", 0},
    {"resets 7", 0},
    {"try again at Feb 31st, 2027 7:20 AM.", 0},
    {"try again at Nov 17th, 9999 7:20 AM.", 0},
    {"try again in 1000 days 1000 days", 0},
    {"resets 7:09am (/usr/share/zoneinfo/UTC)", 4140}, /* a path is no zone: local */
    {"resets 7:09am (Europe/../UTC)", 4140},
    {"try again at ", 0},
    {"try again at Nov 99999999999999999999th, 2026 7:20 AM", 0},
    {"", 0},
};

static void
test_words(void)
{
    g_setenv("TZ", "Europe/Berlin", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t us = limit_words_until(cases[i].words, NOW * USEC_PER_SEC);
        g_test_message("%s", cases[i].words);
        g_assert_cmpint(us == 0 ? 0 : us / USEC_PER_SEC - NOW, ==, cases[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/limit-words/table", test_words);
    return g_test_run();
}
