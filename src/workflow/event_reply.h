#pragma once

/*
 * People decide by a reply. The first line of a mail that answers an event, from a person who takes part in the workflow, is
 * an event itself if it is one of
 *
 *     APPROVE            an approval; what follows are the reviewer's comments
 *     REJECT: why        a rejection
 *     REVISE: why        the same
 *     BLOCKED: why       a blocker-report to the coordinator
 *
 * and `notify` would say the same for them: who may, and what happens, is decided in event_send.h.
 */
#include "mail/message.h"
#include "mail/origin.h"
#include "workflow/event_send.h"

/* on_way: the mail is being posted; else it was taken in. *ret false: the mail is no such reply, or a reply that counts only
 * at the other of these two moments. Else *ret_plan is what it decides, or *ret_why says why it may not decide (caller frees
 * both). ERR_AGAIN: the artifact is to be looked at first. */
bool event_reply(Engine *engine,
                 Trust trust,
                 const Message *m,
                 bool on_way,
                 bool *ret,
                 EventPlan **ret_plan,
                 char **ret_why,
                 GError **error);
