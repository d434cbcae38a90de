#pragma once

/*
 * Decoders for the two transfer encodings of MIME. Both take whatever arrives, never lose a
 * byte that can be read, and say afterwards whether something was wrong. Both are linear and
 * write to a buffer that the caller has made large enough.
 */

/* Room that base64_decode() needs for len characters. */
#define BASE64_ROOM(len) ((len) / 4 * 3 + 3)

/*
 * Writes the bytes to out, returns how many. White space is skipped; a chunk may end without
 * its padding, another may follow behind the padding. *damaged is set (never cleared) for
 * characters that do not belong, for missing padding and for a last character that is too
 * little for a byte.
 */
size_t base64_decode(const void *in, size_t len, uint8_t *out, bool *damaged);

/*
 * Quoted-printable; the result is never longer than the input, out needs len bytes. White space
 * at the end of a line is dropped, line ends stay as they are. An "=" that begins no escape
 * stays and sets *damaged.
 */
size_t qp_decode(const void *in, size_t len, uint8_t *out, bool *damaged);

/* The Q encoding of RFC 2047: as above with "_" for space and no lines. */
size_t qp_decode_word(const void *in, size_t len, uint8_t *out, bool *damaged);
