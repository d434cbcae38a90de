#pragma once

/*
 * Notes as files. notes/KEY.md is the newest version of a note; a person may edit, add, rename
 * and delete these files at any time, with any editor. The store (store/note/note_versions.h)
 * holds the truth; this room keeps both sides the same.
 *
 *     store: version > mirrored      --notes_sync()-->  the file is written, or removed
 *     file: other bytes than ours    --notes_sync()-->  a version by "person"
 *
 * (1) We never write over bytes that we have not seen: a new file is exchanged with the old
 *     one, and what comes out is looked at, once more after its last writer has closed it,
 *     before it goes.
 * (2) When a person's edit and our write meet, the person's is the newest version and ours
 *     stays in the history.
 * (3) A missing file deletes its note, unless the marker notes/.postrider is missing too or
 *     most files vanished at once: then a disk is not mounted, and nothing is done but to say
 *     so.
 * (4) Bytes are in the store, flushed, before the file that held them goes.
 *
 * Nothing here may be called with a Txn open: syncing has transactions of its own, and holds
 * state/notes.lock around them, so that two programs do not do it at once.
 */
#include "store/index/note_index.h"
#include "store/note/note_versions.h"

/* The person wrote `theirs` without having seen our `ours`. */
typedef struct NoteConflict {
    char *key;
    int64_t theirs, ours;
} NoteConflict;

/* What one sync did. */
typedef struct NotesReport {
    unsigned written, imported, deleted;
    unsigned busy;        /* open in an editor: next time */
    GPtrArray *conflicts; /* of NoteConflict */
    GPtrArray *findings;  /* of char *: what a person must look at, one line each */
} NotesReport;
void notes_report_free(NotesReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NotesReport, notes_report_free)

/*
 * Brings edits into the store and files up to the store. To be called at a program's start,
 * before an agent starts, and before notes are listed or searched; never inside the step loop.
 * Costs a look at each file's times when nothing changed.
 * ret_report may be NULL. ERR_LATER: somebody else is at it for too long.
 */
bool notes_sync(const Home *home, Db *db, NotesReport **ret_report, GError **error);
/* The same for these notes alone, or with keys NULL for those whose files are behind the store,
 * as at the end of a run. What people did to other files is left to the next notes_sync(), so
 * this looks only at the names in the folders of these notes. Where one of their files is gone
 * or new, it becomes a notes_sync(). */
bool notes_sync_some(const Home *home,
                     Db *db,
                     const char *const *keys,
                     NotesReport **ret_report,
                     GError **error);
/* Takes edits of these notes into the store, and writes no file: to be called before the notes
 * are shown or written. Where one of their files is gone or new, it becomes a notes_sync().
 * NULL ends the list; keys that are not valid are skipped. */
bool notes_import(const Home *home, Db *db, const char *const *keys, GError **error);
/* Writes every file that is missing from the store again, marker included: the answer to
 * invariant (3) when the files are really gone. */
bool notes_restore(const Home *home, Db *db, NotesReport **ret_report, GError **error);

/* As note_put() and note_append(). A writer may not link to a note that it may not see
 * (store/viewer.h), but for links that stood in the note before: ERR_NEVER, with the line that
 * a write of that other note gets. CONTENTS never names notes of spaces. */
bool notes_put(Txn *txn,
               const char *key,
               GBytes *body,
               int64_t if_version,
               const NoteBy *by,
               int64_t *ret_version,
               GError **error);
bool notes_append(Txn *txn,
                  const char *key,
                  GBytes *body,
                  const NoteBy *by,
                  int64_t *ret_version,
                  GError **error);
/* As note_rename() and note_delete(), and where CONTENTS lists the note it follows in the same
 * transaction: links point to the new key; list lines of a deleted note go. */
bool notes_rename(Txn *txn, const char *from, const char *to, const NoteBy *by, GError **error);
bool
notes_delete(Txn *txn, const char *key, int64_t if_version, const NoteBy *by, GError **error);

/* Full-text search over the newest versions, best first. Brings the index up to date first,
 * unless the store was opened for reading. */
bool
notes_search(const Home *home, Db *db, const NoteQuery *q, NoteHits **ret, GError **error);

/* One thing that `note check` finds. */
typedef struct NoteFinding {
    char *key;     /* the note that says it, or that is not listed */
    unsigned line; /* in it; 0: the note as a whole */
    char *target;  /* the key that leads nowhere; NULL */
    char *nearest; /* what may have been meant; NULL */
    char *what;    /* one line for people */
} NoteFinding;
/* Dead links, notes that CONTENTS does not list, lines of CONTENTS that lead nowhere. Elements
 * are NoteFinding, by key and line. */
bool notes_check(Db *db, GPtrArray **ret, GError **error);
/* The key that may have been meant by this one, of those that the viewer may see; NULL: none.
 * Caller frees. */
bool notes_nearest(Db *db, const Viewer *viewer, const char *key, char **ret, GError **error);
