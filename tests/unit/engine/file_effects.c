/* What a move of a file finds at both its places, and what becomes of it. */
#include "engine/tree/file_effects.h"
#include "../store/testhome.h"
#include "base/err.h"

#define MOVED "what is moved\n"

static const FaceOps *const no_faces[] = {NULL};

typedef struct World {
    Home *home;
    Engine engine;
    char *root; /* absolute */
} World;

static void
world_open(World *w, gconstpointer data)
{
    *w = (World){.home = test_home_new()};
    w->engine =
        (Engine){.home = w->home, .db = test_db_open(w->home, DB_WRITE), .faces = no_faces};
    w->root = g_build_filename(w->home->path, "files", NULL);
    g_assert_cmpint(g_mkdir(w->root, 0700), ==, 0);
}

static void
world_close(World *w, gconstpointer data)
{
    db_close(w->engine.db);
    test_home_free(w->home);
    g_free(w->root);
}

static void
owe_move(World *w)
{
    Digest d;
    const FileMove move = {.root = "files", .from = "a", .to = "b", .what = "a", .bytes = &d};
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);
    EffectId id;

    digest_of(MOVED, strlen(MOVED), &d);
    file_effect_move(&txn, &move, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static unsigned
count_owed(World *w)
{
    unsigned n;

    g_assert_true(effects_count(w->engine.db, false, &n, NULL));
    return n;
}

static char *
read_at(World *w, const char *name)
{
    g_autofree char *path = g_build_filename(w->root, name, NULL);
    char *text = NULL;

    (void)g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static void
test_move(void)
{
    static const struct {
        const char *name, *from, *to; /* NULL: nothing is there */
        const char *want_from, *want_to, *want_why;
    } cases[] = {
        {"not yet", MOVED, NULL, NULL, MOVED, NULL},
        {"moved before a crash", NULL, MOVED, NULL, MOVED, NULL},
        {"copied by somebody", MOVED, MOVED, MOVED, MOVED, "'b' is there already"},
        {"another file is there", MOVED, "x", MOVED, "x", "'b' is there already"},
        {"removed by somebody", NULL, NULL, NULL, NULL, "'a' is gone"},
        {"changed by somebody", "x", NULL, "x", NULL, "'a' was changed meanwhile"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].name);
        g_autoptr(GPtrArray) findings = NULL;
        g_autoptr(GError) error = NULL;
        World w;

        world_open(&w, NULL);
        if (cases[i].from)
            test_write(w.root, "a", cases[i].from);
        if (cases[i].to)
            test_write(w.root, "b", cases[i].to);
        owe_move(&w);
        file_effects_settle(&w.engine, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(count_owed(&w), ==, 0);
        g_autofree char *from = read_at(&w, "a"), *to = read_at(&w, "b");
        g_assert_cmpstr(from, ==, cases[i].want_from);
        g_assert_cmpstr(to, ==, cases[i].want_to);
        g_assert_true(effects_findings(w.engine.db, &findings, &error));
        g_assert_cmpuint(findings->len, ==, cases[i].want_why ? 1 : 0);
        if (cases[i].want_why)
            g_assert_nonnull(strstr(findings->pdata[0], cases[i].want_why));
        world_close(&w, NULL);
    }
}

/* A row that can't be understood moves nothing, and is not forgotten. */
static void
test_damaged(World *w, gconstpointer data)
{
    static const char *const args[] = {"files\na\nb", ""};

    test_write(w->root, "a", MOVED);
    for (size_t i = 0; i < G_N_ELEMENTS(args); i++) {
        const Effect e = {.kind = EFFECT_FILE_MOVE,
                          .account = EFFECT_FILES,
                          .subject = "files/a",
                          .args = args[i]};
        g_autoptr(GError) error = NULL;
        Txn txn = test_begin(w->engine.db);
        EffectId id;

        g_assert_true(effect_put(&txn, &e, &id, &error));
        test_commit(&txn);
        g_assert_false(file_effects_settle(&w->engine, &error));
        g_assert_nonnull(strstr(error->message, "'files/a' is no effect on a file"));
        g_assert_cmpuint(count_owed(w), ==, i + 1);
        g_autofree char *left = read_at(w, "a");
        g_assert_cmpstr(left, ==, MOVED);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/file-effects/move", test_move);
    g_test_add("/file-effects/damaged", World, NULL, world_open, test_damaged, world_close);
    return g_test_run();
}
