#pragma once

/*
 * Parameters of Content-Type and Content-Disposition (RFC 2045), with the continuations and
 * charsets of RFC 2231 and, since everybody sends them, encoded words of RFC 2047 in quoted
 * values. The first of two parameters with one name counts; that there were two is told.
 */

typedef struct Params {
    char *value;       /* in front of the first ";", lower case, without white space */
    GPtrArray *names;  /* lower case, without "*0*" and the like */
    GPtrArray *values; /* decoded, valid UTF-8 */
    bool repeated;     /* two of one name */
    bool conflict;     /* `name` and `name*` that say different things */
    bool too_many;     /* more than LIMIT_PARAMS: the rest was not read */
    bool bad_charset;
} Params;

/* Never fails. NULL is read as "". */
Params *params_parse(const char *header);
void params_free(Params *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Params, params_free)

/* NULL when there is none. Borrowed. */
const char *params_find(const Params *p, const char *name);
