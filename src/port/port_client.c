#include "port/port_client.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sysexits.h>

#define SILENCE_S 120
#define CHUNK (64u << 10)

const char *
port_client_path(void)
{
    const char *path = g_getenv("POSTRIDER_PORT");
    return path && *path ? path : NULL;
}

/* A path that is too long for a socket's address is reached through its folder. */
static bool
make_address(const char *path, int *ret_folder, struct sockaddr_un *ret, GError **error)
{
    ret->sun_family = AF_UNIX;
    if (g_strlcpy(ret->sun_path, path, sizeof ret->sun_path) < sizeof ret->sun_path)
        return true;
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    *ret_folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*ret_folder < 0)
        return err_set_errno(error, errno, "'%s'", folder);
    int n = g_snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s", *ret_folder,
                       name);
    return n < (int)sizeof ret->sun_path ||
           err_set(error, ERR_NEVER, "'%s' is too long for a socket", path);
}

static int
connect_to(const char *path, GError **error)
{
    auto_fd folder = -1;
    struct sockaddr_un address = {0};
    if (!make_address(path, &folder, &address, error))
        return -1;

    auto_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval silence = {.tv_sec = SILENCE_S};
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence) < 0) {
        err_set(error, ERR_LATER, "the run behind '%s' does not answer: %s", path,
                g_strerror(errno));
        return -1;
    }
    return g_steal_fd(&fd);
}

/* A run that refuses a request may hang up before it has read all of it; its answer is there
 * all the same, so only reading decides. */
static void
send_line(int fd, const char *line)
{
    size_t len = strlen(line);
    while (len > 0) {
        ssize_t n = send(fd, line, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        line += n;
        len -= (size_t)n;
    }
}

static bool
receive_line(int fd, GString *line, GError **error)
{
    g_autofree char *chunk = g_malloc(CHUNK);
    for (;;) {
        ssize_t n = recv(fd, chunk, CHUNK, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(error, ERR_LATER, "no answer from the run: %s", g_strerror(errno));
        if (n == 0)
            return err_set(error, ERR_LATER, "the run ended before it answered");
        const char *end = memchr(chunk, '\n', (size_t)n);
        g_string_append_len(line, chunk, end ? end - chunk : n);
        if (end)
            return true;
        if (line->len > LIMIT_PORT_REQUEST)
            return err_set(error, ERR_LIMIT, "the run's answer is longer than %u bytes",
                           LIMIT_PORT_REQUEST);
    }
}

/* What the answer says about itself; 0 when it is good. */
static int
read_status(const json_t *answer, GError **error)
{
    bool ok;
    const char *text;
    int64_t status;

    if (!json_get_bool(answer, "", "ok", &ok, error))
        return EX_PROTOCOL;
    if (ok)
        return 0;
    if (!json_get_string(answer, "", "error", &text, error) ||
        !json_get_int(answer, "", "status", 1, 255, &status, error))
        return EX_PROTOCOL;
    err_set(error, ERR_NEVER, "%s", text);
    return (int)status;
}

static bool
exchange(const char *path, const json_t *request, json_t **ret, GError **error)
{
    g_autofree char *text = json_format(request);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    auto_fd fd = connect_to(path, error);
    if (fd < 0)
        return false;
    g_autoptr(GString) answer = g_string_new(NULL);
    send_line(fd, line);
    return receive_line(fd, answer, error) &&
           json_parse(answer->str, answer->len, LIMIT_PORT_REQUEST, ret, error);
}

bool
port_call(
    const char *path, json_t *request, json_t **ret_answer, int *ret_status, GError **error)
{
    g_autoptr(json_t) asked = request;
    g_autoptr(json_t) answer = NULL;
    g_autoptr(GError) failure = NULL;
    int status = 0;

    if (exchange(path, asked, &answer, &failure))
        status = read_status(answer, &failure);
    else
        status = err_exit_status(failure);
    if (ret_status)
        *ret_status = status;
    if (status != 0)
        return err_pass(error, g_steal_pointer(&failure));
    if (ret_answer)
        *ret_answer = g_steal_pointer(&answer);
    return true;
}
