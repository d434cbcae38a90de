/* What a fork takes over and what is its own, in rows. */
#include "store/job/forks.h"
#include "store/note/note_versions.h"
#include "temp_store.h"

static JobId
fork_it(TempStore *s, JobId from, int step)
{
    const JobNew in = {.from = from,
                       .steps = step,
                       .role = "envoy",
                       .face = "",
                       .phase = "working",
                       .subject = "Budget",
                       .asker = "ann@example.org",
                       .original_msgid = "first@example.org",
                       .instruction = "otherwise",
                       .original = {1},
                       .round = 2,
                       .total_iterations = 3,
                       .step_limit = 9,
                       .floor = TRUST_KNOWN};
    g_autoptr(GError) error = NULL;
    JobId id = {0};
    Txn txn = test_begin(s->db);

    job_fork(&txn, &in, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static void
test_rows(TempStore *s, gconstpointer data)
{
    JobId first = temp_job(s, "envoy");
    JobId id = fork_it(s, first, 7);
    JobId again = fork_it(s, first, 8);
    g_autoptr(Job) job = temp_load(s, id);
    g_autoptr(Job) other = temp_load(s, again);
    g_autoptr(Forks) forks = NULL;
    g_autoptr(GError) error = NULL;
    ForkPoint from;
    JobClaim claim;

    g_assert_cmpint(id.v, !=, first.v);
    g_assert_cmpint(job->state, ==, JOB_QUEUED);
    g_assert_cmpint(job->thread.v, !=, 0);
    g_assert_cmpint(job->thread.v, !=, other->thread.v);
    g_assert_cmpint(job->steps, ==, 7);
    g_assert_cmpint(job->total_iterations, ==, 3);
    g_assert_cmpint(job->round, ==, 2);
    g_assert_cmpint(job->step_limit, ==, 9);
    g_assert_cmpint(job->floor, ==, TRUST_KNOWN);
    g_assert_cmpint(job->epoch, ==, 1);
    g_assert_cmpint(job->seq, ==, 0);
    g_assert_cmpint(job->cost_micro + job->round_cost_micro, ==, 0);
    g_assert_cmpstr(job->phase, ==, "working");
    g_assert_cmpstr(job->instruction, ==, "otherwise");
    g_assert_true(temp_claim(s, id, &claim));
    g_assert_true(fork_of(s->db, id, &from, &error));
    g_assert_cmpint(from.job.v, ==, first.v);
    g_assert_cmpint(from.step, ==, 7);
    g_assert_cmpint(from.at_us, ==, 0);
    g_assert_true(fork_of(s->db, first, &from, &error));
    g_assert_cmpint(from.job.v, ==, 0);
    g_assert_true(forks_list(s->db, first, &forks, &error));
    g_assert_cmpuint(forks->len, ==, 2);
    g_assert_cmpint(forks->pdata[1]->job.v, ==, again.v);
    g_assert_cmpint(forks->pdata[1]->step, ==, 8);
}

static void
write_note(TempStore *s, const char *text, JobId job, int step)
{
    const NoteBy by = {.author = "envoy", .label = TRUST_ROLE, .job = job, .step = step};
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    note_put(&txn, "plan", body, NOTE_ANY, &by, NULL, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* Three versions, a second apart: by step 1, by a person, by step 2. */
static void
test_notes(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t seen_s; /* -1: not shown */
        int step;
        int64_t want;
    } cases[] = {{-1, 0, 0}, {-1, 1, 1}, {0, 0, 1}, {1, 1, 2}, {-1, 2, 3}, {1, 2, 3}};
    JobId first = temp_job(s, "envoy");
    int64_t begin = temp_now(s);

    write_note(s, "one", first, 1);
    temp_pass(s, USEC_PER_SEC);
    write_note(s, "two", (JobId){0}, 0);
    temp_pass(s, USEC_PER_SEC);
    write_note(s, "three", first, 2);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        JobId id = fork_it(s, first, 7);
        int64_t version = -1, seen = begin + cases[i].seen_s * USEC_PER_SEC;
        Txn txn = test_begin(s->db);
        if (cases[i].seen_s >= 0)
            g_assert_true(fork_mark_shown(&txn, id, "plan", seen, &error));
        g_assert_true(fork_mark_shown(&txn, id, "no-such", seen, &error));
        g_assert_true(fork_mark_written(&txn, id, first, cases[i].step, &error));
        test_commit(&txn);
        g_assert_true(note_shown_version(s->db, id, "plan", &version, &error));
        g_assert_cmpint(version, ==, cases[i].want);
    }
}

/* Who appended without having read the note does not know it, and neither does a fork. */
static void
test_blind_append(TempStore *s, gconstpointer data)
{
    JobId first = temp_job(s, "envoy");
    const NoteBy by = {.author = "envoy", .label = TRUST_ROLE, .job = first, .step = 1};
    g_autoptr(GBytes) more = g_bytes_new_static("more", 4);
    g_autoptr(GError) error = NULL;
    int64_t version = -1;

    write_note(s, "of a person", (JobId){0}, 0);
    JobId id = fork_it(s, first, 1);
    Txn txn = test_begin(s->db);
    note_append(&txn, "plan", more, &by, NULL, &error);
    fork_mark_written(&txn, id, first, 1, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    g_assert_true(note_shown_version(s->db, id, "plan", &version, &error));
    g_assert_cmpint(version, ==, 0);
}

/* A round began with its first mail, whoever forks it. */
static void
test_original(TempStore *s, gconstpointer data)
{
    JobId first = temp_job(s, "envoy");
    g_autoptr(MsgRow) found = NULL, lost = NULL;
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    MsgId began = temp_message(&txn, first, "handled");
    (void)temp_message(&txn, first, "handled");
    test_commit(&txn);
    g_assert_true(fork_original(s->db, first, 1, &found, &error));
    g_assert_cmpint(found->id.v, ==, began.v);
    g_assert_cmpstr(found->from, ==, "bob@example.org");
    g_assert_true(fork_original(s->db, first, 2, &lost, &error));
    g_assert_null(lost);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/forks/rows", TempStore, NULL, temp_store_open, test_rows, temp_store_close);
    g_test_add("/forks/notes", TempStore, NULL, temp_store_open, test_notes, temp_store_close);
    g_test_add("/forks/blind-append", TempStore, NULL, temp_store_open, test_blind_append,
               temp_store_close);
    g_test_add("/forks/original", TempStore, NULL, temp_store_open, test_original,
               temp_store_close);
    return g_test_run();
}
