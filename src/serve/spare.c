/*
 * The spare run. Starting a program and opening the store takes longer than all that a run does from there to its
 * brain, so one run waits, opened and warm, for the next job:
 *
 *   started -> warm -> waits for the word -> an ordinary run, which claims a job, or finds none and ends
 *                          |
 *                          +-> ends: the master died, or asked it to (settings, stop)
 *
 * (1) The word says that something is ready, not what. Which job a run has is decided by its claim in the store, as for
 *     every run, so nothing is lost with a spare that dies, and two that hear of one job do not both get it.
 * (2) The word is one byte in a pipe, which nobody takes out: a run that begins again with newer settings, or as another
 *     program, finds it still there. The end of the pipe without a byte says that the master is gone.
 * (3) The spare is not a worker until it has the word; then it is one of `workers`, and the next spare is started when
 *     it has had time to reach its brain.
 */
#include "base/clock.h"
#include "base/crash.h"
#include "base/list.h"
#include "serve/master.h"

/* The next spare would only be in the way of the run that was just begun. */
#define REST_US (20 * USEC_PER_MSEC)

static Child *
find_spare(const Master *m)
{
    LIST_EACH(Child, child, m->children)
        if (child->part == m->spare)
            return child;
    return NULL;
}

/* After a run that came to nothing an ordinary one is started: what may be wrong with every spare stops no job. */
void
spare_or_start(Master *m)
{
    Child *spare = find_spare(m);

    CRASH_POINT("spare-before-word");
    if (m->run->failures > 0 || !spare || !child_begin(spare, m->run))
        staff_start(m, m->run);
    CRASH_POINT("spare-after-word");
    m->spare->not_before_us = MAX(m->spare->not_before_us, m->now_us + REST_US);
}

void
spare_fill(Master *m)
{
    unsigned workers = (unsigned)m->home->config->workers;

    if (m->spare->live == 0 && m->run->live < workers && part_may_start(m->spare, m->now_us))
        staff_start(m, m->spare);
}

void
spare_reload(Master *m)
{
    Child *spare = find_spare(m);

    if (spare)
        child_end(spare, clock_mono_us() + GRACE_US);
}
