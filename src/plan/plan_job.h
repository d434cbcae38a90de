#pragma once

/*
 * A plan's file and the row of the job that works on it (store/plan_rows.h) agree on one state:
 *
 *   another session_id in the file   a new plan: the row follows, and counts from the file's numbers
 *   the file's epoch is lower        an order in a mail, or an older file put back: the store's epoch wins, and the file's
 *                                    status is what the job's state says
 *   the file's total is lower        an older file was put back by hand: its todos are taken, the counts are the higher of both
 *
 * and what a person said in a mail (PlanRow.word) is written into the file by whoever comes first: the session that works on it,
 * or the next look at files.
 */
#include "engine/session.h"
#include "plan/file/plan_mark.h"
#include "store/job/timers.h"
#include "store/plan_rows.h"

#define PLAN_FACE "plan"
#define PLAN_RUN "plan run" /* the name of its sessions */
#define PLAN_TIMER PLAN_FACE TIMER_LOOK

/* The mail that begins such a job has the row in one line of JSON. Caller frees. */
char *plan_mail_text(const PlanRow *row);
/* The row that such a mail holds; NULL: it is no such mail. Caller frees. */
PlanRow *plan_mail_parse(const char *text);
json_t *plan_row_json(const PlanRow *row);
PlanRow *plan_row_parse(const json_t *value);

/* Makes the plan of the file and the row agree, in memory; the caller has the file's lock.
 * state: of the job. True when the plan was changed. */
bool plan_agree(Plan *plan, PlanRow *row, JobState state);
/* Writes the row as the plan is now, in a transaction of its own; writes nothing where the row
 * says so already. */
bool plan_row_follow(Engine *engine, PlanRow *row, const Plan *plan, GError **error);

/* Brings file and row of one job together, without working on it: a word is written into the file, and a file whose plan
 * was stopped, cancelled, called done or finished elsewhere is followed by its job, unless that has ended or somebody works on it.
 * *n counts what it has changed. A project that is not there now is left alone. */
bool plan_settle_job(Engine *engine, const PlanRow *row, unsigned *n, GError **error);
/* The same for every job that works on a plan. */
bool plan_settle_all(Engine *engine, unsigned *n, GError **error);

/* Waits for a child of ours; go_on() is asked twice a second, and false: it has said no, and the child was ended. */
bool plan_wait(Proc *child, bool (*go_on)(void *data), void *data);
