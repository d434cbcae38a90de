#include "steps/reader.h"

#include "base/clock.h"

void
reader_clear(Reader *r)
{
    g_clear_pointer(&r->missing, g_ptr_array_unref);
    g_clear_pointer(&r->cleaned, g_ptr_array_unref);
    g_clear_pointer(&r->unknown, g_ptr_array_unref);
    g_clear_pointer(&r->decoded, g_ptr_array_unref);
    if (r->errors)
        g_string_free(r->errors, TRUE);
    r->errors = NULL;
}

static char *
join_path(const Place *at, const char *name)
{
    return *at->path ? g_strconcat(at->path, ".", name, NULL) : g_strdup(name);
}

static void
remember(GPtrArray **list, const Place *at, const char *name)
{
    if (!*list)
        *list = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(*list, join_path(at, name));
}

void
reader_fail(Reader *r, ErrCode code, const Place *at, const char *name, const char *fmt, ...)
{
    va_list args;

    if (r->n_errors++ == 0) {
        r->code = code;
        r->errors = g_string_new(NULL);
    }
    if (r->n_errors > READER_ERRORS_MAX)
        return;
    va_start(args, fmt);
    g_autofree char *what = g_strdup_vprintf(fmt, args);
    va_end(args);
    g_autofree char *path = join_path(at, name);
    g_string_append_printf(r->errors, "%s%s: %s", r->n_errors > 1 ? "; " : "", path, what);
}

bool
reader_end(const Reader *r, GError **error)
{
    if (r->n_errors == 0)
        return true;
    if (r->n_errors <= READER_ERRORS_MAX)
        return err_set(error, r->code, "%s", r->errors->str);
    return err_set(error, r->code, "%s; and %u more", r->errors->str,
                   r->n_errors - READER_ERRORS_MAX);
}

bool
reader_has(const Place *at, const char *name)
{
    const json_t *value = json_object_get(at->object, name);

    return value && !json_is_null(value);
}

const json_t *
reader_find(Reader *r, const Place *at, const char *name)
{
    if (reader_has(at, name))
        return json_object_get(at->object, name);
    remember(&r->missing, at, name);
    return NULL;
}

bool
reader_known(Reader *r, const Place *at, const char *const *known)
{
    const char *key;
    json_t *value;

    if (!json_is_object(at->object))
        return false;
    json_object_foreach((json_t *)at->object, key, value)
    {
        if (g_strv_contains(known, key))
            continue;
        g_autofree char *hint = text_did_you_mean(key, known);
        if (*hint)
            reader_fail(r, ERR_NEVER, at, key, "is not known here%s", hint);
        else
            remember(&r->unknown, at, key);
    }
    return true;
}

/* More than this no answer has; counted before anything is allocated. */
static bool
has_few_values(Reader *r, const char *text)
{
    for (; *text; text++)
        r->n_values += *text == ',' || *text == '[' || *text == '{';
    return r->n_values <= READER_VALUES_MAX;
}

/* A string that is JSON of this kind, decoded; else the value itself. */
static const json_t *
decode(Reader *r, const json_t *value, json_type type)
{
    const char *text = json_string_value(value);
    json_t *inner;

    if (!text || !has_few_values(r, text) ||
        !json_parse(text, json_string_length(value), 0, &inner, NULL))
        return value;
    if (!r->decoded)
        r->decoded = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    g_ptr_array_add(r->decoded, inner);
    return json_typeof(inner) == type ? inner : value;
}

const json_t *
reader_object(Reader *r, const Place *at, const char *name, const char *const *known)
{
    const json_t *value = reader_find(r, at, name);
    g_autofree char *path = join_path(at, name);

    if (!value)
        return NULL;
    Place inner = {decode(r, value, JSON_OBJECT), path};
    if (reader_known(r, &inner, known))
        return inner.object;
    reader_fail(r, ERR_NEVER, at, name, "must be an object");
    return NULL;
}

/* --- strings --- */

static const char *
check_string(Reader *r, const json_t *value, const Place *at, const char *name, size_t max)
{
    if (!json_is_string(value)) {
        reader_fail(r, ERR_NEVER, at, name, "must be a string");
        return "";
    }
    size_t len = json_string_length(value);
    if (len > max) {
        reader_fail(r, ERR_LIMIT, at, name, "%zu bytes are over the limit of %zu", len, max);
        return "";
    }
    return json_string_value(value);
}

static const char *
check_line(Reader *r, const json_t *value, const Place *at, const char *name)
{
    const char *line = check_string(r, value, at, name, READER_LINE_MAX);

    for (const char *p = line; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        if (g_unichar_iscntrl(c) || c == 0x2028 || c == 0x2029) { /* line, paragraph ends */
            reader_fail(r, ERR_NEVER, at, name,
                        "must not have line breaks or control characters");
            return "";
        }
    }
    return line;
}

char *
reader_line(Reader *r, const Place *at, const char *name)
{
    const json_t *value = reader_find(r, at, name);

    return g_strdup(value ? check_line(r, value, at, name) : "");
}

char *
reader_name(Reader *r, const Place *at, const char *name)
{
    unsigned before = r->n_errors;

    if (!reader_has(at, name)) {
        reader_fail(r, ERR_NEVER, at, name, "is missing");
        return g_strdup("");
    }
    char *line = reader_line(r, at, name);
    if (!*line && r->n_errors == before)
        reader_fail(r, ERR_NEVER, at, name, "must not be empty");
    return line;
}

char *
reader_raw(Reader *r, const Place *at, const char *name, size_t max)
{
    const json_t *value = reader_find(r, at, name);

    return g_strdup(value ? check_string(r, value, at, name, max) : "");
}

/* In place; true when there were any. */
static bool
take_out_controls(char *text)
{
    const char *from = text;
    char *to = text;

    while (*from) {
        const char *next = g_utf8_next_char(from);
        gunichar c = g_utf8_get_char(from);

        if (!g_unichar_iscntrl(c) || c == '\n' || c == '\t' || c == '\r') {
            memmove(to, from, (size_t)(next - from));
            to += next - from;
        }
        from = next;
    }
    bool any = to != from;
    *to = '\0';
    return any;
}

char *
reader_text(Reader *r, const Place *at, const char *name, size_t max)
{
    char *text = reader_raw(r, at, name, max);

    if (take_out_controls(text))
        remember(&r->cleaned, at, name);
    return text;
}

/* "a, b or c"; caller frees. */
static char *
format_choices(const char *const *names)
{
    GString *out = g_string_new(names[0]);

    for (size_t i = 1; names[i]; i++)
        g_string_append_printf(out, "%s%s", names[i + 1] ? ", " : " or ", names[i]);
    return g_string_free(out, FALSE);
}

unsigned
reader_choice(Reader *r, const Place *at, const char *name, const char *const *names)
{
    unsigned before = r->n_errors;
    bool there = reader_has(at, name);
    g_autofree char *line = there ? reader_line(r, at, name) : NULL;

    for (unsigned i = 0; there && names[i]; i++)
        if (g_ascii_strcasecmp(line, names[i]) == 0)
            return i;
    g_autofree char *choices = format_choices(names);
    if (!there)
        reader_fail(r, ERR_NEVER, at, name, "is missing; it must be %s", choices);
    else if (r->n_errors == before)
        reader_fail(r, ERR_NEVER, at, name, "must be %s", choices);
    return 0;
}

int64_t
reader_time(Reader *r, const Place *at, const char *name)
{
    g_autofree char *line = reader_line(r, at, name);
    int64_t time_us = 0;

    if (*line && !clock_parse_iso(line, &time_us))
        reader_fail(r, ERR_NEVER, at, name,
                    "must be a time such as 2026-11-15T10:00:00Z, or empty");
    return time_us;
}

int64_t
reader_number(Reader *r, const Place *at, const char *name)
{
    const json_t *value = reader_find(r, at, name);
    json_int_t number = json_integer_value(value); /* 0 for what is none */

    if (value && (!json_is_integer(value) || number < 0))
        reader_fail(r, ERR_NEVER, at, name, "must be a whole number from 0 on");
    return MAX(number, 0);
}

/* --- lists --- */

static bool
check_array(Reader *r, const json_t *value, const Place *at, const char *name, const char *of)
{
    size_t size = json_array_size(value); /* 0 for what is no list */

    if (!json_is_array(value))
        reader_fail(r, ERR_NEVER, at, name, "must be a list of %s", of);
    else if (size > r->list_max)
        reader_fail(r, ERR_LIMIT, at, name, "%zu entries are over the limit of %u", size,
                    r->list_max);
    return json_is_array(value) && size <= r->list_max;
}

static void
append_line(Reader *r, GPtrArray *list, const json_t *value, const Place *at, const char *name)
{
    unsigned before = r->n_errors;
    const char *line = check_line(r, value, at, name);

    if (!*line && r->n_errors == before)
        reader_fail(r, ERR_NEVER, at, name, "must not be empty");
    g_ptr_array_add(list, g_strdup(line));
}

static void
append_lines(Reader *r, GPtrArray *list, const json_t *value, const Place *at, const char *name)
{
    value = decode(r, value, JSON_ARRAY);
    if (!check_array(r, value, at, name, "strings"))
        return;
    for (size_t i = 0; i < json_array_size(value); i++) {
        g_autofree char *entry = g_strdup_printf("%s[%zu]", name, i);
        append_line(r, list, json_array_get(value, i), at, entry);
    }
}

GPtrArray *
reader_lines(Reader *r, const Place *at, const char *name)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    const json_t *value = reader_find(r, at, name);

    if (value)
        append_lines(r, list, value, at, name);
    return list;
}

/* "a@b,c@d" is two; a comma in a quoted name is not. */
static bool
is_one_address(const char *s)
{
    bool quoted = false;

    for (; *s; s++) {
        if (quoted && *s == '\\' && s[1])
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && (*s == ',' || *s == ';'))
            return false;
    }
    return true;
}

GPtrArray *
reader_addresses(Reader *r, const Place *at, const char *name)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    const json_t *value = reader_find(r, at, name);

    value = decode(r, value, JSON_ARRAY);
    if (!json_is_string(value) && value)
        append_lines(r, list, value, at, name);
    else if (json_string_length(value) > 0)
        append_line(r, list, value, at, name);
    for (guint i = 0; i < list->len; i++)
        if (!is_one_address(g_ptr_array_index(list, i)))
            reader_fail(r, ERR_NEVER, at, name, "must have one address in each string");
    return list;
}

GPtrArray *
reader_list(Reader *r,
            const Place *at,
            const char *name,
            const char *const *known,
            ReaderEntry read,
            const void *data,
            GDestroyNotify free_entry)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(free_entry);
    const json_t *value = reader_find(r, at, name);

    value = decode(r, value, JSON_ARRAY);
    if (!value || !check_array(r, value, at, name, "objects"))
        return list;
    g_autofree char *path = join_path(at, name);
    for (size_t i = 0; i < json_array_size(value); i++) {
        g_autofree char *of_entry = g_strdup_printf("%s[%zu]", name, i);
        g_autofree char *path_of_entry = g_strdup_printf("%s[%zu]", path, i);
        Place entry = {decode(r, json_array_get(value, i), JSON_OBJECT), path_of_entry};

        if (reader_known(r, &entry, known))
            g_ptr_array_add(list, read(r, &entry, data));
        else
            reader_fail(r, ERR_NEVER, at, of_entry, "must be an object");
    }
    return list;
}
