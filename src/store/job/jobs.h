#pragma once

/*
 * Jobs. One job is one conversation of one role.
 *
 *  QUEUED --job_claim()--> RUNNING --job_park()--> PARKED --mail, time--> QUEUED | RUNNING
 *    ^  ^  ^                  |  '------job_end()--> DONE | FAILED
 *    |  |  '-job_reap/release-'                           |
 *    |  '--- new mail, next round -----------------------'--- CANCELLED
 *    '------ job_continue() --- STOPPED | FAILED | PARKED
 *
 *  QUEUED | RUNNING | PARKED --job_stop()--> STOPPED; those and STOPPED --job_cancel()-->
 *  CANCELLED.
 *
 * epoch: raised by stop, cancel, a spent limit, and by going on with an old copy of the store
 * (store/job/accept.h). It stands in checkpoint mails.
 * fence: raised by every claim. It never leaves the store.
 * (1) A step commits only where (state, epoch, fence) are still those of its claim.
 * (2) The claim counts attempts, before anything can crash, and a commit sets it back to 0. A
 *     program that fails by itself is counted in failures instead, once it has failed.
 * (3) round starts at 1; a principal's mail to a job that has ended begins the next; step
 *     limits count per round, and only an order raises them.
 * (4) A lease has no renewal: a deadline is set by the claim and by each commit, liveness comes
 *     from the kernel (boot id, pid, start time). A dead owner is reaped without any clock.
 * (5) Seeing the checkpoint mail does not wake a parked job: the job goes on by itself when the
 *     mail was seen (job_seen) and its resume time has come; wakes_us is when both will be so.
 */
#include "base/ids.h"
#include "base/proc.h"
#include "mail/origin.h"
#include "store/db.h"
#include "view/job_rows.h"

typedef struct JobClaim {
    JobId job;
    int64_t epoch, fence;
    int attempts;
} JobClaim;

/* A new row: a job that begins, is forked off another job (store/job/forks.h), or comes back
 * from its checkpoint mail. For a job that begins only the members up to `original` count. */
typedef struct JobNew {
    const char *role, *face, *subject, *asker, *original_msgid;
    ThreadId thread;
    MsgId original;
    const char *phase;
    int round, total_iterations, steps, step_limit;
    Trust floor;
    unsigned may;            /* MAY_… of that round */
    JobId from;              /* of a fork: the job that it is a fork of */
    const char *instruction; /* of a fork */
    JobId id; /* of a job that comes back: its number; where that is taken it gets another */
    const char *waiting_for; /* of a job that comes back, as all that follows */
    int64_t epoch, seq, created_us, round_cost_micro;
    Due resume; /* DUE_NEVER: mail or an order only */
    WaitThen wait_then;
} JobNew;

/* Makes a job that begins: queued, and ready now. */
bool job_create(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);
/* Gives a job new mail (of `mail` original, asker and original_msgid count). A queued job stays
 * queued, a parked job wakes, and a stopped job stays stopped; a job that is done, failed or
 * cancelled begins its next round, whose original and asker are those of the mail; a running
 * job takes the mail at its next step. *ret_round is the round to which the mail belongs; from
 * now on the round may do no more than this mail's sender may ask for (Job.may). */
bool job_take_mail(Txn *txn, JobId job, const JobNew *mail, int *ret_round, GError **error);

/* Claims a job that is ready: it is queued and its time has come, or it is parked and its wait
 * is over. want {0}: the job whose turn it is, where somebody with many waiting jobs lets
 * others pass. A job that was parked behind the mark (steps_mark()) stays parked, so that a
 * pass never goes on with what it parked itself; mail and orders wake it all the same. *ret_got
 * is false when no job is ready, or while db_hold_all() says why nothing may run. */
#define JOB_NO_MARK INT64_MAX /* nothing is behind it */
bool job_claim(Txn *txn,
               JobId want,
               int64_t deadline_us,
               int64_t mark,
               JobClaim *ret_claim,
               bool *ret_got,
               GError **error);
/* Claims a job for a command in the foreground (engine/session.h), whose name stands in the row
 * until the claim ends. The job must be queued, or be one that CONTINUE would queue. No master
 * adopts the owner, which is no run, and the job takes no place at a brain. */
bool job_claim_session(
    Txn *txn, JobId job, const char *session, JobClaim *ret_claim, bool *ret_got, GError **error);
/* Gives the claim of such a command back: the job waits for the next session, mail or an
 * order. */
bool job_leave(Txn *txn, const JobClaim *claim, const char *waiting_for, GError **error);
/* *ret: the claim still holds. Only a commit can be sure of that, by job_check(). */
bool job_claim_holds(Db *db, const JobClaim *claim, bool *ret, GError **error);
/* To be called first in every step commit. ERR_NEVER "fenced": somebody else owns the job
 * now. */
bool job_check(Txn *txn, const JobClaim *claim, int64_t deadline_us, GError **error);
/* As job_check(), for a commit that is a step: raises iteration and total, and sets attempts to 0.
 * *ret_step: the number of the step. */
bool job_count_step(Txn *txn,
                    const JobClaim *claim,
                    int64_t deadline_us,
                    const char *phase,
                    int *ret_step,
                    GError **error);
/* One more answer of the round has failed the check of its task; *ret: how many have. CONTINUE
 * begins anew. */
bool job_count_failed_check(Txn *txn, const JobClaim *claim, unsigned *ret, GError **error);
/* Sets the floor of the round: the least trust of anything that it was shown. The caller has seen
 * that the job's floor is higher, since the floor of a round is only ever lowered. */
bool job_lower_floor(Txn *txn, const JobClaim *claim, Trust floor, GError **error);
/* Parks the job and ends the claim. resume DUE_NEVER: only mail or an order wakes the job; else
 * it waits until its checkpoint mail was seen, and then for that time. Where mail came while
 * the job ran and no brain was shown that mail, the job is due at once. *ret_seq is the number
 * that the checkpoint mail has to carry. */
bool job_park(Txn *txn,
              const JobClaim *claim,
              Due resume,
              const char *waiting_for,
              int64_t *ret_seq,
              GError **error);
/* Right after job_park(): what happens when the time comes. Without a time it is always
 * WAIT_CONTINUE. */
bool job_wait(Txn *txn, JobId job, WaitThen then, GError **error);
/* To be called when a timer TIMER_WAIT is due. *ret_did: what is to be mailed in this
 * transaction, together with a new checkpoint (seq was raised); WAIT_CONTINUE: nothing is to be
 * mailed, since the job waits no more. */
bool job_wait_over(Txn *txn, JobId job, WaitThen *ret_did, GError **error);
/* Notes that the checkpoint mail of this epoch and seq lies in the mailbox: from now on the job
 * waits for its time alone. *ret_matched is false unless the job is parked with this epoch and
 * seq. Calling it twice has no effect. */
bool
job_seen(Txn *txn, JobId job, int64_t epoch, int64_t seq, bool *ret_matched, GError **error);
/* Notes that this checkpoint mail was looked for and not found: its time does not wake the job,
 * until job_seen(). *ret_marked is false where something else wakes the job. */
bool job_unseen(Txn *txn, JobId job, int64_t seq, bool *ret_marked, GError **error);
/* The operator says that the job need not wait for its time any longer. It still waits until
 * its checkpoint mail was seen. */
bool job_due_now(Txn *txn, JobId job, GError **error);
/* Makes a job ready now that was given back until later. *ret_busy: somebody works on the job,
 * and it was not touched. */
bool job_hurry(Txn *txn, JobId job, bool *ret_busy, GError **error);
/* Ends the job and the claim: done or failed. Where mail came meanwhile that is not settled, a
 * job that is done is queued for its next round instead. */
bool job_end(Txn *txn, const JobClaim *claim, JobState end, const char *why, GError **error);
/* Stops the job because a limit is spent, with its open mail, until a person says CONTINUE.
 * Unlike job_stop() it takes back no mail, since the mail that tells of it must leave. The
 * job's seq is that of the checkpoint mail which it leaves in Sent. */
bool job_halt(Txn *txn, const JobClaim *claim, const char *why, GError **error);
/* Notes since when the job's question to its brain finds no answer, and whether whoever asked
 * was told; this is kept until a step is counted, a round begins or somebody says CONTINUE. To
 * be called before job_release(). */
bool job_stall(Txn *txn, const JobClaim *claim, bool told, GError **error);
/* What an unfinished claim counts as. */
typedef enum JobTry {
    TRY_NONE,   /* nothing was tried */
    TRY_LOST,   /* an attempt: its run died or could not go on */
    TRY_FAILED, /* a failure of the program's own */
} JobTry;
/* Gives an unfinished claim back: queued again, ready by then. */
bool job_release(
    Txn *txn, const JobClaim *claim, Due ready, JobTry counts, const char *why, GError **error);

/* Orders of a person; ERR_NEVER "no job 12". STOP and CANCEL raise the epoch of a live job and
 * drop its timers; they take back unsent mail (outbox rows become held) of an ended one too.
 * The owner of a job that was running stays in its row, so that the caller can signal it.
 * *ret_changed is false when there was nothing to do. */
bool job_stop(Txn *txn, JobId job, const char *why, bool *ret_changed, GError **error);
/* To be called when somebody writes to a job that was stopped in this epoch. *ret_first: nobody
 * was told so yet in this epoch. */
bool job_tell_stopped(Txn *txn, JobId job, int64_t epoch, bool *ret_first, GError **error);
bool job_cancel(Txn *txn, JobId job, const char *why, bool *ret_changed, GError **error);
/* CONTINUE. A job that is stopped, failed, parked, or queued for later is queued in the same
 * round, with attempts at 0; the mail that died with a failed job is open again. A job that is
 * done and has open mail is queued for its next round. more_steps raises this round's limit. */
bool job_continue(Txn *txn,
                  JobId job,
                  int more_steps,
                  const char *instruction,
                  bool *ret_changed,
                  GError **error);

/* To be called when there is something that the job must hear, such as a decision: a job that
 * is parked, done or failed is queued again in the same round; a job that is queued or at work
 * hears it anyway. *ret_queued is false for a job that is stopped or cancelled, which stays
 * so. */
bool job_go_on(Txn *txn, JobId job, bool *ret_queued, GError **error);

/* Adds to the instruction that the contexts of this run show. */
bool job_instruct(Txn *txn, JobId job, const char *text, GError **error);

/* Queues effects that move this job's old checkpoint mails from INBOX to Done. */
bool job_file_checkpoints(Txn *txn, JobId job, GError **error);
/* This round may cost so much more. */
bool job_more_money(Txn *txn, JobId job, int64_t more_micro, GError **error);

/* Makes a job that waits for its first mail: its state is `done`, and mail begins a round.
 * in->id {0}: it gets the next number; else this number, where it is free. */
bool job_create_ended(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);
/* Makes a job that only its checkpoint mail still knows: parked, its checkpoint mail seen, its
 * original {0} until job_set_original(). */
bool job_restore(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);
/* Puts a job of an old copy of the store where its newer checkpoint mail has it: parked, with
 * that mail seen. Counters are never lowered. */
bool job_put_back(Txn *txn, JobId job, const JobNew *in, GError **error);
/* The restored job whose original this is; {0}: none waits for it. */
bool job_find_restored(
    Db *db, const char *role, const char *original_msgid, JobId *ret, GError **error);
bool job_set_original(Txn *txn, JobId job, MsgId original, GError **error);

/* Frees jobs whose owner on this host is gone (boot id, pid, start time): back to queued, later
 * the more attempts there were; one of a command in the foreground is left as by job_leave().
 * Never looks at a clock to judge an owner. */
bool job_reap(Txn *txn, unsigned *ret_n, GError **error);
/* Living runs that work on jobs on this host, for a new master to adopt. */
bool jobs_running(Db *db, Jobs **ret_jobs, GError **error);
/* *ret_n: how many jobs could be claimed now, plus how many timers and schedules wait for a run
 * to act on them. */
bool jobs_ready(Db *db, int64_t now_us, unsigned *ret_n, GError **error);

typedef struct Viewer Viewer; /* store/mail/messages.h */
/* NULL with true: no such job for this viewer. */
bool job_load(Db *db, const Viewer *viewer, JobId id, Job **ret, GError **error);
typedef struct JobQuery {
    const char *role, *state; /* NULL: any */
    bool live_only;
    unsigned limit; /* 0: 50 */
} JobQuery;
bool
jobs_list(Db *db, const Viewer *viewer, const JobQuery *q, Jobs **ret_jobs, GError **error);
/* How many jobs there are of each state. */
bool jobs_count(Db *db, int64_t ret[JOB_N_STATES], GError **error);
/* "12"; false for anything else. */
bool job_id_parse(const char *text, JobId *ret);
