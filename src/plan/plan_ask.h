#pragma once

/*
 * A todo whose owner is a role with a model that is led (engine/mode.h): such a model is no program that could be started in
 * the project, so the job of the plan asks the role by mail, and the role works on the mail as on any other.
 *
 *   plan_ask_send()    the mail and its row (store/plan_rows.h): one step
 *   plan_ask_park()    under the service the job waits then; a session in the foreground looks by itself
 *   plan_ask_stored()  the mail is taken in: its job is the one that the plan waits for, and moves todos by the act `todo`
 *   plan_ask_wakes()   the role has settled the mail, or has answered: the plan's job goes on. What happens while the job is
 *                      about to park, the look that follows each park finds
 *   plan_ask_end()     stop, cancel and done: the role's job is cancelled, also when it begins only later
 *
 * (1) At most one question of a plan's job is open, and it is written down in the transaction that sends it: whoever comes
 *     after a crash waits for that one.
 * (2) Each question is a mail of its own and begins a job of its own. Answers to it wake nobody as mail, so the roles of a
 *     plan can't talk for ever; the role may also be the one that has the plan's job.
 */
#include "plan/plan_job.h"

/* The role that is asked by mail for a todo of this owner: the owner, if that is a role with a brain; else, where the todo
 * has no command, the job's own role. NULL: a program works on the todo. Borrowed from the settings. */
const ConfRole *plan_ask_role(const JobSession *s, bool command, const char *owner);

typedef struct PlanAsking {
    const PlanRow *row;
    const Plan *plan;
    const json_t *todo;
    const ConfRole *role;
    const char *prompt;  /* the body of the mail */
    int64_t spent_micro; /* of the plan's budget, before this todo */
    bool front;          /* the session is in the foreground */
} PlanAsking;
/* Commits a step of the plan's job (session_commit()). *ret_sent is false where the policy refused the mail. */
bool plan_ask_send(JobSession *s, const PlanAsking *asking, bool *ret_sent, GError **error);
/* Parks the plan's job, which ends the session's claim: until the end of the role's work, and no longer than the plan's own
 * time. */
bool plan_ask_park(JobSession *s, const PlanRow *row, const PlanAsk *ask, GError **error);

typedef enum PlanAskState {
    PLAN_ASK_OPEN,
    PLAN_ASK_ENDED, /* the role's job is done, has failed, or waits after it settled the mail */
    PLAN_ASK_DEAD,  /* the role's job was stopped or cancelled, or is gone */
} PlanAskState;
/* What has become of the question; reads only. *ret_cost_micro: of the role's job in this round; *ret_words: the state in
 * words for people, NULL while it is open. Caller frees. */
bool plan_ask_look(Engine *engine,
                   const PlanAsk *ask,
                   PlanAskState *ret,
                   int64_t *ret_cost_micro,
                   char **ret_words,
                   GError **error);
/* Marks the question as over, in a transaction of its own: the plan's job waits for it no more. cancel: the role's job is
 * cancelled too. */
bool plan_ask_close(Engine *engine, const PlanAsk *ask, bool cancel, GError **error);

/* The question as the job's checkpoint has it, which the caller unrefs; and back from there into the store. A question that
 * only the checkpoint knows is over, since nobody can tell what became of it: the job goes on, and asks anew. */
json_t *plan_ask_json(const PlanAsk *ask);
bool plan_ask_restored(Txn *txn, JobId job, const json_t *value, GError **error);

/* --- calls of the face --- */

/* The question of a plan of this role that this mail answers; *ret NULL: there is no such question. Caller frees. */
bool plan_ask_answered(
    Engine *engine, const char *role, const Message *m, PlanAsk **ret, GError **error);
/* A mail was taken in for this job. Where that mail is a question, notes the job; a question that is over cancels it. */
bool plan_ask_stored(Engine *engine, Txn *txn, const char *msgid, JobId job, GError **error);
/* The plan's job goes on, if it is parked; not for a question that is over, or for which a session in the foreground waits. */
bool plan_ask_wakes(Engine *engine, Txn *txn, const PlanAsk *ask, GError **error);
/* The job parks: a look follows. */
bool plan_ask_parked(Txn *txn, JobId job, GError **error);
/* The look, in a transaction of its own: wakes a job whose question has found its end. *n goes up by one then. */
bool plan_ask_settle(Engine *engine, JobId job, unsigned *n, GError **error);
/* The plan's job was stopped or cancelled, or is done: its open question is over, and the role's job is cancelled. */
bool plan_ask_end(Txn *txn, JobId job, GError **error);
