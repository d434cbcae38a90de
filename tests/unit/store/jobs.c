#include "store/job/jobs.h"
#include "base/err.h"
#include "store/job/budget.h"
#include "store/job/timers.h"
#include "store/out/outbox.h"
#include "temp_store.h"
#include <sys/wait.h>

#define LATER_US (TEST_NOW + 3600 * USEC_PER_SEC)

typedef enum Call {
    CALL_TAKE_MAIL,
    CALL_CLAIM,
    CALL_CLAIM_SESSION,
    CALL_LEAVE,
    CALL_HOLDS,
    CALL_CHECK,
    CALL_COUNT_STEP,
    CALL_PARK,
    CALL_SEEN,
    CALL_END_DONE,
    CALL_END_FAILED,
    CALL_RELEASE,
    CALL_STOP,
    CALL_CANCEL,
    CALL_CONTINUE,
    CALL_REAP,
    CALL_N
} Call;

/*
 * What becomes of a job, by the state that it is in. A capital is the state after the call
 * (Queued, Running, Parked, Done, Failed, Stopped, Cancelled); behind it '=' done, '-' there
 * was nothing to do, '+' done and the next round began, '!' refused as fenced. The claim that
 * the calls use is the one that was valid before the job got into its state.
 */
static const struct {
    const char *name;
    Call call;
    const char *want; /* from Q  R  P  D  F  S  C */
} calls[CALL_N] = {
    {"new mail", CALL_TAKE_MAIL, "Q= R= Q= Q+ Q+ S= Q+"},
    {"claim", CALL_CLAIM, "R= R- P- D- F- S- C-"},
    {"claim by a session", CALL_CLAIM_SESSION, "R= R- R= D- R= R= C-"},
    {"leave", CALL_LEAVE, "Q! P= P! D! F! S! C!"},
    {"does the claim hold?", CALL_HOLDS, "Q- R= P- D- F- S- C-"},
    {"check", CALL_CHECK, "Q! R= P! D! F! S! C!"},
    {"count step", CALL_COUNT_STEP, "Q! R= P! D! F! S! C!"},
    {"park", CALL_PARK, "Q! P= P! D! F! S! C!"},
    {"checkpoint seen", CALL_SEEN, "Q- R- P= D- F- S- C-"},
    {"end: done", CALL_END_DONE, "Q! D= P! D! F! S! C!"},
    {"end: failed", CALL_END_FAILED, "Q! F= P! D! F! S! C!"},
    {"release", CALL_RELEASE, "Q! Q= P! D! F! S! C!"},
    {"stop", CALL_STOP, "S= S= S= D- F- S- C-"},
    {"cancel", CALL_CANCEL, "C= C= C= D- F- C= C-"},
    {"continue", CALL_CONTINUE, "Q- R- Q= D- Q= Q= C-"},
    {"reap, owner alive", CALL_REAP, "Q- R- P- D- F- S- C-"},
};
static const char letters[] = "QRPDFSC";

/* Makes one call. *ret_did: false when there was nothing to do. */
static bool
make_call(
    Txn *txn, Call call, const JobClaim *c, const Job *before, bool *ret_did, GError **error)
{
    JobClaim got;
    int64_t seq;
    unsigned n = 0;
    int number;
    bool ok = false;

    *ret_did = true;
    switch (call) {
    case CALL_TAKE_MAIL:
        return job_take_mail(
            txn, c->job,
            &(JobNew){.original = (MsgId){7}, .asker = "bob@x", .original_msgid = "m7@x"},
            &number, error);
    case CALL_CLAIM:
        return job_claim(txn, c->job, LATER_US, JOB_NO_MARK, &got, ret_did, error);
    case CALL_CLAIM_SESSION:
        return job_claim_session(txn, c->job, "plan run", &got, ret_did, error);
    case CALL_LEAVE:
        return job_leave(txn, c, "plan run", error);
    case CALL_HOLDS:
        return job_claim_holds(txn->db, c, ret_did, error);
    case CALL_CHECK:
        return job_check(txn, c, LATER_US, error);
    case CALL_COUNT_STEP:
        return job_count_step(txn, c, USEC_NEVER, "work", &number, error);
    case CALL_PARK:
        return job_park(txn, c, DUE_NEVER, "bob", &seq, error);
    case CALL_SEEN:
        return job_seen(txn, c->job, before->epoch, before->seq, ret_did, error);
    case CALL_END_DONE:
        return job_end(txn, c, JOB_DONE, NULL, error);
    case CALL_END_FAILED:
        return job_end(txn, c, JOB_FAILED, "too many steps", error);
    case CALL_RELEASE:
        return job_release(txn, c, (Due){.us = TEST_NOW}, TRY_LOST, NULL, error);
    case CALL_STOP:
        return job_stop(txn, c->job, "asked", ret_did, error);
    case CALL_CANCEL:
        return job_cancel(txn, c->job, "asked", ret_did, error);
    case CALL_CONTINUE:
        return job_continue(txn, c->job, 0, NULL, ret_did, error);
    case CALL_REAP:
        ok = job_reap(txn, &n, error);
        *ret_did = n > 0;
        return ok;
    case CALL_N:
        break;
    }
    g_assert_not_reached();
}

/* A job in that state, and the claim with which it was running once. */
static JobClaim
job_in_state(TempStore *s, JobState state)
{
    static const Call way[JOB_N_STATES] = {
        [JOB_QUEUED] = CALL_RELEASE,  [JOB_RUNNING] = CALL_CHECK,     [JOB_PARKED] = CALL_PARK,
        [JOB_DONE] = CALL_END_DONE,   [JOB_FAILED] = CALL_END_FAILED, [JOB_STOPPED] = CALL_STOP,
        [JOB_CANCELLED] = CALL_CANCEL};
    JobClaim claim = {0};
    g_autoptr(GError) error = NULL;
    bool did = false;

    g_assert_true(temp_claim(s, temp_job(s, "envoy"), &claim));
    g_auto(Txn) txn = test_begin(s->db);
    make_call(&txn, way[state], &claim, NULL, &did, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return claim;
}

static char
outcome(bool ok, bool did, const GError *error, const Job *before, const Job *after)
{
    if (!ok) {
        g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
        g_assert_true(g_str_has_prefix(error->message, "fenced"));
        return '!';
    }
    if (!did)
        return '-';
    return after->round > before->round ? '+' : '=';
}

static void
test_transition(TempStore *s, gconstpointer data)
{
    const Call call = (Call)GPOINTER_TO_INT(data);

    for (int from = 0; from < JOB_N_STATES; from++) {
        JobClaim claim = job_in_state(s, (JobState)from);
        g_autoptr(Job) before = temp_load(s, claim.job);
        g_autoptr(GError) error = NULL;
        bool did = false;
        Txn txn = test_begin(s->db);
        bool ok = make_call(&txn, call, &claim, before, &did, &error);
        test_commit(&txn);
        g_autoptr(Job) after = temp_load(s, claim.job);
        const char got[] = {letters[after->state], outcome(ok, did, error, before, after),
                            '\0'};
        g_autofree char *want = g_strndup(calls[call].want + 3 * from, 2);

        g_test_message("%s while %s", calls[call].name, job_state_name((JobState)from));
        g_assert_cmpstr(got, ==, want);
        g_assert_cmpint(after->epoch, >=, before->epoch);
        g_assert_cmpint(after->fence, >=, before->fence);
    }
}

static void
test_claim_order(TempStore *s, gconstpointer data)
{
    JobId a = temp_job(s, "envoy"), b = temp_job(s, "envoy");
    JobClaim first, second, none;

    g_assert_true(temp_claim(s, (JobId){0}, &first));
    g_assert_cmpint(first.job.v, ==, a.v);
    g_assert_cmpint(first.attempts, ==, 1);
    g_assert_cmpint(first.fence, ==, 1);
    g_assert_true(temp_claim(s, (JobId){0}, &second));
    g_assert_cmpint(second.job.v, ==, b.v);
    g_assert_false(temp_claim(s, (JobId){0}, &none));
}

/* Seen is not due, and due is not seen: a parked job goes on when its checkpoint was seen and its
 * time has come, and not in the pass that parked it. */
static void
test_claim_takes_due_parked(TempStore *s, gconstpointer data)
{
    JobClaim claim, again;
    JobId job = temp_job(s, "envoy");
    g_autoptr(GError) error = NULL;
    unsigned ready = 0;
    int64_t seq = 0;

    g_assert_true(temp_claim(s, job, &claim));
    Txn txn = test_begin(s->db);
    job_park(&txn, &claim, (Due){.us = TEST_NOW + USEC_PER_SEC}, "until then", &seq, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    g_assert_cmpint(seq, ==, 1);
    g_assert_false(temp_claim(s, (JobId){0}, &again));
    jobs_ready(s->db, temp_now(s), &ready, &error);
    g_assert_cmpuint(ready, ==, 0);

    temp_pass(s, USEC_PER_SEC);
    g_assert_false(temp_claim(s, (JobId){0}, &again));
    bool seen = true;
    txn = test_begin(s->db);
    job_seen(&txn, job, claim.epoch, seq + 1, &seen, &error);
    g_assert_false(seen);
    job_seen(&txn, job, claim.epoch, seq, &seen, &error);
    g_assert_true(seen);
    job_claim(&txn, job, TEST_NOW, -1, &again, &seen, &error);
    g_assert_false(seen);
    test_commit(&txn);
    g_assert_no_error(error);
    jobs_ready(s->db, temp_now(s), &ready, &error);
    g_assert_cmpuint(ready, ==, 1);
    g_assert_true(temp_claim(s, (JobId){0}, &again));
    g_assert_cmpint(again.job.v, ==, job.v);
    g_autoptr(Job) row = temp_load(s, job);
    g_assert_null(row->waiting_for);
    g_assert_cmpint(row->wakes_us, ==, USEC_NEVER);
}

static void
test_hold_all(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    JobId job = temp_job(s, "envoy");
    JobClaim claim;
    unsigned ready = 1;
    Txn txn = test_begin(s->db);

    meta_set(&txn, "hold-all", "an old copy", &error);
    g_assert_no_error(error);
    test_commit(&txn);
    g_assert_false(temp_claim(s, job, &claim));
    jobs_ready(s->db, temp_now(s), &ready, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ready, ==, 0);
}

static void
assert_fenced(TempStore *s, const JobClaim *claim)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = test_begin(s->db);

    g_assert_false(job_check(&txn, claim, LATER_US, &error));
    g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
    g_assert_true(g_str_has_prefix(error->message, "fenced"));
}

static void
test_old_fence(TempStore *s, gconstpointer data)
{
    JobClaim old = job_in_state(s, JOB_QUEUED), now;
    g_autoptr(GError) error = NULL;

    g_assert_true(temp_claim(s, old.job, &now));
    g_assert_cmpint(now.fence, ==, old.fence + 1);
    assert_fenced(s, &old);
    /* A store that went back gives the same fence out again; its epochs are raised. */
    const JobClaim other = {.job = now.job, .epoch = now.epoch - 1, .fence = now.fence};
    assert_fenced(s, &other);
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(job_check(&txn, &now, LATER_US, &error));
}

/* STOP, then CONTINUE, between a claim and its commit. */
static void
test_stop_fences(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_RUNNING);
    g_autoptr(GError) error = NULL;
    bool changed = false;
    Txn txn = test_begin(s->db);

    job_stop(&txn, claim.job, "asked", &changed, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    assert_fenced(s, &claim);
    g_autoptr(Job) stopped = temp_load(s, claim.job);
    g_assert_cmpint(stopped->owner.pid, ==, getpid()); /* somebody must signal it */
    g_assert_cmpint(stopped->epoch, ==, claim.epoch + 1);

    txn = test_begin(s->db);
    job_continue(&txn, claim.job, 0, "mind the tax", &changed, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    assert_fenced(s, &claim);
    g_autoptr(Job) queued = temp_load(s, claim.job);
    g_assert_cmpstr(queued->instruction, ==, "mind the tax");
    g_assert_cmpint(queued->round, ==, 1);
    g_assert_cmpint(queued->attempts, ==, 0);
}

static void
test_rounds(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_RUNNING);
    g_autoptr(GError) error = NULL;
    int step = 0, round = 0;
    Txn txn = test_begin(s->db);

    job_count_step(&txn, &claim, USEC_NEVER, "draft", &step, &error);
    budget_pay(&txn, claim.job, 30, &error);
    g_assert_cmpint(step, ==, 1);
    job_count_step(&txn, &claim, USEC_NEVER, "send", &step, &error);
    budget_pay(&txn, claim.job, 12, &error);
    g_assert_cmpint(step, ==, 2);
    job_end(&txn, &claim, JOB_DONE, NULL, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_autoptr(Job) done = temp_load(s, claim.job);
    g_assert_cmpint(done->state, ==, JOB_DONE);
    g_assert_cmpint(done->total_iterations, ==, 2);
    g_assert_cmpint(done->attempts, ==, 0);
    g_assert_cmpint(done->round_cost_micro, ==, 42);
    g_assert_null(done->owner_host);

    txn = test_begin(s->db);
    job_take_mail(&txn, claim.job,
                  &(JobNew){.original = (MsgId){9}, .asker = "bob@x", .original_msgid = "m9@x"},
                  &round, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_cmpint(round, ==, 2);
    g_autoptr(Job) next = temp_load(s, claim.job);
    g_assert_cmpint(next->original.v, ==, 9);
    g_assert_cmpstr(next->asker, ==, "bob@x");
    g_assert_cmpint(next->total_iterations, ==, 0);
    g_assert_cmpint(next->steps, ==, 2);
    g_assert_cmpint(next->cost_micro, ==, 42);
    g_assert_cmpint(next->round_cost_micro, ==, 0);
}

static const struct {
    const char *name, *mail;
    JobState end, want_state;
    int want_round;
} ends[] = {
    {"no mail", NULL, JOB_DONE, JOB_DONE, 1},
    {"unseen mail", "stored", JOB_DONE, JOB_QUEUED, 2},
    {"shown mail", "shown", JOB_DONE, JOB_QUEUED, 2},
    {"settled mail", "handled", JOB_DONE, JOB_DONE, 1},
    {"held mail", "held", JOB_DONE, JOB_DONE, 1},
    {"failed with open mail", "shown", JOB_FAILED, JOB_FAILED, 1},
};

static void
test_end_with_mail(TempStore *s, gconstpointer data)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        JobClaim claim = job_in_state(s, JOB_RUNNING);
        g_autoptr(GError) error = NULL;
        MsgId mail = {0};
        Txn txn = test_begin(s->db);

        if (ends[i].mail)
            mail = temp_message(&txn, claim.job, ends[i].mail);
        timer_set(&txn, claim.job, "ack", LATER_US, &error);
        job_end(&txn, &claim, ends[i].end, NULL, &error);
        test_commit(&txn);
        g_assert_no_error(error);
        g_test_message("%s", ends[i].name);
        g_autoptr(Job) job = temp_load(s, claim.job);
        g_assert_cmpint(job->state, ==, ends[i].want_state);
        g_assert_cmpint(job->round, ==, ends[i].want_round);
        if (job->state == JOB_QUEUED) {
            g_assert_cmpint(job->original.v, ==, mail.v);
            g_assert_cmpint(temp_int(s, "SELECT round FROM message WHERE id = ?", mail.v), ==,
                            2);
        }
        g_assert_cmpint(temp_int(s, "SELECT count(*) FROM timer WHERE job = ?", claim.job.v),
                        ==, job->state == JOB_QUEUED ? 1 : 0);
    }
}

/* Mail that comes while a job runs does not wake it; the park that follows must not sleep. */
static void
test_park_with_unseen_mail(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_RUNNING), again;
    g_autoptr(GError) error = NULL;
    int64_t seq = 0;
    int round = 0;
    Txn txn = test_begin(s->db);
    MsgId mail = temp_message(&txn, claim.job, "stored");

    job_take_mail(&txn, claim.job,
                  &(JobNew){.original = mail, .asker = "bob@x", .original_msgid = "m@x"},
                  &round, &error);
    job_park(&txn, &claim, DUE_NEVER, "bob", &seq, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_true(temp_claim(s, (JobId){0}, &again));
    g_assert_cmpint(again.job.v, ==, claim.job.v);
}

/* As with STOP: what was under way, or was mailed before, is of another time. */
static void
test_halt(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_RUNNING);
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    job_halt(&txn, &claim, "the limit of 24 steps is reached", &error);
    g_assert_no_error(error);
    test_commit(&txn);
    g_autoptr(Job) job = temp_load(s, claim.job);
    g_assert_cmpint(job->state, ==, JOB_STOPPED);
    g_assert_cmpint(job->epoch, ==, claim.epoch + 1);
    g_assert_cmpstr(job->why, ==, "the limit of 24 steps is reached");
}

/* A mail that is brought twice is seen twice, and nothing else is. */
static void
test_seen_matches(TempStore *s, gconstpointer data)
{
    static const struct {
        int64_t epoch_off, seq_off;
        bool want_matched;
    } tries[] = {{0, -1, false}, {0, 1, false}, {1, 0, false}, {0, 0, true}, {0, 0, true}};
    JobClaim claim = job_in_state(s, JOB_PARKED);

    for (size_t i = 0; i < G_N_ELEMENTS(tries); i++) {
        g_autoptr(GError) error = NULL;
        bool matched = false;
        Txn txn = test_begin(s->db);
        job_seen(&txn, claim.job, claim.epoch + tries[i].epoch_off, 1 + tries[i].seq_off,
                 &matched, &error);
        test_commit(&txn);
        g_assert_no_error(error);
        g_assert_cmpint(matched, ==, tries[i].want_matched);
    }
}

static void
test_release_count(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_QUEUED);
    g_autoptr(GError) error = NULL;

    g_assert_true(temp_claim(s, claim.job, &claim));
    g_assert_cmpint(claim.attempts, ==, 2);
    Txn txn = test_begin(s->db);
    job_release(&txn, &claim, (Due){.us = TEST_NOW + 5}, TRY_NONE, "brain is busy", &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_autoptr(Job) job = temp_load(s, claim.job);
    g_assert_cmpint(job->attempts, ==, 1);
    g_assert_cmpint(job->ready_us, ==, TEST_NOW + 5);
    g_assert_cmpstr(job->why, ==, "brain is busy");
    g_assert_false(temp_claim(s, claim.job, &claim)); /* not yet */
}

/* What a process that is no more was; its pid is free again when this returns. */
static ProcIdent
dead_process(void)
{
    ProcIdent ident = {0};
    int pipe_fd[2];

    g_assert_cmpint(pipe2(pipe_fd, O_CLOEXEC), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        char c;
        close(pipe_fd[1]);
        (void)!read(pipe_fd[0], &c, 1);
        _exit(0);
    }
    g_assert_cmpint(pid, >, 0);
    g_assert_true(proc_ident_of(pid, &ident));
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
    return ident;
}

static void
set_owner(TempStore *s, JobId job, const char *host, const char *boot, ProcIdent ident)
{
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);

    sql_run(&txn,
            "UPDATE job SET owner_host = ?, owner_boot = ?, owner_pid = ?, owner_start = ? "
            "WHERE id = ?",
            &error, "ssiii", host, boot, (int64_t)ident.pid, ident.start_time, job.v);
    g_assert_no_error(error);
    test_commit(&txn);
}

static unsigned
reap(TempStore *s)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;
    Txn txn = test_begin(s->db);

    job_reap(&txn, &n, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return n;
}

static void
test_reap(TempStore *s, gconstpointer data)
{
    ProcIdent me, dead = dead_process();
    g_assert_true(proc_ident_self(&me));
    const ProcIdent reused = {me.pid, me.start_time + 1};
    const struct {
        const char *name, *host, *boot;
        ProcIdent owner;
        bool want_reaped;
    } owners[] = {
        {"alive", proc_host(), proc_boot_id(), me, false},
        {"dead", proc_host(), proc_boot_id(), dead, true},
        {"its pid belongs to another now", proc_host(), proc_boot_id(), reused, true},
        {"before the last boot", proc_host(), "another-boot", me, true},
        {"another host", "elsewhere.example", "another-boot", dead, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(owners); i++) {
        JobClaim claim = job_in_state(s, JOB_RUNNING);
        g_autoptr(GError) error = NULL;
        g_autoptr(Jobs) running = NULL;

        set_owner(s, claim.job, owners[i].host, owners[i].boot, owners[i].owner);
        temp_pass(s, 365 * 24 * 3600 * USEC_PER_SEC); /* no clock judges an owner */
        g_test_message("owner: %s", owners[i].name);
        g_assert_cmpuint(reap(s), ==, owners[i].want_reaped);
        g_autoptr(Job) job = temp_load(s, claim.job);
        g_assert_cmpint(job->state, ==, owners[i].want_reaped ? JOB_QUEUED : JOB_RUNNING);
        g_assert_cmpstr(job->why, ==, owners[i].want_reaped ? "owner died" : NULL);
        jobs_running(s->db, &running, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(running->len, ==, 1); /* the first one */
        if (owners[i].want_reaped)
            assert_fenced(s, &claim);
    }
}

/* The more owners a job has killed, the later it is tried again. */
static void
test_reap_backoff(TempStore *s, gconstpointer data)
{
    static const int want_seconds[] = {0, 1, 2, 4, 8, 16, 32, 64, 120, 120};
    const ProcIdent dead = dead_process();
    JobId job = temp_job(s, "envoy");

    for (size_t i = 0; i < G_N_ELEMENTS(want_seconds); i++) {
        JobClaim claim;
        g_assert_true(temp_claim(s, job, &claim));
        g_assert_cmpint(claim.attempts, ==, (int)i + 1);
        set_owner(s, job, proc_host(), proc_boot_id(), dead);
        g_assert_cmpuint(reap(s), ==, 1);
        g_autoptr(Job) row = temp_load(s, job);
        g_assert_cmpint(row->ready_us, ==, temp_now(s) + want_seconds[i] * USEC_PER_SEC);
        temp_pass(s, want_seconds[i] * USEC_PER_SEC);
    }
}

/* One unsent mail of the job; its outbox number. */
static OutId
put_mail(Txn *txn, JobId job)
{
    const OutTo to = {"bob@example.org", "bob", "", NULL};
    g_autoptr(GBytes) bytes = g_bytes_new_static("x\n", 2);
    g_autoptr(GError) error = NULL;
    OutId id = {0};

    outbox_next(txn, &id, &error);
    g_assert_no_error(error);
    g_autofree char *msgid = g_strdup_printf("1.%d.tag@example.org", (int)id.v);
    const OutMail mail = {.msgid = msgid,
                          .from = "envoy@example.org",
                          .subject = "s",
                          .bytes = bytes,
                          .job = job,
                          .to = &to,
                          .n_to = 1};
    outbox_put(txn, id, &mail, &error);
    g_assert_no_error(error);
    return id;
}

static void
test_cancel_takes_back(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_RUNNING);
    JobId other = temp_job(s, "envoy");
    g_autoptr(GError) error = NULL;
    bool changed = false;
    unsigned due = 0;
    Txn txn = test_begin(s->db);
    MsgId open = temp_message(&txn, claim.job, "shown");
    MsgId handled = temp_message(&txn, claim.job, "handled");

    put_mail(&txn, claim.job);
    put_mail(&txn, other);
    timer_set(&txn, claim.job, "ack", LATER_US, &error);
    job_cancel(&txn, claim.job, "asked", &changed, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_true(changed);
    assert_fenced(s, &claim);
    outbox_count_due(s->db, temp_now(s), &due, &error);
    g_assert_cmpuint(due, ==, 1); /* the other job's */
    g_assert_cmpint(temp_int(s, "SELECT state = 'ignored' FROM message WHERE id = ?", open.v),
                    ==, 1);
    g_assert_cmpint(
        temp_int(s, "SELECT state = 'handled' FROM message WHERE id = ?", handled.v), ==, 1);
    g_assert_cmpint(temp_int(s, "SELECT count(*) FROM timer WHERE job = ?", claim.job.v), ==,
                    0);
}

/* What a job that has ended wrote can still be stopped on its way. */
static void
test_stop_after_end(TempStore *s, gconstpointer data)
{
    JobClaim claim = job_in_state(s, JOB_DONE);
    static const bool want_changed[] = {true, false};

    Txn txn = test_begin(s->db);
    put_mail(&txn, claim.job);
    test_commit(&txn);
    for (size_t i = 0; i < G_N_ELEMENTS(want_changed); i++) {
        g_autoptr(GError) error = NULL;
        bool changed = false;
        txn = test_begin(s->db);
        job_stop(&txn, claim.job, "asked", &changed, &error);
        test_commit(&txn);
        g_assert_no_error(error);
        g_assert_cmpint(changed, ==, want_changed[i]);
        g_autoptr(Job) job = temp_load(s, claim.job);
        g_assert_cmpint(job->state, ==, JOB_DONE);
    }
}

static void
test_continue_limit(TempStore *s, gconstpointer data)
{
    const int role = (int)config_role(s->home->config, "envoy")->total_iterations;
    const struct {
        int limit, used, more, want_limit;
    } cases[] = {{0, role, 10, role + 10},
                 {0, 3, 10, role + 10},
                 {30, 30, 5, 35},
                 {0, 3, 0, 0},
                 {7, 9, 2, 11}};
    g_autoptr(GError) error = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        JobClaim claim = job_in_state(s, JOB_STOPPED);
        bool changed = false;
        Txn txn = test_begin(s->db);
        sql_run(&txn, "UPDATE job SET step_limit = ?, total_iterations = ? WHERE id = ?",
                &error, "iii", (int64_t)cases[i].limit, (int64_t)cases[i].used, claim.job.v);
        job_continue(&txn, claim.job, cases[i].more, NULL, &changed, &error);
        test_commit(&txn);
        g_assert_no_error(error);
        g_autoptr(Job) job = temp_load(s, claim.job);
        g_assert_cmpint(job->step_limit, ==, cases[i].want_limit);
    }
}

static void
test_no_such_job(TempStore *s, gconstpointer data)
{
    const JobClaim claim = {.job = {99}};
    const Job before = {.id = {99}};
    static const Call asked[] = {CALL_TAKE_MAIL, CALL_STOP, CALL_CANCEL, CALL_CONTINUE,
                                 CALL_CHECK};

    for (size_t i = 0; i < G_N_ELEMENTS(asked); i++) {
        g_autoptr(GError) error = NULL;
        bool did = false;
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_false(make_call(&txn, asked[i], &claim, &before, &did, &error));
        g_assert_error(error, ERR_DOMAIN, ERR_NEVER);
        g_assert_cmpstr(error->message, ==, "no job 99");
    }
}

static void
test_lists(TempStore *s, gconstpointer data)
{
    const Viewer all = VIEWER_OPERATOR, envoy = {"envoy", false}, clerk = {"clerk", false};
    const struct {
        const Viewer *viewer;
        JobQuery query;
        unsigned want_n;
    } cases[] = {
        {&all, {0}, 3},
        {&all, {.role = "envoy"}, 2},
        {&all, {.state = "done"}, 1},
        {&all, {.live_only = true}, 2},
        {&all, {.limit = 1}, 1},
        {&envoy, {0}, 2},
        {&envoy, {.role = "clerk"}, 0},
        {&clerk, {0}, 1},
    };
    JobClaim done = job_in_state(s, JOB_DONE);
    g_autoptr(GError) error = NULL;
    Job *job = NULL;

    temp_job(s, "envoy");
    temp_job(s, "clerk");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Jobs) jobs = NULL;
        jobs_list(s->db, cases[i].viewer, &cases[i].query, &jobs, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(jobs->len, ==, cases[i].want_n);
    }
    g_assert_true(job_load(s->db, &clerk, done.job, &job, &error));
    g_assert_null(job); /* forbidden is absent */
}

static void
test_names(void)
{
    JobId id = {0};
    JobState parsed;

    for (int i = 0; i < JOB_N_STATES; i++) {
        g_assert_true(job_state_parse(job_state_name((JobState)i), &parsed));
        g_assert_cmpint(parsed, ==, i);
        g_assert_nonnull(job_state_words((JobState)i));
    }
    g_assert_false(job_state_parse("leased", &parsed));
    g_assert_true(job_id_parse("12", &id));
    g_assert_cmpint(id.v, ==, 12);
    g_assert_false(job_id_parse("0", &id));
    g_assert_false(job_id_parse("-1", &id));
    g_assert_false(job_id_parse("12x", &id));
}

#define ADD(path, function)                                                                    \
    g_test_add("/jobs/" path, TempStore, NULL, temp_store_open, function, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (int i = 0; i < CALL_N; i++) {
        g_autofree char *path = g_strdup_printf("/jobs/transition/%s", calls[i].name);
        g_assert_cmpint(calls[i].call, ==, i);
        g_test_add(path, TempStore, GINT_TO_POINTER(i), temp_store_open, test_transition,
                   temp_store_close);
    }
    ADD("claim/order", test_claim_order);
    ADD("claim/due-parked", test_claim_takes_due_parked);
    ADD("claim/hold-all", test_hold_all);
    ADD("fence/old", test_old_fence);
    ADD("fence/stop", test_stop_fences);
    ADD("rounds", test_rounds);
    ADD("end/with-mail", test_end_with_mail);
    ADD("park/unseen-mail", test_park_with_unseen_mail);
    ADD("halt", test_halt);
    ADD("seen/matches", test_seen_matches);
    ADD("release", test_release_count);
    ADD("reap/owners", test_reap);
    ADD("reap/backoff", test_reap_backoff);
    ADD("orders/cancel-takes-back", test_cancel_takes_back);
    ADD("orders/stop-after-end", test_stop_after_end);
    ADD("orders/continue-limit", test_continue_limit);
    ADD("no-such-job", test_no_such_job);
    ADD("lists", test_lists);
    g_test_add_func("/jobs/names", test_names);
    return g_test_run();
}
