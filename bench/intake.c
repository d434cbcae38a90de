/*
 * Intake against bare GMime on the same 20,000 mails in Maildirs, in slices of 500.
 *
 * Floor: list the folder, read each file, parse it, decode Subject and From and every leaf.
 * Subject: all that intake does: list, mark the batch, read, parse with decoding, digests,
 * judge, dedupe, threads, rows; one flushed transaction. Both read files that are in the page
 * cache.
 */
#include "engine/in/intake.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/faces.h"
#include "corpus.h"
#include "measure.h"
#include "place.h"
#include "store/mail/mailbox_visit.h"
#include <dirent.h>
#include <errno.h>
#include <gmime/gmime.h>
#include <unistd.h>

#define MAILS 20000u
#define SLICE 500u
#define SLICES (MAILS / SLICE)

G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeStream, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeParser, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeMessage, g_object_unref)

typedef struct Rig {
    Place *place;
    Engine *engine;
    Intake *intake;
    GMimeStream *sink; /* decoded leaves go here, one after the other */
    size_t decoded;
} Rig;

/* The folder of a slice: mailbox "rN" holds nothing else. */
static char *
slice_dir(const Rig *r, unsigned round)
{
    g_autofree char *role = g_strdup_printf("r%u", round);

    return g_build_filename(r->place->path, "mail", role, "new", NULL);
}

/* ---- the floor ---- */

static void
decode_leaf(GMimeObject *parent, GMimeObject *part, gpointer data)
{
    Rig *r = data;
    GMimeDataWrapper *content =
        GMIME_IS_PART(part) ? g_mime_part_get_content(GMIME_PART(part)) : NULL;

    if (GMIME_IS_MESSAGE_PART(part)) {
        GMimeMessage *inner = g_mime_message_part_get_message(GMIME_MESSAGE_PART(part));
        if (inner)
            g_mime_message_foreach(inner, decode_leaf, r);
    }
    if (!content)
        return;
    (void)g_mime_stream_reset(r->sink);
    r->decoded += (size_t)g_mime_data_wrapper_write_to_stream(content, r->sink);
}

static bool
read_bare(Rig *r, int dir_fd, const char *name, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    if (!file_read(dir_fd, name, G_MAXINT32, &bytes, error) || !bytes)
        return false;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    g_autoptr(GMimeStream) stream = g_mime_stream_mem_new_with_buffer(data, len);
    g_autoptr(GMimeParser) parser = g_mime_parser_new_with_stream(stream);
    g_autoptr(GMimeMessage) m = g_mime_parser_construct_message(parser, NULL);
    if (!m || !g_mime_message_get_subject(m) || !g_mime_message_get_from(m))
        return err_set(error, ERR_NEVER, "'%s' does not parse", name);
    g_mime_message_foreach(m, decode_leaf, r);
    return true;
}

static bool
run_bare(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    g_autofree char *path = slice_dir(r, round);
    g_autoptr(DIR) dir = opendir(path);
    unsigned done = 0;

    if (!dir)
        return err_set_errno(error, errno, "'%s'", path);
    for (const struct dirent *d; (d = readdir(dir));)
        if (d->d_name[0] != '.') {
            if (!read_bare(r, dirfd(dir), d->d_name, error))
                return false;
            done++;
        }
    return done == n || err_set(error, ERR_NEVER, "read %u of %u mails", done, n);
}

/* ---- the subject ---- */

static bool
run_intake(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    IntakeStats stats = {0};

    if (!intake_mailbox(r->intake, &r->place->home->config->roles[round], &stats, error))
        return false;
    return (stats.taken == n && stats.held == n) ||
           err_set(error, ERR_NEVER, "took %u and held %u of %u mails", stats.taken, stats.held,
                   n);
}

/* ---- both ---- */

static bool
fill(const Rig *r, GError **error)
{
    for (unsigned i = 0; i < SLICES; i++) {
        g_autofree char *dir = slice_dir(r, i);
        if (g_mkdir_with_parents(dir, 0700) < 0)
            return err_set_errno(error, errno, "'%s'", dir);
        if (!corpus_write(CORPUS_MIXED, dir, i * SLICE, (i + 1) * SLICE, NULL, error))
            return false;
    }
    sync(); /* else the kernel writes it back while we measure */
    return true;
}

/* What lies in a mailbox that the store knows is new mail, not history. */
static bool
know_mailboxes(const Rig *r, GError **error)
{
    g_auto(Txn) txn = {0};

    if (!txn_begin(r->engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error))
        return false;
    for (unsigned i = 0; i < SLICES; i++)
        if (!mailbox_set_visited(&txn, r->place->home->config->roles[i].name, error))
            return false;
    return txn_commit(&txn, error);
}

static void
rig_clear(Rig *r)
{
    g_clear_pointer(&r->intake, intake_close);
    g_clear_pointer(&r->engine, engine_close);
    g_clear_object(&r->sink);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static bool
measure(Measure *m, GError **error)
{
    const Runner bare = {NULL, run_bare}, ours = {NULL, run_intake};
    g_autofree char *conf = place_conf_roles(SLICES);
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place, .sink = g_mime_stream_mem_new()};
    double floor, subject;

    if (!place_open(&place, conf, error) || !fill(&r, error) ||
        !engine_open(place.home, &cli_parts, &r.engine, error) || !know_mailboxes(&r, error) ||
        !intake_open(r.engine, &place.home->config->accounts[0], 0, &r.intake, error) ||
        !measure_race(&bare, &ours, &r, SLICES, SLICE, &floor, &subject, error))
        return false;
    goal_ratio(m, "intake of 20,000 mails of 11 KB", floor, subject, "/s", 0.5);
    return true;
}

int
main(void)
{
    g_mime_init();
    return measure_main(measure);
}
