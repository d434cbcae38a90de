#pragma once

/*
 * The run process: claims a ready job, works its steps, and takes the next one until nothing is
 * ready (at most 100). SIGTERM, SIGINT: finish the step, give a program `drain` to end, release
 * the claim. SIGUSR1 (poke_run): look at the claim; when an order took it away, end the program
 * and go quietly; else look for mail that came, and tell a program that can be told.
 */
#include "engine/engine.h"

/* What a job says that its face has given back until a time (FaceOps.ready). */
#define RUN_NOT_YET "it is not time yet"

typedef struct RunStats {
    unsigned jobs, steps, failed;
    unsigned said; /* mails of the runtime itself: reminders and their like */
} RunStats;

/* What bounds one call of run_one(). */
typedef struct RunLimits {
    int max_iterations; /* steps per run; 0: the role's own */
    int64_t mark;       /* what was parked behind it stays (steps_mark()); or JOB_NO_MARK */
    void (*committed)(const Engine *engine, JobId job); /* behind each step of ours; or NULL */
} RunLimits;

/* Claims one job and works it until it ends, waits, or is put back; returns only then. want
 * {0}: whatever is ready, after acting on what the clock says. *ret_got false: nothing was
 * ready. A fault of the job or of its settings puts the job back, and is no error here. Counts
 * are added to *stats. ERR_CANCELLED: SIGTERM or SIGINT came, also after a job that was worked.
 * SIGUSR1 stays blocked afterwards. */
bool run_one(Engine *engine,
             JobId want,
             const RunLimits *limits,
             RunStats *stats,
             bool *ret_got,
             GError **error);
/* Looks at files that people made, acts on what the clock says, and takes no job. Exit
 * status. */
int run_timers(Engine *engine);
/* want {0}: jobs until none is ready, then what others left behind; else that one job. Exit
 * status: 75 when the wanted job is not ready; ENGINE_AGAIN when the settings have changed.
 * max_iterations as in RunLimits. */
int run_main(Engine *engine, JobId want, int max_iterations);
/* As run_main() for whatever is ready, as soon as word_fd can be read: the master's spare run
 * (serve/spare.c). It does beforehand what needs no job. The end of word_fd without a byte,
 * SIGTERM or SIGINT end it with 0. ENGINE_AGAIN: the settings or the program have changed
 * since. */
int run_spare(Engine *engine, int word_fd, int max_iterations);
