#include "serve/notify.h"
#include <sys/socket.h>
#include <sys/un.h>

char *
notify_take(void)
{
    char *path = g_strdup(g_getenv("NOTIFY_SOCKET"));

    g_unsetenv("NOTIFY_SOCKET");
    g_unsetenv("WATCHDOG_USEC");
    return path;
}

void
notify_send(const char *socket_path, const char *state)
{
    auto_fd fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = socket_path ? strlen(socket_path) : 0;

    if (fd < 0 || len == 0 || len >= sizeof to.sun_path)
        return;
    memcpy(to.sun_path, socket_path, len);
    if (socket_path[0] == '@') /* an abstract name */
        to.sun_path[0] = '\0';
    (void)sendto(fd, state, strlen(state), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}
