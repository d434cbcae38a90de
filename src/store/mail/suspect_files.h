#pragma once

/* Names of mail files that are being parsed (engine/in/suspects.h). */
#include "store/db.h"

typedef struct Suspects {
    GHashTable *files; /* char * set: names of the batch that did not end; empty: all is well */
    int crashes;       /* how often a single name was found */
} Suspects;
void suspects_clear(Suspects *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Suspects, suspects_clear)

bool suspects_load(Db *db, const char *mailbox, Suspects *ret, GError **error);
/* Instead of those that are there; not flushed. */
bool
suspects_mark(Db *db, const char *mailbox, const GPtrArray *files, int crashes, GError **error);
bool suspects_wipe(Txn *txn, const char *mailbox, GError **error);
