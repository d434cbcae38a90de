#pragma once

/*
 * Full text over the newest versions of notes, in state/index.db beside that of mail. It
 * follows note_version by a mark of its own; it needs nothing but the store, so whoever
 * searches brings it up to date first.
 */
#include "store/index/index.h"
#include "store/note/note_versions.h"

typedef struct NoteQuery {
    const Viewer *viewer; /* only what this one may see */
    const char *words;    /* ANDed, "a phrase" is one; no input is an error */
    unsigned limit;
} NoteQuery;

/* ERR_AGAIN: the file was deleted or broke meanwhile; the same call once more makes it anew. */
bool notes_index_follow(Index *ix, Db *db, GError **error);
/* Best first; nothing without words. */
bool notes_index_search(Index *ix, Db *db, const NoteQuery *q, NoteHits **ret, GError **error);
