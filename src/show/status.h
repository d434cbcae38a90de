#pragma once

/*
 * How the home is: numbers, and sentences about what is wrong and what waits for a person. Read
 * from the store and the settings; nothing is tried out (that is `doctor`) but the sandbox of programs,
 * where a role has some.
 */
#include "store/job/jobs.h"
#include "store/out/outbox.h"
#include "store/plan_rows.h"

typedef struct Status {
    GPtrArray *problems, *waiting;  /* char * */
    GPtrArray *stand_ins;           /* char *: brains that another one is asked for */
    Jobs *jobs;                     /* that live, at most 1,000 */
    PlanLines *plans;               /* that live jobs work on; NULL: this store knows none */
    Jobs *failed;                   /* the last ones */
    int64_t by_state[JOB_N_STATES]; /* all jobs that there are */
    OutRows *held_out;              /* mail that is held, at most 1,000 */
    pid_t master;                   /* 0: none */
    int64_t held_mail, history;     /* mails that came: held; found as old, and left alone */
    unsigned due, failed_moves;     /* mails that are to leave now; moves of mail that failed */
    int64_t cost_micro;             /* since midnight UTC */
    int64_t cost_limit_micro;       /* of this day; 0: none */
    int64_t forged, stale;          /* checkpoint mails that were refused */
} Status;

/* *ret is {0} before, and is to be cleared with status_clear(), on failure too. */
bool status_collect(Db *db, Status *ret, GError **error);
void status_clear(Status *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Status, status_clear)
/* What `status --json` prints. The caller unrefs it. */
json_t *status_json(Db *db, const Status *s);
/* The place at a brain that the job waits for, in words; NULL: it waits for no place, or the store
 * can't be read. Caller frees. */
char *status_place(Db *db, const Job *job);
