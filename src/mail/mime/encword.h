#pragma once

/* Encoded words (RFC 2047) read: text beyond ASCII in header values. mail/mime/encode.h writes
 * them. */
#include <stdbool.h>
#include <stddef.h>

/*
 * The encoded words of a value as text: white space between neighbours is dropped, characters
 * that are split between words are joined, what is no encoded word stays. Control characters
 * become spaces, white space at both ends is dropped. *bad is set (never cleared) where a
 * charset can't be read; it may be NULL. value is valid UTF-8, so is the result; caller frees.
 */
char *encword_decode(const char *value, bool *bad);

/*
 * A value that is not valid UTF-8, with the raw bytes inside of encoded words as "=XX": what
 * they are says the word's charset, not a guess about the whole line. NULs are dropped. Caller
 * frees.
 */
char *encword_escape(const char *value, size_t len);
