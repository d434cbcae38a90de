#pragma once

/*
 * A session in the foreground: a command that works on a job in a run's place (`plan run`,
 * `mcp` without a port). It claims the job, may hold the job's agent port, asks programs with
 * the environment of whoever called it, and commits steps as a run does.
 *
 *   session_begin()   a mail of the operator that is in the role's hands already (folder Active), its row, its job and the
 *                     claim: one transaction, so that no run is ever faster
 *   session_open()    no job yet: the same happens when something is first written through the port
 *   session_take()    a job that waits: parked, stopped, failed or queued
 *   session_ask()     one question to a program; signals, orders and the port are served meanwhile
 *   session_commit()  a step; one that ends the job ends the claim
 *   session_close()   what is still claimed waits for the next session ("waits for plan run")
 *
 * The job's row names the session (Job.session). Where its process dies, whoever looks next
 * leaves the job as session_close() does; a job without a session name is queued again instead.
 * A run that works on a job of a face with FaceOps.work uses the same struct for its own claim.
 *
 * Without a home there is a session too, which claims, commits and serves nothing: engine is
 * NULL then.
 */
#include "brain/brain.h"
#include "engine/run/commit.h"

typedef struct Port Port; /* port/port.h */

typedef struct JobSession {
    Engine *engine; /* NULL: no home */
    char *name;     /* "plan run"; NULL: a run's own claim */
    JobClaim claim;
    Job *job; /* as it was loaded last */
    const ConfRole *role;
    StepInput in;
    int signal_fd; /* SIGTERM, SIGINT, SIGUSR1 */
    bool own_fd;   /* the session has opened it */
    bool draining; /* a signal asks us to end */
    bool lost;     /* the claim is gone: an order, or another owner. Nothing may be committed */
    bool over;     /* a step has ended the claim */
    int64_t again_us; /* a face that gives a run's claim back says when it is to be taken again, and why; 0: at once */
    const char *again_why;
    char *folder;  /* of the job, for its port and what programs say; NULL: not made yet */
    Port *port;    /* NULL: not open */
    const struct SessionMail *late; /* begins the job; NULL: it has begun (session_open()) */
} JobSession;

/* A session for a command without a home. */
JobSession *session_new_alone(void);

/* The mail that begins a session's job. */
typedef struct SessionMail {
    const char *role, *subject, *text;
    const char *session; /* the session's name; NULL: the job is queued, for any run */
} SessionMail;
/* Begins a job with a mail, and claims it for the session that the mail names. *ret is NULL
 * when the mail names no session, and ret itself may be NULL then. ret_job may be NULL. */
bool session_begin(
    Engine *engine, const SessionMail *mail, JobSession **ret, JobId *ret_job, GError **error);
/* Opens the port of a session that has no job until somebody writes through it: what is read before is read as by the role,
 * and counts for the job that the mail begins then. Borrows the mail until the session is closed. */
bool session_open(Engine *engine, const SessionMail *mail, JobSession **ret, GError **error);
/* Claims the job for a session of this name. *ret is NULL, with true, when another process
 * works on the job, or the job has ended. */
bool
session_take(Engine *engine, JobId job, const char *name, JobSession **ret, GError **error);
/* A run's claim as a session. Borrows claim, role and the signals; takes the job and the
 * contents of *take_in. */
JobSession *session_of_claim(Engine *engine,
                             const JobClaim *claim,
                             Job *take_job,
                             const ConfRole *role,
                             StepInput *take_in,
                             int signal_fd);
void session_close(JobSession *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JobSession, session_close)

/* Open mail of the job counts as shown from now on, so that it does not wake the job when the
 * job parks. */
bool session_show(JobSession *s, GError **error);
/* Loads the job and its open mail anew, after a step. */
bool session_reload(JobSession *s, GError **error);
/* Opens the agent port of the job; programs that are asked from now on get it as
 * $POSTRIDER_PORT. */
bool session_open_port(JobSession *s, GError **error);
/* Opens the port for this verb alone. */
bool session_open_port_only(JobSession *s, const char *verb, GError **error);
/* Commits the step. ERR_NEVER with s->lost: an order was faster, and nothing has happened. */
bool session_commit(JobSession *s, Proposal *p, GError **error);
/* Books what an answer has cost, whatever becomes of the answer. */
bool session_pay(JobSession *s, int64_t cost_micro, GError **error);
/* Reads what signals came. True: the work must end (draining or lost). */
bool session_called_off(JobSession *s);

typedef struct SessionAsk {
    BrainAsk brain; /* the session sets home, permit and the wall; with users_env there is no wall */
    bool apart;     /* a program works apart (engine/wall/wall.h), or without a wall where there is none */
    int64_t until_us; /* it is ended then, by the home's clock; USEC_NEVER */
    /* Called twice a second while the program works, with brain.said_data; false: end it. NULL:
     * nobody asks. */
    bool (*go_on)(void *data);
} SessionAsk;

typedef enum SessionEnd {
    SESSION_ANSWERED, /* the program is done: see the answer */
    SESSION_OFF,      /* a signal, or the claim is lost (s->draining, s->lost) */
    SESSION_ENDED,    /* go_on() said so */
    SESSION_LATE,     /* until_us has come */
} SessionEnd;
/* *ret_call holds the answer, whatever the end is; caller frees. ERR_CONFIG: the program can't
 * be asked. */
bool session_ask(JobSession *s,
                 const SessionAsk *ask,
                 SessionEnd *ret_end,
                 BrainCall **ret_call,
                 GError **error);
/* The words (argv) that stand in front of a command which an agent could have changed and which
 * we start, such as a check: they put it behind the wall of this brain's programs. *ret NULL:
 * no wall. Caller frees. */
bool session_wall(JobSession *s, const ConfBrain *brain, const char *cwd, char ***ret, GError **error);
/* Waits for this span of the monotonic clock, and serves signals, orders and the port meanwhile
 * as session_ask() does. SESSION_ANSWERED: the span is over. */
bool session_wait(JobSession *s,
                  int64_t span_us,
                  bool (*go_on)(void *data),
                  void *data,
                  SessionEnd *ret_end,
                  GError **error);
