#pragma once

/* Reading the Date header of a mail. */

/* Reads "Sun, 15 Nov 2026 09:30:00 +0100" and its older relatives (two-digit years, zone names,
 * no seconds, comments). False for anything else, and for what is no moment between 1970 and
 * 2200: a date that can't be right is no date. */
bool maildate_parse(const char *text, int64_t *ret_wall_us);
