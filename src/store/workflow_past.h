#pragma once

/*
 * Rows of the workflow that a lost store knew, put back as mail tells them
 * (workflow/flow_past.h). Telling the same once more has no effect.
 */
#include "store/workflow.h"

/* *ret: the events of this generation of the store were read from mail already. */
bool flow_past_known(Db *db, bool *ret, GError **error);
bool flow_past_set_known(Txn *txn, GError **error);

/* Makes the artifact with all that the row says but its cycle. Where the artifact is known
 * already, its state, place and holder become those of the row, unless a move of it is under
 * way. */
bool artifact_restore(Txn *txn, const Artifact *a, ArtifactId *ret, GError **error);
/* Makes the review cycle as it was opened; cycle_restore_end() adds what ended it. It keeps its
 * number (c->id) where no other cycle has it. A cycle that is newer than all others of its
 * artifact becomes the artifact's current one. A cycle that is known stays as it is. */
bool cycle_restore(Txn *txn, const Cycle *c, CycleId *ret, GError **error);
/* To be called after the cycle's events: sets which bytes were under review, and what ended the
 * cycle. *ret_was_open false: the store knows its end already, and nothing has changed. */
bool
cycle_restore_end(Txn *txn, CycleId id, const Cycle *c, bool *ret_was_open, GError **error);
/* Adds the event. *ret_new false: the store had it already. */
bool flow_event_restore(Txn *txn, const FlowEvent *e, bool *ret_new, GError **error);
