#pragma once

/*
 * JSON in the middle of prose: what a model sends that was asked for JSON alone and explains
 * itself all the same, or puts it between code fences. An island begins where an object or a
 * list of objects plainly does ({"…, {}, [{…) and ends with the bracket that closes it; a brace
 * in a sentence is none. Objects inside an island are part of it and never found by themselves.
 */
#include "base/json.h"

#define ISLAND_DEPTH_MAX 16u
#define ISLAND_VALUES_MAX 50000u /* in all islands of a text together */

/*
 * All islands in order, elements json_t, none when there are none. *ret_rest is the text around
 * them without code fences, stripped; caller frees both.
 *
 * ERR_NEVER when an island is malformed or cut off, because nobody knows then what the whole
 * was to be; ERR_LIMIT names the limit. Linear in the input, and both limits are checked before
 * anything is allocated.
 */
bool island_parse_all(
    const char *text, size_t len, GPtrArray **ret_values, char **ret_rest, GError **error);
