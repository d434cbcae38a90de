#pragma once

/*
 * Mail that comes back to us: bounces of mail that we sent, and our own copies of it. Anybody
 * can write a bounce, so a bounce counts only if it names a secret of ours (our tag in the
 * address to which the bounce came, our envelope id, or a Message-ID of ours), and only for
 * recipients that this very mail had. A copy proves that the server took the mail, so that the
 * mail is no longer in doubt.
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "store/mail/messages.h"

/* Reads raw, the bytes of the mail id, which looks like a bounce. Marks each recipient at whom
 * our mail failed, and writes a line into the trace of the mail id. A bounce that does not
 * count marks nobody, and is no error. */
bool bounce_take(Engine *engine, Txn *txn, MsgId id, GBytes *raw, GError **error);
/* To be called for every mail from outside. If m is our own copy of a mail that is in doubt,
 * that mail counts as sent from now on. Does nothing for any other mail. */
bool bounce_copy(Engine *engine, Txn *txn, const Message *m, GError **error);
