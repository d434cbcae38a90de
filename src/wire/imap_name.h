#pragma once

/*
 * Names of IMAP folders. On the wire they are in a modified UTF-7 (RFC 3501, 5.1.3): "&" begins
 * UTF-16 in a base64 with "," for "/", "-" ends it, "&-" is "&" itself. For everybody else a
 * name is UTF-8.
 */

/* ERR_NEVER for what is no name: empty, no UTF-8, control characters. Caller frees. */
char *imap_name_encode(const char *utf8, GError **error);
/* NULL for what would not come out of imap_name_encode(): such a folder can't be named, and is
 * left alone. Caller frees. */
char *imap_name_decode(const char *wire);
