#pragma once

/*
 * Notes: every version of each, by key. A key is a path ("envoy/states/triage"); the newest
 * version is also a file that people edit (notes/notes.h), every older one is only here.
 *
 * (1) Versions are numbered from 1 and never change. Deleting a note is a version too, one
 *     without a body; a note that comes back goes on counting.
 * (2) `label` is the lowest trust of anything that its writer had read (ENGINE: the floor of
 *     the step), so text of a stranger is still known as such when another job reads it from a
 *     note.
 * (3) What a viewer may not see (store/viewer.h) is not there in any read, and a write of it is
 *     refused by one line that is the same whether there is such a note or not.
 * (4) A note whose `version` is above `mirrored` is owed to its file: notes_sync() writes it.
 *
 * Who calls what: outside src/notes all writes go through notes_put(), notes_append(),
 * notes_rename() and notes_delete() (notes/notes.h), which look at links, too.
 */
#include "mail/origin.h"
#include "store/db.h"
#include "store/viewer.h"
#include "view/note_rows.h"

#define NOTE_KEY_MAX 200
/* [A-Za-z0-9._-] segments with '/' between them; no segment begins with a dot, so there is no
 * way out and no hidden file; no folder ends in ".md", so none meets the file of another note.
 * At most NOTE_KEY_MAX bytes. */
bool note_key_valid(const char *key);
/* ERR_NEVER that says what is wrong with it. */
bool note_key_check(const char *key, GError **error);

/* A version of a note with its body; version 0: the newest. NULL with true: there is no such
 * version for this viewer, or it is a deletion. */
bool note_load(
    Db *db, const Viewer *viewer, const char *key, int64_t version, Note **ret, GError **error);
/* The same without the body; a deletion is handed out too (Note.deleted). */
bool note_look(
    Db *db, const Viewer *viewer, const char *key, int64_t version, Note **ret, GError **error);
/* The body as text: valid UTF-8 without NUL; caller frees. */
char *note_text(const Note *note);

/* Who writes, and why. Within a job it is a role that writes, and `author` is its name: it may
 * write what it may see. */
typedef struct NoteBy {
    const char *author;
    Trust label;
    JobId job; /* {0}: a person */
    int step;
    bool below; /* in a round below steer: somebody who asked may not, or a stranger was read */
} NoteBy;

Viewer note_writer(const NoteBy *by); /* the role within a job, else the operator */

/* What must be so for a write; a number above 0: that is the newest version. */
#define NOTE_ANY INT64_C(-1)   /* nothing */
#define NOTE_ABSENT INT64_C(0) /* there is no such note */
/* by->job wrote the newest version or was shown it last; was it shown none, there is no such
 * note. Kept by the runtime, whatever a model says that it knows. */
#define NOTE_SHOWN INT64_C(-2)
/* Where the condition does not hold: ERR_NEVER, "conflict: …" with both version numbers and the
 * newest one's author; nothing was written. ret_version may be NULL. */
bool note_put(Txn *txn,
              const char *key,
              GBytes *body,
              int64_t if_version,
              const NoteBy *by,
              int64_t *ret_version,
              GError **error);
/* Behind what is there, on a line of its own; makes the note where there is none. Without any
 * condition: an append loses nobody's words. The label is the lower of both. */
bool note_append(Txn *txn,
                 const char *key,
                 GBytes *body,
                 const NoteBy *by,
                 int64_t *ret_version,
                 GError **error);
/* ERR_NEVER where `from` is none, or `to` is taken. Text keeps its label. */
bool note_rename(Txn *txn, const char *from, const char *to, const NoteBy *by, GError **error);
/* ERR_NEVER where there is none. if_version as in note_put(). */
bool
note_delete(Txn *txn, const char *key, int64_t if_version, const NoteBy *by, GError **error);

/* What a job was shown last. Unflushed is fine: a mark that is lost makes a conflict, never a
 * loss. */
bool note_mark_shown(Txn *txn, JobId job, const char *key, int64_t version, GError **error);
/* 0: none. */
bool
note_shown_version(Db *db, JobId job, const char *key, int64_t *ret_version, GError **error);

/* The jobs that wrote a version of this note, also under names that it had before; {0} for
 * people. Who only renamed it wrote nothing. Elements are JobId. */
bool note_writers(Db *db, const char *key, GArray **ret, GError **error);
/* *ret: a person, or a round that was not below steer (NoteBy), has written this note at some
 * time, also under names that it had before, and also if it was deleted since. What the job
 * `own` wrote in this round (0: in any) does not count. */
bool note_steered(Db *db, const char *key, JobId own, int round, bool *ret, GError **error);

/* Live notes that the viewer may see, by key, without bodies. prefix "": all;
 * "envoy/": those beneath. */
bool notes_list(Db *db, const Viewer *viewer, const char *prefix, Notes **ret, GError **error);
/* All versions of one note without bodies, newest first; empty: never was, for this viewer. */
bool note_history(Db *db, const Viewer *viewer, const char *key, Notes **ret, GError **error);

/*
 * The mirror's own view, for src/notes: one row per key, what its file holds as far as we know,
 * and the marks by which an unchanged file is known without reading it.
 */
typedef struct NoteMirror {
    char *key;
    int64_t version, mirrored;
    bool deleted;
    bool has_file; /* digest counts: we put a file there or saw one */
    Digest digest;
    int64_t mtime_ns, size, ino; /* 0: look at the bytes */
} NoteMirror;
SHAPE_OF(NoteMirror, note_mirror, NoteMirrors, note_mirror_rows)
/* By key. */
bool note_mirrors(Db *db, NoteMirrors **ret, GError **error);
bool note_mirror_load(Db *db, const char *key, NoteMirror **ret, GError **error);
bool note_mirrors_owed(Db *db, bool *ret, GError **error); /* is a file behind its note? */
/* The rows of notes whose files are behind. */
bool note_mirrors_behind(Db *db, NoteMirrors **ret, GError **error);
/* What the file holds now: m's mirrored, has_file, digest and marks. */
bool note_mirror_set(Txn *txn, const NoteMirror *m, GError **error);
/* The newest version of this key with exactly these bytes; 0: none. */
bool
note_version_of(Db *db, const char *key, GBytes *body, int64_t *ret_version, GError **error);
