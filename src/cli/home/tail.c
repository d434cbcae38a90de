#include "cli/home/tail.h"
#include <poll.h>
#include <sys/inotify.h>

#define LOOK_FIRST_US (5 * USEC_PER_MSEC)
#define LOOK_LAST_US USEC_PER_SEC
#define LOOK_GROWS 4
#define EVENTS (IN_MODIFY | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

typedef struct Tail {
    int inotify;
    char *folder, *name; /* the file that is written to */
} Tail;

static void
tail_clear(Tail *t)
{
    cleanup_fd(&t->inotify);
    free_all(t->folder, t->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tail, tail_clear)

/* Empties the queue; true when one of the events is a write to the file. false in *ret_alive:
 * the folder is gone. */
static bool
drain(const Tail *t, bool *ret_alive)
{
    char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool written = false;
    ssize_t n;
    while ((n = read(t->inotify, buf, sizeof buf)) > 0) {
        const struct inotify_event *e;
        for (const char *p = buf; p < buf + n; p += sizeof *e + e->len) {
            e = (const struct inotify_event *)p;
            if (e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
                *ret_alive = false;
            if ((e->mask & IN_Q_OVERFLOW) || (e->len && g_str_equal(e->name, t->name)))
                written = true;
        }
    }
    return written;
}

static int
look_and_write(Cli *cli, int (*look)(void *data), void *data)
{
    int status = look(data);
    if (cli_flush(cli))
        return status;
    return errno == EPIPE
               ? EX_IOERR /* the reader has seen enough: no message */
               : cli_fail(EX_IOERR, "can't write what happens: %s", g_strerror(errno));
}

static int
follow(Cli *cli, const Tail *t, int (*look)(void *data), void *data)
{
    int64_t wait_us = LOOK_FIRST_US, last_us = clock_mono_us(), next_us = last_us;
    bool alive = true;
    for (;;) {
        /* stdout is in the set for its errors only: a reader that leaves ends us. */
        struct pollfd fds[] = {{.fd = t->inotify, .events = POLLIN},
                               {.fd = STDOUT_FILENO, .events = 0}};
        int64_t now = clock_mono_us();
        int ms = next_us == USEC_NEVER ? -1 : (int)((MAX(next_us - now, 0) + 999) / 1000);
        if (poll(fds, G_N_ELEMENTS(fds), ms) < 0 && errno != EINTR)
            return cli_fail(EX_OSERR, "waiting: %s", g_strerror(errno));
        if (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL))
            return EX_IOERR;
        now = clock_mono_us();
        if (drain(t, &alive)) {
            last_us = now;
            wait_us = LOOK_FIRST_US;
            next_us = MIN(next_us, now + wait_us);
        }
        if (!alive)
            return cli_fail(EX_UNAVAILABLE, "'%s' is gone", t->folder);
        if (now < next_us)
            continue;
        int status = look_and_write(cli, look, data);
        if (status >= 0)
            return status;
        next_us = now - last_us > LOOK_LAST_US ? USEC_NEVER : now + wait_us;
        wait_us *= LOOK_GROWS;
    }
}

int
tail_file(Cli *cli, const char *file, int (*look)(void *data), void *data)
{
    g_auto(Tail) t = {.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
                      .folder = g_path_get_dirname(file),
                      .name = g_path_get_basename(file)};
    if (t.inotify < 0 || inotify_add_watch(t.inotify, t.folder, EVENTS) < 0)
        return cli_fail(EX_UNAVAILABLE, "watching '%s': %s", t.folder, g_strerror(errno));
    return follow(cli, &t, look, data);
}

int
tail_store(Cli *cli, int (*look)(void *data), void *data)
{
    g_autofree char *wal = g_build_filename(cli->home->path, "state", "postrider.db-wal", NULL);
    return tail_file(cli, wal, look, data);
}
