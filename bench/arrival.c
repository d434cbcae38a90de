/*
 * From a mail's arrival to the start of the brain, with a running `serve`: the clock is read
 * before the rename into new/, and by the brain itself as its first act; by an agent that keeps a
 * session when the first byte of its prompt is there. Each mail waits for
 * the answer to the one before, so every arrival finds everything asleep.
 */
#include "base/cleanup.h"
#include "base/err.h"
#include "measure.h"
#include "place.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAILS 100u
#define WARM_UP 3u
#define PATIENCE_MS 20000
#define REST_US 30000 /* for runs and deliveries to end */

typedef struct Rig {
    Place place;
    pid_t serve;
    int fifo;    /* what the brain says */
    int answers; /* inotify on the owner's new */
} Rig;

static char *
make_conf(const char *kind, const char *brain, const char *fifo)
{
    return g_strdup_printf("[postrider]\n"
                           "owner = you@postrider.local\n"
                           "domain = postrider.local\n"
                           "[account main]\n"
                           "kind = maildir\n"
                           "[trust]\n"
                           "require-auth = none\n"
                           "[brain default]\n"
                           "kind = %s\n"
                           "command = '%s' '%s'\n"
                           "[role envoy]\n"
                           "address = envoy@postrider.local\n"
                           "brain = default\n",
                           kind, brain, fifo);
}

static char *
mail_path(const Rig *r, const char *mailbox, const char *sub, const char *name)
{
    return g_build_filename(r->place.path, "mail", mailbox, sub, name, NULL);
}

static double
wall(const struct timespec *t)
{
    return (double)t->tv_sec * 1e3 + (double)t->tv_nsec / 1e6;
}

/* Puts one mail into the role's mailbox; *ret_ms: when. */
static bool
arrive(const Rig *r, unsigned n, double *ret_ms, GError **error)
{
    g_autofree char *name = g_strdup_printf("1794736800.%u.bench", n);
    g_autofree char *tmp = mail_path(r, "envoy", "tmp", name);
    g_autofree char *file = mail_path(r, "envoy", "new", name);
    g_autofree char *text = g_strdup_printf("From: you@postrider.local\n"
                                            "To: envoy@postrider.local\n"
                                            "Subject: task %u\n"
                                            "Date: Sun, 15 Nov 2026 09:30:00 +0000\n"
                                            "Message-ID: <%u@bench.example>\n\n"
                                            "Do the thing number %u.\n",
                                            n, n, n);
    struct timespec now;

    if (!g_file_set_contents(tmp, text, -1, error))
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    *ret_ms = wall(&now);
    return rename(tmp, file) == 0 || err_set_errno(error, errno, "'%s'", file);
}

static bool
wait_for(int fd, const char *what, GError **error)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, PATIENCE_MS) == 1 ||
           err_set(error, ERR_LATER, "%s did not come within %d s", what, PATIENCE_MS / 1000);
}

static bool
read_start(const Rig *r, double *ret_ms, GError **error)
{
    struct timespec at;

    if (!wait_for(r->fifo, "the brain", error))
        return false;
    if (read(r->fifo, &at, sizeof at) != sizeof at)
        return err_set(error, ERR_NEVER, "the brain says nothing");
    *ret_ms = wall(&at);
    return true;
}

static bool
wait_for_answer(const Rig *r, GError **error)
{
    char buf[4096];

    if (!wait_for(r->answers, "the answer", error))
        return false;
    g_usleep(REST_US);
    while (read(r->answers, buf, sizeof buf) > 0)
        continue;
    return true;
}

static bool
measure_mails(const Rig *r, Samples *waits, GError **error)
{
    for (unsigned n = 0; n < WARM_UP + MAILS; n++) {
        double arrived = 0, started = 0;
        if (!arrive(r, n, &arrived, error) || !read_start(r, &started, error) ||
            !wait_for_answer(r, error))
            return false;
        if (n >= WARM_UP)
            samples_add(waits, started - arrived);
    }
    return true;
}

/* ---- the scene ---- */

static bool
open_ends(Rig *r, const char *fifo, GError **error)
{
    g_autofree char *answers = mail_path(r, "you", "new", NULL);

    if (mkfifo(fifo, 0600) < 0 || (r->fifo = open(fifo, O_RDWR | O_CLOEXEC)) < 0)
        return err_set_errno(error, errno, "'%s'", fifo);
    r->answers = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (r->answers < 0 || inotify_add_watch(r->answers, answers, IN_MOVED_TO) < 0)
        return err_set_errno(error, errno, "watching '%s'", answers);
    return true;
}

static bool
rig_open(Rig *r, const char *kind, GError **error)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", error);
    g_autofree char *dir = self ? g_path_get_dirname(self) : NULL;
    g_autofree char *brain = g_build_filename(dir ? dir : ".", "clock_brain", NULL);

    if (!self || !place_open(&r->place, NULL, error))
        return false;
    g_autofree char *fifo = g_build_filename(r->place.scratch, "clock", NULL);
    g_autofree char *conf = make_conf(kind, brain, fifo);
    g_autofree char *file = g_build_filename(r->place.path, "postrider.conf", NULL);
    const char *argv[] = {r->place.program, "serve", NULL};
    return g_file_set_contents(file, conf, -1, error) && open_ends(r, fifo, error) &&
           place_start(&r->place, argv, &r->serve, error);
}

static void
rig_clear(Rig *r)
{
    place_stop(r->serve);
    cleanup_fd(&r->fifo);
    cleanup_fd(&r->answers);
    place_clear(&r->place);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static bool
measure_kind(const char *kind, double *ret_median, double *ret_most, GError **error)
{
    g_auto(Rig) r = {.fifo = -1, .answers = -1};
    g_auto(Samples) waits;

    samples_init(&waits);
    if (!rig_open(&r, kind, error) || !measure_mails(&r, &waits, error))
        return false;
    *ret_median = samples_at(&waits, 0.5);
    *ret_most = samples_at(&waits, 0.95);
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    double median, most;

    if (!measure_kind("command", &median, &most, error))
        return false;
    goal_most(m, "arrival to brain, median", 0, median, "ms", 15);
    goal_none("arrival to brain, 95 %", 0, most, "ms");
    if (!measure_kind("claude", &median, &most, error))
        return false;
    goal_most(m, "arrival to its prompt, agent, median", 0, median, "ms", 50);
    goal_none("arrival to its prompt, agent, 95 %", 0, most, "ms");
    return true;
}

int
main(void)
{
    return measure_main(measure);
}
