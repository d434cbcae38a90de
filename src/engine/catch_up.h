#pragma once

/*
 * Going on with a store that is older than its mail: a restored backup. What the mail proves to
 * have happened since is taken over, so that nothing is done again:
 *
 *   a mail in Sent                           it left
 *   an answer there                          the mails that it names are settled
 *   an open mail that lies in Done           likewise
 *   a mail in Active that nobody knows       its job has it, or it is listed
 *
 * And of each job, by its trail (engine/trail.h), the first of these that holds:
 *
 *   stopped or cancelled since               it is so again
 *   parked since, and not gone on            parked with that checkpoint
 *   its newest mail is an answer             done, unless there is open mail for a next round
 *   it had open mail, and has none any more  done
 *   it went on, and nothing says how far     stopped: a person looks, and says CONTINUE or CANCEL
 */
#include "engine/engine.h"

typedef struct CatchUp {
    unsigned delivered;              /* deliveries that had been made after all */
    unsigned answered;               /* mails */
    unsigned ended, parked, stopped; /* jobs */
} CatchUp;

/* Also draws the line under it: see accept_backup() in store/accept.h. Repeating it changes
 * nothing. */
bool catch_up(Engine *engine, CatchUp *ret, GError **error);
