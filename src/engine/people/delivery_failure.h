#pragma once

/*
 * Mail of ours that did not arrive, or that nobody knows the fate of: who hears of it. Its job
 * does, in its next context, and goes on at once if it waits; and one mail says so to the
 * owner, else to whoever asked. Nobody is told by mail about a mail to themselves: that would
 * not arrive either, and a notice about a notice is how loops begin.
 */
#include "engine/engine.h"
#include "store/out/outbox.h"

typedef struct DeliveryFailure {
    const char *address, *why;
} DeliveryFailure;

/* lost: of DeliveryFailure, recipients of this mail that failed for good; none: nothing is said. */
bool delivery_failure_tell(
    Engine *engine, Txn *txn, const OutRow *mail, const GArray *lost, GError **error);
/* Handed over, and no answer came (open: likewise): the owner is asked what to do, by a question that
 * APPROVE and REJECT answer (engine/people/hold.h). */
bool delivery_failure_ask(
    Engine *engine, Txn *txn, const OutRow *mail, const GArray *open, GError **error);
/* What the job is to hear in its next context; NULL: nothing. *ret_ids are deliveries (int64_t)
 * for outbox_news_told() in the step's commit. */
bool
delivery_failure_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error);
