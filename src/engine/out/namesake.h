#pragma once

/*
 * Mail of ours under another Message-ID. Some servers put an id of their own on what they take,
 * and then all others know the mail by that alone: answers name it, and so do bounces. Which id
 * it is, is learnt from whoever tells first (store/out/server_ids.h):
 *
 *   250 2.0.0 OK <new@server>           what the server says to the whole mail (submit)
 *   X-Microsoft-Original-Message-ID     in a copy of the mail: in the server's Sent folder
 *   References: … <ours>                (remote/remote_sent.c), or one that came back to us
 *
 * Ours stands last in References where the settings say `message-id = server`; in an answer the
 * new one stands there behind it. Copies without either are known by date, subject and body.
 *
 * Once learnt, mail that names the new id is read as naming ours: its thread, its job, orders,
 * the question that it answers. Anybody can write a header, so a mail that came to us counts as
 * a copy only with the very body that we sent.
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "mail/msgid.h"
#include "store/out/outbox.h"

/* The id in a server's reply to a whole mail; NULL: the reply names no id, or only ours, or an
 * address of the mail's envelope (n of them). Caller frees. */
char *
namesake_in_reply(const char *reply, const char *ours, const char *const *envelope, size_t n);

/* Reads the Message-ID that we gave this mail, wherever a server has put it. *ret_sure: the
 * place is one that only a copy of this very mail has; false: the id stands last in References,
 * where an answer has it too. False: it is no mail of ours. */
bool namesake_minted(const Home *home, const Message *m, Minted *ret, bool *ret_sure);
/* The mail of ours of which this may be a copy, by its headers; *ret_sure as above. {0}: of
 * none. */
OutId namesake_of(const Home *home, uint64_t generation, const Message *m, bool *ret_sure);
/* True when date and subject agree; and, for the second call, when the body does too. */
bool namesake_is_alike(const Message *copy, const Message *ours);
bool namesake_is_same(const Message *copy, const Message *ours);

/* To be called with a mail that came from outside, before it is judged: learns from the mail,
 * if it is a copy, and puts our ids into m where it has ids of servers. */
bool namesake_take(Engine *engine, Txn *txn, Message *m, GError **error);
