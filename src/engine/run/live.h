#pragma once

/*
 * What a program says that it does, while it does it: lines for `watch`, `show`, STATUS and the
 * word about long work. They are written without a flush, at once where nothing was said for a
 * second, else once a second; what can't be written is left out.
 */
#include "engine/engine.h"
#include "store/job/doings.h"
#include "store/job/jobs.h"

typedef struct Live {
    Engine *engine;
    const JobClaim *claim;
    Doings *waiting;   /* not written yet; NULL: nothing was said */
    int64_t next_us;   /* when to write again, on the monotonic clock */
    int64_t cost_micro; /* of the process so far */
    bool *said;        /* set once anything was written */
} Live;

/* what: tool, text, mail. The text may be anything. */
void live_say(Live *l, const char *what, const char *text);
/* Writes what is due; all: what there is. */
void live_write(Live *l, bool all);
/* How long nothing is due; USEC_NEVER: nothing waits. */
int64_t live_wait_us(const Live *l);
void live_clear(Live *l);
