#pragma once

/*
 * A Viewer says who looks at the store. Every read of mail and of notes takes a Viewer; what a
 * viewer may not see is the same as what is not there.
 *
 * Which notes a role sees is decided here and nowhere else: those in its own folder (ROLE/…),
 * those that are in no configured role's folder, and what [notes] shared names. Notes in
 * spaces/NAME/ are for the members of that space (store/spaces.h), and beside them for the
 * operator alone. Who may not see a key may not write it either: store/note/note_versions.h
 * asks before it reads or writes.
 */
#include "store/db.h"

typedef struct Viewer {
    const char *role; /* sees its own mailbox, what its jobs hold, and the notes named above */
    bool operator;    /* sees all */
} Viewer;
#define VIEWER_OPERATOR ((Viewer){NULL, true})
#define VIEWER_OF(role_name) ((Viewer){role_name, false})

#define NOTE_SPACES "spaces/"

/* True if the key is the folder itself or beneath it; the folder may end in '/'. */
bool note_is_beneath(const char *key, const char *folder);
/* True if the viewer may see and change the note of this key, by the settings of the store's
 * home. Looks at the key alone: there need not be such a note. */
bool viewer_sees_note(Db *db, const Viewer *viewer, const char *key);
/* The same. Where the viewer may not: ERR_NEVER with one line, which does not depend on whether
 * there is such a note. */
bool viewer_check_note(Db *db, const Viewer *viewer, const char *key, GError **error);
