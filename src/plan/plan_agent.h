#pragma once

/*
 * Who works on a todo: the brain of the role that owns it, where that is a program; else the command that `plan run` was given,
 * or the brain of its role. `claude`, `codex` and `opencode` keep a session, which is resumed; any other program gets the whole
 * question on stdin each time. The session's name is in the store before the program can answer.
 */
#include "plan/plan_job.h"

typedef struct PlanAgent {
    const ConfBrain *brain;
    ConfBrain own;       /* made of the command */
    char **argv;         /* of the command; NULL: there is none */
    char *name;          /* of the brain, for the log */
    const char *role;    /* whose brain it is; NULL: the command */
    bool users;          /* the command of whoever called: it keeps the user's environment */
    char *notes;         /* instructions of the owner's role; NULL */
    char *told;          /* what people said in mails; NULL */
    char *id;            /* of its session; NULL: it keeps none, or has named none */
    bool began;          /* the program has named the session: it is resumed */
    bool entered;        /* the plan knows the session */
    int64_t took_us, retry_us;
} PlanAgent;

/* Finds the agent that the row names. ERR_CONFIG: there is neither a home nor a command. */
bool plan_agent_open(PlanAgent *a, JobSession *s, const PlanRow *row, GError **error);
void plan_agent_clear(PlanAgent *a);

/* Chooses the brain that works for this owner of a todo. Another brain than before begins
 * another session. */
bool plan_agent_choose(
    PlanAgent *a, JobSession *s, const char *owner, const char *project, GError **error);
/* Notes that the program has named its session. */
void plan_agent_named(PlanAgent *a, const char *id);
/* Writes the session's name into the store. */
bool plan_agent_keep(const PlanAgent *a, JobSession *s, const char *project, GError **error);
/* Forgets the session, so that the next question begins a new one. */
void plan_agent_forget(PlanAgent *a);
/* Somebody else works on the next todo; the session is found again in the store. */
void plan_agent_leave(PlanAgent *a);
/* What the next question may cost; INT64_MAX: no limit. */
bool plan_agent_money(const PlanAgent *a,
                      const JobSession *s,
                      const PlanRow *row,
                      int64_t *ret,
                      GError **error);
