#pragma once

/*
 * Mail that may crash the parser. The names of a batch are written down (not flushed: it is for
 * a crash of this process) before they are parsed, and wiped by the batch's own transaction. A
 * start that finds names takes them one by one; a single name that is found three times is under
 * suspicion. That is no proof: somebody may have killed us each time. So it is parsed in a child
 * (postrider-parse) first, and only a mail that ends the child too, each time, is the culprit.
 */
#include "engine/engine.h"

#define SUSPECT_CRASHES 3

typedef struct Suspects {
    GHashTable *files; /* char * set: names of the batch that did not end; empty: all is well */
    int crashes;       /* how often a single name was found */
} Suspects;
void suspects_clear(Suspects *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Suspects, suspects_clear)

bool suspects_load(Engine *engine, const char *mailbox, Suspects *ret, GError **error);
bool suspects_mark(
    Engine *engine, const char *mailbox, const GPtrArray *files, int crashes, GError **error);
bool suspects_wipe(Txn *txn, const char *mailbox, GError **error);
bool suspects_convict(const Home *home, GBytes *raw); /* does parsing it end a process? */
