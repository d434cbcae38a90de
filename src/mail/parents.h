#pragma once

/*
 * A mail may answer several mails: its In-Reply-To then has the ids of all of them. The first
 * is the one whose job the mail belongs to, and below which it hangs in a tree. References have
 * the ancestors of all, and the first parent's own stand last, since whoever reads References
 * backwards takes the last id for the parent.
 */
#include "mail/compose.h"
#include "mail/message.h"

#define PARENTS_MAX 8u

/* The ids of In-Reply-To in order, char *, at most PARENTS_MAX, without brackets; empty where
 * there are none, never NULL. Caller unrefs. */
GPtrArray *parents_of(const Message *m);
/* Sets In-Reply-To and References of a mail that answers those with these ids; an id that may
 * not stand in a mail of ours is left out. Where all are left out, or there are none, there is
 * no In-Reply-To, and References are those of the first chain. chains: for each id, in the same
 * order, the References that an answer to it alone would have (msgid_answer_references()), a
 * GPtrArray that ends with that id. ERR_LIMIT: the ids do not fit on one line. */
bool parents_thread(Compose *c, const GPtrArray *ids, const GPtrArray *chains, GError **error);
