#pragma once

/*
 * The guarantee behind `plan run`: agents are started on one todo after another, until every todo is complete and its check has
 * passed, or a person is asked. The same loop runs in the foreground, under the master, and without a home.
 *
 *   file   the todo is claimed and the iteration counted, before the agent starts
 *   agent  it works, and says what it has done by `plan mark`; stop, cancel and done reach it within a second. A role with a
 *          model that is led is asked by mail instead (plan_ask.h): in the foreground the loop waits, under the master the
 *          job parks
 *   check  of the todo that it had, where it did not say so itself
 *   store  a step, by the level: after each iteration (polite), after each todo (normal), at the end alone (aggressive)
 *
 * (1) The loop holds `.pilot/state/run.lock`: one loop per project.
 * (2) Its claims belong to the session "run-" and the plan's session_id, so that whoever comes after a crash has them at once.
 * (3) A crash loses at most what the agent did since it was started: its iteration is counted, its todo is claimed.
 */
#include "plan/plan_job.h"

typedef struct PlanWork {
    JobSession *session; /* engine NULL: there is no home */
    const Project *project;
    PlanFile *file;
    PlanRow *row; /* job {0} without a home */
    bool
        foreground; /* a person waits: usage limits are waited for here, the agent has the user's environment */
    int max_iterations, level; /* of a count that begins anew, as plan_continue() takes them */
    void (*say)(void *data, const char *line); /* for that person; NULL: nobody listens */
    /* In the foreground: starts a pass over the home (`serve --once`); *ret NULL: a service does that. */
    bool (*pass)(void *data, Proc **ret, GError **error);
    void *data; /* of both */
} PlanWork;

typedef enum PlanEnd {
    PLAN_END_COMPLETE,
    PLAN_END_DONE,   /* a person called it done */
    PLAN_END_PAUSED, /* waits for a person: the plan's why says what for */
    PLAN_END_STOPPED,
    PLAN_END_CANCELLED,
    PLAN_END_ASKED, /* a role works on a todo, not in the foreground: goes on when that has ended */
    PLAN_END_LIMITED, /* a usage limit, not in the foreground: goes on by itself */
    PLAN_END_OFF,     /* a signal, or an order took the claim away */
} PlanEnd;

/* go: a person says that a plan which is paused or stopped goes on. *ret_plan: as it is at the end; caller frees. With a job
 * the end is committed. ERR_LATER: another loop works here. ERR_CONFIG: the agent can't be started. */
bool plan_work(PlanWork *work, bool go, PlanEnd *ret_end, Plan **ret_plan, GError **error);
