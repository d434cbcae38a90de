/* Files that are views of the store: written once, written again when they change, and what people do to them. */
#include "engine/run/view_files.h"
#include "engine/face.h"
#include "store/job/views.h"
#include "testwork.h"

static const char *text; /* of all views; NULL: there are none any more */
static unsigned rendered;

static bool
render(Engine *engine, const char *subject, GBytes **ret, GError **error)
{
    rendered++;
    *ret = text ? g_bytes_new(text, strlen(text)) : NULL;
    return true;
}

static const FaceOps face = {.name = "test", .render = render};
static const FaceOps *const faces[] = {&face, NULL};

static void
world_open(TestWork *w, gconstpointer data)
{
    work_open(w, data);
    w->engine.faces = faces;
    rendered = 0;
    text = "first\n";
}

static void
raise_views(TestWork *w)
{
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);

    g_assert_true(view_raise(&txn, "test", "views/a", (JobId){0}, &error));
    g_assert_true(view_raise(&txn, "test", "views/b", (JobId){0}, &error));
    test_commit(&txn);
}

static char *
read_view(TestWork *w, const char *name)
{
    g_autofree char *path = g_build_filename(w->home->path, "views", name, NULL);
    char *there = NULL;

    (void)g_file_get_contents(path, &there, NULL, NULL);
    return there;
}

#define ASSERT_VIEW(w, name, want)                                                             \
    do {                                                                                       \
        g_autofree char *there = read_view(w, name);                                           \
        g_assert_cmpstr(there, ==, want);                                                      \
    } while (0)

static void
settle(TestWork *w, unsigned want_rendered)
{
    g_autoptr(GError) error = NULL;

    rendered = 0;
    settle_views(&w->engine, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rendered, ==, want_rendered);
}

static guint
count_edited(TestWork *w)
{
    g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func(g_free);

    g_assert_true(views_check(&w->engine, findings, NULL));
    return findings->len;
}

static void
test_written(TestWork *w, gconstpointer data)
{
    settle(w, 0);
    raise_views(w);
    settle(w, 2);
    ASSERT_VIEW(w, "a", "first\n");
    ASSERT_VIEW(w, "b", "first\n");
    settle(w, 0);

    text = "second\n";
    raise_views(w);
    settle(w, 2);
    ASSERT_VIEW(w, "a", "second\n");
    g_assert_cmpuint(count_edited(w), ==, 0);

    text = NULL;
    raise_views(w);
    settle(w, 2);
    ASSERT_VIEW(w, "a", NULL);
    settle(w, 0);
}

static void
test_edited(TestWork *w, gconstpointer data)
{
    raise_views(w);
    settle(w, 2);
    g_autofree char *folder = g_build_filename(w->home->path, "views", NULL);
    test_write(folder, "a", "somebody's\n");
    raise_views(w);
    settle(w, 2);
    ASSERT_VIEW(w, "a", "first\n");
    ASSERT_VIEW(w, "a.edited-1", "somebody's\n");
    ASSERT_VIEW(w, "b.edited-1", NULL);
    g_assert_cmpuint(count_edited(w), ==, 1);
}

/* A view that can't be written keeps no other back, and is tried again. */
static void
test_unwritable(TestWork *w, gconstpointer data)
{
    g_autofree char *a = g_build_filename(w->home->path, "views", "a", NULL);
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(g_mkdir_with_parents(a, 0700), ==, 0);
    raise_views(w);
    g_assert_false(settle_views(&w->engine, &error));
    g_assert_nonnull(error);
    ASSERT_VIEW(w, "b", "first\n");
    g_assert_cmpint(g_rmdir(a), ==, 0);
    settle(w, 1);
    ASSERT_VIEW(w, "a", "first\n");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/view-files/written", TestWork, NULL, world_open, test_written, work_close);
    g_test_add("/view-files/edited", TestWork, NULL, world_open, test_edited, work_close);
    g_test_add("/view-files/unwritable", TestWork, NULL, world_open, test_unwritable,
               work_close);
    return g_test_run();
}
