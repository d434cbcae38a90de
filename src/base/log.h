#pragma once

/*
 * One line per event, logfmt: t=2026-11-15T09:30:00.123Z level=info prog=run pid=12 msg="…"
 * job=12. Values are escaped, so a subject can't forge a line. Libraries return errors;
 * programs log, once. On a terminal the line is shorter: time, level when not info, message,
 * fields.
 */

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_NONE } LogLevel;

/* A log file that would grow beyond this is renamed to FILE.1, that to FILE.2, and so on up to
 * what log_init() says; then it is begun anew. */
#define LOG_FILE_MAX (4 << 20)

/* prog: "serve", "account main", … Lines go to fd 2 and, where one is named, to a file too,
 * which any number of processes may share; to each from the level on that is given for it, with
 * LOG_NONE nothing. The file is opened again when it was rotated away, and a full disk is
 * survived. False, with errno: the file can't be opened now; it is tried again with each line.
 * Of files that were rotated away old_files are kept. */
bool log_init(const char *prog,
              LogLevel to_stderr,
              const char *file,
              LogLevel to_file,
              unsigned old_files);
/* The file itself for 0, else the n-th that was rotated away, 1 being the newest. Caller
 * frees. */
char *log_old_name(const char *file, unsigned n);
/* Lines that name no job of their own are about this one from here on; 0: about none. */
void log_about_job(int64_t job);
LogLevel log_level_parse(const char *name, LogLevel fallback);

/* Fields are (const char *key, const char *value) pairs, then NULL. A NULL value leaves its
 * pair out. */
void log_event(LogLevel level, const char *msg, ...) G_GNUC_NULL_TERMINATED;
/* As above, with printf for the message and no fields. */
void log_say(LogLevel level, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
