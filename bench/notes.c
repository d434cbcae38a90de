/*
 * Does one note among 10,000 cost what one among ten does? A version of it is put and its file
 * follows, in two homes in turn. Then what looks at every note: a sync that finds nothing to do,
 * against a bare walk with one lstat() for each file.
 */
#include "notes/notes.h"
#include "base/err.h"
#include "measure.h"
#include "place.h"
#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

#define NOTES 10000u
#define FEW 10u
#define FOLDERS 100u
#define SLICE 10u
#define ROUNDS 11u
#define LOOKS 3u

typedef struct Rig {
    Place place;
    Db *db;
    char *notes; /* the folder */
} Rig;

typedef struct Both {
    Rig few, many;
} Both;

static void
rig_clear(Rig *r)
{
    db_close(r->db);
    place_clear(&r->place);
    g_free(r->notes);
}

static void
both_clear(Both *b)
{
    rig_clear(&b->few);
    rig_clear(&b->many);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Both, both_clear)

/* As a person would bring them: as files. */
static bool
write_files(const Rig *r, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *path = g_strdup_printf("%s/f%u/n%u.md", r->notes, i % FOLDERS, i);
        g_autofree char *folder = g_path_get_dirname(path);
        g_autofree char *text = g_strdup_printf("# Note %u\n\nIts words.\n", i);

        if (g_mkdir_with_parents(folder, 0700) < 0)
            return err_set_errno(error, errno, "'%s'", folder);
        if (!g_file_set_contents(path, text, -1, error))
            return false;
    }
    return true;
}

static bool
rig_open(Rig *r, unsigned n, GError **error)
{
    if (!place_open(&r->place, NULL, error) || !db_open(r->place.home, DB_WRITE, &r->db, error))
        return false;
    r->notes = g_build_filename(r->place.path, "notes", NULL);
    return write_files(r, n, error) && notes_sync(r->place.home, r->db, NULL, error);
}

/* ---- one note ---- */

static bool
put_one(Rig *r, unsigned i, GError **error)
{
    static const NoteBy by = {.author = "operator", .label = TRUST_OPERATOR};
    static const char *const keys[] = {"f1/n1", NULL};
    g_autofree char *text = g_strdup_printf("version %u of it\n", i);
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    g_auto(Txn) txn = {0};

    return txn_begin(r->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) &&
           note_put(&txn, keys[0], body, NOTE_ANY, &by, NULL, error) &&
           txn_commit(&txn, error) && notes_sync_some(r->place.home, r->db, keys, NULL, error);
}

static bool
put_slice(Rig *r, unsigned round, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++)
        if (!put_one(r, round * n + i, error))
            return false;
    return true;
}

static bool
put_among_few(void *data, unsigned round, unsigned n, GError **error)
{
    return put_slice(&((Both *)data)->few, round, n, error);
}

static bool
put_among_many(void *data, unsigned round, unsigned n, GError **error)
{
    return put_slice(&((Both *)data)->many, round, n, error);
}

/* ---- all of them ---- */

static int
look_at(const char *path, const struct stat *st, int type, struct FTW *where)
{
    return 0;
}

static bool
walk(void *data, unsigned round, unsigned n, GError **error)
{
    const Rig *r = &((Both *)data)->many;

    for (unsigned i = 0; i < n; i++)
        if (nftw(r->notes, look_at, 16, FTW_PHYS) != 0)
            return err_set_errno(error, errno, "'%s'", r->notes);
    return true;
}

static bool
sync_all(void *data, unsigned round, unsigned n, GError **error)
{
    const Rig *r = &((Both *)data)->many;

    for (unsigned i = 0; i < n; i++)
        if (!notes_sync(r->place.home, r->db, NULL, error))
            return false;
    return true;
}

static bool
measure(Measure *m, GError **error)
{
    static const Runner few = {NULL, put_among_few}, many = {NULL, put_among_many},
                        bare = {NULL, walk}, all = {NULL, sync_all};
    g_auto(Both) b = {0};
    double floor, subject;

    if (!rig_open(&b.few, FEW, error) || !rig_open(&b.many, NOTES, error))
        return false;
    sync();
    if (!measure_race(&few, &many, &b, ROUNDS, SLICE, &floor, &subject, error))
        return false;
    goal_ratio(m, "a note among 10,000, among 10", floor, subject, "/s", 0.7);
    if (!notes_sync(b.many.place.home, b.many.db, NULL, error) ||
        !measure_race(&bare, &all, &b, ROUNDS, LOOKS, &floor, &subject, error))
        return false;
    goal_ratio(m, "a look at 10,000 notes, a bare walk", floor, subject, "/s", 0.25);
    return true;
}

int
main(void)
{
    return measure_main(measure);
}
