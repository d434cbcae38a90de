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
 * epoch: raised by stop, cancel, fork, restore. It stands in checkpoint mails.
 * fence: raised by every claim. It never leaves the store.
 * (1) A step commits only where (state, epoch, fence) are still those of its claim.
 * (2) attempts is counted in the claim, before anything can crash, and reset by a commit. What a
 *     program fails at by itself is counted in failures instead, when it has failed.
 * (3) round starts at 1; a principal's mail to a job that has ended begins the next; step
 *     limits count per round, and only an order raises them.
 * (4) A lease has no renewal: a deadline is set by the claim and by each commit, liveness comes
 *     from the kernel (boot id, pid, start time). A dead owner is reaped without any clock.
 * (5) Seen is not due: a parked job goes on by itself when its checkpoint mail was seen
 *     (job_seen) and its resume has come; wakes_us is when both will be so.
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

/* A job that begins, is forked off another one (store/job/forks.h), or comes back from its
 * checkpoint mail; what stands behind the first three lines counts for the latter two. */
typedef struct JobNew {
    const char *role, *face, *subject, *asker, *original_msgid;
    ThreadId thread;
    MsgId original;
    const char *phase;
    int round, total_iterations, steps, step_limit;
    Trust floor;
    unsigned may;            /* MAY_… of that round */
    JobId from;              /* of a fork: whose, behind so many steps */
    const char *instruction; /* likewise */
    JobId id; /* of one that comes back: as it was; another where that is taken */
    const char *waiting_for; /* likewise, as all that follows */
    int64_t epoch, seq, created_us, round_cost_micro;
    Due resume; /* DUE_NEVER: mail or an order only */
    WaitThen wait_then;
} JobNew;

/* Queued, ready now. */
bool job_create(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);
/* New mail for a job (its original, asker and original_msgid): queued stays, parked wakes, done, failed and cancelled begin the next
 * round (original and asker are those of the mail), running takes it at the next step, stopped
 * stays stopped. *ret_round is the round that the mail belongs to; from now on the round may do
 * no more than this mail's sender may ask for (Job.may). */
bool job_take_mail(Txn *txn, JobId job, const JobNew *mail, int *ret_round, GError **error);

/* Takes a job that is ready: queued and its time has come, or parked and its wait is over ({0}:
 * the one whose turn it is: who has many jobs waiting lets others pass). What was parked behind
 * the mark (steps_mark()) stays parked, so that a pass never goes on with what it parked itself;
 * mail and orders wake it all the same. false in *ret_got: nothing is ready, or db_hold_all().
 */
#define JOB_NO_MARK INT64_MAX /* nothing is behind it */
bool job_claim(Txn *txn,
               JobId want,
               int64_t deadline_us,
               int64_t mark,
               JobClaim *ret_claim,
               bool *ret_got,
               GError **error);
/* The same for a command in the foreground (engine/session.h), which is named in the row until the claim
 * ends: a job that is queued, or that CONTINUE would queue. Its owner is no run: no master adopts it, and it
 * takes no place at a brain. */
bool job_claim_session(
    Txn *txn, JobId job, const char *session, JobClaim *ret_claim, bool *ret_got, GError **error);
/* Such a command gives its claim back: the job waits for the next one, or for mail or an order. */
bool job_leave(Txn *txn, const JobClaim *claim, const char *waiting_for, GError **error);
/* Is the job still that of the claim? Only a commit can be sure, by job_check(). */
bool job_claim_holds(Db *db, const JobClaim *claim, bool *ret, GError **error);
/* ERR_NEVER "fenced" where someone else owns the job now. First call in every step commit. */
bool job_check(Txn *txn, const JobClaim *claim, int64_t deadline_us, GError **error);
/* The same for a commit that is a step, with its counters: iteration, total and attempts = 0. */
bool job_count_step(Txn *txn,
                    const JobClaim *claim,
                    int64_t deadline_us,
                    const char *phase,
                    int *ret_step,
                    GError **error);
/* One more answer of the round has failed the check of its task; *ret: how many have. CONTINUE begins anew. */
bool job_count_failed_check(Txn *txn, const JobClaim *claim, unsigned *ret, GError **error);
/* Remembers in the round what was shown: only ever lower. */
bool job_lower_floor(Txn *txn, const JobClaim *claim, Trust floor, GError **error);
/* resume DUE_NEVER: only mail or an order wakes it; else it waits for its checkpoint
 * to be seen, and then for that time. Mail that came while the job ran and that no brain was
 * shown makes it due at once: parking never sleeps over a mail. *ret_seq is the number that the
 * checkpoint mail carries. */
bool job_park(Txn *txn,
              const JobClaim *claim,
              Due resume,
              const char *waiting_for,
              int64_t *ret_seq,
              GError **error);
/* Right after job_park(): what happens when the time comes. Without a time it is always
 * WAIT_CONTINUE. */
bool job_wait(Txn *txn, JobId job, WaitThen then, GError **error);
/* A timer TIMER_WAIT is due. *ret_did: what is to be mailed in this transaction, together with
 * a new checkpoint (seq was raised); WAIT_CONTINUE: nothing, the job waits no more. */
bool job_wait_over(Txn *txn, JobId job, WaitThen *ret_did, GError **error);
/* The checkpoint of this epoch and seq lies in the mailbox: from now on the job waits for its
 * time alone. *ret_matched is false unless the job is parked with just these. Harmless again.
 */
bool
job_seen(Txn *txn, JobId job, int64_t epoch, int64_t seq, bool *ret_matched, GError **error);
/* That checkpoint was looked for and not found: its time does not wake the job, until job_seen().
 * *ret_marked is false where something else wakes it. */
bool job_unseen(Txn *txn, JobId job, int64_t seq, bool *ret_marked, GError **error);
/* The operator says that it need not wait any longer for its time; for its checkpoint it does.
 */
bool job_due_now(Txn *txn, JobId job, GError **error);
/* One that was given back until later is ready now; one that somebody works on is not touched: *ret_busy. */
bool job_hurry(Txn *txn, JobId job, bool *ret_busy, GError **error);
/* done or failed. With unsettled mail that came meanwhile, `done` goes back to queued instead,
 * as the next round. */
bool job_end(Txn *txn, const JobClaim *claim, JobState end, const char *why, GError **error);
/* A limit is spent: stopped, with its open mail, until a person says CONTINUE. Unlike
 * job_stop() it takes back no mail: the one that tells about it must leave. Its seq is that of the
 * checkpoint which it leaves in Sent. */
bool job_halt(Txn *txn, const JobClaim *claim, const char *why, GError **error);
/* Its question found no answer: remembers since when that is so, until a step is counted, a round
 * begins or somebody says CONTINUE; and whether whoever asked was told. Before job_release(). */
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
/* Somebody wrote to a job that was stopped in this epoch; *ret_first: nobody was told so since. */
bool job_tell_stopped(Txn *txn, JobId job, int64_t epoch, bool *ret_first, GError **error);
bool job_cancel(Txn *txn, JobId job, const char *why, bool *ret_changed, GError **error);
/* Stopped, failed, parked, queued for later: queued in the same round, with attempts at 0, and
 * what died with a failed one is open again; done with open mail: queued as the next round.
 * more_steps raises this round's limit above the one in force. */
bool job_continue(Txn *txn,
                  JobId job,
                  int more_steps,
                  const char *instruction,
                  bool *ret_changed,
                  GError **error);

/* There is a word that the job must hear: parked, done and failed ones are queued again in the
 * same round; who works or is queued hears it anyway. *ret_queued is false for one that is
 * stopped or cancelled: that stays as it is. */
bool job_go_on(Txn *txn, JobId job, bool *ret_queued, GError **error);

/* Adds to the instruction that the contexts of this run show. */
bool job_instruct(Txn *txn, JobId job, const char *text, GError **error);

/* Its checkpoint mails in INBOX have had their day: effects that move them to Done. */
bool job_file_checkpoints(Txn *txn, JobId job, GError **error);
/* This round may cost so much more. */
bool job_more_money(Txn *txn, JobId job, int64_t more_micro, GError **error);

/* A conversation that waits for its first mail: it has ended before it began, and mail begins a round. id
 * {0}: the next number; else this, where it is free. */
bool job_create_ended(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);
/* A job that only its checkpoint mail still knows. Parked, its checkpoint seen; its original is still {0}. */
bool job_restore(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);
/* A job of an old copy of the store takes the place of its newer checkpoint: parked, seen; what
 * is counted is never lowered. */
bool job_put_back(Txn *txn, JobId job, const JobNew *in, GError **error);
/* The restored job whose original this is; {0}: none waits for it. */
bool job_find_restored(
    Db *db, const char *role, const char *original_msgid, JobId *ret, GError **error);
bool job_set_original(Txn *txn, JobId job, MsgId original, GError **error);

/* Frees jobs whose owner on this host is gone (boot id, pid, start time): back to queued, later
 * the more attempts there were; one of a command in the foreground is left as by job_leave(). Never looks at a clock to judge an owner. */
bool job_reap(Txn *txn, unsigned *ret_n, GError **error);
/* Living runs that work on jobs on this host, for a new master to adopt. */
bool jobs_running(Db *db, Jobs **ret_jobs, GError **error);
/* How many could be claimed now, and how many timers and schedules wait for a run to act on
 * them. */
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
