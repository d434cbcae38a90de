#pragma once

/* One job with all that belongs to it, and one of its steps likewise; `show` prints them. */
#include "store/job/doings.h"
#include "store/job/forks.h"
#include "store/job/step_rows.h"
#include "view/mail_rows.h"

typedef struct JobWhole {
    Job *job;
    Steps *steps;
    ForkPoint from; /* job {0}: it is no fork */
    Forks *forks;
    Doing *doing; /* what its program said last; NULL: none works on it, or it said nothing */
} JobWhole;
/* The job must be there. */
bool job_whole_load(Db *db, JobId id, JobWhole *ret, GError **error);
void job_whole_clear(JobWhole *w);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(JobWhole, job_whole_clear)
json_t *job_whole_json(const JobWhole *w);

/* The mail of a job in the order of time: [{mail, when, state, who, subject}], mail is "in" or
 * "out". */
bool job_mail_json(Db *db, JobId id, json_t **ret, GError **error);

typedef struct StepWhole {
    Step *step;   /* NULL: there is none of that number */
    Notes *notes; /* versions that it wrote */
    MsgRows *in;  /* what it handled */
    OutRows *out; /* what it wrote */
} StepWhole;
bool step_whole_load(Db *db, JobId job, int n, StepWhole *ret, GError **error);
void step_whole_clear(StepWhole *w);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StepWhole, step_whole_clear)
/* The step must be there. */
json_t *step_whole_json(const StepWhole *w);
/* What the brain said, as JSON where it is, else as a string; null: nobody was asked. */
json_t *step_answer_json(const Step *step);
