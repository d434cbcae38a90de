#pragma once

/* Media types ("text/plain") and the extensions of file names that belong to them. */

/* By the extension of the name, in any case; static. NULL: unknown. */
const char *mediatype_of(const char *filename);
/* The extension, without its dot, for a file of this type; "bin" where no better is known.
 * Static. */
const char *mediatype_extension(const char *type);
/* "type/subtype" in lower case, parameters dropped; NULL when it is none. Caller frees. */
char *mediatype_parse(const char *text);
