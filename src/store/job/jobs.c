#include "store/job/jobs.h"
#include "store/due.h"
#include "store/job/jobs_internal.h"
#include "store/job/role_pauses.h"
#include "store/job/seats.h"
#include "store/job/steering.h"
#include "store/job/timers.h"
#include "store/job/views.h"
#include "store/mail/mailboxes.h"
#include "store/mail/messages.h"
#include "store/rows.h"

/*
 * Every change of a running job names its claim in the WHERE clause, so that a claim which is
 * no longer valid changes nothing, whatever the caller forgot to ask before.
 */
#define OF_CLAIM " WHERE id = ? AND state = 'running' AND epoch = ? AND fence = ?"

/* Says why a claim no longer holds; always false. */
static bool
fenced(Txn *txn, const JobClaim *claim, GError **error)
{
    g_autoptr(Job) job = NULL;

    if (!job_get(txn->db, claim->job, &job, error))
        return false;
    return err_set(error, ERR_NEVER, "fenced: job %" PRId64 " is %s now", claim->job.v,
                   job->state == JOB_RUNNING ? "in other hands" : job_state_words(job->state));
}

/* When it is a job's turn: each that the same person has waiting already lets others pass who
 * ask within so much time. Nobody is kept waiting while there is nobody else. */
#define TURN_US (10 * USEC_PER_SEC)
#define TURNS_MAX 200

static bool
next_turn(Txn *txn, const char *asker, int64_t now, int64_t *ret_us, GError **error)
{
    int64_t waiting = 0;

    if (!sql_int(txn->db,
                 "SELECT count(*) FROM (SELECT 1 FROM job WHERE state = 'queued' AND asker = ? "
                 "LIMIT " G_STRINGIFY(TURNS_MAX) ")",
                 &waiting, error, "s", asker))
        return false;
    *ret_us = now + waiting * TURN_US;
    return true;
}

bool
job_insert(
    Txn *txn, JobId id, const JobNew *in, JobState state, int64_t turn_us, GError **error)
{
    bool parked = state == JOB_PARKED;
    Due resume = parked ? in->resume : DUE_NEVER;
    int64_t now = txn_now(txn);

    return sql_run(
        txn,
        "INSERT INTO job (id, role, face, thread, state, phase, waiting_for, instruction, "
        "subject, asker, original, original_msgid, round, epoch, seq, total_iterations, steps, "
        "step_limit, cost_micro, round_cost_micro, floor, may, parked, forked_job, "
        "forked_step, ready_us, turn_us, resume_us, wakes_us, created_us, updated_us) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?19, ?19, ?, ?, ?, "
        "?, ?, steady(?), steady(?), due(?27, ?28), due(?27, ?28), ?, ?)",
        error, "ississssssisniinnnisuniniiinii", id.v, in->role, in->face, in->thread.v,
        job_state_name(state), in->phase ? in->phase : "", in->waiting_for, in->instruction,
        in->subject, in->asker, in->original.v, in->original_msgid, MAX(in->round, 1),
        MAX(in->epoch, 1), in->seq, in->total_iterations, in->steps, in->step_limit,
        in->round_cost_micro, trust_name(in->floor), in->may, parked, in->from.v,
        in->from.v ? in->steps : 0, now, turn_us, resume.us, resume.moment,
        parked ? in->created_us : now, now);
}

bool
job_create(Txn *txn, const JobNew *in, JobId *ret_id, GError **error)
{
    JobNew job = *in;
    int64_t turn;

    job.floor = TRUST_OPERATOR;
    return next_turn(txn, in->asker, txn_now(txn), &turn, error) &&
           mail_rights(txn->db, in->original, &job.may, error) &&
           job_next_number(txn, in->role, ret_id, error) &&
           job_insert(txn, *ret_id, &job, JOB_QUEUED, turn, error);
}

/* Begins a new round of a job that has ended, with the mail that asks for it. The round may do
 * everything until narrow() has looked at each of its mails. */
static bool
begin_round(Txn *txn, const Job *job, const JobNew *mail, GError **error)
{
    int64_t now = txn_now(txn), turn;

    return next_turn(txn, mail->asker, now, &turn, error) &&
           sql_run(
               txn,
               "UPDATE job SET state = 'queued', round = round + 1, " JOB_NO_STALL JOB_NO_TRIES
               "iteration = 0, total_iterations = 0, round_cost_micro = 0, checks_failed = 0, "
               "step_limit = 0, parked = 0, phase = '', why = NULL, waiting_for = NULL, "
               "instruction = NULL, original = ?, asker = ?, original_msgid = ?, "
               "ready_us = steady(?), turn_us = steady(?), wakes_us = NULL, resume_us = NULL, "
               "wait_then = NULL, cost_limit_micro = 0, "
               "floor = 'operator', may = ~0, updated_us = ?, " JOB_NO_OWNER " WHERE id = ?",
               error, "issiiii", mail->original.v, mail->asker, mail->original_msgid, now, turn,
               now, job->id.v);
}

/* Puts one more mail into the round: the round may not do what this mail's sender may not ask
 * for. */
static bool
narrow(Txn *txn, JobId job, MsgId mail, GError **error)
{
    unsigned may;

    return mail_rights(txn->db, mail, &may, error) &&
           sql_run(txn, "UPDATE job SET may = may & ? WHERE id = ?", error, "ui", may, job.v);
}

bool
job_next_round_open(Txn *txn, JobId id, bool *ret_began, GError **error)
{
    g_autoptr(MsgRows) open = NULL;
    g_autoptr(Job) job = NULL;

    if (!messages_open(txn->db, id, &open, error))
        return false;
    if (open->len == 0) {
        *ret_began = false;
        return true;
    }
    const MsgRow *first = open->pdata[0];
    const JobNew next = {
        .original = first->id, .asker = first->from, .original_msgid = first->msgid};
    if (!job_get(txn->db, id, &job, error) || !begin_round(txn, job, &next, error))
        return false;
    /* The open mails came while the old round was running; the new round answers them. */
    LIST_EACH(const MsgRow, m, open)
        if (!messages_set_job(txn, m->id, id, job->round + 1, error) ||
            !narrow(txn, id, m->id, error))
            return false;
    *ret_began = true;
    return true;
}

static bool
wake(Txn *txn, JobId parked, const char *why, GError **error)
{
    int64_t now = txn_now(txn);

    return sql_run(
        txn,
        "UPDATE job SET state = 'queued', ready_us = steady(?), wakes_us = NULL, "
        "resume_us = NULL, wait_then = NULL, waiting_for = NULL, why = ?, updated_us = ? "
        "WHERE id = ?",
        error, "isii", now, why, now, parked.v);
}

bool
job_take_mail(Txn *txn, JobId id, const JobNew *mail, int *ret_round, GError **error)
{
    g_autoptr(Job) job = NULL;
    bool ok = true;
    int round = 0;

    if (!job_get(txn->db, id, &job, error))
        return false;
    round = job->round;
    switch (job->state) {
    case JOB_QUEUED:
    case JOB_RUNNING: /* takes it at its next step, or its end does */
    case JOB_STOPPED: /* waits for CONTINUE */
        break;
    case JOB_PARKED:
        ok = wake(txn, id, "new mail", error) &&
             messages_trace(txn, mail->original, "woke", "its job was waiting", error);
        break;
    case JOB_DONE:
    case JOB_FAILED:
    case JOB_CANCELLED: /* what was asked is over; this asks for something else */
        ok = begin_round(txn, job, mail, error) &&
             messages_trace(txn, mail->original, "round", "it began the next round of its job",
                            error);
        round++;
        break;
    case JOB_N_STATES:
        g_assert_not_reached();
    }
    ok = ok && narrow(txn, id, mail->original, error);
    if (ok)
        *ret_round = round;
    return ok;
}

#define WAIT_IS_OVER SQL_IS_DUE("wakes_us", "?1")
#define TIME_HAS_COME SQL_IS_DUE("ready_us", "?1")

/* Takes a queued job whose time has come, or a parked one whose wait is over. ?1 is now, ?2 the
 * job that is wanted, ?8 the mark behind which nothing parked is taken; the rest says who takes
 * it and for how long. */
static const char claim_sql[] =
    "UPDATE job SET state = 'running', fence = fence + 1, attempts = attempts + 1, "
    "iteration = 0, waiting_for = NULL, wakes_us = NULL, resume_us = NULL, wait_then = NULL, "
    "deadline_us = steady(?3), owner_host = ?4, owner_boot = ?5, owner_pid = ?6, "
    "owner_start = ?7, session = '', updated_us = ?1 WHERE id = ?2 AND state IN ('queued', 'parked') "
    "AND (state = 'queued' OR (" WAIT_IS_OVER " AND parked_step <= ?8)) "
    "AND (state = 'parked' OR " TIME_HAS_COME ") AND " MAILBOX_LETS_WORK("job.role")
    "AND " ROLE_IS_AWAKE("job.role");

static const Field claim_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(JobClaim, job)},
    {NULL, "epoch", FIELD_INT, offsetof(JobClaim, epoch)},
    {NULL, "fence", FIELD_INT, offsetof(JobClaim, fence)},
    {NULL, "attempts", FIELD_NUMBER, offsetof(JobClaim, attempts)},
};
SHAPE_HERE(claim_shape, "job", JobClaim, claim_fields)

bool
job_claim(Txn *txn,
          JobId want,
          int64_t deadline_us,
          int64_t mark,
          JobClaim *ret_claim,
          bool *ret_got,
          GError **error)
{
    g_autofree char *hold = db_hold_all(txn->db);
    ProcIdent me = {0};

    if (hold) {
        *ret_got = false;
        return true;
    }
    if (!proc_ident_self(&me))
        return err_set(error, ERR_LATER, "claiming a job: can't read /proc/self/stat");
    if (!want.v &&
        (!seats_save(txn, error) || !seats_next(txn->db, txn_now(txn), mark, &want, error)))
        return false;
    return sql_changed(txn, claim_sql, ret_got, error, "iiissnii", txn_now(txn), want.v,
                       deadline_us, proc_host(), proc_boot_id(), me.pid, me.start_time, mark) &&
           (!*ret_got || (rows_into(txn->db, &claim_shape, "FROM job WHERE id = ?", ret_claim,
                                    error, "i", want.v) &&
                          views_raise_job(txn, want, error)));
}

bool
job_claim_session(
    Txn *txn, JobId job, const char *session, JobClaim *ret_claim, bool *ret_got, GError **error)
{
    bool changed;

    return job_continue(txn, job, 0, NULL, &changed, error) &&
           job_claim(txn, job, USEC_NEVER, JOB_NO_MARK, ret_claim, ret_got, error) &&
           (!*ret_got || sql_run(txn, "UPDATE job SET session = ? WHERE id = ?", error, "si",
                                 session, job.v));
}

bool
job_leave(Txn *txn, const JobClaim *claim, const char *waiting_for, GError **error)
{
    bool held;

    return sql_changed(txn,
                       "UPDATE job SET state = 'parked', parked = 1, wakes_us = NULL, "
                       "resume_us = NULL, wait_then = NULL, waiting_for = ?, "
                       "parked_step = (SELECT coalesce(max(id), 0) FROM step), "
                       "updated_us = ?, " JOB_NO_OWNER OF_CLAIM,
                       &held, error, "siiii", waiting_for, txn_now(txn), claim->job.v,
                       claim->epoch, claim->fence) &&
           (held || fenced(txn, claim, error)) && views_raise_job(txn, claim->job, error);
}

bool
job_claim_holds(Db *db, const JobClaim *claim, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM job" OF_CLAIM, ret, error, "iii", claim->job.v,
                    claim->epoch, claim->fence);
}

bool
job_check(Txn *txn, const JobClaim *claim, int64_t deadline_us, GError **error)
{
    bool held;

    return sql_changed(txn, "UPDATE job SET deadline_us = steady(?)" OF_CLAIM, &held, error,
                       "iiii", deadline_us, claim->job.v, claim->epoch, claim->fence) &&
           (held || fenced(txn, claim, error));
}

bool
job_count_step(Txn *txn,
               const JobClaim *claim,
               int64_t deadline_us,
               const char *phase,
               int *ret_step,
               GError **error)
{
    unsigned step = 0;
    bool held;

    /* Two statements: what RETURNING gives goes through a table of its own: that costs more. */
    if (!sql_changed(
            txn,
            "UPDATE job SET deadline_us = steady(?), iteration = iteration + 1, why = "
            "NULL, " JOB_NO_STALL JOB_NO_TRIES
            "total_iterations = total_iterations + 1, steps = steps + 1, "
            "parked = 0, phase = ?, updated_us = ?" OF_CLAIM,
            &held, error, "isiiii", deadline_us, phase ? phase : "", txn_now(txn), claim->job.v,
            claim->epoch, claim->fence) ||
        (!held && !fenced(txn, claim, error)) ||
        !sql_count(txn->db, "SELECT steps FROM job WHERE id = ?", &step, error, "i",
                   claim->job.v))
        return false;
    *ret_step = (int)step;
    return true;
}

bool
job_count_failed_check(Txn *txn, const JobClaim *claim, unsigned *ret, GError **error)
{
    return sql_run(txn, "UPDATE job SET checks_failed = checks_failed + 1" OF_CLAIM, error, "iii",
                   claim->job.v, claim->epoch, claim->fence) &&
           sql_count(txn->db, "SELECT checks_failed FROM job WHERE id = ?", ret, error, "i",
                     claim->job.v);
}

/* Mail that came after the last context was built: nobody has looked at it. */
static bool
has_unseen_mail(Db *db, JobId job, bool *ret, GError **error)
{
    return sql_bool(
        db, "SELECT 1 FROM message WHERE job = ? AND job <> 0 AND state = 'stored' LIMIT 1",
        ret, error, "i", job.v);
}

bool
job_lower_floor(Txn *txn, const JobClaim *claim, Trust floor, GError **error)
{
    bool held;

    return sql_changed(txn, "UPDATE job SET floor = ?" OF_CLAIM, &held, error, "siii",
                       trust_name(floor), claim->job.v, claim->epoch, claim->fence) &&
           (held || fenced(txn, claim, error));
}

bool
job_park(Txn *txn,
         const JobClaim *claim,
         Due resume,
         const char *waiting_for,
         int64_t *ret_seq,
         GError **error)
{
    int64_t now = txn_now(txn), seq = 0;
    bool unseen = false;

    /* A mail that found the job running did not wake it; parking must not sleep over it. */
    if (!has_unseen_mail(txn->db, claim->job, &unseen, error) ||
        !sql_int(txn->db,
                 "UPDATE job SET state = 'parked', parked = 1, seq = seq + 1, "
                 "resume_us = due(?, ?), wakes_us = steady(?), "
                 "parked_step = (SELECT coalesce(max(id), 0) FROM step), "
                 "wait_then = NULL, waiting_for = ?, instruction = NULL, "
                 "updated_us = ?, " JOB_NO_OWNER OF_CLAIM " RETURNING seq",
                 &seq, error, "inisiiii", resume.us, resume.moment, unseen ? now : USEC_NEVER,
                 waiting_for, now, claim->job.v, claim->epoch, claim->fence))
        return false;
    if (seq == 0)
        return fenced(txn, claim, error);
    *ret_seq = seq;
    return views_raise_job(txn, claim->job, error);
}

bool
job_seen(Txn *txn, JobId job, int64_t epoch, int64_t seq, bool *ret_matched, GError **error)
{
    /* A mail that came meanwhile may have made it due already; one that is not to be woken by
     * time has its timer. */
    return sql_changed(txn,
                       "UPDATE job SET wakes_us = CASE WHEN wait_then IS NOT NULL OR "
                       "wakes_us < resume_us THEN wakes_us "
                       "ELSE coalesce(resume_us, wakes_us) END "
                       "WHERE id = ? AND state = 'parked' AND epoch = ? AND seq = ?",
                       ret_matched, error, "iii", job.v, epoch, seq);
}

bool
job_unseen(Txn *txn, JobId job, int64_t seq, bool *ret_marked, GError **error)
{
    return sql_changed(
        txn,
        "UPDATE job SET wakes_us = NULL WHERE id = ? AND state = 'parked' AND seq = ? "
        "AND wakes_us = resume_us",
        ret_marked, error, "ii", job.v, seq);
}

bool
job_due_now(Txn *txn, JobId job, GError **error)
{
    /* A job whose checkpoint was seen waits for nothing else. */
    return sql_run(
        txn,
        "UPDATE job SET resume_us = steady(?1), wait_then = NULL, "
        "wakes_us = CASE WHEN wakes_us > steady(?1) THEN steady(?1) ELSE wakes_us END "
        "WHERE id = ? AND state = 'parked'",
        error, "ii", txn_now(txn), job.v);
}

bool
job_hurry(Txn *txn, JobId job, bool *ret_busy, GError **error)
{
    return sql_run(txn,
                   "UPDATE job SET ready_us = steady(?1) WHERE id = ? AND state = 'queued' AND "
                   "ready_us > steady(?1)",
                   error, "ii", txn_now(txn), job.v) &&
           sql_bool(txn->db, "SELECT state = 'running' FROM job WHERE id = ?", ret_busy, error,
                    "i", job.v);
}

bool
job_end(Txn *txn, const JobClaim *claim, JobState end, const char *why, GError **error)
{
    bool held, goes_on = false;

    g_assert(end == JOB_DONE || end == JOB_FAILED);
    return sql_changed(
               txn,
               "UPDATE job SET state = ?, why = ?, waiting_for = NULL, instruction = NULL, "
               "updated_us = ?, " JOB_NO_OWNER OF_CLAIM,
               &held, error, "ssiiii", job_state_name(end), why, txn_now(txn), claim->job.v,
               claim->epoch, claim->fence) &&
           (held || fenced(txn, claim, error)) &&
           (end != JOB_DONE || job_next_round_open(txn, claim->job, &goes_on, error)) &&
           views_raise_job(txn, claim->job, error) &&
           (goes_on || timer_drop(txn, claim->job, NULL, error));
}

bool
job_halt(Txn *txn, const JobClaim *claim, const char *why, GError **error)
{
    bool held;

    /* The epoch goes up as with STOP: no checkpoint of before may wake it. */
    return sql_changed(
               txn,
               "UPDATE job SET state = 'stopped', epoch = epoch + 1, seq = seq + 1, why = ?, "
               "waiting_for = NULL, instruction = NULL, updated_us = ?, " JOB_NO_OWNER OF_CLAIM,
               &held, error, "siiii", why, txn_now(txn), claim->job.v, claim->epoch,
               claim->fence) &&
           (held || fenced(txn, claim, error)) && views_raise_job(txn, claim->job, error) &&
           timer_drop(txn, claim->job, NULL, error);
}

bool
job_release(
    Txn *txn, const JobClaim *claim, Due ready, JobTry counts, const char *why, GError **error)
{
    bool held;

    /* A commit within this run has set attempts to 0 already. */
    return sql_changed(txn,
                       "UPDATE job SET state = 'queued', ready_us = due(?, ?), "
                       "attempts = CASE WHEN attempts > ?3 THEN attempts - ?3 ELSE 0 END, "
                       "failures = failures + ?4, why = ?, updated_us = ?, " JOB_NO_OWNER OF_CLAIM,
                       &held, error, "innnsiiii", ready.us, ready.moment, counts != TRY_LOST,
                       counts == TRY_FAILED, why, txn_now(txn), claim->job.v, claim->epoch,
                       claim->fence) &&
           (held || fenced(txn, claim, error)) && views_raise_job(txn, claim->job, error);
}

bool
job_stall(Txn *txn, const JobClaim *claim, bool told, GError **error)
{
    return sql_run(
        txn,
        "UPDATE job SET stalled_us = CASE WHEN stalled_us < steady(?1) THEN stalled_us "
        "ELSE steady(?1) END, "
        "stall_told = stall_told OR ?" OF_CLAIM,
        error, "iniii", txn_now(txn), told, claim->job.v, claim->epoch, claim->fence);
}

#define BACKOFF_FIRST_US USEC_PER_SEC
#define BACKOFF_MAX_US (120 * USEC_PER_SEC)

/* The wait before a job is tried again whose owner died: the same work may kill the next owner, so
 * from the second on the wait doubles. */
static int64_t
backoff(int attempts)
{
    return attempts < 2 ? 0 : clock_backoff(BACKOFF_FIRST_US, BACKOFF_MAX_US, attempts - 2);
}

bool
job_reap(Txn *txn, unsigned *ret_n, GError **error)
{
    g_autoptr(Jobs) jobs = NULL;
    unsigned n = 0;

    if (!jobs_owned_here(txn->db, &jobs, error))
        return false;
    LIST_EACH(const Job, job, jobs) {
        const JobClaim dead = {.job = job->id, .epoch = job->epoch, .fence = job->fence};
        const Due ready = {.us = txn_now(txn) + backoff(job->attempts)};
        if (job_owner_lives(job))
            continue;
        if (*job->session ? !job_leave(txn, &dead, job->session, error)
                          : !job_release(txn, &dead, ready, TRY_LOST, "owner died", error))
            return false;
        n++;
    }
    *ret_n = n;
    return true;
}
