#pragma once

/* The two ways in which IMAP writes a time. Internal to src/wire/imap*. */

/* "15-Nov-2026", a day in UTC; caller frees. */
char *imap_date_format_day(int64_t wall_us);
/* "15-Nov-2026 09:30:00 +0000"; caller frees. */
char *imap_date_format(int64_t wall_us);
/* The second form, in any zone; false for anything else. */
bool imap_date_parse(const char *text, int64_t *ret_wall_us);
