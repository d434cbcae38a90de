#pragma once

/*
 * Rows of the workflow that a lost store knew, put back as mail tells them
 * (workflow/flow_past.h). Each call changes nothing that is there already, so telling the same
 * once more has no effect.
 */
#include "store/workflow.h"

/* Have events of this generation of the store been read from mail? */
bool flow_past_known(Db *db, bool *ret, GError **error);
bool flow_past_set_known(Txn *txn, GError **error);

/* All that the row says but its cycle; where the artifact is known, its state, place and holder
 * are what they are now. */
bool artifact_restore(Txn *txn, const Artifact *a, ArtifactId *ret, GError **error);
/* As it was opened: what ended it, cycle_restore_end() says. With its own number, where
 * c->id says it and nobody else has it. One that is newer than the artifact's newest takes
 * its place. */
bool cycle_restore(Txn *txn, const Cycle *c, CycleId *ret, GError **error);
/* After its events: the bytes under review, and what ended it. *ret_was_open false: the store
 * knows its end, and nothing has changed. */
bool
cycle_restore_end(Txn *txn, CycleId id, const Cycle *c, bool *ret_was_open, GError **error);
/* *ret_new false: it is known. */
bool flow_event_restore(Txn *txn, const FlowEvent *e, bool *ret_new, GError **error);
