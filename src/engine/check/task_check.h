#pragma once

/*
 * The check of a mailed task. A person who may steer writes it into the mail, as a line of its
 * own words:
 *
 *     check: make test
 *
 * and the answer of that round leaves only when the command has passed, or says that it did
 * not. What the command is stands in the mail alone, whose bytes the store knows by their
 * digest: nothing that an agent does changes it. The command is run by us (base/check.h), in
 * the folder and behind the wall of the job's program, right before the step that answers is
 * committed:
 *
 *     answer -> check -> passed  the step is committed, and the answer leaves
 *                     -> failed  the brain is asked again, with the end of the output; after TASK_CHECK_TRIES
 *                                failures in a round the answer leaves and says so
 *
 * (1) Nothing of the step is committed before the check has ended. Who dies in between leaves
 *     the job as it was: the next run asks the brain and runs the check again.
 * (2) A word on the way (a question, a wait) leaves without it, and says that the check has not
 *     run.
 * (3) Of several such lines in one round the newest counts.
 * (4) A failure is counted in the store before the brain is asked again: a run that dies or is
 *     put back takes none of them with it. Only a power loss may forget the newest, and then
 *     there is one try more.
 */
#include "base/check.h"
#include "engine/run/commit.h"
#include "engine/run/workplace.h"

#define TASK_CHECK_TRIES 3

typedef struct TaskCheck {
    char *command; /* NULL: there is none */
    char *refused; /* there is a line, and it does not count: why, as a sentence; NULL */
} TaskCheck;
void task_check_clear(TaskCheck *check);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TaskCheck, task_check_clear)

/* The check that the mails of this round say, as far as they were shown. */
bool task_check_find(Engine *engine, const Job *job, TaskCheck *ret, GError **error);
/* True when a mail of the proposal goes to somebody whose mail the round answers. */
bool task_check_answers(const Job *job, const StepInput *in, const Proposal *p);

typedef enum TaskCheckEnd {
    TASK_CHECK_PASSED,
    TASK_CHECK_FAILED,
    TASK_CHECK_LOST,    /* the claim is gone: nothing may be committed */
    TASK_CHECK_DRAINED, /* we were asked to stop before it was done */
} TaskCheckEnd;

typedef struct TaskCheckRun {
    Engine *engine;
    const Job *job;
    const ConfRole *role;
    const ConfBrain *brain;
    const JobClaim *claim;
    StepInput *in;          /* its deadline is set on */
    const Workplace *place; /* NULL: the job's folder, or the role's workdir */
    const char *command;
    int signal_fd;
    bool *draining;
} TaskCheckRun;
/* Runs the check and waits for its end. *ret says what failed, also when the command can't be
 * run at all. */
bool task_check_run(const TaskCheckRun *run,
                    TaskCheckEnd *ret_end,
                    CheckEnd *ret,
                    GError **error);

/* task_check_why(): what the brain is told of a check that failed; caller frees.
 * task_check_tell() adds the words to the mails of the proposal to those who asked. */
char *task_check_why(const char *command, const CheckEnd *end);
void task_check_tell(const Job *job, const StepInput *in, Proposal *p, const char *words);
