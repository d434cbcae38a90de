#pragma once

/*
 * Jobs that began as a copy of another: the rows of engine/run/fork.h. A fork has its own
 * thread, so that mail which names nothing of the fork goes to the first job, and it owns no
 * mail of the first: what was said there it knows by forked_job and forked_step.
 */
#include "store/job/jobs.h"
#include "view/mail_rows.h"

/* Queued, ready now, in a thread of its own; its steps are numbered on from in->steps, the last
 * one that both have in common. */
bool job_fork(Txn *txn, const JobNew *in, JobId *ret_id, GError **error);

/* The mail that began a round of a job; NULL where the store has lost it. */
bool fork_original(Db *db, JobId job, int round, MsgRow **ret, GError **error);
/* The fork was shown the version of the note that was the newest at that moment. */
bool fork_mark_shown(Txn *txn, JobId fork, const char *key, int64_t seen_us, GError **error);
/* What the first job wrote until then, the fork knows too. */
bool fork_mark_written(Txn *txn, JobId fork, JobId from, int step, GError **error);
/* Whose fork a job is, and after which step. */
typedef struct ForkPoint {
    JobId job; /* {0}: it is none */
    int step;
    int64_t at_us; /* when that step was committed; 0 where its row is gone */
} ForkPoint;
/* How often to ask it in a row: more than anybody forks forks. A circle can't be, but a store
 * may be damaged. */
#define FORK_DEPTH_MAX 64
bool fork_of(Db *db, JobId job, ForkPoint *ret, GError **error);

typedef struct Fork {
    JobId job;
    int step;
    int64_t created_us;
} Fork;
SHAPE_OF(Fork, fork, Forks, forks)
/* The forks of a job, oldest first. */
bool forks_list(Db *db, JobId of, Forks **ret, GError **error);
