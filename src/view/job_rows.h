#pragma once

/* Jobs, their steps, questions to people, what comes again and what it cost, as they stand in
 * the tables and as everybody is shown them. What happens to them: store/job. */
#include "base/clock.h"
#include "base/ids.h"
#include "base/proc.h"
#include "mail/origin.h"
#include "view/mail_rows.h"
#include "view/shape.h"

typedef enum JobState {
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_PARKED,
    JOB_DONE,
    JOB_FAILED,
    JOB_STOPPED,
    JOB_CANCELLED,
    JOB_N_STATES
} JobState;
WORDS_OF(JobState, job_state)
/* For people: queued, working, waiting, done, failed, stopped, cancelled. */
extern const Words job_state_said;
const char *job_state_words(JobState s);

/* What the runtime does when the time of a parked job (resume) comes without an answer. */
typedef enum WaitThen {
    WAIT_CONTINUE, /* wakes it */
    WAIT_REMIND,   /* one reminder to those it waits for; the job waits on, then as below */
    WAIT_ESCALATE, /* the owner is asked; the job waits on, without a time */
    WAIT_N
} WaitThen;
const char *wait_then_name(WaitThen then);
bool wait_then_parse(const char *name, WaitThen *ret); /* "" is continue */

typedef struct Job {
    JobId id;
    ThreadId thread;
    JobState state;
    MsgId original; /* the mail that began the present round */
    char *role, *face, *phase, *subject, *asker, *original_msgid, *why, *waiting_for;
    int round;
    int attempts; /* claims since the last commit: those that came to nothing, and the claim at work now */
    int failures; /* failures of the program itself since the last commit */
    int iteration;        /* steps of this run */
    int total_iterations; /* of this round */
    int steps;            /* of all rounds */
    int step_limit;       /* of this round; 0: the role's total-iterations */
    int64_t epoch, fence, seq;
    int64_t ready_us, created_us, updated_us;
    int64_t wakes_us, deadline_us; /* USEC_NEVER: none */
    Due resume;                    /* parked: when it goes on by itself, or wait_then is due */
    WaitThen wait_then;
    int64_t stalled_us; /* since when its question finds no answer (job_stall()); USEC_NEVER */
    bool stall_told;
    bool parked; /* the job was parked, and has taken no step since */
    int64_t cost_micro, round_cost_micro;
    int64_t cost_limit_micro; /* of this round, by an order; 0: the role's max-cost */
    Trust floor;              /* the lowest of anything that was shown in this round */
    unsigned may;             /* MAY_…: what all who asked in this round may have done */
    char *owner_host, *owner_boot;
    ProcIdent owner;
    char *session; /* the command in the foreground that works on it, such as "plan run"; "": a run does */
    const char *deputy; /* not stored: the brain that was asked in place of its role's; NULL */
    char *instruction;  /* text behind an order, for the contexts of the next run; NULL */
} Job;
SHAPE_OF(Job, job, Jobs, jobs)

/* --- steps --- */

typedef struct Step {
    JobId job;
    int n, round;
    int64_t at_us, took_us, cost_micro;
    char *phase;
    char *brain; /* which was asked; NULL: none, or not known */
    char *did;   /* one line for people: "answered <id>" */
    char *because;
    GBytes *answer;   /* what the brain said; NULL */
    GBytes *manifest; /* what it was shown; NULL */
    Digest context;
    GBytes *state; /* JSON of the mode: what the next step goes on with; NULL */
    char *results; /* JSON list of lines: what became of its notes and mails; NULL */
} Step;
SHAPE_OF(Step, step, Steps, steps)
extern const Shape step_whole; /* with all that it said and was shown */

/* --- programs that work on a job --- */

/* The session of a program: what it remembers of a job from turn to turn. */
typedef struct Session {
    JobId job;
    char *brain, *kind; /* another of these, or of the next, begins another session */
    char *folder;       /* absolute, or as seen from the home */
    char *host;                  /* "": this one */
    char *id;                    /* as the program calls it */
    bool began;                  /* the program has named it; one that never was is not resumed */
    int step;                    /* it knows all that was said up to this step of its job, … */
    int64_t told_us;             /* … and all mail that no step wrote up to this moment; */
    char *heard; /* and of the open mail these, by their numbers: " 4 7 "; "": none */
    char *instructions; /* digest of the role's instructions that it knows; "": nobody knows */
    char telling[65];   /* no column: digest of those that this turn's page speaks of */
    /* Tokens that it had used when its last turn ended. */
    int64_t input, output, cache_read, cache_write;
} Session;
SHAPE_OF(Session, session, Sessions, sessions)

/* What a program said that it does, while it does it. */
typedef struct Doing {
    int64_t id; /* later ones have higher numbers */
    JobId job;
    int64_t fence; /* of the claim */
    int64_t at_us;
    char *what;         /* tool, text, mail */
    char *said;         /* one line, safe on a terminal */
    int64_t cost_micro; /* of its process so far */
} Doing;
SHAPE_OF(Doing, doing, Doings, doings)

/* What a program is told of the job that it works on. All of it is borrowed, so nothing is
 * freed. */
typedef struct JobInHand {
    JobId job;
    const char *role, *subject, *asker;
    int round, steps;
    bool answered;               /* every mail that it was shown is settled */
    const MsgRows *shown, *open; /* open: not settled yet */
} JobInHand;
extern const Shape job_in_hand_shape;

/* --- questions to people --- */

typedef enum QuestionState {
    QUESTION_OPEN,
    QUESTION_APPROVED,
    QUESTION_REJECTED,
    QUESTION_VOID,
    QUESTION_N_STATES
} QuestionState;
WORDS_OF(QuestionState, question_state)

typedef struct Question {
    QuestionId id;
    JobId job;
    int round;
    QuestionState state;
    char *msgid; /* of the mail that asks */
    char *kind;
    char *asks; /* in one line, for people: "may held mail leave?" */
    char *payload;
    unsigned may;    /* MAY_…: all of them whoever answers must have */
    char *who, *why; /* decided it, and what they said; void: why; NULL */
    OutId about;     /* the mail in doubt; {0}: another kind */
    Digest digest;
    int64_t until_us;             /* no answer counts behind it; USEC_NEVER */
    int64_t asked_us, decided_us; /* decided_us 0: not yet */
    int64_t used_us;              /* when a yes was acted on; 0: not yet */
    bool later;                   /* a yes is acted on later: question_use() */
} Question;
SHAPE_OF(Question, question, Questions, questions)

/* --- standing permissions --- */

typedef struct Permit {
    PermitId id;
    char *role, *tool, *covers, *folder; /* exactly what it is for (engine/permit/permit.h) */
    char *what;                          /* what covers is: command, file, input */
    char *who;                           /* gave it */
    JobId job;                           /* that asked for it */
    int64_t made_us;
    int64_t until_us; /* USEC_NEVER: without an end */
    int64_t left;     /* uses that are left; -1: any number */
    int64_t uses;
    int64_t last_us;  /* 0: never used */
    int64_t ended_us; /* 0: it holds */
    char *ended_by;   /* NULL: it holds */
} Permit;
SHAPE_OF(Permit, permit, Permits, permits)

/* --- what comes again --- */

typedef struct Schedule {
    int64_t id, created_us, next_us;
    int64_t last_us; /* the occurrence that was mailed last; USEC_NEVER: none yet */
    char *spec, *role, *subject, *body;
} Schedule;
SHAPE_OF(Schedule, schedule, Schedules, schedules)

/* --- what it cost --- */

typedef enum CostBy { COST_DAY, COST_ROLE, COST_JOB, COST_BRAIN, COST_ARTIFACT, COST_N } CostBy;
WORDS_OF(CostBy, cost_by)

typedef struct CostRow {
    char *name;    /* "2026-11-15", a role, a brain, or the subject of the job */
    char *role;    /* of the job; NULL else */
    JobId job;     /* {0}: not by job */
    int64_t steps; /* those that cost nothing included */
    int64_t cost_micro;
} CostRow;
SHAPE_OF(CostRow, cost_row, CostRows, cost_rows)
