#pragma once

/*
 * Who hears of mail of ours that did not arrive, or of which nobody knows whether it arrived.
 * Its job hears it in its next context, and goes on at once if it waits; and one mail says so
 * to the owner, else to whoever asked. Nobody is told by mail about a mail to themselves: that
 * would not arrive either, and a notice about a notice is how loops begin.
 */
#include "engine/engine.h"
#include "store/out/outbox.h"

typedef struct DeliveryFailure {
    const char *address, *why;
} DeliveryFailure;

/* Tells of recipients of this mail that failed for good (lost: of DeliveryFailure); an empty
 * list tells nothing. */
bool delivery_failure_tell(
    Engine *engine, Txn *txn, const OutRow *mail, const GArray *lost, GError **error);
/* Asks the owner about a mail that was handed over and to which no answer of the server came,
 * by a question that APPROVE and REJECT answer (engine/people/hold.h). open: of
 * DeliveryFailure, the recipients. */
bool delivery_failure_ask(
    Engine *engine, Txn *txn, const OutRow *mail, const GArray *open, GError **error);
/* What the job is to hear in its next context; *ret_text NULL: nothing. *ret_ids are deliveries
 * (int64_t) for outbox_news_told() in the step's commit. Caller frees both. */
bool
delivery_failure_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error);
