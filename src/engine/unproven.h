#pragma once

/*
 * Mail that says it is from somebody we work for and can't prove it is held; the owner hears of
 * it, at most once a day for each such sender. Nobody else is told: the address that it names
 * may be a victim's.
 */
#include "engine/engine.h"
#include "mail/message.h"

bool unproven_tell(Engine *engine,
                   Txn *txn,
                   const ConfRole *role,
                   const Message *m,
                   const char *proof,
                   GError **error);
