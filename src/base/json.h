#pragma once

/*
 * Strict JSON by jansson: no duplicate keys, no bad UTF-8, no NUL, no trailing bytes, a size
 * cap and a depth cap; integers are exact. Errors name line and column, or the path of the
 * wrong field: "send_emails[1].to: must be a string".
 */
#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

/* From now on jansson takes memory in large pieces in this process, and never gives any back.
 * For programs that end within milliseconds: making and freeing small pieces is a quarter of
 * the cost of reading a large text. To be called before the first json_t is made. */
void json_keep_all(void);

/* Parses any one JSON value. max: bytes at most; 0: LIMIT_JSON_BYTES. ERR_LIMIT: the text is
 * longer than that. ERR_NEVER: it is not strict JSON. Caller frees *ret with json_decref(). */
bool json_parse(const char *text, size_t len, size_t max, json_t **ret, GError **error);
bool json_parse_bytes(GBytes *bytes, size_t max, json_t **ret, GError **error);
/* Compact, keys in insertion order; caller frees. */
char *json_format(const json_t *value);
/* As json_format(), appended to out. */
void json_append(GString *out, const json_t *value);
/* The same of a string that is valid UTF-8, and of a number, for JSON that is written without a
 * tree. */
void json_append_text(GString *out, const char *text, size_t len);
void json_append_int(GString *out, int64_t n);
/* Members of an object, behind its "{" or another member: a name with its colon; with its value. */
void json_put_name(GString *out, const char *name);
void json_put_text(GString *out, const char *name, const char *text);
void json_put_int(GString *out, const char *name, int64_t n);
/* Compact, keys sorted: the same text for the same value, however it was written. Caller
 * frees. */
char *json_format_sorted(const json_t *value);
/* Indented by two, for people. Caller frees. */
char *json_format_pretty(const json_t *value);

/* Typed access to members. The path is the object's own, for messages ("" at the top). A
 * required member that is missing or of another type is ERR_NEVER. Results are borrowed. */
bool json_get_string(
    const json_t *object, const char *path, const char *name, const char **ret, GError **error);
bool json_get_int(const json_t *object,
                  const char *path,
                  const char *name,
                  int64_t min,
                  int64_t max,
                  int64_t *ret,
                  GError **error);
bool json_get_bool(
    const json_t *object, const char *path, const char *name, bool *ret, GError **error);
bool json_get_array(const json_t *object,
                    const char *path,
                    const char *name,
                    const json_t **ret,
                    GError **error);
/* The same for a member that may be left out. Where it is missing or null, the call returns
 * true and *ret stays as it is. */
bool json_find_string(
    const json_t *object, const char *path, const char *name, const char **ret, GError **error);
bool json_find_int(const json_t *object,
                   const char *path,
                   const char *name,
                   int64_t min,
                   int64_t max,
                   int64_t *ret,
                   GError **error);
bool json_find_bool(
    const json_t *object, const char *path, const char *name, bool *ret, GError **error);
/* ERR_NEVER names the first member that is not in the NULL-terminated list, with the nearest
 * one. */
bool
json_only(const json_t *object, const char *path, const char *const *names, GError **error);
