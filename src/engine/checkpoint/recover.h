#pragma once

/* What a start finds unfinished: dead owners, effects owed, mail that waited for them, notes
 * whose files are behind, tmp files. */
#include "engine/engine.h"

typedef struct RecoverStats {
    unsigned jobs, effects, tmp;
} RecoverStats;
bool recover_sweep(Engine *engine, RecoverStats *ret, GError **error);
