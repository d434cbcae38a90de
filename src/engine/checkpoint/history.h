#pragma once

/*
 * A mailbox that this store has never looked into: the first start on old mail, or a store that
 * was lost. Nothing in it is work just because it is there:
 *
 *   a checkpoint in INBOX                    its job comes back, with its original
 *   in Done or Archive                       handled
 *   in Done, flagged as answered or with     ignored(history): the answer was lost with the store
 *   an answer that waited for a yes, while
 *   Sent has no such answer
 *   anywhere, and an answer in Sent settles  handled, if no other mail here has the same id
 *   it (in Active: one that ended its job)   (engine/checkpoint/proof.h)
 *   in Active                                ignored(history: was in hand)
 *   in Sent                                  handled: nobody's work, but found by a search
 *   anything else                            ignored(history), listed by status, released by a
 *                                            person
 *
 * The past ends where the store was made; for a role that was added later, at this first look.
 * Mail that this home itself filed there meanwhile is news, and left to intake.
 */
#include "engine/checkpoint/refetch.h"

/* Takes the mailbox in as above, and brings back jobs by their checkpoints: at the first look
 * of a store, those of all roles. Does nothing when the mailbox is known already. *ret_n: mails
 * taken in now. In transactions of its own, 500 mails each; whoever repeats it after a crash
 * goes on. */
bool history_take(const RoleMailbox *box, unsigned *ret_n, GError **error);

/* For an old store beside newer mail, before anything is decided about its jobs: mail in
 * Active that it does not know is taken in as above; so are the original of a job that came
 * back and what an answer in Sent settled, in INBOX too, and mail in Done whose answer had
 * not left. Everything else is left alone. In one transaction of its own; repeating it
 * changes nothing. */
bool history_catch_up(const RoleMailbox *box, GError **error);
