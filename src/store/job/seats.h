#pragma once

/*
 * Places at brains. A [brain] with `at-once = N` is asked by at most N jobs at a time, so that
 * two programs of four hours do not take every run from all other roles. Which role has which
 * brain stands in the settings; the table `seat` is their copy, so that one statement can
 * pick a job: whose brain has a place, of the role and then of the asker with the fewest
 * jobs at work, whose turn came first. A role whose brain has no limit has no row.
 *
 * A program whose workdir is in no git repository shares that folder with all jobs that
 * work there: `place` is the folder, and one job at a time works in it.
 */
#include "store/job/jobs.h"

/* Makes the table say what the settings say; writes nothing where it does already. */
bool seats_save(Txn *txn, GError **error);
/* The same in a transaction of its own; cheap when there is nothing to do. */
bool seats_refresh(Db *db, GError **error);

/* Two tables for a statement that begins with SEATS_TABLES: `busy`, the jobs at work, and
 * `full_role`, the roles whose brain has no place left. */
#define SEATS_TABLES                                                                           \
    "WITH RECURSIVE busy AS MATERIALIZED ("                                                    \
    "SELECT id, role, asker FROM job WHERE state = 'running' AND session = ''), "               \
    "full_role AS MATERIALIZED (SELECT s.role FROM seat s WHERE s.at_once <= "                 \
    "(SELECT count(*) FROM busy b JOIN seat o ON o.role = b.role WHERE o.brain = s.brain) "    \
    "OR s.place IN (SELECT o.place FROM busy b JOIN seat o ON o.role = b.role "                \
    "WHERE o.place IS NOT NULL)) "
#define SEAT_IS_FREE(role) role " NOT IN (SELECT role FROM full_role) "

/* The job that is to be claimed next; {0}: no job is ready. mark as for job_claim(). */
bool seats_next(Db *db, int64_t now_us, int64_t mark, JobId *ret, GError **error);
/* How many jobs could be claimed now, one after the other, before the first of them is done. */
bool seats_ready(Db *db, int64_t now_us, int64_t *ret_n, GError **error);
/* What a queued job waits for that only waits for a place: "a place at brain coder, behind jobs
 * 3, 4", "its turn in '/srv/x', behind job 3". *ret is NULL when it does not wait for a place.
 * Caller frees. */
bool seat_wait(Db *db, const Job *job, char **ret, GError **error);
