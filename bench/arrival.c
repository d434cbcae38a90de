/*
 * From a mail's arrival to the start of the brain, with a running `serve`: the clock is read
 * before the rename into new/, and by the brain itself as its first act; by an agent that keeps a
 * session when the first byte of its prompt is there. Each mail waits for
 * the answer to the one before, so every arrival finds everything asleep.
 *
 * A busy machine takes several times as long, and so does its floor, which is measured between the mails: what
 * nobody can do without, bare. FLUSHES writes that are flushed, and the starts of postrider-limit and the brain. The run
 * itself waits already (serve/spare.c).
 */
#include "base/cleanup.h"
#include "base/err.h"
#include "base/proc.h"
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
#define FLUSHES 3 /* intake, the claim, and the folder of the store once in a process */
#define FLUSH_BYTES 4096
#define REST_US 60000 /* for runs and deliveries to end, and the next spare run to be ready */

typedef struct Rig {
    Place place;
    pid_t serve;
    int fifo;    /* what the brain says */
    int answers; /* inotify on the owner's new */
    int flushed; /* a file for the floor */
    char *fifo_path, *brain, *limit; /* programs, and what the brain writes to */
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
flush(const Rig *r, GError **error)
{
    static const char bytes[FLUSH_BYTES];

    for (unsigned i = 0; i < FLUSHES; i++) {
        if (write(r->flushed, bytes, sizeof bytes) != sizeof bytes || fdatasync(r->flushed) < 0)
            return err_set_errno(error, errno, "flushing");
    }
    return true;
}

static bool
measure_floor(const Rig *r, Samples *floors, GError **error)
{
    const char *brain[] = {r->limit, "core=0", "--", r->brain, r->fifo_path, NULL};
    struct timespec begin;
    double started;

    clock_gettime(CLOCK_REALTIME, &begin);
    if (!flush(r, error) || !place_run(&r->place, brain, error) ||
        !read_start(r, &started, error))
        return false;
    samples_add(floors, started - wall(&begin));
    return true;
}

static bool
measure_mails(const Rig *r, Samples *floors, Samples *waits, GError **error)
{
    for (unsigned n = 0; n < WARM_UP + MAILS; n++) {
        double arrived = 0, started = 0;
        if (!arrive(r, n, &arrived, error) || !read_start(r, &started, error) ||
            !wait_for_answer(r, error) || !measure_floor(r, floors, error))
            return false;
        if (n >= WARM_UP)
            samples_add(waits, started - arrived);
    }
    return true;
}

/* ---- the scene ---- */

static bool
open_ends(Rig *r, GError **error)
{
    g_autofree char *answers = mail_path(r, "you", "new", NULL);
    g_autofree char *flushed = g_build_filename(r->place.path, "flushed", NULL);

    if (mkfifo(r->fifo_path, 0600) < 0 || (r->fifo = open(r->fifo_path, O_RDWR | O_CLOEXEC)) < 0)
        return err_set_errno(error, errno, "'%s'", r->fifo_path);
    r->flushed = open(flushed, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (r->flushed < 0)
        return err_set_errno(error, errno, "'%s'", flushed);
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

    r->brain = g_build_filename(dir ? dir : ".", "clock_brain", NULL);
    r->limit = proc_helper_path("postrider-limit", error);
    if (!self || !r->limit || !place_open(&r->place, NULL, error))
        return false;
    r->fifo_path = g_build_filename(r->place.scratch, "clock", NULL);
    g_autofree char *conf = make_conf(kind, r->brain, r->fifo_path);
    g_autofree char *file = g_build_filename(r->place.path, "postrider.conf", NULL);
    const char *argv[] = {r->place.program, "serve", NULL};
    return g_file_set_contents(file, conf, -1, error) && open_ends(r, error) &&
           place_start(&r->place, argv, &r->serve, error);
}

static void
rig_clear(Rig *r)
{
    place_stop(r->serve);
    cleanup_fd(&r->fifo);
    cleanup_fd(&r->answers);
    cleanup_fd(&r->flushed);
    place_clear(&r->place);
    g_free(r->fifo_path);
    g_free(r->brain);
    g_free(r->limit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

/* most_ms: on a machine that does nothing else; most: of the floor, on any. */
static bool
measure_kind(
    Measure *m, const char *kind, const char *name, double most_ms, double most, GError **error)
{
    g_auto(Rig) r = {.fifo = -1, .answers = -1, .flushed = -1};
    g_auto(Samples) floors, waits;

    samples_init(&floors);
    samples_init(&waits);
    if (!rig_open(&r, kind, error) || !measure_mails(&r, &floors, &waits, error))
        return false;
    double floor = samples_at(&floors, 0.5), median = samples_at(&waits, 0.5);
    g_autofree char *ratio = g_strdup_printf("%s, of its floor", name);
    g_autofree char *slowest = g_strdup_printf("%s, 95 %%", name);
    goal_most(m, name, floor, median, "ms", most_ms);
    goal_ratio_most(m, ratio, floor, median, "ms", most);
    goal_none(slowest, samples_at(&floors, 0.95), samples_at(&waits, 0.95), "ms");
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    return measure_kind(m, "command", "arrival to brain", 5, 4, error) &&
           measure_kind(m, "claude", "arrival to prompt of agent", 10, 4, error);
}

int
main(void)
{
    return measure_main(measure);
}
