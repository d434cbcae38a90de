#pragma once

/*
 * Plans that jobs work on (src/plan): one row per job. The truth of a plan is its file in the
 * project; the row knows which file that is, how to go on with it, and what the file must not
 * fall behind:
 *
 *   epoch                    raised by a person's STOP, CANCEL and DONE in a mail, and followed by the file
 *   iterations, total        as the file had them last: the higher of both counts, for one session_id
 *   word                     what a person said in a mail and the file does not say yet: go, stop, cancel, done; "": nothing
 */
#include "store/tables.h"
#include "view/shape.h"

extern const SqlPart plan_tables;

typedef struct PlanRow {
    JobId job;
    char *host;            /* "": this machine */
    char *project;         /* absolute */
    char *plan_file;       /* relative to it */
    char *session_id;      /* of the plan */
    char *argv;            /* JSON array: the command that works on it; "": the role's brain does */
    char *word;
    int64_t epoch, revision;
    int iterations, total;
    int64_t until_us;      /* USEC_NEVER: none */
    int64_t budget_micro;  /* 0: none */
    int64_t spent_micro;   /* of the budget */
} PlanRow;
SHAPE_OF(PlanRow, plan_row, PlanRows, plan_rows)

/* A line of `plan list`. */
typedef struct PlanLine {
    char *project, *plan_file, *state, *waiting_for, *why; /* state: of the job, as people read it */
    JobId job;
    int64_t cost_micro, updated_us;
} PlanLine;
SHAPE_OF(PlanLine, plan_line, PlanLines, plan_lines)

/* A todo that the plan's job has asked a role for by mail (plan/plan_ask.h). One per job is
 * open; those that are over stay. */
typedef struct PlanAsk {
    char *mail; /* Message-ID of the question */
    JobId job;  /* the plan's */
    JobId by;   /* the role's, which works on the todo; {0}: the mail is not taken in yet */
    char *todo, *session_id;
    int64_t spent_micro; /* of the plan's budget, before this todo */
    bool front;          /* a command in the foreground waits for the end, and no run is to */
    bool over;
} PlanAsk;
SHAPE_OF(PlanAsk, plan_ask, PlanAsks, plan_asks)

/* *ret: the store has these tables. A store that no face has opened yet has none. */
bool plan_known(Db *db, bool *ret, GError **error);
/* NULL: there is none. */
bool plan_row_of_job(Db *db, JobId job, PlanRow **ret, GError **error);
/* The newest job of the project and of the session_id; either may be NULL: any. */
bool plan_row_find(
    Db *db, const char *project, const char *session_id, PlanRow **ret, GError **error);
/* The plans whose job has not ended, or whose file is owed a word. */
bool plan_rows_live(Db *db, PlanRows **ret, GError **error);
/* The plans of all projects, newest first; live_only: only those whose job has not ended. */
bool plan_lines(Db *db, bool live_only, PlanLines **ret, GError **error);

/* Takes the place of what the job had, but for its word; the epoch of one session_id is never
 * lowered. */
bool plan_row_put(Txn *txn, const PlanRow *row, GError **error);
/* A person's word; raises the epoch unless it is go. Harmless for a job without a plan. */
bool plan_row_say(Txn *txn, JobId job, const char *word, GError **error);
/* Notes that the file says the word now; changes nothing when the word is another by now. */
bool plan_row_said(Txn *txn, JobId job, const char *word, GError **error);

/* --- todos that roles were asked for; *ret NULL: there is no such question --- */

/* The one that the plan's job waits for. */
bool plan_ask_open(Db *db, JobId job, PlanAsk **ret, GError **error);
/* The open one that this role's job works on. */
bool plan_ask_by(Db *db, JobId by, PlanAsk **ret, GError **error);
/* Open or over. */
bool plan_ask_of_mail(Db *db, const char *msgid, PlanAsk **ret, GError **error);
bool plan_ask_put(Txn *txn, const PlanAsk *ask, GError **error);
