#pragma once

/*
 * Text. Everything that leaves a parser is valid UTF-8 without NUL; everything untrusted that
 * goes to a terminal or a log passes text_vis().
 */
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A valid copy: bad sequences become U+FFFD, NULs are dropped. len -1: NUL-terminated. */
char *text_make_valid(const char *s, gssize len);

/* A valid copy of the bytes, as text_make_valid() makes it; "" for NULL. Caller frees. */
char *text_valid_bytes(GBytes *bytes);

/* The bytes with a NUL behind them, as they are; "" for NULL. Caller frees. */
char *text_from_bytes(GBytes *bytes);

/* How many bytes of printable ASCII stand at the beginning. */
size_t text_plain_run(const char *s);
/* A copy that is safe on a terminal: C0, C1, ESC, bidi and invisible characters as \xNN or
 * \u{N}. With keep_lines, newline and tab stay. Accepts any bytes. */
char *text_vis(const char *s, bool keep_lines);

/* For g_ptr_array_sort() of char *: in the order of their bytes. */
int text_compare(gconstpointer a, gconstpointer b);

/* The words of s between any of these separators; caller frees with g_strfreev(). */
char **text_words(const char *s, const char *separators);

/* With a backslash before each quote and backslash, as a quoted string has it; caller frees. */
char *text_escape(const char *s);

/* A valid copy of at most max_chars characters, the last of which is "…" when something was cut;
 * caller frees. */
char *text_shorten(const char *s, size_t max_chars);

/* The nearest of the NULL-terminated names within two edits (one for short words), else NULL.
 */
const char *text_nearest(const char *word, const char *const *names);
/* "; did you mean 'x'?" with the nearest of the names, for the end of a message; "" when none
 * is near. Caller frees. */
char *text_did_you_mean(const char *word, const char *const *names);
/* Damerau-Levenshtein distance, at most max + 1. */
unsigned text_distance(const char *a, const char *b, unsigned max);

/* "90", "90s", "2m", "1h", "7d"; false for anything else and for overflow. */
bool text_parse_span(const char *s, int64_t *ret_us);
/* "4096", "64k", "25m", "1g" (powers of 1024). */
bool text_parse_size(const char *s, uint64_t *ret_bytes);
/* "12", "-3"; false for anything else, and for a number outside of min..max. */
bool text_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret);
/* "2", "2.00" as micro-units, with at most six decimals: money without floating point. */
bool text_parse_money(const char *s, int64_t *ret_micro);
/* As people read it: "$2.00"; where cents say too little "$0.0042"; caller frees. */
char *text_money(int64_t micro);
/* "1.5 KB", "3 MB"; caller frees. */
char *text_format_size(uint64_t bytes);
/* A name for a role, person, account: [a-z0-9][a-z0-9._-]{0,63}, no "..". */
bool text_name_valid(const char *s);
/* How many bytes of s, at most max, are whole characters; s is valid UTF-8. */
size_t text_cut_at(const char *s, size_t max);
/* Number of Unicode characters; s is valid UTF-8. */
size_t text_chars(const char *s);
