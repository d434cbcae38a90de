#pragma once

/* Finishes what a process that died has left unfinished: jobs whose owner is dead, effects that
 * are owed, mail that waits for them, notes whose files are behind, tmp files. */
#include "engine/engine.h"

typedef struct RecoverStats {
    unsigned jobs, effects, tmp;
} RecoverStats;
/* One sweep; *ret counts what it found. Calling it twice does nothing more. Not to be called
 * within a transaction. */
bool recover_sweep(Engine *engine, RecoverStats *ret, GError **error);
