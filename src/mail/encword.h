#pragma once

/* Encoded words (RFC 2047): text beyond ASCII in header values. Linear both ways. */
#include <stdbool.h>

/*
 * The encoded words of a value as text: white space between neighbours is dropped, characters
 * that are split between words are joined, what is no encoded word stays. Control characters
 * become spaces, white space at both ends is dropped. *bad is set (never cleared) where a
 * charset can't be read; it may be NULL. value is valid UTF-8, so is the result; caller frees.
 */
char *encword_decode(const char *value, bool *bad);

/* Text as encoded words of at most 75 characters with a space between, cut between characters;
 * ASCII without control characters and "=?" comes back as it is. Caller frees. */
char *encword_encode(const char *text);
