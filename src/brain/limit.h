#pragma once

/*
 * When the usage limit ends that a program complains of. Agent programs say it in words, in the
 * user's own time, or in a line of JSON:
 *
 *   You've hit your limit · resets 3am (Europe/Berlin)
 *   usage limit reached. Try again in 2 hours 5 minutes
 *   weekly limit reached, resets Nov 20, 3:30pm
 *   usage limit reached|1794747600
 *   {"type":"rate_limit_event", … "status":"rejected","resetsAt":1794747600}
 */
#include <stdbool.h>
#include <stdint.h>

/* False: the text speaks of no limit, or not of its end. The time is a minute from now at least
 * and 31 days at most. zone NULL: that of this machine, where the text names none. */
bool limit_find(const char *text, const char *zone, int64_t now_us, int64_t *ret_us);
