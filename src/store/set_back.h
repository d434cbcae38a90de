#pragma once

/*
 * A clock that was ahead and is set right again. What was written meanwhile waits for a time that
 * the clock of now reaches much later, in a day or in years; whoever waits by it goes on:
 *
 *   deliveries       that wait for longer than any try makes one wait: due now
 *   brains, jobs     whose pause, or whose last change, lies ahead of now: tried now
 *   mail in doubt    whose doubt lies ahead of now: as old as if it had begun now
 *   timers           of words to people, further away than the settings allow: due now
 *
 * The times at which parked jobs and schedules go on stay: people were told of them
 * (engine/every.h has the rule for schedules).
 */
#include "store/db.h"

/* At the start, in every pass and once a minute. Cheap when nothing waits so. */
bool set_back_mend(Db *db, GError **error);
