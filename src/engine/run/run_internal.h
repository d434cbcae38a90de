#pragma once

/* The inside of the run process (engine/run/run.h), shared by run.c and the run_*.c; nobody
 * else includes it. */
#include "brain/brain.h"
#include "engine/face.h"
#include "engine/mode.h"
#include "engine/run/commit.h"
#include "engine/run/run.h"
#include "engine/run/workplace.h"
#include "store/job/pauses.h"

typedef struct Run {
    Engine *engine;
    int signal_fd;
    bool draining;
    RunStats *stats;
    RunLimits limits;
} Run;

/* All that one claimed job needs; plain borrowed views on it. */
typedef struct Task {
    Run *run;
    JobClaim claim;
    Job *job;
    const ConfRole *role;
    const ConfBrain *brain;
    const ModeOps *mode; /* NULL: the role has no brain */
    const FaceOps *face; /* NULL: a plain conversation */
    char *cwd;           /* of a program that is led; NULL: it is none */
    StepInput in;
    Context *context; /* what the brain is shown in this step */
    ContextMemo *memo; /* of its parts, from step to step */
    char *schema;     /* of an answer, as it was made last in this run; NULL: not yet */
    GPtrArray *schema_acts; /* for these acts */
    /* The brain that takes no more than context_bytes, by what it said in this run; NULL. */
    const ConfBrain *shrunk;
    size_t context_bytes;
    bool anew; /* in this run a session was gone already */
} Task;

void task_clear(Task *t);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Task, task_clear)

/* What a run hears of, ended by 0. */
extern const int run_signals[];
/* True when we were asked to end, while a brain thought or since. */
bool run_called_off(Run *run);
/* Before a claim: is this home still the living one? Where any job will do, what the clock says
 * is acted on, too. */
bool run_before_claim(Run *run, JobId want, GError **error);
/* Loads the job and its open mail, for the next step. */
bool run_load(Task *t, GError **error);
/* The text for the brain; fills in digest and manifest, and lowers the floor by what it
 * shows. */
char *run_context(Task *t, const char *workdir, GError **error);
/* Before the question: writes down which mail is shown, and sets timers and deadline. */
bool run_mark_shown(Task *t, GError **error);
/* How often one question is asked. */
#define RUN_BRAIN_TRIES 2
/* Asks, once more where the answer can't be used, then gives the job up. *ret_next: another
 * step is to follow; NULL unless led. */
bool run_ask(Task *t, Workplace *place, const char *prompt, bool *ret_next, GError **error);
/* Takes a proposal through policy and commit; then settles what that owes to files. */
bool run_commit(Task *t, Proposal *p, StepResult *ret, GError **error);
/* Ends the job by proposal_fail(). */
bool run_fail(Task *t, const char *why, const char *log, GError **error);
/* Gives the claim back, as job_release(). */
bool run_release(Task *t, Due ready, JobTry counts, const char *why, GError **error);

/* To be called when a program has failed: gives the claim back, so that the program is run
 * again in 30 s, 5 min or 30 min. *ret_give_up: why it is not run again, instead; caller
 * frees. */
bool run_exited(Task *t, const char *why, char **ret_give_up, GError **error);
/* The end of what it printed, for a person: 20 lines of each stream. Caller frees. */
char *run_last_words(const BrainAnswer *answer);
/* How many bytes of text the brain is shown. */
size_t run_budget(const Task *t);
/* Halves that number, since the brain said that the text was too long. False: it can't be
 * less. */
bool run_shrink(Task *t);
/* Why a text that is too long ends the job, for a person; caller frees. */
char *run_too_large(const Task *t, const char *why);

/* How long what is broken is left alone. */
#define BROKEN_WAIT_US (300 * USEC_PER_SEC)
/* The brain did not answer, and that is no fault of the job: it stays queued for later, and no
 * attempt counts. Whoever asked hears of it once, where it takes long.
 *
 *   BRAIN_BROKEN    all jobs of this brain wait; the owner hears of it once
 *   BRAIN_LIMITED   likewise, until then, a day at most: of more the owner is asked once
 *   BRAIN_STALLED   this job waits */
bool run_wait(Task *t, const BrainAnswer *answer, GError **error);
/* No program may be started for this job without a sandbox (engine/wall/wall.h), and there is
 * none: the job waits, is tried again after a minute up to an hour, and no attempt counts. The
 * owner hears of it once a day for a role, whoever asked once, where it takes long. */
bool run_wait_for_wall(Task *t, const char *why, GError **error);
/* Takes a fallback of the brain instead of waiting, where there is one that can be asked: then
 * *ret is true. What is wrong with the brain is noted all the same. */
bool run_fall_back(Task *t, const BrainAnswer *answer, bool *ret, GError **error);
/* Chooses the first of this brain and its fallbacks that can be asked. Where none can, *ret is
 * the pause that ends first. */
bool run_choose_brain(Task *t, const ConfBrain *first, Pause *ret, GError **error);
/* The folder in which a program is led. */
bool run_make_cwd(Task *t, GError **error);
/* The same for a job that finds its brain paused. */
bool run_join_wait(Task *t, const Pause *pause, GError **error);

/* The session of a program (run_session.c). Before the page is made: which one it goes on with,
 * or that it begins one. */
bool run_session_find(Task *t, const Workplace *place, GError **error);
/* To be called before the question: writes the name of a session that begins into the store. */
bool run_session_begin(Task *t, GError **error);
/* To be called before the same question is asked once more: true when a session knows the
 * question by now, so that the page has to be made again. */
bool run_session_again(Task *t);
/* To be called when the program does not know its session any more: begins a new one. */
bool run_session_anew(Task *t, const Workplace *place, GError **error);
/* Writes down what the session has used by now. */
bool run_session_used(Task *t, const BrainAnswer *answer, GError **error);

/* The loop of a brain that is led. */
bool run_steps(Task *t, GError **error);
/* Before a question that costs money: ends the round where a budget is spent, with a word to
 * whoever asked. */
bool run_halt_if_spent(Task *t, bool *ret_halted, GError **error);
/* The same for a program that says that it came to the end of its money, whatever it has
 * cost. */
bool run_halt_spent(Task *t, GError **error);
/* What the round and the day may still cost; INT64_MAX: there is no limit. */
bool run_money_left(const Task *t, int64_t *ret, GError **error);
/* What the runtime adds to a proposal: one that escalates tells the owner, and no end is silent
 * for whoever asked. */
bool run_steps_adjust(Task *t, Proposal *p, GError **error);
