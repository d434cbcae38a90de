#pragma once

/*
 * One pass, as cron wants it: mail in, jobs, mail out, until nothing moves any more. What a
 * pass parked itself it does not go on with.
 */
#include "engine/engine.h"

typedef struct PassStats {
    unsigned mails, jobs, steps, sent;
} PassStats;
/* wait_ms: for accounts and the outbox that another process works on. ERR_CANCELLED: a signal
 * came. */
bool pass_run(Engine *engine, int wait_ms, PassStats *ret, GError **error);
