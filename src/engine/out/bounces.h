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

/* raw: of a mail that looks like a bounce and is stored as id. Leaves a line in its trace. */
bool bounce_take(Engine *engine, Txn *txn, MsgId id, GBytes *raw, GError **error);
/* m came from outside; harmless when it is not ours. */
bool bounce_copy(Engine *engine, Txn *txn, const Message *m, GError **error);
