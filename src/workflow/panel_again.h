#pragma once

/*
 * What a lost store means for panels (workflow/flow_past.h): the ballots of one that had a review are gone, so it is void, and
 * its members are asked anew about the same request. Nobody has to do anything for that, since nothing can happen twice by it: members
 * only judge, a decision that anybody has heard has closed the review, and one that nobody has heard was none.
 *
 *   void       a row that says so, and one mail to author and coordinator
 *   released   the request, which is history like all mail that a new store finds, once intake has seen it: `look`
 *   opened     the panel's own job does that, as for any request
 *
 * A panel that was to revise a rejected text begins anew with the same rejection in the same way, where no newer review has begun.
 */
#include "workflow/panel.h"
#include "store/job/timers.h"
#include "store/workflow.h"

#define PANEL_AGAIN "workflow" TIMER_LOOK

/* Makes the panel of a lost review void. asked: the request lies in the panel's mailbox; else
 * somebody has to send it again, which the mail says. */
bool panel_void_lost(Engine *engine,
                     Txn *txn,
                     const char *panel,
                     const Artifact *a,
                     const Cycle *c,
                     bool asked,
                     GError **error);
/* The review was rejected, and the panel that wrote the artifact has sent no other request: it revises anew. asked: the
 * rejection lies in its mailbox; else the coordinator hears how to go on by hand. */
bool panel_lose_revision(
    Engine *engine, Txn *txn, const Artifact *a, const Cycle *c, bool asked, GError **error);
/* The same for a panel that was asked by the mail with this id and text, which is no event: writes
 * the row, and a mail to the coordinator. Nobody is asked anew, since a panel that writes would do
 * its work twice. */
bool panel_void_asked(Engine *engine,
                      Txn *txn,
                      const char *panel,
                      const char *msgid,
                      const char *text,
                      GError **error);
/* Tells author and coordinator, once, of a decision that is on file and of which no mail was
 * delivered. */
bool panel_tell_unsaid(
    Engine *engine, Txn *txn, const Artifact *a, const Cycle *c, GError **error);

/* A part of FaceOps.look, and of FaceOps.due for the timer PANEL_AGAIN. */
bool panel_again_look(Engine *engine, unsigned *n, GError **error);
bool panel_again_due(Engine *engine, Txn *txn, const Timer *t, GError **error);
