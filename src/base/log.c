#include "base/log.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/secret.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

typedef struct Sink {
    int fd; /* of the file -1 while it can't be opened */
    LogLevel least;
    bool tty;
    bool torn;     /* the last line ended in the middle: a disk was full */
    unsigned lost; /* lines since the last one that was written whole */
} Sink;

/* The one piece of state that belongs to the process and not to a Home: there is one stderr. */
static struct {
    const char *prog;
    char *file; /* NULL: stderr alone */
    unsigned old_files;
    int64_t job;
    Sink to_stderr, to_file;
    Clock clock;
} out = {.prog = "postrider",
         .to_stderr = {.fd = STDERR_FILENO, .least = LOG_INFO},
         .to_file = {.fd = -1, .least = LOG_NONE}};

static const char *const level_names[] = {"debug", "info", "warn", "error", "none", NULL};

static int current_fd(void);

bool
log_init(const char *prog,
         LogLevel to_stderr,
         const char *file,
         LogLevel to_file,
         unsigned old_files)
{
    proc_init();
    cleanup_fd(&out.to_file.fd);
    g_free(out.file);
    out.prog = g_intern_string(prog);
    out.file = file && *file ? g_strdup(file) : NULL;
    out.to_stderr =
        (Sink){.fd = STDERR_FILENO, .least = to_stderr, .tty = isatty(STDERR_FILENO)};
    out.to_file = (Sink){.fd = -1, .least = out.file ? to_file : LOG_NONE};
    out.old_files = old_files;
    out.clock = clock_from_env();
    return !out.file || current_fd() >= 0;
}

void
log_about_job(int64_t job)
{
    out.job = job;
}

LogLevel
log_level_parse(const char *name, LogLevel fallback)
{
    for (unsigned i = 0; level_names[i]; i++) {
        if (g_strcmp0(name, level_names[i]) == 0)
            return (LogLevel)i;
    }
    return fallback;
}

/* --- the file --- */

static bool
is_named(int fd)
{
    struct stat held, named;

    return fd >= 0 && stat(out.file, &named) == 0 && fstat(fd, &held) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* Opened again when the name leads elsewhere now: somebody rotated it away. */
static int
current_fd(void)
{
    Sink *s = &out.to_file;

    if (is_named(s->fd))
        return s->fd;
    cleanup_fd(&s->fd);
    s->torn = false;
    s->fd = open(out.file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    return s->fd;
}

char *
log_old_name(const char *file, unsigned n)
{
    return n ? g_strdup_printf("%s.%u", file, n) : g_strdup(file);
}

/* Each old file moves up by one, what is too old goes: more than one where fewer are kept than
 * before. Only as far as the first gap, which a process that was killed in the middle of this has
 * left. */
static void
move_all_on(void)
{
    unsigned n = 0;
    int there;

    do {
        g_autofree char *old = log_old_name(out.file, ++n);
        there = n < out.old_files ? access(old, F_OK) : unlink(old);
    } while (there == 0);
    for (n = MIN(n, out.old_files); n > 0; n--) {
        g_autofree char *from = log_old_name(out.file, n - 1);
        g_autofree char *to = log_old_name(out.file, n);
        (void)rename(from, to);
    }
}

/* The lock is on the file itself, and the name is looked at again under it: of several processes that
 * find the file full one rotates. Whoever has it open still writes into the file that was renamed, so
 * no line is lost. */
static void
rotate_when_full(size_t more)
{
    int fd = current_fd();
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        st.st_size + (off_t)more <= LOG_FILE_MAX || flock(fd, LOCK_EX | LOCK_NB) < 0)
        return;
    if (is_named(fd))
        move_all_on();
    (void)flock(fd, LOCK_UN);
}

/* --- lines --- */

/* One write(2) per line, so that lines of several processes do not mix. */
static bool
put(Sink *s, const char *text, size_t len)
{
    ssize_t n;

    do
        n = write(s->fd, text, len);
    while (n < 0 && errno == EINTR);
    s->torn = n > 0 ? (size_t)n < len : s->torn;
    return n == (ssize_t)len;
}

static bool
emit(Sink *s, const char *line)
{
    if (s == &out.to_file) {
        rotate_when_full(strlen(line) + 1);
        (void)current_fd();
    }
    g_autofree char *text = secret_hide(g_strdup_printf("%s%s\n", s->torn ? "\n" : "", line));

    return s->fd >= 0 && put(s, text, strlen(text));
}

/* Bare where a reader of logfmt can't mistake it, else quoted; text_vis() comes last, so that
 * its backslashes stand for themselves alone. */
static void
append_value(GString *line, const char *value)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "@.,:;/_+-<>()[]{}*&%$!?#~^|'";

    if (*value && value[strspn(value, bare)] == '\0') {
        g_string_append(line, value);
        return;
    }
    g_autofree char *escaped = text_escape(value);
    g_autofree char *vis = text_vis(escaped, false);
    g_string_append_printf(line, "\"%s\"", vis);
}

static void
append_pair(GString *line, const char *key, const char *value)
{
    g_string_append_printf(line, "%s%s=", line->len ? " " : "", key);
    append_value(line, value);
}

static GString *
begin_for_people(LogLevel level, const char *when, const char *msg)
{
    GString *line = g_string_new(NULL);
    g_autofree char *vis = text_vis(msg, false);

    g_string_append_printf(line, "%.8s ", when + strlen("2026-11-15T"));
    if (level != LOG_INFO)
        g_string_append_printf(line, "%s: ", level_names[level]);
    g_string_append(line, vis);
    return line;
}

static GString *
begin_line(const Sink *s, LogLevel level, const char *msg)
{
    int64_t now = clock_wall_us(&out.clock);
    g_autofree char *when = clock_format_iso(now);

    if (s->tty)
        return begin_for_people(level, when, msg);

    GString *line = g_string_new(NULL);
    g_string_append_printf(line, "t=%.*s.%03dZ level=%s", (int)strlen(when) - 1, when,
                           (int)(now / USEC_PER_MSEC % 1000), level_names[level]);
    append_pair(line, "prog", out.prog);
    g_string_append_printf(line, " pid=%d", (int)getpid());
    append_pair(line, "msg", msg);
    return line;
}

/* Says what a full disk cost, as soon as there is room to say it. */
static void
own_up(Sink *s)
{
    if (s->lost == 0)
        return;

    g_autoptr(GString) line = begin_line(s, LOG_WARN, "log lines were lost");

    g_string_append_printf(line, " lines=%u", s->lost);
    if (emit(s, line->str))
        s->lost = 0;
}

static void
tell(Sink *s, LogLevel level, const char *msg, const GString *fields)
{
    if (level < s->least)
        return;

    g_autoptr(GString) line = begin_line(s, level, msg);

    if (fields->len)
        g_string_append_printf(line, " %s", fields->str);
    own_up(s);
    if (!emit(s, line->str))
        s->lost++;
}

void
log_event(LogLevel level, const char *msg, ...)
{
    int saved = errno;
    g_autoptr(GString) fields = g_string_new(NULL);
    bool about = out.job != 0;
    const char *key;
    va_list ap;

    va_start(ap, msg);
    while ((key = va_arg(ap, const char *))) {
        const char *value = va_arg(ap, const char *);
        if (value)
            append_pair(fields, key, value);
        about = about && !(value && g_str_equal(key, "job"));
    }
    va_end(ap);
    if (about)
        g_string_append_printf(fields, "%sjob=%" PRId64, fields->len ? " " : "", out.job);
    tell(&out.to_stderr, level, msg, fields);
    tell(&out.to_file, level, msg, fields);
    errno = saved;
}

void
log_say(LogLevel level, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    g_autofree char *msg = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    log_event(level, msg, NULL);
}
