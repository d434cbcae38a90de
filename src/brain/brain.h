#pragma once

/*
 * What thinks: one contract for programs, scripts and model APIs. A call runs inside the
 * caller's poll loop, so that the run can serve the agent port, timers and orders meanwhile:
 *
 *   brain_start -> (brain_poll, poll(2), brain_work)... until work says true -> brain_answer
 *
 * That a brain fails is an answer too (failed, broken), never an error: an error of
 * brain_start() means that it could not be asked at all. Nothing here blocks or logs.
 */
#include "base/config.h"
#include <glib.h>
#include <poll.h>
#include <stdbool.h>

/* All of it is borrowed until brain_start() returns. */
typedef struct BrainAsk {
    const ConfBrain *conf;
    const char *home; /* absolute: for paths relative to it */
    const char *prompt;
    const char *cwd;
    const char *const *env; /* additions: "POSTRIDER_PORT=…"; NULL: none */
    const char *why_again;  /* what was wrong with the last answer; NULL */
} BrainAsk;

typedef struct BrainAnswer {
    char *text;   /* valid UTF-8, control characters taken out; "" when it failed early */
    char *log;    /* the end of what it wrote to stderr; "" */
    char *failed; /* NULL: fine; else one line why */
    bool broken;  /* the brain, not the job, is at fault: program missing, not executable */
    bool cut;     /* there was more output than the cap */
    int64_t cost_micro;
} BrainAnswer;
void brain_answer_clear(BrainAnswer *answer);

typedef struct BrainCall BrainCall;
#define BRAIN_POLL_MAX 4

/* One kind of brain. answer() is called once, after work() said true, and fills a zeroed
 * struct whose strings are the caller's. */
typedef struct BrainOps {
    const char *kind;
    bool (*start)(const BrainAsk *ask, void **ret_state, GError **error);
    unsigned (*poll)(void *state, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us);
    bool (*work)(void *state); /* true: finished */
    void (*end)(void *state);  /* asks it to stop soon */
    void (*answer)(void *state, BrainAnswer *ret);
    void (*free)(void *state);
} BrainOps;
extern const BrainOps brain_command;

/* ERR_CONFIG: a kind that this program does not have, or settings that the kind can't work
 * with. ERR_LATER: no process could be made just now. */
bool brain_start(const BrainAsk *ask, BrainCall **ret, GError **error);
/* Fills entries for poll(2), returns how many. *ret_wait_us: when to come back anyway, as a
 * span; USEC_NEVER: no need. */
unsigned brain_poll(BrainCall *call, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us);
/* True once it has finished; harmless to call again. */
bool brain_work(BrainCall *call);
/* Asks it to stop; go on with poll and work until it has. */
void brain_end(BrainCall *call);
/* Valid once brain_work() returned true; borrowed. */
const BrainAnswer *brain_answer(BrainCall *call);
void brain_free(BrainCall *call); /* ends it at once if it still works */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BrainCall, brain_free)

/* What a program printed, as text for a mail: valid UTF-8; terminal escapes and control
 * characters taken out, newline and tab kept, CR and CRLF as newline; no white space at the end
 * of the whole. Linear; any bytes will do. Caller frees. */
char *brain_clean(const void *data, size_t len);
