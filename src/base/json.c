#include "base/json.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/text.h"

bool
json_parse(const char *text, size_t len, size_t max, json_t **ret, GError **error)
{
    json_error_t why;

    if (max == 0)
        max = LIMIT_JSON_BYTES;
    if (!text) /* what an empty GBytes gives */
        text = "";
    if (len > max)
        return err_set(error, ERR_LIMIT, "JSON of %zu bytes is over the limit of %zu", len,
                       max);

    /* jansson's reader passes over a NUL byte behind a number. */
    const char *nul = memchr(text, '\0', len);
    if (nul)
        return err_set(error, ERR_NEVER, "byte %zu: NUL is not JSON", (size_t)(nul - text));
    /* Without JSON_ALLOW_NUL the escape for NUL is refused; depth ends at jansson's 2048. */
    json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (!value)
        return err_set(error, ERR_NEVER, "line %d, column %d: %s", why.line, why.column,
                       why.text);
    *ret = value;
    return true;
}

bool
json_parse_bytes(GBytes *bytes, size_t max, json_t **ret, GError **error)
{
    gsize len;
    const char *text = g_bytes_get_data(bytes, &len);

    return json_parse(text, len, max, ret, error);
}

static char *
dump(const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags | JSON_ENCODE_ANY);

    if (!text)
        g_error("jansson could not format a value");
    return text;
}

char *
json_format(const json_t *value)
{
    return dump(value, JSON_COMPACT);
}

char *
json_format_sorted(const json_t *value)
{
    return dump(value, JSON_COMPACT | JSON_SORT_KEYS);
}

char *
json_format_pretty(const json_t *value)
{
    return dump(value, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
}

/* "path.name: what", or "name: what" at the top. */
static bool
refuse(const char *path, const char *name, GError **error, const char *what)
{
    return err_set(error, ERR_NEVER, "%s%s%s: %s", path, *path ? "." : "", name, what);
}

/* The member, where it is of that type; what: "a string". NULL with an error. */
static const json_t *
get(const json_t *object,
    const char *path,
    const char *name,
    json_type type,
    const char *what,
    GError **error)
{
    if (!json_is_object(object)) {
        err_set(error, ERR_NEVER, "%s: must be an object", *path ? path : "document");
        return NULL;
    }

    const json_t *value = json_object_get(object, name);
    if (value && (json_typeof(value) == type ||
                  (type == JSON_TRUE && json_typeof(value) == JSON_FALSE)))
        return value;
    g_autofree char *wrong = g_strconcat("must be ", what, NULL);
    refuse(path, name, error, value ? wrong : "is missing");
    return NULL;
}

bool
json_get_string(
    const json_t *object, const char *path, const char *name, const char **ret, GError **error)
{
    const json_t *value = get(object, path, name, JSON_STRING, "a string", error);

    if (value)
        *ret = json_string_value(value);
    return value;
}

bool
json_get_int(const json_t *object,
             const char *path,
             const char *name,
             int64_t min,
             int64_t max,
             int64_t *ret,
             GError **error)
{
    const json_t *value = get(object, path, name, JSON_INTEGER, "a whole number", error);

    if (!value)
        return false;

    int64_t number = json_integer_value(value);
    if (number < min || number > max) {
        g_autofree char *what =
            g_strdup_printf("must be from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min, max);
        return refuse(path, name, error, what);
    }
    *ret = number;
    return true;
}

bool
json_get_bool(
    const json_t *object, const char *path, const char *name, bool *ret, GError **error)
{
    const json_t *value = get(object, path, name, JSON_TRUE, "true or false", error);

    if (value)
        *ret = json_is_true(value);
    return value;
}

static bool
is_there(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return value && !json_is_null(value);
}

bool
json_find_string(
    const json_t *object, const char *path, const char *name, const char **ret, GError **error)
{
    return !is_there(object, name) || json_get_string(object, path, name, ret, error);
}

bool
json_find_int(const json_t *object,
              const char *path,
              const char *name,
              int64_t min,
              int64_t max,
              int64_t *ret,
              GError **error)
{
    return !is_there(object, name) || json_get_int(object, path, name, min, max, ret, error);
}

bool
json_find_bool(
    const json_t *object, const char *path, const char *name, bool *ret, GError **error)
{
    return !is_there(object, name) || json_get_bool(object, path, name, ret, error);
}

bool
json_get_array(const json_t *object,
               const char *path,
               const char *name,
               const json_t **ret,
               GError **error)
{
    const json_t *value = get(object, path, name, JSON_ARRAY, "an array", error);

    if (value)
        *ret = value;
    return value;
}

bool
json_only(const json_t *object, const char *path, const char *const *names, GError **error)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object))
        return err_set(error, ERR_NEVER, "%s: must be an object", *path ? path : "document");
    json_object_foreach((json_t *)object, name, value)
    {
        if (g_strv_contains(names, name))
            continue;

        g_autofree char *hint = text_did_you_mean(name, names);
        g_autofree char *what = g_strconcat("is not known here", hint, NULL);
        return refuse(path, name, error, what);
    }
    return true;
}
