#pragma once

/*
 * When the usage limit ends that a program complains of. Agent programs say it in words, in the
 * user's own time, or in a line of JSON:
 *
 *   You've hit your 5-hour limit · resets 3am (Europe/Berlin)
 *   You've hit your usage limit. … or try again at Nov 17th, 2026 7:20 AM.
 *   usage limit reached. Try again in 2 hours 5 minutes
 *   weekly limit reached, resets Nov 20, 3:30pm
 *   Claude AI usage limit reached|1794747600
 *   {"type":"rate_limit_event", … "status":"rejected","resetsAt":1794747600}
 *
 * What a program prints may be what a mail says. So it counts only as the whole last line of
 * stderr, as the only line of stdout, or as an event in a stdout that is nothing but JSON; and
 * never where it stands in the prompt too, from the word "limit" on, in letters and digits: that
 * is an echo.
 */
#include "base/clock.h"

/* All borrowed. */
typedef struct LimitText {
    const char *out, *log; /* what it wrote to stdout, and the end of what it wrote to stderr */
    const char *prompt;    /* what it was given */
    const char *zone;      /* where its words name none; NULL: that of this machine */
} LimitText;

/* Only for a program that ended by itself and failed. The line that says it, caller frees; NULL:
 * none does, or not when it ends. The time is a minute from now at least and 31 days at most; a
 * moment, unless it was said as a span. */
char *limit_find(const LimitText *text, int64_t now_us, Due *ret);
