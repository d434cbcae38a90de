#pragma once

/*
 * What comes back of mail that we sent: bounces, and copies of the mail itself. Anybody can
 * write a bounce, so one counts only as far as it names what nobody else knows: our tag in the
 * address that it came to, our envelope id, or a Message-ID of ours; and only for recipients
 * that this very mail had. A copy proves that the server took the mail, which settles a doubt.
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "store/mail/messages.h"

/* Reads the bytes of a mail that looks like a bounce and is stored as id; marks the recipients
 * at which our mail failed. Leaves a line in the trace of the mail. */
bool bounce_take(Engine *engine, Txn *txn, MsgId id, GBytes *raw, GError **error);
/* To be called with a mail that came from outside: if it is a copy of a mail of ours, it
 * settles that mail's doubt. Does nothing for any other mail. */
bool bounce_copy(Engine *engine, Txn *txn, const Message *m, GError **error);
