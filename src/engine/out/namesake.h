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

/* The id in a server's reply to a whole mail; NULL: it names none, or only ours, or an address
 * of its envelope (n of them). Caller frees. */
char *
namesake_in_reply(const char *reply, const char *ours, const char *const *envelope, size_t n);

/* What the Message-ID that we gave this mail says, wherever a server has put it; *ret_sure: no
 * other mail says that. False: it is no mail of ours. */
bool namesake_minted(const Home *home, const Message *m, Minted *ret, bool *ret_sure);
/* Which mail of ours this may be a copy of, by what its header says; *ret_sure: no other mail
 * says that. {0}: none. */
OutId namesake_of(const Home *home, uint64_t generation, const Message *m, bool *ret_sure);
/* Do date and subject agree? Do they and the body? */
bool namesake_is_alike(const Message *copy, const Message *ours);
bool namesake_is_same(const Message *copy, const Message *ours);

/* A mail that came from outside, before it is judged: learns from it, if it is a copy, and lets
 * it name our ids where it names theirs. */
bool namesake_take(Engine *engine, Txn *txn, Message *m, GError **error);
