#pragma once

/*
 * One line per event, logfmt: t=2026-11-15T09:30:00.123Z level=info prog=run pid=12 msg="…"
 * job=12. Values are escaped, so a subject can't forge a line. Libraries return errors;
 * programs log, once. On a terminal the line is shorter: time, level when not info, message,
 * fields.
 */
#include <glib.h>

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_NONE } LogLevel;

/* prog: "serve", "account main", … least: nothing below it is written, with LOG_NONE nothing
 * at all. To fd 2 unless a file is given; the file is opened again
 * when it was rotated away, and a full disk is survived. */
void log_init(const char *prog, LogLevel least, const char *file);
LogLevel log_level_parse(const char *name, LogLevel fallback);

/* Fields are (const char *key, const char *value) pairs, then NULL. A NULL value leaves its
 * pair out. */
void log_event(LogLevel level, const char *msg, ...) G_GNUC_NULL_TERMINATED;
/* As above, with printf for the message and no fields. */
void log_say(LogLevel level, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
