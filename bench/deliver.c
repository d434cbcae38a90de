/*
 * Local delivery of committed rows against the bare Maildir loop on the same bytes: one by one
 * (tmp, fsync, rename, fsync of the folder for each), and in batches of 50 (write all, fsync
 * each, rename all, one fsync of the folder). Rows are put before and are not timed, nor is the
 * copying of their pages from the log into the store: that is a cost of whoever put them, and
 * half of the time it fell into the slice behind. The floor writes the same bytes under names of
 * the same kind. Every slice has a folder of its own: where a file system puts a folder decides
 * how fast files are made in it.
 */
#include "engine/out/deliver.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "mail/maildir.h"
#include "measure.h"
#include "place.h"
#include "store/out/outbox.h"
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

#define BATCH 50u
#define ROUNDS 32u
#define SLICE 200u
#define BODY_BYTES 4000
#define LINE_BYTES 72

typedef struct Rig {
    Place *place;
    Db *db;
    Maildir *mailbox; /* where ours go */
    int scratch_fd;
    int tmp_fd, new_fd; /* where the floor's go */
    GString *mail;      /* that we send */
    GString *file;      /* what its file holds: the floor writes that */
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
open_folder(const Rig *r, unsigned round, const char *sub, int *fd, GError **error)
{
    g_autofree char *path = g_strdup_printf("bare-%u-%u/%s", r->batch, round, sub);

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
put_row(Txn *txn, const char *folder, GBytes *bytes, GError **error)
{
    const OutTo to = {.address = "you@postrider.local", .mailbox = "you", .folder = folder};
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

/* Nobody else is at the store: the write gate need not be held. */
static bool
empty_log(const Rig *r, GError **error)
{
    g_autofree char *path =
        g_build_filename(r->place->home->path, "state", "postrider.db", NULL);
    sqlite3 *db = NULL;

    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    sqlite3_close(db);
    return rc == SQLITE_OK ||
           err_set(error, ERR_NEVER, "emptying the log: %s", sqlite3_errstr(rc));
}

static bool
put_rows(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    g_autofree char *folder = g_strdup_printf("ours-%u-%u", r->batch, round);
    g_autoptr(GBytes) bytes = g_bytes_new_static(r->mail->str, r->mail->len);
    g_auto(Txn) txn = {0};

    if (!maildir_make_folder(r->mailbox, folder, error) ||
        !txn_begin(r->db, TXN_DURABLE, DB_WAIT_MS, &txn, error))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!put_row(&txn, folder, bytes, error))
            return false;
    return txn_commit(&txn, error) && empty_log(r, error);
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

static void
rig_clear(Rig *r)
{
    g_clear_pointer(&r->mailbox, maildir_close);
    cleanup_fd(&r->scratch_fd);
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
    const OriginClaim claim = {.level = TRUST_ROLE, .floor = TRUST_ROLE};
    g_autofree char *line =
        origin_line(&r->place->home->key, r->mail->str, r->mail->len, &claim, "you");

    g_string_append(r->file, line);
    g_string_append_len(r->file, r->mail->str, (gssize)r->mail->len);
}

static bool
measure_batch(
    Measure *m, Rig *r, unsigned batch, const char *name, double least, GError **error)
{
    const Runner bare = {open_bare, run_bare}, ours = {put_rows, run_deliver};
    double floor, subject;

    r->batch = batch;
    if (!measure_race(&bare, &ours, r, ROUNDS, SLICE, &floor, &subject, error))
        return false;
    goal_ratio(m, name, floor, subject, "/s", least);
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place,
                     .scratch_fd = -1,
                     .tmp_fd = -1,
                     .new_fd = -1,
                     .mail = make_mail(),
                     .file = g_string_new(NULL)};

    if (!place_open(&place, NULL, error) || !db_open(place.home, DB_WRITE, &r.db, error) ||
        !maildir_open(place.home->mail_fd, "you", true, &r.mailbox, error) ||
        (r.scratch_fd = dir_open(place.scratch, error)) < 0)
        return false;
    add_origin(&r);
    return measure_batch(m, &r, 1, "deliver one by one", 0.8, error) &&
           measure_batch(m, &r, BATCH, "deliver in batches of 50", 0.6, error);
}

int
main(void)
{
    return measure_main(measure);
}
