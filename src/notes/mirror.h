#pragma once

/* The inside of notes/notes.h: the two sides of a sync, which are what lies in the folder
 * notes/ and what the store knows of it. For src/notes alone. Everything here is done under
 * state/notes.lock, and without an open Txn. */
#include "notes/note_files.h"
#include "notes/notes.h"

typedef struct Mirror {
    const Home *home;
    Db *db;
    int fd;                  /* the folder notes/; -1: it is not there, but should be */
    const char *const *keys; /* only these notes, NULL at the end; NULL: all of them */
    NoteFiles *tree;
    NoteMirrors *rows;
    GHashTable *by_key; /* key -> its entry in rows */
    NotesReport *report;
    bool recovering;  /* a new store beside files of an old one */
    unsigned unknown; /* notes that came back that way, and of which nobody knows who wrote them */
} Mirror;
void mirror_clear(Mirror *m);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mirror, mirror_clear)

/* Reads both sides, for the first time or again. */
bool mirror_load(Mirror *m, GError **error);
/* True when both sides are the same by version numbers and times, and nothing is left over. */
bool mirror_is_clean(const Mirror *m);
/* True when the file is the one that we saw last, by its times, size and inode. */
bool mirror_same_file(const NoteMirror *row, const NoteMirror *file);
bool mirror_file_there(const Mirror *m, const char *key);  /* now, whatever was loaded */
NoteMirror *mirror_row(const Mirror *m, const char *key);  /* NULL: none */
NoteMirror *mirror_file(const Mirror *m, const char *key); /* likewise */
/* Adds a finding, or a conflict, to the report. */
void mirror_find(Mirror *m, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
void mirror_conflict(Mirror *m, const char *key, int64_t theirs, int64_t ours);

/* mirror_take.c: what people did. Edits and new files become versions; a file that is gone
 * deletes its note, unless only some notes are looked at. */
bool mirror_take_edits(Mirror *m, GError **error);
/* One file that an exchange displaced: bytes that we do not know become a version (then
 * *ret_taken is set to true, else it stays as it is), and the file goes. A file that is still
 * open in an editor stays, which is no error. */
bool mirror_take_displaced(
    Mirror *m, const char *path, const char *key, bool *ret_taken, GError **error);

/* mirror_write.c: writes and removes the files that the store owes. */
bool mirror_write_owed(Mirror *m, GError **error);
