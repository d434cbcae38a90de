#pragma once

/* Feeds state/index.db from the mail files, behind the store. */
#include "engine/engine.h"
#include "store/index.h"

/* Brings the index up to the store. max 0: all. ret_n: mails read. */
bool follow_index(Engine *engine, Index *ix, unsigned max, unsigned *ret_n, GError **error);
/* Reads the file of a row wherever it lies now. NULL with true: gone. */
bool follow_read(const Home *home, const MsgRow *row, GBytes **ret_bytes, GError **error);
