#pragma once

/* Reading encoded words (RFC 2047), the form that text beyond ASCII has in header values.
 * mail/mime/encode.h writes them. */

/*
 * The encoded words of a value as text: white space between neighbours is dropped, characters
 * that are split between words are joined, what is no encoded word stays. Control characters
 * become spaces, white space at both ends is dropped. *bad is set (never cleared) where a
 * charset can't be read; it may be NULL. value is valid UTF-8, so is the result; caller frees.
 */
char *encword_decode(const char *value, bool *bad);

/*
 * Prepares a header value that is not valid UTF-8 for encword_decode(): raw bytes inside of an
 * encoded word become "=XX", since the charset of that word says what they mean, and not a
 * guess about the whole line. NULs are dropped. Caller frees.
 */
char *encword_escape(const char *value, size_t len);
