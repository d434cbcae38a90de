#include "base/crash.h"
#include <fcntl.h>
#include <signal.h>

int crash_armed = -1;

/* One write with O_APPEND: several processes of one test share the file. */
static void
note_point(const char *file, const char *name)
{
    auto_fd fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    g_autofree char *line = g_strconcat(name, "\n", NULL);

    if (fd < 0 || write(fd, line, strlen(line)) < 0)
        g_printerr("POSTRIDER_POINTS: can't write '%s'\n", file);
}

void
crash_point_reached(const char *name)
{
    static int64_t reached;
    const char *die_at = g_getenv("POSTRIDER_DIE_AT");
    const char *points = g_getenv("POSTRIDER_POINTS");
    int64_t nth = 0;

    crash_armed = die_at || points;
    if (!crash_armed)
        return;
    reached++;
    if (points)
        note_point(points, name);
    if (!die_at)
        return;
    (void)text_parse_int(die_at, 1, INT64_MAX, &nth);
    if (nth == reached || g_str_equal(die_at, name))
        (void)kill(getpid(), SIGKILL);
}
