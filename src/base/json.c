#include "base/json.h"
#include "base/json_plain.h"
#include "base/limits.h"
#include <sys/mman.h>

/* --- memory --- */

#define CHUNK_BYTES_MIN (32u << 10)
#define CHUNK_BYTES_MAX (512u << 10)

/* The piece that is being used up; each begins with the address of the one before it, and is twice as large. */
static struct {
    char *chunk;
    size_t used, size;
} arena;

static void *
arena_take(size_t n)
{
    size_t need = (n + 15) & ~(size_t)15;

    if (need < n)
        return NULL;
    if (arena.size - arena.used < need) {
        size_t size = MAX(CLAMP(arena.size * 2, CHUNK_BYTES_MIN, CHUNK_BYTES_MAX), need + 16);
        /* All of it will be written to: that costs less at once than page by page. */
        char *chunk = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (chunk == MAP_FAILED)
            return NULL;
        memcpy(chunk, &arena.chunk, sizeof arena.chunk);
        arena.chunk = chunk;
        arena.size = size;
        arena.used = 16;
    }
    void *taken = arena.chunk + arena.used;
    arena.used += need;
    return taken;
}

static void
arena_give_back(void *taken G_GNUC_UNUSED)
{
}

void
json_keep_all(void)
{
    json_set_alloc_funcs(arena_take, arena_give_back);
}

/* --- reading --- */

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
    json_t *value = json_read_plain(text, len);
    if (!value)
        value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
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

static int
append(const char *text, size_t len, void *data)
{
    g_string_append_len(data, text, (gssize)len);
    return 0;
}

static void
dump(GString *out, const json_t *value, size_t flags)
{
    if (json_dump_callback(value, append, out, flags | JSON_ENCODE_ANY) < 0)
        g_error("jansson could not format a value");
}

static char *
dump_all(const json_t *value, size_t flags)
{
    GString *out = g_string_new(NULL);

    dump(out, value, flags);
    return g_string_free(out, FALSE);
}

/* What stands for a character in a string; NULL: itself, or a number. */
static const char *
escape_of(unsigned char c)
{
    static const char *const forms[0x20] = {
        ['\b'] = "\\b", ['\f'] = "\\f", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t"};

    return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : forms[c];
}

/* As jansson writes it, in a quarter of the time: what needs no escape is copied in runs. */
void
json_append_text(GString *out, const char *text, size_t len)
{
    size_t from = 0;

    g_string_append_c(out, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        g_string_append_len(out, text + from, (gssize)(i - from));
        from = i + 1;
        const char *escape = escape_of(c);
        if (escape)
            g_string_append(out, escape);
        else
            g_string_append_printf(out, "\\u%04X", c);
    }
    g_string_append_len(out, text + from, (gssize)(len - from));
    g_string_append_c(out, '"');
}

void
json_append_int(GString *out, int64_t n)
{
    char text[sizeof "-9223372036854775808"];
    size_t at = sizeof text;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

    do
        text[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (n < 0)
        text[--at] = '-';
    g_string_append_len(out, text + at, (gssize)(sizeof text - at));
}

static void
append_object(GString *out, json_t *object)
{
    bool first = true;

    g_string_append_c(out, '{');
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const char *name = json_object_iter_key(i);
        if (!first)
            g_string_append_c(out, ',');
        first = false;
        json_append_text(out, name, strlen(name));
        g_string_append_c(out, ':');
        json_append(out, json_object_iter_value(i));
    }
    g_string_append_c(out, '}');
}

static void
append_array(GString *out, const json_t *array)
{
    g_string_append_c(out, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i > 0)
            g_string_append_c(out, ',');
        json_append(out, json_array_get(array, i));
    }
    g_string_append_c(out, ']');
}

void
json_append(GString *out, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        append_object(out, (json_t *)value);
        break;
    case JSON_ARRAY:
        append_array(out, value);
        break;
    case JSON_STRING:
        json_append_text(out, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        json_append_int(out, json_integer_value(value));
        break;
    default:
        dump(out, value, JSON_COMPACT);
    }
}

char *
json_format(const json_t *value)
{
    GString *out = g_string_new(NULL);

    json_append(out, value);
    return g_string_free(out, FALSE);
}

char *
json_format_sorted(const json_t *value)
{
    return dump_all(value, JSON_COMPACT | JSON_SORT_KEYS);
}

char *
json_format_pretty(const json_t *value)
{
    return dump_all(value, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
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

/* A member that is not there, or null. */
static bool
is_unset(const json_t *value)
{
    return !value || json_is_null(value);
}

/* Most members are there and right, so they are looked up once; for what is wrong json_get_*() finds the words. */
bool
json_find_string(
    const json_t *object, const char *path, const char *name, const char **ret, GError **error)
{
    const json_t *value = json_object_get(object, name);

    if (!json_is_string(value))
        return is_unset(value) || json_get_string(object, path, name, ret, error);
    *ret = json_string_value(value);
    return true;
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
    return is_unset(json_object_get(object, name)) ||
           json_get_int(object, path, name, min, max, ret, error);
}

bool
json_find_bool(
    const json_t *object, const char *path, const char *name, bool *ret, GError **error)
{
    return is_unset(json_object_get(object, name)) ||
           json_get_bool(object, path, name, ret, error);
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

void
json_put_name(GString *out, const char *name)
{
    if (out->len > 0 && out->str[out->len - 1] != '{')
        g_string_append_c(out, ',');
    json_append_text(out, name, strlen(name));
    g_string_append_c(out, ':');
}

void
json_put_text(GString *out, const char *name, const char *text)
{
    json_put_name(out, name);
    json_append_text(out, text, strlen(text));
}

void
json_put_int(GString *out, const char *name, int64_t n)
{
    json_put_name(out, name);
    json_append_int(out, n);
}
