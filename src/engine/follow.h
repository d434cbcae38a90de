#pragma once

/* Feeds state/index.db from the mail files and the outbox, behind the store. */
#include "engine/engine.h"
#include "mail/maildir.h"
#include "store/index/index.h"

/* Brings the index up to the store. max 0: all. ret_n: mails read. */
bool follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error);
