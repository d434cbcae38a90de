#pragma once

/*
 * The notes that a home begins with: how a role works in each phase, what notes are for, and
 * where everything is. They are ordinary notes afterwards; people edit them.
 */
#include "store/note/note_versions.h"

/* Writes the first notes of one role, and those that all roles share. A note that is there already,
 * or was there and is deleted, is left alone. CONTENTS lists the new ones. */
bool notes_write_first(Txn *txn, const char *role, GError **error);
/* True when the body is what notes_write_first() would write under this key: then it holds no
 * text of anybody. */
bool note_is_first(const char *key, GBytes *body);
