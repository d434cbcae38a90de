#pragma once

/*
 * Mail of ours that did not arrive, or that nobody knows the fate of: who hears of it. Its job
 * does, in its next context, and goes on at once if it waits; and one mail says so to the
 * owner, else to whoever asked. Nobody is told by mail about a mail to themselves: that would
 * not arrive either, and a notice about a notice is how loops begin.
 */
#include "engine/engine.h"
#include "store/outbox.h"

typedef struct Undelivered {
    const char *address, *why;
} Undelivered;

/* lost: recipients of this mail that failed for good. */
bool undelivered_tell(Engine *engine,
                      Txn *txn,
                      const OutRow *mail,
                      const Undelivered *lost,
                      size_t n,
                      GError **error);
/* Handed over, and no answer came: the owner is asked what to do, by a question that APPROVE
 * and REJECT answer (engine/hold.h). */
bool undelivered_ask(Engine *engine,
                     Txn *txn,
                     const OutRow *mail,
                     const Undelivered *open,
                     size_t n,
                     GError **error);

/* What the job is to hear in its next context; NULL: nothing. *ret_ids are deliveries (int64_t)
 * for outbox_news_told() in the step's commit. */
bool undelivered_news(Db *db, JobId job, char **ret_text, GArray **ret_ids, GError **error);
