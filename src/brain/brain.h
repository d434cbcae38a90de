#pragma once

/*
 * A brain is what thinks for a role: a model that is asked by HTTP, a program, or a script. All
 * of them have this one contract. A call runs inside the caller's poll loop, so that the run
 * can serve the agent port, timers and orders meanwhile:
 *
 *   brain_start -> (brain_poll, poll(2), brain_work)... until work says true -> brain_answer
 *
 * That a brain fails is an answer too (BrainEnd), never an error: an error of brain_start()
 * means that it could not be asked at all. Nothing here blocks or logs.
 */
#include "base/clock.h"
#include "base/config/config.h"
#include <poll.h>

/* An image or a PDF that the model is to see; others are files in the job's folder. */
typedef struct BrainFile {
    const char *media_type;
    const char *filename;
    GBytes *data;
} BrainFile;

typedef struct BrainUsage {
    int64_t input, output; /* tokens; input is what no cache had */
    int64_t cache_read, cache_write;
} BrainUsage;

/* What a program tells while it works, one call each, in the order of its stream. Texts are
 * borrowed for the call, valid UTF-8, and not yet escaped for a terminal. */
typedef enum BrainEventKind {
    BRAIN_SAID_SESSION, /* text: the id of its session; said before the program can answer */
    BRAIN_SAID_TEXT,    /* text: what it says meanwhile */
    BRAIN_SAID_TOOL,    /* text: what it does now, one line: "Bash: make test" */
    BRAIN_SAID_COST,    /* cost_micro: of this process so far */
    BRAIN_SAID_RECEIPT, /* text: the uuid of a line that brain_steer() sent; done says whether the
                           program has taken the line up (false) or has finished with it (true) */
} BrainEventKind;

typedef struct BrainEvent {
    BrainEventKind kind;
    const char *text; /* "" for BRAIN_SAID_COST */
    int64_t cost_micro;
    bool done;
} BrainEvent;

/* What a program may do without asking. The kinds that know no permissions ignore it. */
typedef enum BrainPermit {
    BRAIN_PERMIT_ALL,
    BRAIN_PERMIT_EDIT, /* it may change files of its folder; the rest is asked */
    BRAIN_PERMIT_ASK,  /* what changes anything is asked */
} BrainPermit;

/* All of it is borrowed until brain_start() returns, but for said_data, log_fd and clock, which
 * must live as long as the call. Texts are valid UTF-8. Zero is the default of each member. */
typedef struct BrainAsk {
    const ConfBrain *conf;
    const char *home; /* absolute: for paths relative to it */
    const char *prompt;
    const char *cwd;
    const char *const *env; /* additions: "POSTRIDER_PORT=…"; NULL: none */
    const char *why_again;  /* what was wrong with the last answer; NULL */
    const char
        *last_answer;   /* that answer, in its fence, to be mended; NULL: not to be shown */
    const char *system; /* instructions that stay from question to question; NULL */
    const char *schema; /* JSON schema of the answer, in the portable profile of every
                                 provider: object root, all fields required, null unions,
                                 additionalProperties false, no bounds; NULL: free text */
    const char *schema_name;  /* [A-Za-z0-9_-]{1,64}; NULL: "answer" */
    int64_t total_iterations; /* steps of the job before this one */
    unsigned lacks;           /* BRAIN_LACKS_…: what its server has refused before */
    const BrainFile *files;   /* only what brain_takes() */
    unsigned n_files;
    const Clock *clock; /* NULL: the real one */

    /* --- programs alone (brain/program.c) --- */
    const char *session;      /* the session to be resumed; NULL: the program begins one */
    const char *new_session;  /* the id that a new session is to have, where the kind lets us
                                 choose (claude: a UUID); NULL: the program chooses */
    BrainUsage session_usage; /* what the session had used when its last turn ended: Codex
                                 counts over all turns of a session */
    bool bare;                /* resume without a prompt: the call that waited was decided */
    int log_fd;               /* the stream is copied there, up to a cap; 0 or less: nowhere */
    int64_t budget_micro;     /* most that this process may cost; 0 or INT64_MAX: no limit */
    BrainPermit permit;
    const char *hook;        /* command line, quoted for a shell, that the program runs before
                                each of its tool calls; NULL: none */
    const char *const *mcp;  /* argv of an MCP server that the program is to start, as "postrider";
                                NULL: none */
    bool users_env;          /* it gets the environment of whoever called us, not that of agents */
    const char *const *wrap; /* argv in front of the program's own: the wall; NULL: none */
    bool walled;             /* wrap is a wall of ours: the program needs none of its own */
    const char *rules;       /* opencode: JSON of its setting "permission"; NULL: none */
    void (*said)(void *data, const BrainEvent *event); /* NULL: nobody listens */
    void *said_data;
} BrainAsk;

/* Forms of the question that a server refuses, whoever asks. */
#define BRAIN_LACKS_SCHEMA 1u /* structured output by a schema */
#define BRAIN_LACKS_JSON 2u   /* structured output at all */
#define BRAIN_LACKS_LIMIT 4u  /* the token limit by the name that its kind begins with */

/* What to do next, whoever failed. */
typedef enum BrainEnd {
    BRAIN_OK,
    BRAIN_FAILED,    /* what it said is of no use: ask again and say why, then the job fails */
    BRAIN_BROKEN,    /* the brain, not the job: no program, no key, no money, no such model. All
                        its jobs wait until a person has mended it */
    BRAIN_LIMITED,   /* not now: all jobs of this brain wait until retry. No attempt of
                        the job counts */
    BRAIN_STALLED,   /* nothing came back, and that is no fault of the model: the job waits, and
                        no attempt counts; others may be answered */
    BRAIN_EXITED,    /* a program that failed: the same again after a while, a few times */
    BRAIN_LARGE,     /* the question is longer than it takes */
    BRAIN_REFUSED,   /* it will not do this: asking the same again is no use */
    BRAIN_TRUNCATED, /* the answer came to the token limit; text is what there is of it */
    BRAIN_GONE,      /* the session that was to be resumed is not there any more: begin anew, with
                        the whole page */
    BRAIN_IDLE,      /* a bare resume, and no call waits in the session: resume with a prompt */
    BRAIN_SPENT,     /* it came to budget_micro before it had an answer */
} BrainEnd;

typedef struct BrainAnswer {
    BrainEnd end;
    char *text;         /* valid UTF-8, control characters taken out; "" when it failed early */
    char *log;          /* the end of what it wrote to stderr; "" */
    char *failed;       /* NULL: fine; else one line why */
    bool mute;          /* a program that ended well, and said nothing at all */
    bool cut;           /* there was more output than the cap */
    int64_t cost_micro; /* of all that was asked for this answer, retries too */
    BrainUsage usage;   /* likewise */
    Due retry;          /* BRAIN_LIMITED: when, .us 0: nobody knows; else 0 */
    char *request_id;   /* the provider's name for the last request; NULL */
    unsigned lacks;     /* BRAIN_LACKS_…: what the server that answered was not asked with */
    char *session;      /* the session's id as the program said it last; NULL: it said none */
    BrainUsage session_usage; /* what the session has used by now: for the next BrainAsk */
    char *deferred_call;      /* BRAIN_OK: it ended because this tool call, as JSON {"id", "name", "input"},
                                 waits for a person; NULL: none does */
} BrainAnswer;
void brain_answer_clear(BrainAnswer *answer);

typedef struct BrainCall BrainCall;
#define BRAIN_POLL_MAX 4

/* One kind of brain. A start() that knows the answer at once fills *ret_now and leaves
 * *ret_state NULL: then no other call follows. answer() is called once, after work() returned
 * true; it fills a zeroed struct, whose strings are the caller's. */
typedef struct BrainOps BrainOps;
struct BrainOps {
    BrainKind kind;
    const struct ApiKind *api; /* what is asked by HTTP (brain/api.h); NULL */
    bool (*start)(const BrainOps *ops,
                  const BrainAsk *ask,
                  void **ret_state,
                  BrainAnswer *ret_now,
                  GError **error);
    unsigned (*poll)(void *state, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us);
    bool (*work)(void *state); /* true: finished */
    bool (*steer)(void *state, const char *uuid, const char *text); /* NULL: it never can */
    void (*end)(void *state); /* asks it to stop soon */
    void (*answer)(void *state, BrainAnswer *ret);
    void (*free)(void *state);
    int64_t (*most)(const BrainOps *ops, const BrainAsk *ask); /* NULL: it costs nothing */
};
extern const BrainOps brain_script; /* in every program that asks brains, as are these: */
extern const BrainOps brain_command, brain_claude, brain_codex, brain_opencode;
extern const BrainOps brain_anthropic, brain_openai; /* link libcurl: brain_net only */

/* The kinds that this program has, NULL-terminated. Each program that asks brains defines its
 * own, so that only one of them pays for the start of libcurl. */
extern const BrainOps *const brain_kinds[];

/* ERR_CONFIG: a kind that this program does not have, or settings that the kind can't work
 * with. ERR_LATER: no process could be made just now. */
bool brain_start(const BrainAsk *ask, BrainCall **ret, GError **error);
/* What this question may cost at most, by its size, max-tokens and the price table; retries are
 * not in it. 0: nothing. */
int64_t brain_most(const BrainAsk *ask);
/* Fills entries for poll(2), returns how many. *ret_wait_us: when to come back anyway, as a
 * span; USEC_NEVER: no need. */
unsigned brain_poll(BrainCall *call, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us);
/* True once it has finished; harmless to call again. */
bool brain_work(BrainCall *call);
/* Sends a line of a person's to a program that is at work: it reads the line within the running
 * turn, and says by BRAIN_SAID_RECEIPT what became of it. False: it can't be told now, or its
 * kind never can; nothing was sent. */
bool brain_steer(BrainCall *call, const char *uuid, const char *text);
/* Asks it to stop; go on with poll and work until it has. */
void brain_end(BrainCall *call);
/* Valid once brain_work() returned true; borrowed. */
const BrainAnswer *brain_answer(BrainCall *call);
void brain_free(BrainCall *call); /* ends it at once if it still works */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BrainCall, brain_free)

/* True when the brain's program keeps a session that a later call can resume. */
bool brain_keeps_session(const ConfBrain *conf);

/* The file that a program brain starts; NULL: it is none, or there is no such program. Caller
 * frees. */
char *brain_program(const ConfBrain *conf, const char *home);

#define BRAIN_NOTHING 0u /* beside text; else BRAIN_IMAGES and BRAIN_PDF (base/config/config_words.h) */
/* What this brain can be shown: what the settings say, else what its model is known for. */
unsigned brain_takes_all(const ConfBrain *conf);
/* Which of these a file of this type is: BRAIN_IMAGES, BRAIN_PDF, or BRAIN_NOTHING. */
unsigned brain_takes_type(const char *media_type);
/* True when the brain's model can be shown files of this type. */
bool brain_takes(const ConfBrain *conf, const char *media_type);

/* What a kind answers when it could not be asked at all. */
BrainAnswer brain_failed(BrainEnd end, const char *why);
/* The question as one text, with why the last answer could not be used; caller frees. */
char *brain_question(const BrainAsk *ask);
/* The schema in words, for brains that take no other form; caller frees. */
char *brain_schema_rule(const char *schema);

/* What a program printed, as text for a mail: valid UTF-8; terminal escapes and control
 * characters taken out, newline and tab kept, CR and CRLF as newline; no white space at the end
 * of the whole. Linear; any bytes will do. Caller frees. */
char *brain_clean(const void *data, size_t len);
