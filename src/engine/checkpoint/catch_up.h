#pragma once

/*
 * Going on with a store that is older than its mail: a restored backup. What the mail proves to
 * have happened since is taken over, so that nothing is done again:
 *
 *   a mail in Sent                           it left
 *   an answer there                          the mails that it names are settled
 *   an open mail that lies in Done           likewise, unless it is flagged as answered or a
 *                                            person was asked about its answer, and no answer
 *                                            to it is there
 *   a person's REJECT in Sent                the held mail that it names is refused
 *   a person's APPROVE in Sent               the held mail that it names stays held, and is counted,
 *                                            unless Sent has it too
 *   a mail in Active that nobody knows       its job has it, or it is listed
 *   a mail in Done that nobody knows, and    it is listed
 *   whose answer had not left
 *
 * And of each job, by its trail (engine/checkpoint/trail.h), the first of these that holds:
 *
 *   stopped or cancelled since               it is so again
 *   parked since, and not gone on            parked with that checkpoint
 *   its mail is filed as answered, and its
 *   answer lies nowhere                      stopped: a person says CONTINUE or CANCEL
 *   its newest mail is an answer             done, unless there is open mail for a next round
 *   it had open mail, and has none any more  done
 *   it went on, and nothing says how far     stopped: a person looks, and says CONTINUE or CANCEL
 *   anything else                            as the store has it
 */
#include "engine/engine.h"

typedef struct CatchUp {
    unsigned delivered;              /* deliveries that had been made after all */
    unsigned answered;               /* mails */
    unsigned ended, parked, stopped; /* jobs */
    unsigned held;                   /* mails that were approved, and of which Sent has none */
} CatchUp;

/* For all roles but those whose mail lies on a server: of these nothing runs and nothing leaves
 * until catch_up_server(). Also draws the line under it: see accept_backup() in
 * store/job/accept.h. What is found is added to *ret, which means nothing on failure. In
 * transactions of its own; repeating it changes nothing. */
bool catch_up(Engine *engine, CatchUp *ret, GError **error);
/* For the roles of an imap account, when the mail here is as it is on the server
 * (remote/remote_backup.c). */
bool catch_up_server(Engine *engine, const ConfAccount *server, CatchUp *ret, GError **error);
