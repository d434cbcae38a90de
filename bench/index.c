/*
 * The full text behind the store, on the same 20,000 mails, against `notmuch new`: slices of
 * 4,000 of ours alternate with slices of 500 of theirs, which are all that there is time for.
 * notmuch becomes slower as its database grows, so this is kind to it. Ours includes reading
 * and parsing the mail again; the store has taken it in before.
 */
#include "base/err.h"
#include "cli/faces.h"
#include "corpus.h"
#include "engine/follow.h"
#include "engine/in/intake.h"
#include "measure.h"
#include "place.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAILS 20000u
#define SLICE 4000u
#define THEIR_SLICE 500u
#define ROUNDS (MAILS / SLICE)

typedef struct Rig {
    Place *place;
    Engine *engine;
    Index *index;
    char *mailbox; /* its new */
    char *theirs;  /* a Maildir for notmuch; NULL without notmuch */
    char *notmuch;
} Rig;

static bool
take_in(Rig *r, int64_t *bytes, GError **error)
{
    g_autoptr(Intake) intake = NULL;
    const Config *config = r->place->home->config;
    IntakeStats stats = {0};

    if (!corpus_write(CORPUS_MIXED, r->mailbox, 0, MAILS, bytes, error) ||
        !intake_open(r->engine, &config->accounts[0], 0, &intake, error) ||
        !intake_mailbox(intake, &config->roles[0], &stats, error))
        return false;
    sync();
    return stats.taken == MAILS || err_set(error, ERR_NEVER, "took %u mails", stats.taken);
}

static bool
follow_slice(Rig *r, double *seconds, GError **error)
{
    unsigned n = 0;
    double start = measure_now();

    if (!follow_index(r->engine, r->index, SLICE, &n, error))
        return false;
    *seconds += measure_now() - start;
    return n == SLICE || err_set(error, ERR_NEVER, "indexed %u of %u mails", n, SLICE);
}

/* ---- notmuch ---- */

static bool
prepare_notmuch(Rig *r, GError **error)
{
    static const char *const folders[] = {"new", "cur", "tmp"};
    g_autofree char *config = g_build_filename(r->place->scratch, "notmuch.conf", NULL);
    g_autofree char *text = NULL;

    r->notmuch = g_find_program_in_path("notmuch");
    if (!r->notmuch)
        return true;
    r->theirs = g_build_filename(r->place->scratch, "notmuch", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *dir = g_build_filename(r->theirs, folders[i], NULL);
        if (g_mkdir_with_parents(dir, 0700) < 0)
            return err_set_errno(error, errno, "'%s'", dir);
    }
    text = g_strdup_printf("[database]\npath=%s\n[user]\nname=You\n"
                           "primary_email=you@postrider.local\n[new]\ntags=new\n",
                           r->theirs);
    if (!g_file_set_contents(config, text, -1, error))
        return false;
    g_setenv("NOTMUCH_CONFIG", config, TRUE);
    g_setenv("HOME", r->place->scratch, TRUE);
    return true;
}

static bool
link_slice(const Rig *r, unsigned from, GError **error)
{
    for (unsigned n = from; n < from + THEIR_SLICE; n++) {
        g_autofree char *name = corpus_name(n);
        g_autofree char *ours = g_build_filename(r->mailbox, name, NULL);
        g_autofree char *theirs = g_build_filename(r->theirs, "new", name, NULL);
        if (link(ours, theirs) < 0)
            return err_set_errno(error, errno, "'%s'", theirs);
    }
    return true;
}

static bool
notmuch_slice(Rig *r, unsigned round, double *seconds, GError **error)
{
    const char *argv[] = {r->notmuch, "new", NULL};

    if (!r->notmuch)
        return true;
    if (!link_slice(r, round * THEIR_SLICE, error))
        return false;
    double start = measure_now();
    if (!place_run(r->place, argv, error))
        return false;
    *seconds += measure_now() - start;
    return true;
}

/* ---- both ---- */

static double
index_bytes(const Rig *r)
{
    static const char *const files[] = {"index.db", "index.db-wal"};
    double sum = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct stat st;
        if (fstatat(r->place->home->state_fd, files[i], &st, 0) == 0)
            sum += (double)st.st_size;
    }
    return sum;
}

static bool
race(Measure *m, Rig *r, int64_t bytes, GError **error)
{
    double ours = 0, theirs = 0;

    for (unsigned i = 0; i < ROUNDS; i++)
        if (!follow_slice(r, &ours, error) || !notmuch_slice(r, i, &theirs, error))
            return false;
    double rate = MAILS / ours;
    goal_least(m, "full text of 20,000 mails", 0, rate, "/s", 4000);
    if (r->notmuch)
        goal_ratio(m, "full text against notmuch new", ROUNDS * THEIR_SLICE / theirs, rate,
                   "/s", 10);
    else
        goal_skip("full text against notmuch new", "notmuch is not installed");
    goal_ratio_most(m, "index.db against the mail", (double)bytes / 1e6, index_bytes(r) / 1e6,
                    "MB", 1);
    return true;
}

static void
rig_clear(Rig *r)
{
    g_clear_pointer(&r->index, index_close);
    g_clear_pointer(&r->engine, engine_close);
    g_free(r->mailbox);
    g_free(r->theirs);
    g_free(r->notmuch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place};
    int64_t bytes = 0;
    bool fresh;

    if (!place_open(&place, NULL, error) ||
        !engine_open(place.home, &cli_parts, &r.engine, error))
        return false;
    r.mailbox =
        g_build_filename(place.path, "mail", place.home->config->roles[0].name, "new", NULL);
    return take_in(&r, &bytes, error) && prepare_notmuch(&r, error) &&
           index_open(place.home, &r.index, &fresh, error) && race(m, &r, bytes, error);
}

int
main(void)
{
    return measure_main(measure);
}
