#pragma once

/* What the parts of the index share, for this room only. */
#include "store/gate.h"
#include "store/index/index.h"
#include "store/sql.h"

struct Index {
    const Home *home;
    char *path;
    Gate *gate;
    SqlConn conn;
    int64_t marks[INDEX_N]; /* at index_begin() */
    bool writing;
};

/* Opens it again where the file was deleted or replaced; at the begin of every entry. */
bool index_reopen(Index *ix, GError **error);
/* Sets the error from what SQLite said last. A broken index is no loss: it goes, and ERR_AGAIN
 * lets the caller begin again. Returns false. */
bool index_failed(Index *ix, GError **error, const char *doing);
/* One number of a statement without marks. */
bool index_number(Index *ix, const char *sql, int64_t *ret, GError **error);
/* The name of a role, or of a folder of notes, as one word, which no other has in it; of "" or NULL one that none has. Caller frees. */
char *index_role_word(const char *role);
/* Ends what index_begin() began; harmless when nothing was. */
void index_roll_back(Index *ix);
