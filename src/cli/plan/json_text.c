#include "cli/plan/json_text.h"

static const char *
skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *
skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}

static const char *
skip_value(const char *p)
{
    int depth = 0;

    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    } while (*p && (depth > 0 || !strchr(",}] \t\r\n", *p)));
    return p;
}

/* Where a member of an object is. */
typedef struct Member {
    const char *start, *value, *end;
} Member;

static bool
find_member(const char *object, const char *key, Member *ret)
{
    const char *p = skip_blanks(object + 1);
    size_t len = strlen(key);

    while (*p == '"') {
        const char *name = p, *end = skip_string(p);
        const char *value = skip_blanks(skip_blanks(end) + 1);
        p = skip_value(value);
        if ((size_t)(end - name) == len + 2 && strncmp(name + 1, key, len) == 0) {
            *ret = (Member){name, value, p};
            return true;
        }
        p = skip_blanks(p);
        p = *p == ',' ? skip_blanks(p + 1) : p;
    }
    return false;
}

static char *
replace_span(const char *text, const char *from, const char *to, const char *with)
{
    GString *made = g_string_new_len(text, from - text);

    g_string_append(made, with);
    g_string_append(made, to);
    return g_string_free(made, FALSE);
}

/* A new first member, which needs no change to what is there. */
static char *
insert_first(const char *text, const char *object, const char *member, const char *indent)
{
    bool empty = *skip_blanks(object + 1) == '}';
    g_autofree char *with = g_strdup_printf("\n%s  %s%s%s", indent, member, empty ? "\n" : ",",
                                            empty ? indent : "");

    return replace_span(text, object + 1, empty ? skip_blanks(object + 1) : object + 1, with);
}

char *
json_text_put(const char *text, const char *in, const char *key, const char *value)
{
    const char *top = skip_blanks(text);
    g_autofree char *member = g_strdup_printf("\"%s\": %s", key, value);
    Member outer, inner;

    if (*top != '{')
        return NULL;
    if (!find_member(top, in, &outer)) {
        g_autofree char *whole = g_strdup_printf("\"%s\": {\n    %s\n  }", in, member);
        return insert_first(text, top, whole, "");
    }
    if (*outer.value != '{')
        return NULL;
    if (find_member(outer.value, key, &inner))
        return replace_span(text, inner.value, inner.end, value);
    return insert_first(text, outer.value, member, "  ");
}

/* With the comma behind it, or where it is the last one the comma before it. */
static char *
remove_member(const char *text, const Member *member)
{
    const char *from = member->start, *to = skip_blanks(member->end);

    if (*to == ',')
        to++;
    else
        to = member->end;
    while (from > text && strchr(" \t\r\n", from[-1]))
        from--;
    if (to == member->end && from > text && from[-1] == ',')
        from--;
    return replace_span(text, from, to, "");
}

char *
json_text_drop(const char *text, const char *in, const char *key)
{
    const char *top = skip_blanks(text);
    Member outer, inner;

    if (*top != '{' || !find_member(top, in, &outer))
        return g_strdup(text);
    if (*outer.value != '{')
        return NULL;
    return find_member(outer.value, key, &inner) ? remove_member(text, &inner) : g_strdup(text);
}
