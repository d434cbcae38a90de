#pragma once

/*
 * What lies in the folder notes/: the files of notes, what an exchange displaced and has not
 * been looked at, what a crash left unfinished. Names only and times; nothing is read, no link
 * is followed, nothing is changed.
 */
#include "store/note/note_versions.h"

#define NOTES_MARKER ".postrider"

typedef struct NoteDisplaced {
    char *path; /* beneath notes/ */
    char *key;
} NoteDisplaced;

typedef struct NoteFiles {
    bool marker;
    NoteMirrors *files;   /* of each the key and the marks; a file with a second name may be
                           * anybody's: its ino is 0, so that it is looked at */
    GHashTable *by_key;   /* key -> its entry in files */
    GPtrArray *displaced; /* of NoteDisplaced */
    GPtrArray *leftovers; /* of char *: paths of unfinished files of ours */
    GPtrArray *findings;  /* of char *: what is there and can't be a note */
} NoteFiles;
void note_files_free(NoteFiles *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NoteFiles, note_files_free)

/* Looks at the whole folder. */
bool note_files_scan(int notes_fd, NoteFiles **ret, GError **error);
/* Looks at the marker and at the files of these keys alone; NULL ends the list. */
bool note_files_look(int notes_fd, const char *const *keys, NoteFiles **ret, GError **error);
/* Looks only for what was displaced or is unfinished in the folders of these keys. */
bool
note_files_look_beside(int notes_fd, const char *const *keys, NoteFiles **ret, GError **error);

/* "envoy/start" -> "envoy/start.md"; caller frees. */
char *note_path(const char *key);
struct stat;
int64_t note_mtime_ns(const struct stat *st);
