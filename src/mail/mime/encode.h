#pragma once

/*
 * How text and bytes become lines of 7-bit mail: folded headers with encoded words (RFC 2047),
 * parameters (RFC 2231), quoted-printable and base64 bodies. All append to a GString, end lines
 * with LF, give the same output for the same input, and never split a character.
 */

/* May stand in a header: valid UTF-8 without control characters, so nothing can break out of
 * its line. Everything below that takes a value relies on it. */
bool encode_is_clean(const char *value);

/* "Name: value" of a header that is 7 bit already (addresses, ids), folded at 78 between
 * addresses, ids and encoded words. What is longer stays whole. */
void encode_structured(GString *out, const char *name, const char *value);
/* "Name: text": as it is when it is plain, else as encoded words. A single word longer than
 * max_word counts as not plain. The text has no white space at its ends. */
void encode_text(GString *out, const char *name, const char *text, size_t max_word);
/* The name in front of an address, or a piece of it, as encoded words of at most 75 characters
 * with a space between; ASCII without control characters and "=?" comes back as it is. Caller
 * frees. */
char *encode_phrase(const char *text);
/* Continues a Content-… header: ";\n name=value", in RFC 2231's form where needed. */
void encode_param(GString *out, const char *name, const char *value);

/* True when the body can go as it is: ASCII, lines below 990, none that mbox files mangle. */
bool encode_fits_7bit(const char *text, size_t len);
/* text is valid UTF-8; its newlines are line ends, everything else comes back byte by byte. */
void encode_quoted_printable(GString *out, const char *text, size_t len);
/* Lines of 76, the last one ended too. */
void encode_base64(GString *out, const void *data, size_t len);
