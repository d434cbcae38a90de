#pragma once

/*
 * When a usage limit ends, from the words of the program that came to it:
 *
 *   "… or try again at Nov 17th, 2026 7:20 AM."     "… try again at 7:17 AM."
 *   "You've hit your 5-hour limit · resets 7:09am (UTC)"     "… resets Nov 20, 7am (Europe/Berlin)"
 *   "Try again in 1 day 3 hours 5 minutes."
 *
 * A time of day without a date is the next one; without a zone it is local time.
 */

/* Wall time in microseconds; 0: the words name no time, one that is over, or one that lies more than
 * 1000 days ahead. Any bytes will do. */
int64_t limit_words_until(const char *words, int64_t now_us);
