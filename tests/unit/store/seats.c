#include "store/job/seats.h"
#include "temp_store.h"
#include <sqlite3.h>

/* Who gets the next place, by what is at work and what waits. A job is "ROLE ASKER", in the order
 * in which they came, a second apart. */
static const char settings[] = "[postrider]\nworkers = 16\n"
                               "[brain default]\nkind = script\n"
                               "[brain tool]\ncommand = /bin/true\n"
                               "[brain slow]\nkind = script\nat-once = 1\n"
                               "[role envoy]\n"
                               "[role coder]\nbrain = tool\n"
                               "[role tester]\nbrain = tool\n"
                               "[role thinker]\nbrain = slow\n"
                               "[brain wide]\ncommand = /bin/true\nat-once = 9\n"
                               "[role sharer]\nbrain = wide\nworkdir = /dev/shm/no-git\n"
                               "[role neighbour]\nbrain = tool\nworkdir = /dev/shm/no-git\n";

static const struct {
    const char *name, *busy, *waiting;
    const char *want; /* numbers of `waiting`, in the order in which they are claimed */
    int want_ready;   /* before the first claim */
} picks[] = {
    {"as they came", "", "envoy ann;envoy bob;envoy cyd", "1 2 3", 3},
    {"whoever waits with many lets others pass", "", "envoy ann;envoy ann;envoy ann;envoy bob",
     "1 4 2 3", 4},
    {"a program takes two", "", "coder ann;coder bob;coder cyd;envoy dan", "1 4 2", 3},
    {"two roles share a program", "coder ann", "coder bob;tester cyd;tester dan", "2", 1},
    {"a full brain is passed over", "coder ann;coder bob", "coder cyd;tester dan;envoy eve",
     "3", 1},
    {"a limit of its own", "", "thinker ann;thinker bob;envoy cyd", "1 3", 2},
    {"the role with the fewest at work", "envoy ann;envoy bob", "envoy cyd;coder dan", "2 1",
     2},
    {"the asker with the fewest at work", "envoy ann;envoy ann;envoy bob",
     "envoy ann;envoy bob;envoy cyd", "3 2 1", 3},
    {"a folder without git takes one", "", "sharer ann;sharer bob;envoy cyd", "1 3", 3},
    {"whatever role works there", "sharer ann", "neighbour bob;coder cyd", "2", 1},
    {"nothing at all", "coder ann;coder bob", "coder cyd", "", 0},
    {"a role that no settings name any more", "", "gone ann;envoy bob", "1 2", 2},
};

static void
read_settings(TempStore *s, const char *text)
{
    g_autoptr(GError) error = NULL;

    g_clear_pointer(&s->home->config, config_free);
    config_parse(text, strlen(text), "postrider.conf", &s->home->config, &error);
    g_assert_no_error(error);
    seats_refresh(s->db, &error);
    g_assert_no_error(error);
}

static JobId
add_job(TempStore *s, const char *what)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = g_strsplit(what, " ", 2);
    const JobNew in = {.role = words[0],
                       .face = "",
                       .subject = "Budget",
                       .asker = words[1],
                       .original_msgid = "first@example.org",
                       .thread = {1},
                       .original = {1}};
    JobId id = {0};
    g_auto(Txn) txn = test_begin(s->db);

    job_create(&txn, &in, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    temp_pass(s, USEC_PER_SEC);
    return id;
}

static int64_t
count_ready(TempStore *s)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    jobs_ready(s->db, temp_now(s), &n, &error);
    g_assert_no_error(error);
    return n;
}

static void
test_pick(TempStore *s, gconstpointer data)
{
    int i = GPOINTER_TO_INT(data);
    g_auto(GStrv) busy = g_strsplit(picks[i].busy, ";", -1);
    g_auto(GStrv) waiting = g_strsplit(picks[i].waiting, ";", -1);
    g_autoptr(GString) got = g_string_new(NULL);
    int64_t before = g_strv_length(busy);
    JobClaim claim;

    read_settings(s, settings);
    for (char **b = busy; *b; b++) {
        JobId id = add_job(s, *b);
        g_assert_true(temp_claim(s, id, &claim));
    }
    for (char **w = waiting; *w; w++)
        (void)add_job(s, *w);
    g_assert_cmpint(count_ready(s), ==, picks[i].want_ready);
    while (temp_claim(s, (JobId){0}, &claim))
        g_string_append_printf(got, "%s%d", got->len ? " " : "", (int)(claim.job.v - before));
    g_assert_cmpstr(got->str, ==, picks[i].want);
    g_assert_cmpint(count_ready(s), ==, 0);
}

static char *
place_of(TempStore *s, JobId id)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Job) job = temp_load(s, id);
    char *place = NULL;

    seat_wait(s->db, job, &place, &error);
    g_assert_no_error(error);
    return place;
}

static void
test_settings_change(TempStore *s, gconstpointer data)
{
    JobClaim claim;
    (void)data;

    read_settings(s, settings);
    int changes = sqlite3_total_changes(sql_handle(s->db));
    read_settings(s, settings);
    g_assert_cmpint(sqlite3_total_changes(sql_handle(s->db)), ==, changes); /* as they were */
    JobId first = add_job(s, "thinker ann"), second = add_job(s, "thinker bob");
    g_assert_true(temp_claim(s, (JobId){0}, &claim));
    g_assert_cmpint(claim.job.v, ==, first.v);
    g_assert_false(temp_claim(s, (JobId){0}, &claim));
    g_autofree char *behind = place_of(s, second);
    g_assert_cmpstr(behind, ==, "a place at brain slow, behind job 1");

    read_settings(s, "[brain default]\nkind = script\n[role thinker]\n");
    g_autofree char *none = place_of(s, second);
    g_assert_null(none);
    g_assert_true(temp_claim(s, (JobId){0}, &claim));
    g_assert_cmpint(claim.job.v, ==, second.v);
}

/* 10,000 jobs of a brain without a place cost no more to pass over than a few. */
static void
test_crowd(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobClaim claim;
    (void)data;

    read_settings(s, settings);
    (void)add_job(s, "thinker ann");
    g_assert_true(temp_claim(s, (JobId){0}, &claim));
    JobId last = add_job(s, "thinker bob");
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(sql_run(
        &txn,
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
        "INSERT INTO job (id, role, face, thread, state, subject, asker, original, "
        "original_msgid, may, ready_us, turn_us, created_us, updated_us) SELECT ? + i, role, "
        "face, thread, state, subject, asker || i, original, original_msgid, may, ready_us, "
        "turn_us, created_us, updated_us FROM n, job WHERE job.id = ?",
        &error, "ii", last.v, last.v));
    test_commit(&txn);
    JobId envoy = add_job(s, "envoy cyd");
    g_assert_cmpint(count_ready(s), ==, 1);
    g_assert_true(temp_claim(s, (JobId){0}, &claim));
    g_assert_cmpint(claim.job.v, ==, envoy.v);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(picks); i++) {
        g_autofree char *path = g_strdup_printf("/seats/pick/%s", picks[i].name);
        g_test_add(path, TempStore, GINT_TO_POINTER(i), temp_store_open, test_pick,
                   temp_store_close);
    }
    g_test_add("/seats/settings-change", TempStore, NULL, temp_store_open, test_settings_change,
               temp_store_close);
    g_test_add("/seats/crowd", TempStore, NULL, temp_store_open, test_crowd, temp_store_close);
    return g_test_run();
}
