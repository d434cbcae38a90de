#pragma once

/*
 * Bytes in some charset to valid UTF-8. What can't be read becomes U+FFFD; NULs are dropped. No
 * call fails: a label that nobody knows, or a wrong label, sets *bad (which no call clears, and
 * which may not be NULL).
 */

/*
 * A valid copy of len bytes labelled with this charset; caller frees. At most max bytes of
 * result (0: no limit), cut between characters; *cut says so where not NULL. Labels mean what
 * the WHATWG encoding standard says: Latin-1 is read as windows-1252, gb2312 as GB18030. An
 * empty label, and those that mean no more, are UTF-8 when it is valid, else windows-1252 as a
 * guess. An unknown label: UTF-8 when it is valid, else U+FFFD for each byte that is not ASCII.
 */
char *charset_decode(
    const char *charset, const void *in, size_t len, size_t max, bool *bad, bool *cut);

/* A header's bytes without any label: charset_decode() with "", but where some of it is UTF-8
 * the rest becomes U+FFFD. Caller frees. */
char *charset_guess(const void *in, size_t len);
