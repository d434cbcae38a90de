#pragma once

/*
 * Mail that says it is from somebody we work for and can't prove it is held; the owner hears of
 * it, at most once a day for each such sender. Nobody else is told: the address that it names
 * may be a victim's.
 */
#include "engine/engine.h"
#include "engine/in/judge.h"
#include "mail/message.h"

/* The newest such mail that `authserv-fields = several` would have proved; `status` names
 * it. */
#define UNPROVEN_SEVERAL "unproven-several"

/* Tells the owner, if it is time. number: the mail's row, where another mail has the same
 * Message-ID; {0}: the id alone names the mail. */
bool unproven_notice(Engine *engine,
                     Txn *txn,
                     const ConfRole *role,
                     const Message *m,
                     MsgId number,
                     const Judgement *j,
                     GError **error);
