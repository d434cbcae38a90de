#include "plan/file/plan_log.h"
#include "base/file.h"
#include "base/json.h"
#include <fcntl.h>
#include <sys/stat.h>

/* Enough for the last line: a check's output, in which each byte may be written as six. */
#define TAIL_BYTES (64u << 10)
/* What is read of a long log. */
#define READ_BYTES (64u << 20)

static int
open_log(int state_fd, GError **error)
{
    return file_open_beneath(state_fd, PLAN_LOG, O_RDWR | O_CREAT | O_APPEND, 0666, error);
}

/* The line with its end; in front of it an end for a line that a full disk cut. Caller frees. */
static char *
line_text(int fd, const json_t *line, off_t size)
{
    g_autofree char *text = json_format(line);
    char last = '\n';

    if (size > 0 && pread(fd, &last, 1, size - 1) != 1)
        last = '\n';
    return g_strconcat(last == '\n' ? "" : "\n", text, "\n", NULL);
}

bool
plan_log_append(int state_fd, const json_t *line, GError **error)
{
    auto_fd fd = open_log(state_fd, error);
    struct stat st;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) < 0)
        return err_set_errno(error, errno, "'" PLAN_LOG "'");
    g_autofree char *text = line_text(fd, line, st.st_size);
    if (file_write_all(fd, text, strlen(text), error) &&
        (fdatasync(fd) == 0 || err_set_errno(error, errno, "flushing")))
        return true;
    if (ftruncate(fd, st.st_size) < 0)
        return err_prefix(error, "'" PLAN_LOG "', which is now damaged");
    return err_prefix(error, "'" PLAN_LOG "'");
}

void
plan_log_remark(int state_fd, const json_t *line)
{
    auto_fd fd = open_log(state_fd, NULL);
    g_autofree char *text = json_format(line);
    g_autofree char *whole = g_strconcat(text, "\n", NULL);

    if (fd >= 0)
        (void)file_write_all(fd, whole, strlen(whole), NULL);
}

/* The end of the file from the first whole line on, at most max bytes. Caller frees; NULL: nothing. */
static char *
read_tail(int fd, size_t max)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || st.st_size <= 0)
        return NULL;
    size_t len = (size_t)MIN((uint64_t)st.st_size, (uint64_t)max);
    g_autofree char *text = g_try_malloc(len + 1);
    ssize_t n = text ? pread(fd, text, len, st.st_size - (off_t)len) : -1;
    if (n <= 0)
        return NULL;
    text[n] = '\0';
    const char *begin = text;
    if ((off_t)len < st.st_size) {
        const char *end = memchr(text, '\n', (size_t)n);
        begin = end ? end + 1 : text;
    }
    return g_strdup(begin);
}

/* NULL: that is no line of ours. */
static json_t *
parse_line(const char *line)
{
    json_t *value = NULL;

    if (!*line || !json_parse(line, strlen(line), 0, &value, NULL))
        return NULL;
    if (!json_is_object(value))
        g_clear_pointer(&value, json_decref);
    return value;
}

int64_t
plan_log_last_revision(int state_fd)
{
    auto_fd fd = file_open_beneath(state_fd, PLAN_LOG, O_RDONLY, 0, NULL);
    g_autofree char *text = fd >= 0 ? read_tail(fd, TAIL_BYTES) : NULL;
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

    for (guint i = g_strv_length(lines); i-- > 0;) {
        g_autoptr(json_t) line = parse_line(lines[i]);
        const json_t *revision = json_object_get(line, "revision");

        if (json_is_integer(revision))
            return json_integer_value(revision);
    }
    return 0;
}

bool
plan_log_read(int state_fd, size_t n, json_t **ret, GError **error)
{
    auto_fd fd = openat(state_fd, PLAN_LOG, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0 && errno != ENOENT)
        return err_set_errno(error, errno, "'" PLAN_LOG "'");
    g_autofree char *text = fd >= 0 ? read_tail(fd, READ_BYTES) : NULL;
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    guint total = g_strv_length(lines);
    json_t *all = json_array();

    for (guint i = n > 0 && total > n + 1 ? total - (guint)n - 1 : 0; i < total; i++) {
        json_t *line = parse_line(lines[i]);

        if (line)
            json_array_append_new(all, line);
    }
    *ret = all;
    return true;
}
