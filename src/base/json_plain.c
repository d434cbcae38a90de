#include "base/json_plain.h"

#define DEPTH_MAX 64
#define KEY_BYTES 64
#define DIGITS_MAX 18

typedef struct Reader {
    const char *at, *end;
    unsigned depth;
} Reader;

/* The characters between two quotation marks. */
typedef struct Span {
    const char *begin;
    size_t len;
    bool escaped; /* there is a backslash among them */
} Span;

static json_t *read_value(Reader *r);

/* The next character that is no blank; 0 at the end. */
static char
peek(Reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool
accept(Reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

/* Goes behind the closing mark. False where there is none, or a byte that no string may have. */
static bool
read_span(Reader *r, Span *ret)
{
    unsigned char all = 0;
    const char *p = r->at + 1;

    *ret = (Span){.begin = p};
    for (; p < r->end && *p != '"'; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20)
            return false;
        all |= c;
        if (c == '\\') {
            ret->escaped = true;
            if (++p == r->end)
                return false;
        }
    }
    if (p >= r->end)
        return false;
    ret->len = (size_t)(p - ret->begin);
    r->at = p + 1;
    return all < 0x80 || g_utf8_validate_len(ret->begin, ret->len, NULL);
}

static json_t *
read_string(Reader *r)
{
    Span span;

    if (!read_span(r, &span))
        return NULL;
    return span.escaped ? json_loadb(span.begin - 1, span.len + 2, JSON_DECODE_ANY, NULL)
                        : json_stringn_nocheck(span.begin, span.len);
}

static json_t *
read_number(Reader *r)
{
    bool minus = *r->at == '-';
    const char *first = r->at + minus, *p = first;
    int64_t n = 0;

    for (; p < r->end && g_ascii_isdigit(*p) && p - first < DIGITS_MAX; p++)
        n = n * 10 + (*p - '0');
    if (p == first || (*first == '0' && p - first > 1) ||
        (p < r->end && (g_ascii_isdigit(*p) || *p == '.' || *p == 'e' || *p == 'E')))
        return NULL;
    r->at = p;
    return json_integer(minus ? -n : n);
}

static json_t *
read_word(Reader *r)
{
    static const struct {
        const char *word;
        size_t len;
        json_t *(*make)(void);
    } words[] = {{"true", 4, json_true}, {"false", 5, json_false}, {"null", 4, json_null}};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if ((size_t)(r->end - r->at) >= words[i].len &&
            memcmp(r->at, words[i].word, words[i].len) == 0) {
            r->at += words[i].len;
            return words[i].make();
        }
    }
    return NULL;
}

/* A key that is there already does not make the object larger. */
static bool
read_member(Reader *r, json_t *object)
{
    char key[KEY_BYTES];
    size_t before = json_object_size(object);
    Span span;

    if (peek(r) != '"' || !read_span(r, &span) || span.escaped || span.len >= sizeof key ||
        !accept(r, ':'))
        return false;
    memcpy(key, span.begin, span.len);
    key[span.len] = '\0';
    return json_object_set_new_nocheck(object, key, read_value(r)) == 0 &&
           json_object_size(object) > before;
}

static bool
read_item(Reader *r, json_t *array)
{
    return json_array_append_new(array, read_value(r)) == 0;
}

/* What stands between two brackets, the first of which was seen. */
static bool
read_all(Reader *r, char close, bool (*read_one)(Reader *r, json_t *into), json_t *into)
{
    r->at++;
    if (accept(r, close))
        return true;
    do {
        if (!read_one(r, into))
            return false;
    } while (accept(r, ','));
    return accept(r, close);
}

/* Takes the container, and gives it back whole or not at all. */
static json_t *
read_container(Reader *r, char close, bool (*read_one)(Reader *r, json_t *into), json_t *take)
{
    bool whole = ++r->depth <= DEPTH_MAX && read_all(r, close, read_one, take);

    r->depth--;
    if (!whole)
        json_decref(g_steal_pointer(&take));
    return take;
}

static json_t *
read_value(Reader *r)
{
    switch (peek(r)) {
    case '{':
        return read_container(r, '}', read_member, json_object());
    case '[':
        return read_container(r, ']', read_item, json_array());
    case '"':
        return read_string(r);
    case 't':
    case 'f':
    case 'n':
        return read_word(r);
    default:
        return r->at < r->end ? read_number(r) : NULL;
    }
}

json_t *
json_read_plain(const char *text, size_t len)
{
    Reader r = {.at = text, .end = text + len};
    json_t *value = read_value(&r);

    if (value && (peek(&r) || r.at < r.end))
        json_decref(g_steal_pointer(&value));
    return value;
}
