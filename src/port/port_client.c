#include "port/port_client.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sysexits.h>

#define SILENCE_US (120 * USEC_PER_SEC)
#define CHUNK (64u << 10)

struct PortAsk {
    int fd;
    char *line; /* the request */
    size_t len, sent;
    GString *answer;
    int64_t heard_us; /* when the run last took or said something */
    bool whole;       /* the answer is */
    GError *failure;
};

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
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        err_set(error, ERR_LATER, "the run behind '%s' does not answer: %s", path,
                g_strerror(errno));
        return -1;
    }
    return g_steal_fd(&fd);
}

/* --- one request --- */

PortAsk *
port_ask(const char *path, json_t *request)
{
    PortAsk *ask = g_new0(PortAsk, 1);
    g_autofree char *text = json_format(request);

    json_decref(request);
    ask->line = g_strconcat(text, "\n", NULL);
    ask->len = strlen(ask->line);
    ask->answer = g_string_new(NULL);
    ask->heard_us = clock_mono_us();
    ask->fd = connect_to(path, &ask->failure);
    return ask;
}

void
port_ask_free(PortAsk *ask)
{
    if (!ask)
        return;
    cleanup_fd(&ask->fd);
    g_string_free(ask->answer, TRUE);
    g_clear_error(&ask->failure);
    free_all(ask->line, ask);
}

void
port_ask_poll(const PortAsk *ask, struct pollfd *ret, int64_t *ret_wait_us)
{
    *ret = (struct pollfd){.fd = ask->fd, .events = ask->sent < ask->len ? POLLOUT : POLLIN};
    *ret_wait_us = ask->failure || ask->whole
                       ? 0
                       : MAX(0, ask->heard_us + SILENCE_US - clock_mono_us());
}

/* A run that refuses a request may hang up before it has read all of it; its answer is there
 * all the same, so only reading decides. */
static void
send_more(PortAsk *ask)
{
    while (ask->sent < ask->len) {
        ssize_t n = send(ask->fd, ask->line + ask->sent, ask->len - ask->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        ask->sent = n < 0 ? ask->len : ask->sent + (size_t)n;
        ask->heard_us = clock_mono_us();
    }
}

static bool
receive_more(PortAsk *ask, GError **error)
{
    g_autofree char *chunk = g_malloc(CHUNK);

    for (;;) {
        ssize_t n = recv(ask->fd, chunk, CHUNK, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n < 0)
            return err_set(error, ERR_LATER, "no answer from the run: %s", g_strerror(errno));
        if (n == 0)
            return err_set(error, ERR_LATER, "the run ended before it answered");
        const char *end = memchr(chunk, '\n', (size_t)n);
        g_string_append_len(ask->answer, chunk, end ? end - chunk : n);
        ask->heard_us = clock_mono_us();
        ask->whole = end;
        if (end)
            return true;
        if (ask->answer->len > LIMIT_PORT_REQUEST)
            return err_set(error, ERR_LIMIT, "the run's answer is longer than %u bytes",
                           LIMIT_PORT_REQUEST);
    }
}

bool
port_ask_work(PortAsk *ask)
{
    if (ask->failure || ask->whole)
        return true;
    send_more(ask);
    if (ask->sent == ask->len && receive_more(ask, &ask->failure) && !ask->whole &&
        clock_mono_us() - ask->heard_us >= SILENCE_US)
        err_set(&ask->failure, ERR_LATER, "no answer from the run: %s", g_strerror(ETIMEDOUT));
    return ask->failure || ask->whole;
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

bool
port_ask_end(const PortAsk *ask, json_t **ret_answer, int *ret_status, GError **error)
{
    g_autoptr(json_t) answer = NULL;
    g_autoptr(GError) failure = ask->failure ? g_error_copy(ask->failure) : NULL;
    int status = 0;

    if (!failure && json_parse(ask->answer->str, ask->answer->len, LIMIT_PORT_REQUEST, &answer,
                               &failure))
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

bool
port_call(
    const char *path, json_t *request, json_t **ret_answer, int *ret_status, GError **error)
{
    g_autoptr(PortAsk) ask = port_ask(path, request);
    struct pollfd fd;
    int64_t wait_us;

    while (!port_ask_work(ask)) {
        port_ask_poll(ask, &fd, &wait_us);
        (void)poll(&fd, 1, (int)(wait_us / USEC_PER_MSEC) + 1);
    }
    return port_ask_end(ask, ret_answer, ret_status, error);
}
