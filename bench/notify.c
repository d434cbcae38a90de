/*
 * Events of the workflow through the agent port (`notify`) against the bare Maildir loop on the same bytes: tmp, fsync, rename,
 * fsync of the folder, for each mail.
 *
 * Subject, with a goal: from the request on the socket to its answer. Then the event, its mail and the step are on the disk, the
 * artifact and the form were read, and policy and walls were asked. Each is a connection of its own, as a program makes it.
 * Without a goal: the same and delivery into the mailbox, in batches.
 */
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "brain/brain.h"
#include "cli/faces.h"
#include "engine/mail_load.h"
#include "engine/out/deliver.h"
#include "measure.h"
#include "place.h"
#include "port/port.h"
#include "store/out/outbox.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SLICE 40u
#define ROUNDS 24u
#define REQUEST                                                                                \
    "{\"verb\":\"notify\",\"event\":\"status-update\",\"artifact\":\"specs/proposed/"          \
    "auth.md\","                                                                               \
    "\"to\":\"reader\",\"context\":\"Section %u is done.\"}\n"

static const char conf[] = "[postrider]\n"
                           "owner = you@workflow.local\n"
                           "domain = workflow.local\n"
                           "ack-after = 0\n"
                           "progress-every = 0\n"
                           "max-mails-per-round = 0\n"
                           "log-level = error\n"
                           "[account main]\n"
                           "kind = maildir\n"
                           "[trust]\n"
                           "require-auth = none\n"
                           "[brain none]\n"
                           "script = scripts/none.jsonl\n"
                           "[role writer]\n"
                           "brain = none\n"
                           "[role reader]\n"
                           "person = yes\n"
                           "[workflow]\n"
                           "root = project\n"
                           "[artifact spec]\n"
                           "path = specs/{state}/{name}.md\n";

typedef struct Rig {
    Place *place;
    Engine *engine;
    JobClaim claim;
    Job *job;
    StepInput in;
    Port *port;
    char *dir;
    bool deliver;
    int scratch_fd, tmp_fd, new_fd;
    GBytes *mail; /* that we sent: the floor writes it */
    unsigned written, said;
} Rig;

/* ---- the floor ---- */

static bool
open_folder(const Rig *r, unsigned round, const char *sub, int *fd, GError **error)
{
    g_autofree char *path = g_strdup_printf("bare-%d-%u/%s", r->deliver, round, sub);

    cleanup_fd(fd);
    *fd = dir_make(r->scratch_fd, path, 0700, error)
              ? dir_open_beneath(r->scratch_fd, path, error)
              : -1;
    return *fd >= 0;
}

static bool
open_bare(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;

    return open_folder(r, round, "tmp", &r->tmp_fd, error) &&
           open_folder(r, round, "new", &r->new_fd, error);
}

static bool
put_bare(Rig *r, GError **error)
{
    g_autofree char *name = g_strdup_printf("1794736800.M%uP1Q1.bench", r->written++);
    auto_fd fd = openat(r->tmp_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    gsize len;
    const char *bytes = g_bytes_get_data(r->mail, &len);

    if (fd < 0)
        return err_set_errno(error, errno, "'%s'", name);
    return file_write_all(fd, bytes, len, error) &&
           ((fsync(fd) == 0 && renameat(r->tmp_fd, name, r->new_fd, name) == 0 &&
             fsync(r->new_fd) == 0) ||
            err_set_errno(error, errno, "'%s'", name));
}

static bool
run_bare(void *data, unsigned round, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++)
        if (!put_bare(data, error))
            return false;
    return true;
}

/* ---- the subject ---- */

static void
close_job(Rig *r)
{
    g_clear_pointer(&r->port, port_close);
    g_clear_pointer(&r->job, job_free);
    g_clear_pointer(&r->in.shown, msg_rows_free);
}

static bool
claim_job(Rig *r, GError **error)
{
    g_auto(Txn) txn = {0};
    bool got;

    r->in = (StepInput){.floor = TRUST_PRINCIPAL,
                        .deadline_us = home_now(r->place->home) + 3600 * USEC_PER_SEC};
    if (!txn_begin(r->engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !job_claim(&txn, (JobId){0}, r->in.deadline_us, JOB_NO_MARK, &r->claim, &got, error) ||
        !txn_commit(&txn, error))
        return false;
    return (got || err_set(error, ERR_NEVER, "no job is ready")) &&
           job_load(r->engine->db, &VIEWER_OPERATOR, r->claim.job, &r->job, error) &&
           messages_open(r->engine->db, r->claim.job, &r->in.shown, error);
}

/* A job and a cycle of their own for each slice: what a job has said before is read again for some questions, and each mail of a
 * cycle names all that came before it. */
static bool
open_job(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    const char *inject[] = {r->place->program, "inject", "--role", "writer",
                            "--subject",       "a task", NULL};
    const char *look[] = {r->place->program, "account", "--once", "main", NULL};
    const char *review[] = {
        r->place->program,        "notify", "--from", "writer", "review-request",
        "specs/proposed/auth.md", "reader", NULL};

    close_job(r);
    return place_run(r->place, review, error) && place_run(r->place, inject, error) &&
           place_run(r->place, look, error) &&
           claim_job(r, error) &&
           port_open(r->engine, r->job, &r->claim, &r->in, r->dir, &r->port, error);
}

static int
connect_port(const Rig *r)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    g_strlcpy(address.sun_path, port_path(r->port), sizeof address.sun_path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
        cleanup_fd(&fd);
    return fd;
}

/* Until it has answered. */
static bool
serve(Rig *r, int fd, char *answer, size_t size, GError **error)
{
    for (;;) {
        struct pollfd fds[PORT_POLL_MAX];
        unsigned n = port_poll(r->port, fds);
        if (poll(fds, n, -1) < 0)
            return err_set_errno(error, errno, "waiting for the port");
        if (!port_work(r->port, fds, n, error))
            return false;
        ssize_t got = recv(fd, answer, size - 1, MSG_DONTWAIT);
        if (got > 0) {
            answer[got] = '\0';
            return true;
        }
    }
}

static bool
say(Rig *r, GError **error)
{
    auto_fd fd = connect_port(r);
    g_autofree char *request = g_strdup_printf(REQUEST, r->said++);
    char answer[4096];

    if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
        return err_set_errno(error, errno, "asking the port");
    return serve(r, fd, answer, sizeof answer, error) &&
           (strstr(answer, "\"ok\":true") ||
            err_set(error, ERR_NEVER, "the port said: %s", answer));
}

static bool
run_ours(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    DeliverStats stats;

    for (unsigned i = 0; i < n; i++)
        if (!say(r, error))
            return false;
    return !r->deliver || deliver_pass(r->place->home, r->engine->db, 50, false, &stats, error);
}

/* ---- both ---- */

static bool
prepare(Rig *r, GError **error)
{
    g_autofree char *specs = g_build_filename(r->place->path, "project/specs/proposed", NULL);
    g_autofree char *path = g_build_filename(specs, "auth.md", NULL);

    r->dir = g_build_filename(r->place->path, "run", NULL);
    if (g_mkdir_with_parents(specs, 0700) < 0 || g_mkdir_with_parents(r->dir, 0700) < 0)
        return err_set_errno(error, errno, "'%s'", specs);
    return g_file_set_contents(path, "The user logs in.\n", -1, error);
}

/* What the one in the middle of a slice looks like. */
static bool
find_mail(Rig *r, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    const OutQuery q = {.all = true, .limit = 1};

    if (!open_job(r, 0, 1, error))
        return false;
    for (unsigned i = 0; i < SLICE / 2; i++)
        if (!say(r, error))
            return false;
    if (!outbox_list(r->engine->db, &VIEWER_OPERATOR, &q, &rows, error) || rows->len == 0 ||
        !mail_bytes_out(r->engine, rows->pdata[0], NULL, &r->mail, error))
        return false;
    goal_none("bytes of a mail", 0, (double)g_bytes_get_size(r->mail), "B");
    return true;
}

static bool
race(Rig *r, bool deliver, double *floor, double *subject, GError **error)
{
    const Runner bare = {open_bare, run_bare}, ours = {open_job, run_ours};

    r->deliver = deliver;
    return measure_race(&bare, &ours, r, ROUNDS, SLICE, floor, subject, error);
}

static void
rig_clear(Rig *r)
{
    close_job(r);
    cleanup_fd(&r->scratch_fd);
    cleanup_fd(&r->tmp_fd);
    cleanup_fd(&r->new_fd);
    g_clear_pointer(&r->mail, g_bytes_unref);
    g_clear_pointer(&r->engine, engine_close);
    g_free(r->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place, .scratch_fd = -1, .tmp_fd = -1, .new_fd = -1};
    double floor, subject;

    if (!place_open(&place, conf, error) || !prepare(&r, error) ||
        (r.scratch_fd = dir_open(place.scratch, error)) < 0 ||
        !engine_open(place.home, &cli_parts, &r.engine, error) || !find_mail(&r, error) ||
        !race(&r, false, &floor, &subject, error))
        return false;
    goal_ratio(m, "notify through the port", floor, subject, "/s", 0.60);
    if (!race(&r, true, &floor, &subject, error))
        return false;
    goal_none("  and delivered", floor, subject, "/s");
    return true;
}

int
main(void)
{
    return measure_main(measure);
}
