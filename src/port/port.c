#include "port/port.h"
#include "base/file.h"
#include "base/limits.h"
#include "port/port_verbs.h"
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sysexits.h>

#define CLIENTS_MAX (PORT_POLL_MAX - 1)
#define CHUNK (64u << 10)
/* Who has neither said nor taken anything for so long gives way when all places are taken. */
#define SILENT_US (2 * G_USEC_PER_SEC)

/* A client is read only while it has no answer to take: who does not listen is not heard. */
typedef struct Client {
    int fd;       /* -1: a free place */
    GString *in;  /* what it said and was not worked off */
    size_t line;  /* length of the first line in `in`, its newline included; 0: not whole yet */
    GString *out; /* what it has to take */
    size_t taken; /* bytes of out that are gone */
    bool last;    /* nothing more is read; goes when out is taken */
    int64_t heard_us; /* when it last said or took something; monotonic */
} Client;

struct Port {
    PortTalk talk;
    char *path, *name; /* of the socket; name beneath dir */
    int dir, fd;
    Client clients[CLIENTS_MAX];
    int timer;    /* timerfd */
    bool crowded; /* somebody waits, and nobody has been silent for long enough */
};

/* --- one client --- */

static void
client_close(Client *c)
{
    cleanup_fd(&c->fd);
    if (c->in)
        g_string_free(c->in, TRUE);
    if (c->out)
        g_string_free(c->out, TRUE);
    *c = (Client){.fd = -1};
}

static void
client_open(Client *c, int fd)
{
    *c = (Client){.fd = fd,
                  .in = g_string_new(NULL),
                  .out = g_string_new(NULL),
                  .heard_us = g_get_monotonic_time()};
}

static bool
client_owes(const Client *c)
{
    return c->taken < c->out->len;
}

static void
client_say(Client *c, char *line)
{
    g_string_assign(c->out, line);
    c->taken = 0;
    g_free(line);
}

/* Looks for the end of the first line in what came new. */
static void
client_find_line(Client *c, size_t from)
{
    const char *end = c->line ? NULL : memchr(c->in->str + from, '\n', c->in->len - from);
    if (end)
        c->line = (size_t)(end - c->in->str) + 1;
    else if (!c->line && c->in->len > LIMIT_PORT_REQUEST) {
        client_say(c, port_refuse("a request is at most 32 MB", EX_DATAERR));
        c->last = true;
    }
}

static void
client_read(Client *c)
{
    char chunk[CHUNK];
    ssize_t n = recv(c->fd, chunk, sizeof chunk, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) { /* half a request of somebody who is gone means nothing */
        client_close(c);
        return;
    }
    size_t from = c->in->len;
    c->heard_us = g_get_monotonic_time();
    g_string_append_len(c->in, chunk, n);
    client_find_line(c, from);
}

static void
client_write(Client *c)
{
    while (client_owes(c)) {
        ssize_t n = send(c->fd, c->out->str + c->taken, c->out->len - c->taken,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) {
            client_close(c);
            return;
        }
        c->taken += (size_t)n;
        c->heard_us = g_get_monotonic_time();
    }
    if (c->last)
        client_close(c);
}

static void
client_answer(Client *c, PortTalk *talk)
{
    client_say(c, port_talk(talk, c->in->str, c->line - 1));
    g_string_erase(c->in, 0, (gssize)c->line);
    c->line = 0;
    client_find_line(c, 0);
}

static void
client_work(Client *c, short events, PortTalk *talk)
{
    if (client_owes(c)) {
        client_write(c);
        return;
    }
    if (!c->line && events & (POLLIN | POLLHUP | POLLERR))
        client_read(c);
    if (c->fd >= 0 && c->line && !client_owes(c))
        client_answer(c, talk);
    if (c->fd >= 0 && client_owes(c))
        client_write(c);
}

/* --- the socket --- */

/* Through the folder's descriptor, since a socket's address holds 108 bytes only. What an
 * earlier run left under the name is removed; where that fails the next name will do. */
static bool
bind_in(Port *port, GError **error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    for (unsigned n = 1; n <= 9; n++) {
        g_autofree char *name =
            n == 1 ? g_strdup("port.sock") : g_strdup_printf("port-%u.sock", n);
        g_snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", port->dir,
                   name);
        (void)unlinkat(port->dir, name, 0);
        if (bind(port->fd, (const struct sockaddr *)&address, sizeof address) == 0) {
            port->name = g_steal_pointer(&name);
            return true;
        }
        if (errno != EADDRINUSE)
            break;
    }
    return err_set_errno(error, errno, "opening the agent port");
}

bool
port_open(Engine *engine,
          const Job *job,
          const JobClaim *claim,
          const StepInput *in,
          const char *dir,
          Port **ret,
          GError **error)
{
    g_autoptr(Port) port = g_new0(Port, 1);

    port_talk_init(&port->talk, engine, job, claim, in);
    for (unsigned i = 0; i < CLIENTS_MAX; i++)
        port->clients[i].fd = -1;
    port->fd = port->timer = -1;
    port->dir = dir_open(dir, error);
    if (port->dir < 0)
        return false;
    port->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (port->timer < 0)
        return err_set_errno(error, errno, "opening the agent port");
    port->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (port->fd < 0)
        return err_set_errno(error, errno, "opening the agent port");
    if (!bind_in(port, error))
        return false;
    port->path = g_build_filename(dir, port->name, NULL);
    if (fchmodat(port->dir, port->name, 0600, 0) < 0 || listen(port->fd, 64) < 0)
        return err_set_errno(error, errno, "opening the agent port '%s'", port->path);
    *ret = g_steal_pointer(&port);
    return true;
}

void
port_close(Port *port)
{
    if (!port)
        return;
    for (unsigned i = 0; i < CLIENTS_MAX; i++) {
        if (port->clients[i].fd >= 0)
            client_close(&port->clients[i]);
    }
    if (port->name)
        (void)unlinkat(port->dir, port->name, 0);
    cleanup_fd(&port->timer);
    cleanup_fd(&port->fd);
    cleanup_fd(&port->dir);
    port_talk_clear(&port->talk);
    free_all(port->name, port->path, port);
}

void
port_shown(Port *port, MsgRow *row)
{
    msg_rows_add(port->talk.unsettled, row);
}

void
port_begin_with(Port *port, bool (*begin)(void *data, GError **error), void *data)
{
    port->talk.begin = begin;
    port->talk.begin_data = data;
}

void
port_renew(Port *port, const Job *job, const StepInput *in)
{
    port_talk_renew(&port->talk, job, in);
}

void
port_set_desk(Port *port, PermitDesk *desk)
{
    port->talk.desk = desk;
}

void
port_serve_only(Port *port, const char *verb)
{
    port->talk.only = verb;
}

const char *
port_path(const Port *port)
{
    return port->path;
}

bool
port_answered(const Port *port)
{
    return port->talk.steps > 0 && port->talk.unsettled->len == 0;
}

void
port_account(const Port *port, StepInput *in)
{
    g_autoptr(GBytes) page = in->manifest;
    in->floor = MIN(in->floor, port->talk.floor);
    in->manifest = port_manifest(&port->talk, page);
}

unsigned
port_steps(const Port *port)
{
    return port->talk.steps;
}

/* --- the run's loop --- */

/* fd -1: a place that is free; NULL: there is none. */
static Client *
find_client(Port *port, int fd)
{
    for (unsigned i = 0; i < CLIENTS_MAX; i++) {
        if (port->clients[i].fd == fd)
            return &port->clients[i];
    }
    return NULL;
}

/* Somebody else's process may reach the path where the folder's mode was changed. */
static bool
is_ours(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == getuid();
}

/* Who has been silent the longest; NULL: everybody has something for us to do. */
static Client *
most_silent(Port *port)
{
    Client *found = NULL;
    for (unsigned i = 0; i < CLIENTS_MAX; i++) {
        Client *c = &port->clients[i];
        bool works = c->line && !client_owes(c);
        if (c->fd >= 0 && !works && (!found || c->heard_us < found->heard_us))
            found = c;
    }
    return found;
}

/* Somebody waits while all places are taken. NULL: nobody has been silent for long enough. */
static Client *
make_place(Port *port)
{
    Client *c = most_silent(port);
    if (!c || g_get_monotonic_time() - c->heard_us < SILENT_US)
        return NULL;
    if (!client_owes(c)) {
        client_say(c, port_refuse("silent for too long while others wait", EX_TEMPFAIL));
        c->last = true;
        client_write(c);
    }
    if (c->fd >= 0)
        client_close(c);
    return c;
}

static void
accept_one(Port *port)
{
    Client *place = find_client(port, -1);
    if (!place)
        place = make_place(port);
    port->crowded = !place;
    if (!place)
        return;
    auto_fd fd = accept4(port->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && is_ours(fd))
        client_open(place, g_steal_fd(&fd));
}

/* Fires when the most silent client may be sent away. */
static void
set_timer(const Port *port, const Client *silent)
{
    int64_t wait = MAX(1, silent->heard_us + SILENT_US - g_get_monotonic_time());
    struct itimerspec spec = {
        .it_value = {.tv_sec = wait / G_USEC_PER_SEC, .tv_nsec = wait % G_USEC_PER_SEC * 1000}};
    (void)timerfd_settime(port->timer, 0, &spec, NULL);
}

unsigned
port_poll(Port *port, struct pollfd fds[PORT_POLL_MAX])
{
    unsigned n = 0;

    for (unsigned i = 0; i < CLIENTS_MAX; i++) {
        const Client *c = &port->clients[i];
        if (c->fd < 0)
            continue;
        /* A line that came with the one before waits for no more input. */
        bool ready = client_owes(c) || c->line;
        fds[n++] = (struct pollfd){.fd = c->fd, .events = ready ? POLLOUT : POLLIN};
    }
    const Client *silent = port->crowded && n == CLIENTS_MAX ? most_silent(port) : NULL;
    if (silent)
        set_timer(port, silent);
    fds[n++] = (struct pollfd){.fd = silent ? port->timer : port->fd, .events = POLLIN};
    return n;
}

bool
port_work(Port *port, const struct pollfd *fds, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n && !port->talk.lost; i++) {
        Client *c = fds[i].revents ? find_client(port, fds[i].fd) : NULL;
        if (c)
            client_work(c, fds[i].revents, &port->talk);
        else if (fds[i].revents && fds[i].fd == port->fd)
            accept_one(port);
        else if (fds[i].revents && fds[i].fd == port->timer)
            port->crowded = false;
    }
    if (port->talk.lost)
        return err_set(error, ERR_NEVER,
                       "fenced: job %" G_GINT64_FORMAT " is not ours any more",
                       port->talk.job->id.v);
    return true;
}
