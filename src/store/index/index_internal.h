#pragma once

/* The inside of the search index (store/index/index.h), shared by the files of this folder;
 * nobody else includes it. */
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

/* Opens the index again if its file was deleted or replaced since it was opened. To be called
 * before the index is read. */
bool index_reopen(Index *ix, GError **error);
/* Sets the error from what SQLite said last, and returns false. A broken index is no loss: its
 * file is deleted, and ERR_AGAIN tells the caller to begin again. */
bool index_failed(Index *ix, GError **error, const char *doing);
/* The one number that a statement without parameters gives. */
bool index_number(Index *ix, const char *sql, int64_t *ret, GError **error);
/* The name of a role, or of a folder of notes, as one word of the index that stands for no
 * other name. "" and NULL give a word that stands for no name. Caller frees. */
char *index_role_word(const char *role);
/* Takes back what index_begin() began; does nothing when nothing was begun. */
void index_roll_back(Index *ix);
