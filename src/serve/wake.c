#include "serve/wake.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include <errno.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define WAKE_NAME "wake.sock"
/* A flood must not keep us from the work that it announces. */
#define DRAIN_MAX 1000

/* By the folder's descriptor: the path of a home may be longer than a socket's name. */
static bool
bind_in(int state_fd, int fd)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    mode_t old = umask(0177);

    g_snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" WAKE_NAME, state_fd);
    int rc = bind(fd, (struct sockaddr *)&at, sizeof at);
    umask(old);
    return rc == 0;
}

bool
wake_open(const Home *home, int *ret_fd, bool *ret_stale, GError **error)
{
    auto_fd fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool stale = unlinkat(home->state_fd, WAKE_NAME, 0) == 0;

    if (fd < 0 || !bind_in(home->state_fd, fd))
        return err_set_errno(error, errno, "making '%s/state/" WAKE_NAME "'", home->path);
    *ret_fd = g_steal_fd(&fd);
    *ret_stale = stale;
    return true;
}

bool
wake_drain(int fd)
{
    char byte;
    int n = 0;

    while (n < DRAIN_MAX && recv(fd, &byte, sizeof byte, MSG_DONTWAIT) >= 0)
        n++;
    return n > 0;
}

int
wake_open_edits(const Home *home)
{
    auto_fd fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (fd < 0 ||
        inotify_add_watch(fd, home->path, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) < 0)
        return -1;
    return g_steal_fd(&fd);
}

void
wake_drain_edits(int fd)
{
    char events[4096];

    while (read(fd, events, sizeof events) > 0)
        ;
}

void
wake_remove(const Home *home)
{
    (void)unlinkat(home->state_fd, WAKE_NAME, 0);
}
