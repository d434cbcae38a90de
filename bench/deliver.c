/*
 * Local delivery of committed rows against the bare Maildir loop on the same bytes: one by one
 * (tmp, fsync, rename, fsync of the folder for each), and in batches of 50 (write all, fsync
 * each, rename all, one fsync of the folder). Rows are put before and are not timed; the floor
 * writes the same bytes under names of the same kind.
 */
#include "engine/deliver.h"
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "measure.h"
#include "place.h"
#include "store/outbox.h"
#include <errno.h>
#include <fcntl.h>

#define BATCH 50u
#define BODY_BYTES 4000
#define LINE_BYTES 72

typedef struct Rig {
    Place *place;
    Db *db;
    int bare_fd; /* a folder with tmp and new */
    int tmp_fd, new_fd;
    GString *mail; /* that we send */
    GString *file; /* what its file holds: the floor writes that */
    unsigned batch;
    unsigned written; /* by the floor, for names */
} Rig;

/* ---- the floor ---- */

typedef struct Bare {
    char name[48];
    int fd;
} Bare;

static bool
write_tmp(const Rig *r, Bare *b, GError **error)
{
    b->fd = openat(r->tmp_fd, b->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return b->fd < 0 ? err_set_errno(error, errno, "'%s'", b->name)
                     : file_write_all(b->fd, r->file->str, r->file->len, error);
}

static bool
write_all(Rig *r, Bare *bare, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++) {
        g_snprintf(bare[i].name, sizeof bare[i].name, "1794736800.M%uP1Q1.bench", r->written++);
        if (!write_tmp(r, &bare[i], error))
            return false;
    }
    for (unsigned i = 0; i < n; i++) {
        if (fsync(bare[i].fd) < 0)
            return err_set_errno(error, errno, "flushing '%s'", bare[i].name);
        close(bare[i].fd);
    }
    return true;
}

static bool
bare_batch(Rig *r, unsigned n, GError **error)
{
    Bare bare[BATCH];

    if (!write_all(r, bare, n, error))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (renameat(r->tmp_fd, bare[i].name, r->new_fd, bare[i].name) < 0)
            return err_set_errno(error, errno, "moving '%s'", bare[i].name);
    return fsync(r->new_fd) == 0 || err_set_errno(error, errno, "flushing a folder");
}

static bool
run_bare(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;

    for (unsigned i = 0; i < n; i += r->batch)
        if (!bare_batch(r, MIN(r->batch, n - i), error))
            return false;
    return true;
}

/* ---- the subject ---- */

static bool
put_row(Rig *r, Txn *txn, GBytes *bytes, GError **error)
{
    const OutTo to = {
        .address = "you@postrider.local", .mailbox = "you", .folder = "", .flags = NULL};
    OutId id;

    if (!outbox_next(txn, &id, error))
        return false;
    g_autofree char *msgid = g_strdup_printf("%" G_GINT64_FORMAT "@postrider.local", id.v);
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@postrider.local",
                          .subject = "bench",
                          .bytes = bytes,
                          .level = TRUST_ROLE,
                          .to = &to,
                          .n_to = 1};
    return outbox_put(txn, id, &mail, error);
}

static bool
put_rows(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    g_autoptr(GBytes) bytes = g_bytes_new_static(r->mail->str, r->mail->len);
    g_auto(Txn) txn = {0};

    if (!txn_begin(r->db, TXN_DURABLE, DB_WAIT_MS, &txn, error))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!put_row(r, &txn, bytes, error))
            return false;
    return txn_commit(&txn, error);
}

static bool
run_deliver(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    DeliverStats stats;

    if (!deliver_pass(r->place->home, r->db, r->batch, false, &stats, error))
        return false;
    return stats.sent == n ||
           err_set(error, ERR_NEVER, "delivered %u of %u mails", stats.sent, n);
}

/* ---- both ---- */

static int
make_folder(const Rig *r, const char *name, GError **error)
{
    return dir_make(r->bare_fd, name, 0700, error) ? dir_open_beneath(r->bare_fd, name, error)
                                                   : -1;
}

static void
rig_clear(Rig *r)
{
    cleanup_fd(&r->bare_fd);
    cleanup_fd(&r->tmp_fd);
    cleanup_fd(&r->new_fd);
    g_clear_pointer(&r->db, db_close);
    g_string_free(r->mail, TRUE);
    g_string_free(r->file, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static GString *
make_mail(void)
{
    GString *mail = g_string_new("From: envoy@postrider.local\nTo: you@postrider.local\n"
                                 "Subject: bench\n\n");

    while (mail->len < BODY_BYTES) {
        for (unsigned i = 1; i < LINE_BYTES; i++)
            g_string_append_c(mail, (char)('a' + i % 26));
        g_string_append_c(mail, '\n');
    }
    return mail;
}

static void
add_origin(Rig *r)
{
    g_autofree char *line =
        origin_line(&r->place->home->key, r->mail->str, r->mail->len, TRUST_ROLE, "you");

    g_string_append(r->file, line);
    g_string_append_len(r->file, r->mail->str, (gssize)r->mail->len);
}

static bool
measure(Measure *m, GError **error)
{
    const Runner bare = {NULL, run_bare}, ours = {put_rows, run_deliver};
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place,
                     .bare_fd = -1,
                     .tmp_fd = -1,
                     .new_fd = -1,
                     .mail = make_mail(),
                     .file = g_string_new(NULL)};
    double floor, subject;

    if (!place_open(&place, NULL, error) || !db_open(place.home, DB_WRITE, &r.db, error) ||
        (r.bare_fd = dir_open(place.scratch, error)) < 0 ||
        (r.tmp_fd = make_folder(&r, "tmp", error)) < 0 ||
        (r.new_fd = make_folder(&r, "new", error)) < 0)
        return false;
    add_origin(&r);
    r.batch = 1;
    if (!measure_race(&bare, &ours, &r, 24, 200, &floor, &subject, error))
        return false;
    goal_ratio(m, "deliver one by one", floor, subject, "/s", 0.8);
    r.batch = BATCH;
    if (!measure_race(&bare, &ours, &r, 24, 500, &floor, &subject, error))
        return false;
    goal_ratio(m, "deliver in batches of 50", floor, subject, "/s", 0.6);
    return true;
}

int
main(void)
{
    Measure m = {0};
    GError *error = NULL;

    measure_begin(&m);
    (void)measure(&m, &error);
    return measure_status(&m, error);
}
