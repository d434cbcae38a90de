#include "base/log.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/secret.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* The one piece of state that belongs to the process and not to a Home: there is one stderr. */
static struct {
    const char *prog;
    LogLevel least;
    char *file; /* NULL: fd 2 */
    int fd;     /* of file; -1 while it can't be opened */
    bool tty;
    bool torn;     /* the last line ended in the middle: a disk was full */
    unsigned lost; /* lines since the last one that was written whole */
    Clock clock;
} out = {.prog = "postrider", .least = LOG_INFO, .fd = -1};

static const char *const level_names[] = {"debug", "info", "warn", "error", "none", NULL};

void
log_init(const char *prog, LogLevel least, const char *file)
{
    proc_init();
    cleanup_fd(&out.fd);
    out.fd = -1;
    g_free(out.file);
    out.prog = g_intern_string(prog);
    out.least = least;
    out.file = file && *file ? g_strdup(file) : NULL;
    out.tty = !out.file && isatty(STDERR_FILENO);
    out.clock = clock_from_env();
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

/* Opened again when the name leads elsewhere now: logrotate moved it away. */
static int
current_fd(void)
{
    struct stat held, named;

    if (!out.file)
        return STDERR_FILENO;
    if (out.fd >= 0 && stat(out.file, &named) == 0 && fstat(out.fd, &held) == 0 &&
        held.st_dev == named.st_dev && held.st_ino == named.st_ino)
        return out.fd;
    cleanup_fd(&out.fd);
    out.torn = false;
    out.fd = open(out.file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    return out.fd;
}

/* One write(2) per line, so that lines of several processes do not mix. */
static bool
put(int fd, const char *text, size_t len)
{
    ssize_t n;

    do
        n = write(fd, text, len);
    while (n < 0 && errno == EINTR);
    out.torn = n > 0 ? (size_t)n < len : out.torn;
    return n == (ssize_t)len;
}

static bool
emit(GString *line)
{
    int fd = current_fd();

    g_autofree char *text =
        secret_hide(g_strdup_printf("%s%s\n", out.torn ? "\n" : "", line->str));

    return fd >= 0 && put(fd, text, strlen(text));
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
    g_autoptr(GString) escaped = g_string_new(NULL);

    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            g_string_append_c(escaped, '\\');
        g_string_append_c(escaped, *value);
    }
    g_autofree char *vis = text_vis(escaped->str, false);
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
begin_line(LogLevel level, const char *msg)
{
    int64_t now = clock_wall_us(&out.clock);
    g_autofree char *when = clock_format_iso(now);

    if (out.tty)
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
own_up(void)
{
    if (out.lost == 0)
        return;

    g_autoptr(GString) line = begin_line(LOG_WARN, "log lines were lost");

    g_string_append_printf(line, " lines=%u", out.lost);
    if (emit(line))
        out.lost = 0;
}

void
log_event(LogLevel level, const char *msg, ...)
{
    if (level < out.least)
        return;

    int saved = errno;
    g_autoptr(GString) line = begin_line(level, msg);
    const char *key;
    va_list ap;

    va_start(ap, msg);
    while ((key = va_arg(ap, const char *))) {
        const char *value = va_arg(ap, const char *);
        if (value)
            append_pair(line, key, value);
    }
    va_end(ap);
    own_up();
    if (!emit(line))
        out.lost++;
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
