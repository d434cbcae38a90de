#include "brain/retry.h"
#include "base/clock.h"

#define HERE_MAX_US (60 * USEC_PER_SEC) /* longer waits are not sat out in the call */
#define FIRST_US (USEC_PER_SEC / 2)
#define BACKOFF_MAX_US (8 * USEC_PER_SEC)
#define FURTHEST_US (31 * 86400 * USEC_PER_SEC) /* no server parks us for longer */

static bool
must_be_mended(const RetryCase *c)
{
    if (c->end != HTTP_DONE)
        return c->end == HTTP_UNTRUSTED;
    return c->spent || (c->status >= 300 && c->status < 400) ||
           (c->status >= 401 && c->status <= 404);
}

static bool
may_pass(const RetryCase *c)
{
    if (c->end != HTTP_DONE)
        return c->end != HTTP_LARGE;
    return c->garbled || c->should == 1 || c->status == 408 || c->status == 409 ||
           c->status == 429 || (c->status >= 500 && c->status != 501 && c->status != 505);
}

/* Nobody there, or too many: any question would end so. A 500, a 504 or a broken connection may be
 * due to this one: it waits alone, and keeps no other job from being asked. */
static bool
is_outage(const RetryCase *c)
{
    if (c->end != HTTP_DONE)
        return c->end == HTTP_UNREACHED;
    return c->status == 429 || c->status == 502 || c->status == 503 || c->status == 529 ||
           (c->status >= 521 && c->status <= 523);
}

/* The wait that the server asks for, 0: none. */
static int64_t
asked_wait(const RetryCase *c)
{
    if (c->after_us > 0)
        return MIN(c->after_us, FURTHEST_US);
    return c->reset_us > c->now_us ? MIN(c->reset_us - c->now_us, FURTHEST_US) : 0;
}

/* 0.5 s, 1 s, 2 s… less up to a quarter, so that many do not come back as one. */
static int64_t
backoff(const RetryCase *c)
{
    int64_t wait = clock_backoff(FIRST_US, BACKOFF_MAX_US, (int)c->retries);
    return wait - wait / 4 * (c->random % 1024) / 1024;
}

static RetryPlan
later(const RetryCase *c, int64_t wait_us)
{
    bool named = c->after_us <= 0 && wait_us == c->reset_us - c->now_us;

    return (RetryPlan){.end = BRAIN_LIMITED, .at = {c->now_us + wait_us, named}};
}

/* It was asked often enough for now. */
static BrainEnd
give_up(const RetryCase *c)
{
    bool advised = c->status >= 400 && c->status < 500 && c->should == 1;

    if (c->end == HTTP_DONE && advised && c->status != 408 && c->status != 409 &&
        c->status != 429)
        return BRAIN_REFUSED; /* a wrong question stays one */
    return is_outage(c) ? BRAIN_LIMITED : BRAIN_STALLED;
}

RetryPlan
retry_plan(const RetryCase *c)
{
    int64_t asked = asked_wait(c);

    if (c->spent && asked > 0)
        return later(c, asked);
    if (must_be_mended(c))
        return (RetryPlan){.end = BRAIN_BROKEN};
    if (c->end == HTTP_DONE && (c->status == 413 || c->large))
        return (RetryPlan){.end = BRAIN_LARGE};
    if (!may_pass(c))
        return (RetryPlan){.end = BRAIN_REFUSED};
    if (asked > HERE_MAX_US)
        return later(c, asked);

    int64_t wait = asked > 0 ? asked : backoff(c);
    if (c->retries < RETRY_MAX && c->should != 0 && wait < c->left_us)
        return (RetryPlan){.end = BRAIN_OK, .wait_us = wait};
    return (RetryPlan){.end = give_up(c)};
}
