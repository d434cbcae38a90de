#include "mail/mime/param.h"

#include "base/limits.h"
#include "base/list.h"
#include "mail/mime/charset.h"
#include "mail/mime/encword.h"

/* A parameter as it stands in the field. */
typedef struct Raw {
    char *name;    /* lower case, without stars */
    char *value;   /* unquoted */
    int section;   /* of name*N; -1: none */
    bool extended; /* name*, name*N*: percent-encoded */
    bool used;
} Raw;

static void
raw_free(Raw *r)
{
    free_all(r->name, r->value, r);
}

void
params_free(Params *p)
{
    if (!p)
        return;
    g_free(p->value);
    g_ptr_array_unref(p->names);
    g_ptr_array_unref(p->values);
    g_free(p);
}

const char *
params_find(const Params *p, const char *name)
{
    for (unsigned i = 0; i < p->names->len; i++)
        if (strcmp(p->names->pdata[i], name) == 0)
            return p->values->pdata[i];
    return NULL;
}

static const char *
skip_space(const char *p)
{
    for (;;) {
        p += strspn(p, " \t");
        if (*p != '(')
            return p;
        unsigned depth = 0;
        do {
            depth += *p == '(';
            depth -= *p == ')';
            p += *p == '\\' && p[1] ? 2 : 1;
        } while (*p && depth > 0);
    }
}

/* "…" with backslashes; an end that is missing is the end of the header. */
static const char *
read_quoted(const char *p, char **ret)
{
    GString *s = g_string_new(NULL);

    for (p++; *p && *p != '"'; p++) {
        /* Some write paths with single backslashes: only quotes and backslashes are escaped. */
        if (*p == '\\' && (p[1] == '"' || p[1] == '\\'))
            p++;
        g_string_append_c(s, *p);
    }
    *ret = g_string_free(s, FALSE);
    return *p ? p + 1 : p;
}

/* A bare value goes to the ";": unquoted file names with spaces are common. */
static const char *
read_token(const char *p, char **ret)
{
    const char *end = p + strcspn(p, ";");

    *ret = g_strstrip(g_strndup(p, (size_t)(end - p)));
    return end;
}

/* "filename*1*" is section 1 of filename, extended. */
static void
read_name(Raw *r, const char *p, size_t len)
{
    r->name = g_ascii_strdown(p, (gssize)len);
    r->section = -1;
    char *star = strchr(r->name, '*');
    if (!star)
        return;
    *star++ = '\0';
    size_t digits = strspn(star, "0123456789");
    if (digits > 0 && digits < 5)
        r->section = (int)g_ascii_strtoull(star, NULL, 10);
    r->extended = digits == 0 || star[digits] == '*';
}

static const char *
read_param(const char *p, Raw **ret)
{
    size_t len = strcspn(p, "=; \t(");
    Raw *r = g_new0(Raw, 1);

    read_name(r, p, len);
    p = skip_space(p + len);
    if (*p == '=') {
        p = skip_space(p + 1);
        p = *p == '"' ? read_quoted(p, &r->value) : read_token(p, &r->value);
    }
    p += strcspn(p, ";");
    if (r->name[0] == '\0' || !r->value) {
        raw_free(r);
        r = NULL;
    }
    *ret = r;
    return p;
}

static GPtrArray *
read_params(const char *p, Params *out)
{
    GPtrArray *raws = g_ptr_array_new_with_free_func((GDestroyNotify)raw_free);

    while (*p == ';' && !out->too_many) {
        Raw *r;
        p = read_param(skip_space(p + 1), &r);
        if (r)
            g_ptr_array_add(raws, r);
        out->too_many = raws->len > LIMIT_PARAMS;
    }
    return raws;
}

static void
append_percent(GByteArray *out, const char *p)
{
    for (; *p; p++) {
        guint8 byte = (guint8)*p;
        if (*p == '%' && g_ascii_isxdigit(p[1]) && g_ascii_isxdigit(p[2])) {
            byte = (guint8)(g_ascii_xdigit_value(p[1]) << 4 | g_ascii_xdigit_value(p[2]));
            p += 2;
        }
        g_byte_array_append(out, &byte, 1);
    }
}

/* Cuts "charset'language'" off the front of an extended value. */
static const char *
cut_charset(const char *value, char **ret_charset)
{
    const char *first = strchr(value, '\''), *second = first ? strchr(first + 1, '\'') : NULL;

    if (!second)
        return value;
    *ret_charset = g_strndup(value, (size_t)(first - value));
    return second + 1;
}

static Raw *
find_section(const GPtrArray *raws, const char *name, int section)
{
    LIST_EACH(Raw, r, raws) {
        if (r->section == section && strcmp(r->name, name) == 0)
            return r;
    }
    return NULL;
}

/* name* or name*0, name*1, … until one is missing. */
static char *
join_sections(const GPtrArray *raws, Raw *first, Params *out)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autofree char *charset = NULL;
    Raw *r = first;

    do {
        const char *value = r->value;
        r->used = true;
        if (r == first && r->extended)
            value = cut_charset(value, &charset);
        if (r->extended)
            append_percent(bytes, value);
        else
            g_byte_array_append(bytes, (const guint8 *)value, (guint)strlen(value));
        r = r->section < 0 ? NULL : find_section(raws, first->name, r->section + 1);
    } while (r);
    return charset_decode(charset ? charset : "", bytes->data, bytes->len, 0, &out->bad_charset,
                          NULL);
}

/* The first of a name counts. */
static void
add_value(Params *out, const char *name, char *value, bool *differs)
{
    const char *old = params_find(out, name);

    if (!old) {
        g_ptr_array_add(out->names, g_strdup(name));
        g_ptr_array_add(out->values, value);
        return;
    }
    *differs |= strcmp(old, value) != 0;
    g_free(value);
}

static bool
is_plain(const Raw *r)
{
    return r->section < 0 && !r->extended;
}

/* Encoded words are not allowed here, and are in half of all file names; nowhere else. */
static char *
plain_value(const Raw *r, Params *out)
{
    if (strcmp(r->name, "filename") == 0 || strcmp(r->name, "name") == 0)
        return encword_decode(r->value, &out->bad_charset);
    return g_strdup(r->value);
}

static bool
stands_before(const GPtrArray *raws, unsigned i)
{
    const Raw *r = raws->pdata[i];

    for (unsigned k = 0; k < i; k++) {
        const Raw *other = raws->pdata[k];
        if (other->section == r->section && is_plain(other) == is_plain(r) &&
            strcmp(other->name, r->name) == 0)
            return true;
    }
    return false;
}

/* RFC 2231 forms first: where a plain one stands beside them, it is for old programs. */
static void
resolve(GPtrArray *raws, Params *out)
{
    for (unsigned i = 0; i < raws->len; i++) {
        Raw *r = raws->pdata[i];
        bool starts = r->section == 0 || (r->section < 0 && r->extended);
        out->repeated |= stands_before(raws, i);
        if (starts && !r->used)
            add_value(out, r->name, join_sections(raws, r, out), &out->conflict);
    }
    LIST_EACH(Raw, r, raws) {
        if (is_plain(r))
            add_value(out, r->name, plain_value(r, out), &out->conflict);
        else if (!r->used)
            out->conflict = true; /* a section behind a gap */
    }
}

Params *
params_parse(const char *header)
{
    Params *out = g_new0(Params, 1);

    out->names = g_ptr_array_new_with_free_func(g_free);
    out->values = g_ptr_array_new_with_free_func(g_free);
    const char *p = skip_space(header ? header : "");
    size_t len = strcspn(p, ";( \t");
    out->value = g_ascii_strdown(p, (gssize)len);
    p += len + strcspn(p + len, ";");
    g_autoptr(GPtrArray) raws = read_params(p, out);
    resolve(raws, out);
    return out;
}
