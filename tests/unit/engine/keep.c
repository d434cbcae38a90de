#include "engine/keep.h"
#include "../store/testhome.h"
#include "base/text.h"
#include "store/sql.h"
#include "view/job_rows.h"
#include <inttypes.h>

#define DAY_US (24 * 3600 * USEC_PER_SEC)

typedef struct Scene {
    Home *home;
    Db *db;
    Engine *engine;
} Scene;

static Scene
scene_new(void)
{
    g_autoptr(GError) error = NULL;
    Scene s = {.home = test_home_new(), .engine = g_new0(Engine, 1)};

    db_open(s.home, DB_WRITE, &s.db, &error);
    g_assert_no_error(error);
    s.engine->home = s.home;
    s.engine->db = s.db;
    return s;
}

static void
scene_clear(Scene *s)
{
    g_free(s->engine);
    db_close(s->db);
    test_home_free(s->home);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scene, scene_clear)

static char *
folder(const Scene *s, int64_t id)
{
    return g_strdup_printf("%s/work/envoy/%" PRId64, s->home->path, id);
}

/* A job that was last heard of so many days ago, with two steps and a work folder. */
static void
make_job(const Scene *s, int64_t id, const char *state, int days)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = folder(s, id);
    g_autofree char *deep = g_build_filename(path, "out", "deep", NULL);
    int64_t then = TEST_NOW - days * DAY_US;
    Txn txn = test_begin(s->db);

    sql_run(&txn,
            "INSERT INTO job (id, role, face, thread, state, subject, asker, original, "
            "original_msgid, steps, ready_us, created_us, updated_us) "
            "VALUES (?, 'envoy', '', 1, ?, '', '', 0, '', 2, ?, ?, ?)",
            &error, "isiii", id, state, then, then, then);
    for (int64_t n = 1; n <= 2; n++)
        sql_run(&txn,
                "INSERT INTO step (job, n, round, at_us, took_us, cost_micro, phase, did, "
                "answer, manifest, state, results) "
                "VALUES (?, ?, 1, ?, 0, 7, '', 'it', 'a', 'm', 's', '[]')",
                &error, "iii", id, n, then);
    g_assert_no_error(error);
    test_commit(&txn);
    g_assert_cmpint(g_mkdir_with_parents(deep, 0700), ==, 0);
    test_write(path, "file", "x");
}

static void
prune(const Scene *s)
{
    g_autoptr(GError) error = NULL;

    keep_prune(s->engine, &error);
    g_assert_no_error(error);
}

/* What is left of a job: of its first step c(ontext) and a(nswer), of its last one m(anifest), S and
 * A; what they cost, and w. */
static char *
left(const Scene *s, int64_t id)
{
    static const struct {
        const char *mark, *sql;
    } parts[] = {
        {"c",
         "SELECT manifest IS NOT NULL AND state IS NOT NULL FROM step WHERE job = ? AND n = 1"},
        {"a",
         "SELECT answer IS NOT NULL AND results IS NOT NULL FROM step WHERE job = ? AND n = 1"},
        {"m", "SELECT manifest IS NOT NULL FROM step WHERE job = ? AND n = 2"},
        {"S", "SELECT state IS NOT NULL FROM step WHERE job = ? AND n = 2"},
        {"A",
         "SELECT answer IS NOT NULL AND results IS NOT NULL FROM step WHERE job = ? AND n = 2"},
        {"$", "SELECT sum(cost_micro) = 14 FROM step WHERE job = ? AND did = 'it'"},
    };
    g_autofree char *path = folder(s, id);
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        bool has = false;
        g_assert_true(sql_bool(s->db, parts[i].sql, &has, NULL, "i", id));
        g_string_append(text, has ? parts[i].mark : "");
    }
    g_string_append(text, g_file_test(path, G_FILE_TEST_IS_DIR) ? "w" : "");
    return g_string_free(text, FALSE);
}

/* By state and age: a job that has not ended keeps everything, whatever its age. */
static void
test_table(void)
{
    static const struct {
        int days;
        const char *want_ended;
    } ages[] = {{0, "camSA$w"}, {13, "camSA$w"}, {15, "camSA$"}, {29, "camSA$"},
                {31, "aSA$"},   {364, "aSA$"},   {366, "SA$"},   {9999, "SA$"}};
    g_auto(Scene) s = scene_new();
    int64_t id = 0;

    for (int state = 0; state < JOB_N_STATES; state++)
        for (size_t i = 0; i < G_N_ELEMENTS(ages); i++)
            make_job(&s, ++id, job_state_name((JobState)state), ages[i].days);
    /* The first look is one to count from. */
    prune(&s);
    g_autofree char *whole = left(&s, id);
    g_assert_cmpstr(whole, ==, "camSA$w");
    s.home->clock.fixed_wall_us += 3600 * USEC_PER_SEC;
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    g_assert_true(keep_count(s.engine, lines, NULL));
    g_assert_cmpuint(lines->len, ==, 3);
    g_assert_nonnull(
        strstr(lines->pdata[0], "contexts; serve lets them go by and by: 24 cont"));
    g_assert_nonnull(strstr(lines->pdata[1], "done; serve lets them go by and by: 6 answers"));
    g_assert_nonnull(strstr(lines->pdata[2], "work; serve lets them go by and by: 18 work fo"));
    prune(&s);
    id = 0;
    for (int state = 0; state < JOB_N_STATES; state++)
        for (size_t i = 0; i < G_N_ELEMENTS(ages); i++) {
            bool ended = state == JOB_DONE || state == JOB_FAILED || state == JOB_CANCELLED;
            g_autofree char *found = left(&s, ++id);
            g_test_message("%s, %d days", job_state_name((JobState)state), ages[i].days);
            g_assert_cmpstr(found, ==, ended ? ages[i].want_ended : "camSA$w");
        }
    g_ptr_array_set_size(lines, 0);
    g_assert_true(keep_count(s.engine, lines, NULL));
    g_assert_cmpuint(lines->len, ==, 0);
    g_autofree char *gone = g_build_filename(s.home->path, "work", ".gone", NULL);
    g_assert_false(g_file_test(gone, G_FILE_TEST_EXISTS));
}

/* A clock that is ahead for a while makes nothing old; one that stays so does after an hour. */
static void
test_clock(void)
{
    g_auto(Scene) s = scene_new();

    make_job(&s, 1, "done", 1);
    prune(&s);
    s.home->clock.fixed_wall_us = TEST_NOW + 4000 * DAY_US;
    prune(&s);
    g_autofree char *ahead = left(&s, 1);
    g_assert_cmpstr(ahead, ==, "camSA$w");
    s.home->clock.fixed_wall_us = TEST_NOW + DAY_US;
    prune(&s);
    s.home->clock.fixed_wall_us += 2 * DAY_US;
    prune(&s);
    g_autofree char *right = left(&s, 1);
    g_assert_cmpstr(right, ==, "camSA$w");
    for (int i = 0; i < 2; i++) {
        s.home->clock.fixed_wall_us += 4000 * DAY_US;
        prune(&s);
    }
    g_autofree char *late = left(&s, 1);
    g_assert_cmpstr(late, ==, "SA$");
}

/* More than one look takes goes by and by, without waiting for the hour; and nothing goes while a
 * person is to decide about the whole store, or what nobody knows. */
static void
test_bounds(void)
{
    g_auto(Scene) s = scene_new();
    g_autofree char *strange = folder(&s, 999);
    g_autofree char *other = g_build_filename(s.home->path, "work", "scribe", "1", NULL);
    Txn txn;

    for (int64_t id = 1; id <= 45; id++)
        make_job(&s, id, "done", 20);
    g_assert_cmpint(g_mkdir_with_parents(strange, 0700), ==, 0);
    g_assert_cmpint(g_mkdir_with_parents(other, 0700), ==, 0);
    prune(&s);
    s.home->clock.fixed_wall_us += 3600 * USEC_PER_SEC;
    txn = test_begin(s.db);
    g_assert_true(meta_set(&txn, "hold-all", "a backup", NULL));
    test_commit(&txn);
    prune(&s);
    txn = test_begin(s.db);
    g_assert_true(meta_set(&txn, "hold-all", NULL, NULL));
    test_commit(&txn);
    for (int want = 45; want > 0; want = MAX(want - 20, 0)) {
        int n = 0;
        for (int64_t id = 1; id <= 45; id++) {
            g_autofree char *path = folder(&s, id);
            n += g_file_test(path, G_FILE_TEST_IS_DIR);
        }
        g_assert_cmpint(n, ==, want);
        prune(&s);
    }
    g_assert_true(g_file_test(strange, G_FILE_TEST_IS_DIR));
    g_assert_true(g_file_test(other, G_FILE_TEST_IS_DIR)); /* job 1 is envoy's */
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/keep/table", test_table);
    g_test_add_func("/keep/clock", test_clock);
    g_test_add_func("/keep/bounds", test_bounds);
    return g_test_run();
}
