#pragma once

/* The inside of store/job/jobs.h, shared by the jobs_*.c and forks.c; nobody else includes
 * it. */
#include "store/job/jobs.h"

/* Columns of a job that nobody works on. */
/* It is not stuck any more. */
#define JOB_NO_STALL "stalled_us = NULL, stall_told = 0, "
/* It begins to count anew. */
#define JOB_NO_TRIES "attempts = 0, failures = 0, "
#define JOB_NO_OWNER                                                                           \
    "owner_host = NULL, owner_boot = NULL, owner_pid = NULL, owner_start = NULL, "             \
    "session = '', deadline_us = NULL"

/* The job must exist: ERR_NEVER "no job 12". */
bool job_get(Db *db, JobId id, Job **ret, GError **error);
/* The row of a new job: queued and ready, its turn then; or parked, its checkpoint seen. */
bool job_insert(
    Txn *txn, JobId id, const JobNew *in, JobState state, int64_t turn_us, GError **error);
/* A number for a new job of the role: above all that the store knows, and not one whose
 * workplace is there. After a lost store, or with an old one, that is some other job's. */
bool job_next_number(Txn *txn, const char *role, JobId *ret, GError **error);
/* Begins the next round of a job that has ended, with the oldest mail that it has not settled;
 * *ret_began is false, and nothing changes, when it has settled all. */
bool job_next_round_open(Txn *txn, JobId id, bool *ret_began, GError **error);
/* Running jobs that name this host as their owner's. */
bool jobs_owned_here(Db *db, Jobs **ret_jobs, GError **error);
/* Asks the kernel, not a clock: same boot, same pid, same start time. */
bool job_owner_lives(const Job *job);
