#pragma once

/* A note as JSON: the one form of it, in what `note --json` prints and in answers of the agent
 * port, so that a program may read both alike. */
#include "store/note/note_versions.h"
#include <jansson.h>

/* Everything but the text. The caller owns the result. */
json_t *note_format_json(const Note *note);
/* An array of them; elements are Note. */
json_t *notes_format_json(const GPtrArray *notes);
