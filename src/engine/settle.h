#pragma once

/* The effects of this room: moving and flagging mail in Maildirs; and the sweep that finishes
 * what a crash left. */
#include "engine/engine.h"
#include "store/effects.h"

extern const EffectOps *const settle_ops[EFFECT_N_KINDS];

/* Settles all that is owed on this machine. ret_n may be NULL. */
bool settle_local(Engine *engine, unsigned *ret_n, GError **error);

/* Brings note files and the store together, then releases the mail that waited for that. At the
 * end of a run and by the sweep, never between two steps. */
bool settle_notes(Engine *engine, GError **error);
