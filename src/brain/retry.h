#pragma once

/*
 * What to do about a request to a model API that did not succeed. One pure function; the rules
 * are those that the providers' own clients follow, and one of ours: an outage or a limit is no
 * fault of the job, so it is waited for instead of counted.
 *
 *   no money, no right, no such model, a foreign certificate,     a person must mend it
 *   a redirect
 *   a limit that ends in more than a minute                       later, at that time
 *   413, "maximum context length"                                 with a smaller question
 *   lost connections, no API's reply, 408, 409, 429, 5xx          again, twice, with a wait
 *   and then: nobody there, 429, 502, 503, 521 to 523, 529        later: nobody is answered
 *   and the rest of these, where it may be this question alone    later, this job
 *   everything else                                               the question has failed
 */
#include "base/clock.h"
#include "brain/brain.h"
#include "wire/http.h"

#define RETRY_MAX 2u

typedef struct RetryCase {
    HttpEnd end;
    int status;
    bool garbled;     /* the reply is whole, but no answer: HTML, a stream without its end */
    bool spent;       /* a cap on money; never retried */
    bool large;       /* it says that the question is too long */
    int should;       /* what the server advises: 1 retry, 0 do not, -1 nothing */
    int64_t after_us; /* the wait that it asks for, 0: none */
    int64_t reset_us; /* wall time at which its limit ends, 0: not said */
    unsigned retries; /* made already */
    int64_t now_us;   /* wall time */
    int64_t left_us;  /* of the time for this question */
    uint32_t random;  /* for the jitter */
} RetryCase;

typedef struct RetryPlan {
    BrainEnd end;    /* BRAIN_OK: not yet, ask again */
    int64_t wait_us; /* BRAIN_OK: before the next request */
    Due at;          /* BRAIN_LIMITED: .us 0: nobody knows */
} RetryPlan;

/* What is to be done now: ask again, wait, or end with this BrainEnd. */
RetryPlan retry_plan(const RetryCase *c);
