#pragma once

/*
 * What lies in the folder notes/: the files of notes, what an exchange displaced and has not
 * been looked at, what a crash left unfinished. Names only and times; nothing is read, no link
 * is followed, nothing is changed.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define NOTES_MARKER ".postrider"

typedef struct NoteFile {
    char *key;
    int64_t mtime_ns, size, ino;
    bool linked; /* has a second name: it may be anybody's file */
} NoteFile;

typedef struct NoteDisplaced {
    char *path; /* beneath notes/ */
    char *key;
} NoteDisplaced;

typedef struct NotesTree {
    bool marker;
    GHashTable *files;    /* key -> NoteFile, which owns the key */
    GPtrArray *displaced; /* of NoteDisplaced */
    GPtrArray *leftovers; /* of char *: paths of unfinished files of ours */
    GPtrArray *findings;  /* of char *: what is there and can't be a note */
} NotesTree;
void notes_tree_free(NotesTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NotesTree, notes_tree_free)

/* All of it. */
bool notes_tree_scan(int notes_fd, NotesTree **ret, GError **error);
/* The marker and the files of these keys alone; NULL ends the list. */
bool notes_tree_look(int notes_fd, const char *const *keys, NotesTree **ret, GError **error);
/* What was displaced or is unfinished in the folders of these keys, and nothing else. */
bool
notes_tree_look_beside(int notes_fd, const char *const *keys, NotesTree **ret, GError **error);

/* "envoy/start" -> "envoy/start.md"; caller frees. */
char *note_path(const char *key);
