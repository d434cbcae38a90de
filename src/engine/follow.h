#pragma once

/* Following: feeds the search index (state/index.db) with mail that the store has and the index
 * has not yet. */
#include "engine/engine.h"
#include "mail/maildir.h"
#include "store/index/index.h"

/* Brings the index up to the store, by about max mails at most; max 0: all. *ret_n (may be
 * NULL): how many mails were read. Reads mail files, and has transactions of the index: not to
 * be called within one of the store. */
bool follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error);
