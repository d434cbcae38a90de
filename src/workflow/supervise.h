#pragma once

/*
 * What the workflow watches over, so that agents don't talk in circles:
 *
 *   ping-pong       six mails between two roles, in whichever threads and about whichever artifacts, while neither has moved,
 *                   changed or decided on an artifact, or heard a person
 *   one question    asked by a role about an artifact for the third time
 *   errors          as many of its tries have failed on one day as `errors-per-day` says
 *   money           its work has cost as much on one day as its `max-cost-per-day` says; or all work on one artifact as much as
 *                   the `max-cost` of its kind: then the artifact pauses, and who works on it does other work
 *
 * Then the role whose turn it is pauses (store/job/role_pauses.h), and the coordinator gets one blocker-report with
 * counts. A role that pauses for its errors or its money goes on by itself on the next day (UTC). An answer of a person to
 * that report, or `role resume`, lets it go on, and counting begins anew. A question that has no answer within
 * `answer-within` is brought to the coordinator once; nobody pauses for it.
 */
#include "engine/in/judge.h"
#include "engine/in/orders.h"
#include "mail/message.h"
#include "store/job/timers.h"
#include "store/mail/messages.h"
#include "workflow/event_send.h"

#define SUPERVISE_TIMER "workflow:answer" /* its subject is the Message-ID of the question */
#define SUPERVISE_TOMORROW                                                                     \
    "workflow:tomorrow" /* its subject is the role that pauses until then, and the report of it */

/* Whom `[workflow] escalate` names: char *, borrowed. Caller unrefs. */
GPtrArray *supervise_escalate(const Engine *engine);
/* A mail was taken in for a role. */
bool supervise_mail(Engine *engine, Txn *txn, const MsgNew *in, GError **error);
/* An event was written down. changed: its artifact has other bytes than at the event before,
 * or is sent for review as the first event about it. */
bool supervise_event(Engine *engine, Txn *txn, const FlowEvent *e, bool changed, GError **error);
/* A try of this job has failed. */
bool
supervise_failed(Engine *engine, Txn *txn, const Job *job, const char *why, GError **error);
/* A reply that lets an artifact cost more. */
bool supervise_order(
    Engine *engine, const Judgement *j, const Message *m, Order *ret, GError **error);
/* An answer for this job was paid for, or its artifact pauses. */
bool supervise_paid(Engine *engine, Txn *txn, const Job *job, GError **error);
/* SUPERVISE_TIMER is due. */
bool supervise_due(Engine *engine, Txn *txn, const Timer *t, GError **error);
/* SUPERVISE_TOMORROW is due. */
bool supervise_tomorrow(Txn *txn, const Timer *t, GError **error);
