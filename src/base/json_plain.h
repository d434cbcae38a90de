#pragma once

/*
 * Reads plain JSON several times as fast as jansson does, into jansson's values: objects,
 * arrays, strings, whole numbers of at most 18 digits, true, false and null, nested at most 64
 * deep. NULL means only that something else is in the text, be that right or wrong: jansson
 * reads it then, and says what is wrong. So nothing is accepted here that jansson would refuse
 * with JSON_REJECT_DUPLICATES and JSON_DECODE_ANY, and what is accepted is the same value.
 */
#include <jansson.h>

/* The text has no NUL in it, as json_parse() sees to. Caller unrefs. */
json_t *json_read_plain(const char *text, size_t len);
