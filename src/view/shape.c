#include "view/shape.h"
#include "base/clock.h"
#include "base/json.h"
#include <stdarg.h>

int
words_find(const Words *words, const char *name)
{
    for (int i = 0; name && i < words->n; i++) {
        if (strcmp(words->names[i], name) == 0)
            return i;
    }
    return -1;
}

bool
words_parse(const Words *words, const char *name, void *ret_enum)
{
    int i = words_find(words, name);

    if (i >= 0)
        *(int *)ret_enum = i;
    return i >= 0;
}

void
shape_free(const Shape *shape, void *row)
{
    for (size_t i = 0; row && i < shape->n; i++) {
        const Field *f = &shape->fields[i];
        void **at = (void **)((char *)row + f->offset);

        if (f->type == FIELD_TEXT || f->type == FIELD_TEXT_NULL || f->type == FIELD_MSGID)
            g_free(*at);
        else if (f->type == FIELD_BYTES && *at)
            g_bytes_unref(*at);
    }
    g_free(row);
}

json_t *
shape_time(int64_t wall_us)
{
    if (wall_us <= 0 || wall_us == USEC_NEVER)
        return json_null();
    g_autofree char *iso = clock_format_iso(wall_us);
    return json_string(iso);
}

static json_t *
text_json(const char *text)
{
    json_t *value = text ? json_string(text) : json_null();

    if (value)
        return value;
    g_autofree char *valid = text_make_valid(text, -1);
    return json_string(valid);
}

json_t *
shape_texts(const GPtrArray *texts)
{
    json_t *array = json_array();

    for (guint i = 0; i < texts->len; i++)
        json_array_append_new(array, text_json(texts->pdata[i]));
    return array;
}

static json_t *
field_json(const Field *f, const void *row)
{
    const void *at = (const char *)row + f->offset;
    const int64_t *number = at;
    char *const *text = at;

    if (f->made)
        return f->made(row);
    if (f->always)
        return json_string(f->always);
    switch (f->type) {
    case FIELD_INT:
        return json_integer(*number);
    case FIELD_ID:
        return *number ? json_integer(*number) : json_null();
    case FIELD_NUMBER:
        return json_integer(*(const int *)at);
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_MSGID: {
        g_autofree char *bracketed = g_strdup_printf("<%s>", *text);
        return text_json(bracketed);
    }
    case FIELD_WORD:
        return json_string(f->words->names[*(const int *)at]);
    case FIELD_TIME:
    case FIELD_NEVER:
        return shape_time(*number);
    case FIELD_MONEY:
        return json_real((double)*number / 1e6);
    case FIELD_SPAN:
        return json_integer(*number / USEC_PER_MSEC);
    default:
        return text_json(*text);
    }
}

static bool
is_set(const json_t *value)
{
    return !json_is_null(value) && !json_is_false(value) &&
           !(json_is_integer(value) && json_integer_value(value) == 0);
}

static void
put(json_t *object, const Field *f, const void *row)
{
    g_autoptr(json_t) value = field_json(f, row);

    if (is_set(value) || !(f->flags & FIELD_IF_SET))
        json_object_set(object, f->name, value);
}

json_t *
shape_json(const Shape *shape, const void *row)
{
    json_t *object = json_object();

    for (size_t i = 0; i < shape->n; i++) {
        if (shape->fields[i].name)
            put(object, &shape->fields[i], row);
    }
    return object;
}

json_t *
shape_list_json(const Shape *shape, const void *list)
{
    const GPtrArray *rows = list;
    json_t *array = json_array();

    for (guint i = 0; i < rows->len; i++)
        json_array_append_new(array, shape_json(shape, rows->pdata[i]));
    return array;
}

json_t *
shape_pick(const Shape *shape, const void *row, ...)
{
    json_t *object = json_object();
    const char *name;
    va_list names;

    va_start(names, row);
    while ((name = va_arg(names, const char *))) {
        size_t i = 0;

        while (g_strcmp0(shape->fields[i].name, name) != 0)
            g_assert(++i < shape->n);
        put(object, &shape->fields[i], row);
    }
    va_end(names);
    return object;
}
