#pragma once

/* A version of a note, as it stands in the tables and as everybody is shown it. What happens to
 * notes: store/note. */
#include "base/ids.h"
#include "mail/origin.h"
#include "view/shape.h"

typedef struct Note {
    char *key;
    int64_t version;
    bool deleted;
    GBytes *body; /* NULL when deleted, and in lists */
    int64_t size;
    char *author; /* "person", "operator", or a role's name */
    Trust label;
    JobId job;
    int step;
    int64_t updated_us;
    char *from_key; /* it was renamed, and nothing else; NULL: it was written */
} Note;
SHAPE_OF(Note, note, Notes, notes)
extern const Shape note_whole; /* with its body */

/* A note in which a search found something. */
typedef struct NoteHit {
    char *key;
    int64_t version;
    char *snippet; /* some words around the place, on one line, valid UTF-8 */
} NoteHit;
SHAPE_OF(NoteHit, note_hit, NoteHits, note_hits)
