#pragma once

/* Media types ("text/plain") of files that we send. */
#include <glib.h>

/* By the extension of the name, in any case; static. NULL: unknown. */
const char *mediatype_of(const char *filename);
/* "type/subtype" in lower case, parameters dropped; NULL when it is none. Caller frees. */
char *mediatype_parse(const char *text);
