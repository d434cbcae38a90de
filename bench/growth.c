/*
 * Does the hundred-thousandth mail cost what the first did? One mailbox grows to 100,000 small
 * mails; arrivals come in as inotify names them, 50 at a time, when it is empty and when it is
 * full. Then the newest 20 are listed, by a call and by the whole program. The look at the
 * whole mailbox at a start grows with it and is printed beside.
 */
#include "base/err.h"
#include "cli/faces.h"
#include "corpus.h"
#include "engine/in/intake.h"
#include "measure.h"
#include "place.h"
#include "store/mail/messages.h"
#include <errno.h>
#include <unistd.h>

#define MAILS 100000u
#define EDGE 1000u /* at either end */
#define SLICE 50u
#define LISTINGS 100u

typedef struct Rig {
    Place *place;
    Engine *engine;
    Intake *intake;
    const ConfRole *role;
    char *dir; /* its new */
} Rig;

static bool
take_slice(Rig *r, unsigned from, Samples *costs, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    IntakeStats stats = {0};

    for (unsigned n = from; n < from + SLICE; n++) {
        g_autofree char *name = corpus_name(n);
        g_ptr_array_add(files, g_strconcat("new/", name, NULL));
    }
    double start = measure_now();
    if (!intake_files(r->intake, r->role, files, &stats, error))
        return false;
    samples_add(costs, (measure_now() - start) / SLICE * 1e6);
    return stats.taken == SLICE ||
           err_set(error, ERR_NEVER, "took %u of %u mails", stats.taken, SLICE);
}

/* EDGE mails that arrive in slices; the median cost of one in microseconds. */
static bool
take_edge(Rig *r, unsigned from, double *ret_us, GError **error)
{
    g_auto(Samples) costs;

    samples_init(&costs);
    if (!corpus_write(CORPUS_SMALL, r->dir, from, from + EDGE, NULL, error))
        return false;
    sync();
    for (unsigned n = from; n < from + EDGE; n += SLICE)
        if (!take_slice(r, n, &costs, error))
            return false;
    *ret_us = samples_at(&costs, 0.5);
    return true;
}

static bool
take_middle(Rig *r, GError **error)
{
    IntakeStats stats = {0};

    return corpus_write(CORPUS_SMALL, r->dir, EDGE, MAILS - EDGE, NULL, error) &&
           intake_mailbox(r->intake, r->role, &stats, error);
}

static bool
measure_flat(Measure *m, Rig *r, GError **error)
{
    IntakeStats stats = {0};
    double first, last;

    if (!take_edge(r, 0, &first, error) || !take_middle(r, error) ||
        !take_edge(r, MAILS - EDGE, &last, error))
        return false;
    goal_ratio_most(m, "intake of the last of 100,000", first, last, "us", 1.5);
    double start = measure_now();
    if (!intake_mailbox(r->intake, r->role, &stats, error))
        return false;
    goal_none("a look at all 100,000 names", 0, (measure_now() - start) * 1e3, "ms");
    return true;
}

static bool
list_once(Rig *r, GError **error)
{
    const Viewer all = VIEWER_OPERATOR;
    const MsgQuery q = {.role = "envoy", .folder = "", .limit = 20};
    g_autoptr(MsgRows) rows = NULL;

    return messages_list(r->engine->db, &all, &q, &rows, error) &&
           (rows->len == 20 || err_set(error, ERR_NEVER, "listed %u of 20", rows->len));
}

static bool
measure_listing(Measure *m, Rig *r, GError **error)
{
    const char *argv[] = {r->place->program, "mail", "list", NULL};
    g_auto(Samples) call, program;

    samples_init(&call);
    samples_init(&program);
    for (unsigned i = 0; i < LISTINGS; i++) {
        double start = measure_now();
        if (!list_once(r, error))
            return false;
        double middle = measure_now();
        if (!place_run(r->place, argv, error))
            return false;
        samples_add(&call, (middle - start) * 1e3);
        samples_add(&program, (measure_now() - middle) * 1e3);
    }
    goal_most(m, "listing 20 of 100,000", 0, samples_at(&call, 0.5), "ms", 10);
    goal_most(m, "'postrider mail list' of 100,000", 0, samples_at(&program, 0.5), "ms", 10);
    return true;
}

static void
rig_clear(Rig *r)
{
    g_clear_pointer(&r->intake, intake_close);
    g_clear_pointer(&r->engine, engine_close);
    g_clear_pointer(&r->dir, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place};

    if (!place_open(&place, NULL, error) ||
        !engine_open(place.home, &cli_parts, &r.engine, error) ||
        !intake_open(r.engine, &place.home->config->accounts[0], 0, &r.intake, error))
        return false;
    r.role = &place.home->config->roles[0];
    r.dir = g_build_filename(place.path, "mail", r.role->name, "new", NULL);
    return measure_flat(m, &r, error) && measure_listing(m, &r, error);
}

int
main(void)
{
    return measure_main(measure);
}
