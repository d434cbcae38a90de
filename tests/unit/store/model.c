#include "base/err.h"
#include "store/job/jobs.h"
#include "store/job/step_rows.h"
#include "temp_store.h"
#include <sqlite3.h>

/*
 * A random walk over all that can happen to a few jobs, from a fixed seed, beside a model that
 * knows only the rules:
 *
 * (1) at most one claim of a job is valid, and none but that one can change the job;
 * (2) epoch, fence, seq, round and steps never go down;
 * (3) attempts counts claims since the last commit, failures those that were given back as such;
 * (4) a handled message never goes back;
 * (5) a job that is done has no open mail, a parked one does not sleep over unseen mail;
 * (6) what was rolled back did not happen.
 *
 * (2) and (4) are watched by triggers, so that no statement breaks them even for a moment.
 */
#define N_JOBS 4
#define N_OPERATIONS 20000
#define SEED 20261115

typedef struct ModelJob {
    JobId id;
    bool running;
    JobClaim claim; /* the newest; valid while running */
    GArray *old;    /* JobClaim: all that were ever given out */
    int64_t epoch;
    int attempts, failures, steps;
} ModelJob;

typedef struct Model {
    TempStore *s;
    GRand *rand;
    ModelJob jobs[N_JOBS];
    unsigned commits, refusals;
} Model;

static const char watch_sql[] =
    "CREATE TEMP TRIGGER never_down BEFORE UPDATE ON main.job WHEN NEW.epoch < OLD.epoch "
    "OR NEW.fence < OLD.fence OR NEW.seq < OLD.seq OR NEW.round < OLD.round "
    "OR NEW.steps < OLD.steps BEGIN SELECT RAISE(ABORT, 'a counter went down'); END;"
    "CREATE TEMP TRIGGER never_back BEFORE UPDATE OF state ON main.message "
    "WHEN OLD.state = 'handled' AND NEW.state <> 'handled' "
    "BEGIN SELECT RAISE(ABORT, 'a handled message went back'); END;";

static int
dice(Model *m, int sides)
{
    return g_rand_int_range(m->rand, 0, sides);
}

/* The valid claim, or now and then one of the past, or of another copy of the store. */
static JobClaim
some_claim(Model *m, ModelJob *j)
{
    JobClaim claim = j->claim;

    if (j->old->len > 0 && dice(m, 4) == 0)
        claim = g_array_index(j->old, JobClaim, dice(m, (int)j->old->len));
    if (dice(m, 8) == 0)
        claim.epoch--;
    return claim;
}

static bool
is_valid(const ModelJob *j, const JobClaim *c)
{
    return j->running && c->fence == j->claim.fence && c->epoch == j->claim.epoch;
}

/* A call with a claim must work just when the model says that the claim is valid. */
static void
assert_as_valid(Model *m, bool valid, bool ok, GError *error)
{
    g_assert_cmpint(ok, ==, valid);
    if (ok) {
        m->commits++;
        return;
    }
    g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
    m->refusals++;
}

static void
do_mail(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    int round = 0;
    g_autofree char *msgid = NULL;
    MsgId mail = temp_message(txn, j->id, "stored");
    g_autoptr(Job) before = temp_load(m->s, j->id);

    msgid = g_strdup_printf("m%d@example.org", (int)mail.v);
    job_take_mail(
        txn, j->id,
        &(JobNew){.original = mail, .asker = "bob@example.org", .original_msgid = msgid},
        &round, error);
    if (before->state == JOB_DONE || before->state == JOB_FAILED ||
        before->state == JOB_CANCELLED)
        j->attempts = j->failures = 0;
}

static void
do_claim(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    JobClaim claim = {0};
    bool got = false;

    job_claim(txn, dice(m, 2) ? j->id : (JobId){0}, INT64_MAX, JOB_NO_MARK, &claim, &got,
              error);
    if (!got)
        return;
    j = &m->jobs[claim.job.v - m->jobs[0].id.v];
    g_assert_false(j->running); /* never two */
    g_assert_cmpint(claim.fence, ==, j->claim.fence + 1);
    g_assert_cmpint(claim.attempts, ==, ++j->attempts);
    j->running = true;
    j->claim = claim;
    g_array_append_val(j->old, claim);
}

static void
settle_open(Txn *txn, JobId job, int step, GError **error)
{
    g_autoptr(MsgRows) open = NULL;

    messages_open(txn->db, job, &open, error);
    for (guint i = 0; i < open->len && !*error; i++)
        messages_settle(txn, job, step, &((MsgRow *)open->pdata[i])->id, 1, error);
}

static void
do_step(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    JobClaim c = some_claim(m, j);
    g_autoptr(GError) why = NULL;
    int n = 0;
    bool checked = job_check(txn, &c, INT64_MAX, &why);

    assert_as_valid(m, is_valid(j, &c), checked, why);
    if (!checked)
        return;
    job_count_step(txn, &c, USEC_NEVER, "work", &n, error);
    g_assert_cmpint(n, ==, ++j->steps);
    j->attempts = j->failures = 0;
    step_put(txn, &(Step){.job = j->id, .n = n, .round = 1, .did = (char *)"worked"}, error);
    if (dice(m, 2))
        settle_open(txn, j->id, n, error);
}

static void
do_leave(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    JobClaim c = some_claim(m, j);
    g_autoptr(GError) why = NULL;
    const bool valid = is_valid(j, &c);
    const JobTry counts = dice(m, 3);
    int64_t now = temp_now(m->s), seq = 0;
    bool ok = false;

    switch (dice(m, 4)) {
    case 0:
        ok = job_park(txn, &c, dice(m, 2) ? DUE_NEVER : (Due){now + dice(m, 9), dice(m, 2)},
                      "a reply", &seq, &why);
        break;
    case 1:
        ok = job_end(txn, &c, JOB_DONE, NULL, &why);
        if (ok) { /* with open mail it goes on at once, and starts to count anew */
            g_autoptr(Job) after = temp_load(m->s, j->id);
            j->attempts = after->state == JOB_QUEUED ? 0 : j->attempts;
            j->failures = after->state == JOB_QUEUED ? 0 : j->failures;
        }
        break;
    case 2:
        ok = job_end(txn, &c, JOB_FAILED, "no luck", &why);
        break;
    default:
        ok = job_release(txn, &c, (Due){.us = now + dice(m, 9)}, counts, "later", &why);
        if (ok && counts != TRY_LOST)
            j->attempts = MAX(j->attempts - 1, 0);
        j->failures += ok && counts == TRY_FAILED;
    }
    assert_as_valid(m, valid, ok, why);
    if (ok)
        j->running = false;
}

static void
do_order(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    g_autoptr(Job) before = temp_load(m->s, j->id);
    const JobState was = before->state;
    const bool live = was == JOB_QUEUED || was == JOB_RUNNING || was == JOB_PARKED;
    bool changed = false, want_changed = false, raises = true;

    switch (dice(m, 4)) {
    case 0:
        job_stop(txn, j->id, "asked", &changed, error);
        want_changed = live;
        j->running = false;
        break;
    case 1:
        job_cancel(txn, j->id, "asked", &changed, error);
        want_changed = live || was == JOB_STOPPED;
        j->running = false;
        break;
    default:
        job_continue(txn, j->id, dice(m, 3), NULL, &changed, error);
        want_changed = was == JOB_STOPPED || was == JOB_FAILED || was == JOB_PARKED ||
                       (was == JOB_QUEUED && before->ready_us > home_now(db_home(txn->db)));
        j->attempts = changed ? 0 : j->attempts;
        j->failures = changed ? 0 : j->failures;
        raises = false;
    }
    g_assert_cmpint(changed, ==, want_changed);
    j->epoch += raises && changed;
}

static void
do_seen(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    g_autoptr(Job) before = temp_load(m->s, j->id);
    int64_t seq = before->seq - (dice(m, 3) == 0);
    bool matched = false;

    job_seen(txn, j->id, before->epoch, seq, &matched, error);
    g_assert_cmpint(matched, ==, before->state == JOB_PARKED && seq == before->seq);
}

static void
do_reap(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    bool dies = j->running && dice(m, 2);
    unsigned n = 0;

    if (dies)
        sql_run(txn, "UPDATE job SET owner_start = owner_start + 1 WHERE id = ?", error, "i",
                j->id.v);
    job_reap(txn, &n, error);
    g_assert_cmpuint(n, ==, dies);
    if (dies)
        j->running = false;
}

static void
do_show(Model *m, ModelJob *j, Txn *txn, GError **error)
{
    g_autoptr(MsgRows) open = NULL;

    (void)m;
    messages_open(txn->db, j->id, &open, error);
    if (j->running && open->len > 0)
        messages_mark_shown(txn, &((MsgRow *)open->pdata[0])->id, 1, error);
}

typedef void (*Operation)(Model *m, ModelJob *j, Txn *txn, GError **error);
static const Operation operations[] = {do_mail, do_mail, do_claim, do_claim, do_claim,
                                       do_step, do_step, do_step,  do_leave, do_order,
                                       do_seen, do_reap, do_show};

static void
check_job(Model *m, const ModelJob *j)
{
    g_autoptr(Job) job = temp_load(m->s, j->id);
    const char *unseen =
        "SELECT count(*) FROM message WHERE job = ? AND job <> 0 AND state = 'stored'";
    const char *open = "SELECT count(*) FROM message WHERE job = ? AND job <> 0 "
                       "AND state IN ('stored', 'shown')";

    g_assert_cmpint(job->state == JOB_RUNNING, ==, j->running);
    g_assert_cmpint(job->attempts, ==, j->attempts);
    g_assert_cmpint(job->failures, ==, j->failures);
    g_assert_cmpint(job->steps, ==, j->steps);
    g_assert_cmpint(job->fence, ==, j->claim.fence);
    g_assert_cmpint(job->epoch, ==, j->epoch);
    if (j->running) {
        g_assert_cmpint(job->owner.pid, ==, getpid());
    } else if (job->state != JOB_STOPPED && job->state != JOB_CANCELLED) {
        g_assert_null(job->owner_host);
    }
    if (job->state == JOB_DONE)
        g_assert_cmpint(temp_int(m->s, open, j->id.v), ==, 0);
    if (job->state == JOB_PARKED && temp_int(m->s, unseen, j->id.v) > 0)
        g_assert_cmpint(job->wakes_us, <=, temp_now(m->s));
}

/* One operation; now and then it is rolled back, and the model with it. */
static void
walk(Model *m)
{
    ModelJob *j = &m->jobs[dice(m, N_JOBS)];
    const bool commits = dice(m, 10) != 0;
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = test_begin(m->s->db);
    ModelJob before[N_JOBS];
    guint given[N_JOBS];

    memcpy(before, m->jobs, sizeof before);
    for (int i = 0; i < N_JOBS; i++)
        given[i] = m->jobs[i].old->len;
    operations[dice(m, G_N_ELEMENTS(operations))](m, j, &txn, &error);
    g_assert_no_error(error);
    if (commits) {
        test_commit(&txn);
    } else {
        memcpy(m->jobs, before, sizeof before);
        for (int i = 0; i < N_JOBS; i++)
            g_array_set_size(m->jobs[i].old, given[i]);
    }
}

static void
test_walk(TempStore *s, gconstpointer data)
{
    Model m = {.s = s, .rand = g_rand_new_with_seed(SEED)};

    (void)data;
    g_assert_cmpint(sqlite3_exec(sql_handle(s->db), watch_sql, NULL, NULL, NULL), ==,
                    SQLITE_OK);
    for (int i = 0; i < N_JOBS; i++)
        m.jobs[i] = (ModelJob){.id = temp_job(s, "envoy"),
                               .epoch = 1,
                               .old = g_array_new(FALSE, FALSE, sizeof(JobClaim))};
    for (int i = 0; i < N_OPERATIONS; i++) {
        if (dice(&m, 3) == 0)
            temp_pass(s, dice(&m, 9));
        if (dice(&m, 200) == 0)
            temp_pass(s, 200 * USEC_PER_SEC); /* past any backoff */
        walk(&m);
        for (int k = 0; k < N_JOBS; k++)
            check_job(&m, &m.jobs[k]);
    }
    for (int i = 0; i < N_JOBS; i++) {
        const char *rows = "SELECT count(*) FROM step WHERE job = ?";
        g_assert_cmpint(temp_int(s, rows, m.jobs[i].id.v), ==, m.jobs[i].steps);
        g_array_unref(m.jobs[i].old);
    }
    g_test_message("%u calls with a valid claim, %u refused", m.commits, m.refusals);
    g_assert_cmpuint(m.commits, >, N_OPERATIONS / 20);
    g_assert_cmpuint(m.refusals, >, N_OPERATIONS / 20);
    g_rand_free(m.rand);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/model/walk", TempStore, NULL, temp_store_open, test_walk, temp_store_close);
    return g_test_run();
}
