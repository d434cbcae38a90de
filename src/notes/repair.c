/*
 * One layer at a time, until nothing looks wrapped any more. Each rule asks whether the *whole*
 * content is of its form; a note that merely contains such a thing is left alone.
 */
#include "notes/repair.h"
#include "base/json.h"

/* Deeper than this nothing was ever meant. */
#define LAYERS 6

/* *ret_next: the content without one layer, NULL when it has none. False: broken. */
typedef bool Rule(const char *text, char **ret_next, const char **ret_what);

/* --- JSON strings --- */

/* The text of a JSON string; NULL: it is none. */
static char *
decode_string(const char *text)
{
    g_autoptr(json_t) value = NULL;

    if (!json_parse(text, strlen(text), 0, &value, NULL) || !json_is_string(value))
        return NULL;
    return g_strdup(json_string_value(value));
}

/* Begins as a string, and nothing stands behind its end: `"a"`, `"a`, not `"a": 1`. */
static bool
is_one_string(const char *text)
{
    if (*text != '"')
        return false;
    for (const char *p = text + 1; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '"')
            return !p[1];
    }
    return true;
}

/* A quotation is no JSON: without an escape in it, the quotes are the writer's own. */
static bool
unwrap_string(const char *text, char **ret_next, const char **ret_what)
{
    if (!is_one_string(text) || !strchr(text, '\\'))
        return true;
    *ret_next = decode_string(text);
    *ret_what = *ret_next ? "JSON inside JSON" : "it begins as a JSON string and is none";
    return *ret_next || strchr(text, '\n') || !strstr(text, "\\n");
}

/* --- code fences --- */

typedef struct Fence {
    char *info;  /* "json" */
    char *inner; /* without the newline at its end */
    bool closed;
} Fence;

static void
fence_clear(Fence *f)
{
    free_all(f->info, f->inner);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fence, fence_clear)

/* How many of the mark a line begins with when it is a fence line, else 0; *ret_rest is what
 * follows them. */
static size_t
fence_width(const char *line, char mark, const char **ret_rest)
{
    size_t n = 0;

    line += strspn(line, " ");
    while (line[n] == mark)
        n++;
    *ret_rest = line + n + strspn(line + n, " \r");
    return n >= 3 ? n : 0;
}

static bool
is_markdown(const char *info)
{
    return g_ascii_strcasecmp(info, "markdown") == 0 || g_ascii_strcasecmp(info, "md") == 0;
}

/*
 * Fence lines between the first and the last: none, or in Markdown such that each opening one says
 * of which kind it is and has its end. Otherwise the content is several fences, not one.
 */
static bool
is_one_fence(char **lines, guint n, char mark, size_t width, const char *info)
{
    bool open = false;

    for (guint i = 1; i + 1 < n; i++) {
        const char *rest;

        if (fence_width(lines[i], mark, &rest) < width)
            continue;
        if (!is_markdown(info) || open == (*rest != '\0'))
            return false;
        open = !open;
    }
    return !open;
}

/* False: the text is not one fence from its first line on. One without an end is handed out as
 * not closed. */
static bool
read_fence(const char *text, Fence *ret)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = g_strv_length(lines);
    const char *info, *rest;
    char mark = *text;

    if ((mark != '`' && mark != '~') || n < 2)
        return false;
    size_t width = fence_width(lines[0], mark, &info);
    if (width == 0 || strchr(info, mark))
        return false;
    bool closed = n > 2 && fence_width(lines[n - 1], mark, &rest) >= width && !*rest;
    if (closed && !is_one_fence(lines, n, mark, width, info))
        return false;
    if (closed)
        g_clear_pointer(&lines[n - 1], g_free);
    *ret = (Fence){.info = g_strchomp(g_strdup(info)),
                   .inner = g_strjoinv("\n", lines + 1),
                   .closed = closed};
    return true;
}

/* --- line breaks as two characters --- */

/* One backslash-n and what stands around it. */
typedef struct Break {
    char before, after;
    const char *rest; /* behind it */
} Break;

static bool
begins_block(const char *p)
{
    size_t digits = strspn(p, "0123456789");

    if (digits > 0 && digits < 4)
        return strncmp(p + digits, ". ", 2) == 0;
    if (*p == '#')
        return p[strspn(p, "#")] == ' ';
    return strncmp(p, "- ", 2) == 0 || strncmp(p, "* ", 2) == 0 || strncmp(p, "> ", 2) == 0 ||
           strncmp(p, "| ", 2) == 0 || strncmp(p, "```", 3) == 0;
}

/* Does a line break make sense there, more than the two characters would? */
static bool
breaks_line(const Break *b)
{
    bool after_word =
        g_ascii_isalnum(b->before) || strchr(".:;!?,)*`_", b->before) || (b->before & 0x80);

    if (strncmp(b->rest, "\\n", 2) == 0 || begins_block(b->rest))
        return true;
    return after_word && (!b->after || g_ascii_isupper(b->after) ||
                          (strchr(".:!?", b->before) && g_ascii_isalnum(b->after)));
}

/* "C:\new": a letter alone before a colon, and no line of a list behind the backslash. */
static bool
is_drive(const char *text, const char *backslash)
{
    const char *p = backslash;

    if (p - text < 2 || p[-1] != ':' || !g_ascii_isalpha(p[-2]) ||
        (p - text > 2 && g_ascii_isalnum(p[-3])))
        return false;
    return p[1] != 'n' || !(strncmp(p + 2, "\\n", 2) == 0 || begins_block(p + 2));
}

/* A path or a pattern ("\d+\n"): text that has backslashes of its own. */
static bool
has_own_backslashes(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p != '\\')
            continue;
        if ((g_ascii_isalnum(p[1]) && !strchr("nrtbfu", p[1])) || is_drive(text, p))
            return true;
        if (p[1])
            p++;
    }
    return false;
}

/* Breaks that make sense, outside inline code and quoted strings; those are what the note
 * speaks of. A fence on the one line is no inline code. */
static unsigned
count_breaks(const char *text)
{
    unsigned n = 0;
    bool code = false, quoted = false;

    for (const char *p = text; *p; p++) {
        if (*p == '`') {
            size_t ticks = strspn(p, "`");
            code = ticks < 3 ? !code : code;
            p += ticks - 1;
        } else if (*p == '"' && !code) {
            quoted = !quoted;
        } else if (*p == '\\') {
            const Break b = {p > text ? p[-1] : '\n', p[1] ? p[2] : '\0', p[1] ? p + 2 : p + 1};
            n += p[1] == 'n' && !code && !quoted && breaks_line(&b);
            p += p[1] != '\0';
        }
    }
    return n;
}

/* As JSON would, where it is JSON's way of writing; else only the breaks. */
static char *
decode_breaks(const char *text)
{
    g_autofree char *quoted = g_strdup_printf("\"%s\"", text);
    char *decoded = decode_string(quoted);

    if (decoded)
        return decoded;
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p; p++) {
        if (*p == '\\' && p[1] && strchr("nrt\"", p[1])) {
            p++;
            if (*p != 'r')
                g_string_append_c(out, *p == 'n' ? '\n' : *p == 't' ? '\t' : '"');
        } else {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, FALSE);
}

static bool
unwrap_breaks(const char *text, char **ret_next, const char **ret_what)
{
    if (strchr(text, '\n') || has_own_backslashes(text) || count_breaks(text) == 0)
        return true;
    *ret_next = decode_breaks(text);
    *ret_what = "line breaks written as \\n";
    return true;
}

/* --- what stands around all of it --- */

/* An object with the content and nothing else. */
static bool
unwrap_object(const char *text, char **ret_next, const char **ret_what)
{
    g_autoptr(json_t) object = NULL;

    if (*text != '{' || !json_parse(text, strlen(text), 0, &object, NULL))
        return true;
    const char *content = json_string_value(json_object_get(object, "content"));
    if (content && json_object_size(object) == 1) {
        *ret_next = g_strdup(content);
        *ret_what = "a JSON object around the note";
    }
    return true;
}

/* Code comes out of its fence only where none of the other rules would take it for wrapped text:
 * a line of code may well look like that. */
static bool
is_left_alone(const char *code)
{
    static Rule *const rules[] = {unwrap_string, unwrap_breaks};
    g_autofree char *bare = g_strstrip(g_strdup(code)), *next = NULL;
    g_auto(Fence) f = {0};
    const char *what = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
        if (!rules[i](bare, &next, &what) || next)
            return false;
    return !read_fence(bare, &f);
}

static bool
unwrap_fence(const char *text, char **ret_next, const char **ret_what)
{
    g_auto(Fence) f = {0};

    if (!read_fence(text, &f))
        return true;
    g_autofree char *inner = g_strstrip(g_strdup(f.inner));
    bool plain = !*f.info || g_ascii_strcasecmp(f.info, "json") == 0;
    if (plain && is_one_string(inner)) {
        *ret_next = f.closed ? decode_string(inner) : NULL;
        *ret_what = *ret_next ? "a JSON string in a code fence"
                              : "it begins as a JSON string in a code fence and is none";
        return *ret_next || !*f.info;
    }
    if (f.closed && (is_markdown(f.info) || is_left_alone(f.inner))) {
        *ret_next = g_strconcat(f.inner, "\n", NULL);
        *ret_what = "a code fence around the note";
    }
    return true;
}

/* --- all of it --- */

/* The rules look at the content without blanks around it; what none of them takes stays as it
 * is, blanks included. */
static bool
unwrap(const char *text, char **ret_next, const char **ret_what)
{
    static Rule *const rules[] = {unwrap_fence, unwrap_object, unwrap_string, unwrap_breaks};
    g_autofree char *bare = g_strstrip(g_strdup(text));

    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (!rules[i](bare, ret_next, ret_what))
            return false;
        if (*ret_next)
            return true;
    }
    return true;
}

char *
note_repair(const char *raw, char **ret_what)
{
    g_autofree char *text = g_strdup(raw);
    g_autoptr(GString) did = g_string_new(NULL);
    const char *what = "it is wrapped too often";

    *ret_what = NULL;
    if (!g_utf8_validate(raw, -1, NULL)) {
        *ret_what = g_strdup("it is no valid text (UTF-8)");
        return NULL;
    }
    for (unsigned i = 0; i < LAYERS; i++) {
        char *next = NULL;
        const char *one = NULL;

        if (!unwrap(text, &next, &one)) {
            what = one;
            break;
        }
        if (!next) {
            *ret_what = did->len ? g_strdup(did->str) : NULL;
            return g_steal_pointer(&text);
        }
        g_string_append_printf(did, "%s%s", did->len ? ", " : "", one);
        g_free(text);
        text = next;
    }
    *ret_what = g_strdup(what);
    return NULL;
}
