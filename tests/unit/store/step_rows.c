#include "store/job/step_rows.h"
#include "temp_store.h"

static void
put_step(TempStore *s, JobId job, int n, const char *did, GBytes *answer)
{
    const Step step = {.job = job,
                       .n = n,
                       .round = 1,
                       .at_us = TEST_NOW + n,
                       .took_us = 7,
                       .cost_micro = 3,
                       .phase = (char *)"draft",
                       .did = (char *)did,
                       .answer = answer,
                       .context = {{1, 2, 3}}};
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    step_put(&txn, &step, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static void
test_round_trip(TempStore *s, gconstpointer data)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(GBytes) answer = g_bytes_new_static("{\0}", 3);
    g_autoptr(Steps) steps = NULL;
    g_autoptr(GError) error = NULL;
    JobId job = temp_job(s, "envoy");

    put_step(s, job, 1, "asked bob", answer);
    put_step(s, temp_job(s, "envoy"), 1, "of another job", NULL);
    put_step(s, job, 2, "answered ann", NULL);
    g_assert_true(steps_list(s->db, &all, job, 0, &steps, &error));
    g_assert_cmpstr(steps->pdata[0]->did, ==, "asked bob");
    g_assert_null(steps->pdata[0]->answer); /* a list reads no more than it shows */
    g_clear_pointer(&steps, steps_free);
    g_assert_true(steps_list_whole(s->db, &all, job, &steps, &error));
    g_assert_cmpuint(steps->len, ==, 2);
    const Step *first = steps->pdata[0], *second = steps->pdata[1];
    g_assert_cmpstr(first->did, ==, "asked bob");
    g_assert_cmpstr(first->phase, ==, "draft");
    g_assert_null(first->because);
    g_assert_true(g_bytes_equal(first->answer, answer));
    g_assert_cmpint(first->at_us, ==, TEST_NOW + 1);
    g_assert_cmpint(first->took_us, ==, 7);
    g_assert_cmpint(first->cost_micro, ==, 3);
    g_assert_cmpint(first->context.v[2], ==, 3);
    g_assert_cmpint(second->n, ==, 2);
    g_assert_null(second->answer);
    g_assert_null(second->manifest);
}

static void
test_viewer(TempStore *s, gconstpointer data)
{
    static const struct {
        Viewer viewer;
        unsigned want_n;
    } cases[] = {
        {{"envoy", false}, 1}, {{"clerk", false}, 0}, {{NULL, false}, 0}, {{NULL, true}, 1}};
    JobId job = temp_job(s, "envoy");

    put_step(s, job, 1, "did", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Steps) steps = NULL;
        g_autoptr(GError) error = NULL;
        g_assert_true(steps_list(s->db, &cases[i].viewer, job, 0, &steps, &error));
        g_assert_cmpuint(steps->len, ==, cases[i].want_n);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/steps/round-trip", TempStore, NULL, temp_store_open, test_round_trip,
               temp_store_close);
    g_test_add("/steps/viewer", TempStore, NULL, temp_store_open, test_viewer,
               temp_store_close);
    return g_test_run();
}
