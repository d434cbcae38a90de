#pragma once

/* Readable text from the bodies that mail has. All text here is valid UTF-8, but for the bytes
 * of the last two calls; calls that take a char * without const work in place and never make it
 * longer. */

/* CRLF and CR become LF. */
void bodytext_lines(char *text);

/*
 * Takes out characters that a reader does not see but a model does: tags, bidi controls, zero
 * width, variation selectors, private use. True when one of them has no business in honest
 * text; joiners, soft hyphens and the selectors of emoji go without a word.
 */
bool bodytext_strip_invisible(char *text);

/* Do two texts say about the same? More than half of the words of each must stand in the other;
 * of few words nothing is said. */
bool bodytext_same(const char *a, const char *b);

/* format=flowed (RFC 3676): soft line ends joined, space-stuffing undone; quoted lines come out
 * as "> text". Caller frees. */
char *bodytext_unflow(const char *text, bool delsp);

/* Are there control characters, other than tab, LF, CR and FF? Bytes of any charset that has
 * ASCII in it. */
bool bodytext_has_controls(const char *bytes, size_t len);
/* Are these bytes text: valid UTF-8 without such characters? */
bool bodytext_is_plain(const char *bytes, size_t len);
