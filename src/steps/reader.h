#pragma once

/*
 * Reads typed fields out of a JSON object that a brain wrote. A Reader keeps the first thing
 * that was wrong, with the path of its field; from then on everything it reads is empty, so
 * that reading a struct is a plain list of its fields with one check at the end:
 *
 *     g_auto(Reader) r = {0};
 *     Place root = {object, ""};
 *     x->key = reader_name(&r, &root, "key");
 *     x->note = reader_text(&r, &root, "note", 4096);
 *     if (r.error) …
 *
 * A field that was left out is empty, and its path is remembered. Strings are valid UTF-8
 * because the JSON is. Results are the caller's and never NULL.
 */
#include "base/err.h"
#include "base/json.h"
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_LINE_MAX 1000u /* bytes of anything that stands in a header, a path, a list */

typedef struct Reader {
    GPtrArray *missing; /* char *: paths of fields that were left out; NULL: none */
    GPtrArray *cleaned; /* char *: paths of texts that lost control characters; NULL: none */
    GError *error;      /* the first, ERR_NEVER or ERR_LIMIT; NULL while all is well */
    unsigned list_max;  /* entries of any one list */
} Reader;
void reader_clear(Reader *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

/* An object and where it stands: "" at the top, "send_emails[1]". Both are borrowed. */
typedef struct Place {
    const json_t *object;
    const char *path;
} Place;

/* "path.name: what"; without effect when something was wrong before. */
void
reader_fail(Reader *r, ErrCode code, const Place *at, const char *name, const char *fmt, ...)
    G_GNUC_PRINTF(5, 6);
bool reader_has(const Place *at, const char *name);
/* Borrowed; NULL when it was left out or something is wrong already. */
const json_t *reader_find(Reader *r, const Place *at, const char *name);

/* One line without control characters, of READER_LINE_MAX bytes at most. */
char *reader_line(Reader *r, const Place *at, const char *name);
/* A line that says what to act on: it must be there and not be empty. */
char *reader_name(Reader *r, const Place *at, const char *name);
/* Prose for people: escape sequences and their like are taken out. */
char *reader_text(Reader *r, const Place *at, const char *name, size_t max);
/* As it is. */
char *reader_raw(Reader *r, const Place *at, const char *name, size_t max);
/* The index of the value in the NULL-terminated names, in any case; it must be there. */
unsigned reader_choice(Reader *r, const Place *at, const char *name, const char *const *names);
/* A date or time as clock_parse_iso() takes it, in wall microseconds; 0 for "". */
int64_t reader_time(Reader *r, const Place *at, const char *name);
/* A whole number from 0 on. */
int64_t reader_number(Reader *r, const Place *at, const char *name);

/* A list of lines, none empty. */
GPtrArray *reader_lines(Reader *r, const Place *at, const char *name);
/* The same, with one address in each; a single address may stand without its list. */
GPtrArray *reader_addresses(Reader *r, const Place *at, const char *name);
/* A list of objects that have no other fields than the known ones. What read() returns is in
 * the list and freed with it. */
typedef void *(*ReaderEntry)(Reader *r, const Place *at);
GPtrArray *reader_list(Reader *r,
                       const Place *at,
                       const char *name,
                       const char *const *known,
                       ReaderEntry read,
                       GDestroyNotify free_entry);
