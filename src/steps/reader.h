#pragma once

/*
 * Reads typed fields out of a JSON object that a brain wrote. A Reader collects everything that
 * was wrong, each with the path of its field, and reads on; what is wrong reads as empty. So
 * reading a struct is a plain list of its fields with one check at the end, and whoever wrote
 * the object hears of all mistakes at once:
 *
 *     g_auto(Reader) r = {.list_max = 100};
 *     Place root = {object, ""};
 *     x->key = reader_name(&r, &root, "key");
 *     x->note = reader_text(&r, &root, "note", 4096);
 *     if (!reader_end(&r, error)) …
 *
 * A field that was left out, or is null, is empty, and its path is remembered. A list or an
 * object that stands there as a string of JSON is decoded. Strings are valid UTF-8 because the
 * JSON is. Results are the caller's and never NULL.
 */
#include "base/json.h"

#define READER_LINE_MAX 1000u    /* bytes of anything that stands in a header, a path, a list */
#define READER_VALUES_MAX 50000u /* of JSON inside strings, in all */
#define READER_ERRORS_MAX 20u    /* mistakes that are named; the others are counted */

typedef struct Reader {
    GPtrArray *missing; /* char *: paths of fields that were left out; NULL: none */
    GPtrArray *cleaned; /* char *: paths of texts that lost control characters; NULL: none */
    GPtrArray *unknown; /* char *: paths of fields that nobody knows; NULL: none */
    GPtrArray *decoded; /* json_t: what stood there as a string; NULL: none */
    GString *errors;    /* "path: what; path: what"; NULL while all is well */
    unsigned n_errors, n_values;
    ErrCode code;      /* of the first of them */
    unsigned list_max; /* most entries of any one list; set by the caller, since with 0 only an empty list is right */
} Reader;
void reader_clear(Reader *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

/* An object and where it stands: "" at the top, "send_emails[1]". Both are borrowed. */
typedef struct Place {
    const json_t *object;
    const char *path;
} Place;

/* To be called at the end. False where something was wrong: ERR_NEVER or ERR_LIMIT with all
 * mistakes in one line. */
bool reader_end(const Reader *r, GError **error);

/* Notes a mistake: "path.name: what". */
void
reader_fail(Reader *r, ErrCode code, const Place *at, const char *name, const char *fmt, ...)
    G_GNUC_PRINTF(5, 6);
/* True when the object has this field, and it is not null. */
bool reader_has(const Place *at, const char *name);
/* Borrowed; NULL when it was left out or is null. */
const json_t *reader_find(Reader *r, const Place *at, const char *name);
/* Remembers the fields of an object that are not among the known ones; one that is spelt almost
 * like a known one is a mistake, since something was meant by it. False: it is no object. */
bool reader_known(Reader *r, const Place *at, const char *const *known);
/* An object with these fields, which may stand there as a string of JSON; NULL: none. */
const json_t *
reader_object(Reader *r, const Place *at, const char *name, const char *const *known);

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
/* A list of objects with the known fields. What read() returns is in the list and freed with
 * it. */
typedef void *(*ReaderEntry)(Reader *r, const Place *at, const void *data);
GPtrArray *reader_list(Reader *r,
                       const Place *at,
                       const char *name,
                       const char *const *known,
                       ReaderEntry read,
                       const void *data,
                       GDestroyNotify free_entry);
