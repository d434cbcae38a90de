#include "notes/note_links.h"
#include "store/note/note_versions.h"

#define SUFFIX ".md"
#define KEY_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"

static void
free_link(gpointer data)
{
    NoteLink *link = data;

    free_all(link->key, link);
}

/* One line while it is read; positions are bytes of the whole text. */
typedef struct Line {
    const char *text;
    size_t start, end; /* without its newline */
    unsigned number;
    bool item;
    GPtrArray *links;
} Line;

/* --- what may be a key --- */

/* A folder, "scratch/", is a key with a slash behind it. */
static bool
names_note(const char *key)
{
    g_autofree char *bare = g_strdup(key);
    size_t len = strlen(bare);

    if (len > 1 && bare[len - 1] == '/')
        bare[len - 1] = '\0';
    return note_key_valid(bare) && strcspn(bare, "._-") > 0; /* "- --" is no key */
}

/* Takes decoration off [start, end); false: no key. */
static bool
bare_target(const char *text, size_t *start, size_t *end)
{
    if (*end > *start && text[*start] == '<' && text[*end - 1] == '>') {
        ++*start;
        --*end;
    }
    if (memchr(text + *start, ':', *end - *start))
        return false; /* https:, mailto: */
    const char *anchor = memchr(text + *start, '#', *end - *start);
    if (anchor)
        *end = (size_t)(anchor - text);
    if (*end - *start >= 2 && strncmp(text + *start, "./", 2) == 0)
        *start += 2;
    else if (*end > *start && text[*start] == '/')
        ++*start;
    size_t suffix = strlen(SUFFIX);
    if (*end - *start > suffix && strncmp(text + *end - suffix, SUFFIX, suffix) == 0)
        *end -= suffix;
    return *end > *start;
}

/* Adds it when its target is a key; the caller fills in the rest. NULL: it is none. */
static NoteLink *
add_link(Line *l, NoteLinkKind kind, size_t start, size_t end, size_t from, size_t to)
{
    if (!bare_target(l->text, &start, &end))
        return NULL;
    g_autofree char *key = g_strndup(l->text + start, end - start);
    if (!names_note(key))
        return NULL;
    NoteLink *link = g_new0(NoteLink, 1);
    *link = (NoteLink){.kind = kind,
                       .key = g_steal_pointer(&key),
                       .start = start,
                       .end = end,
                       .from = from,
                       .to = to,
                       .line = l->number,
                       .in_item = l->item};
    g_ptr_array_add(l->links, link);
    return link;
}

/* --- list lines --- */

/* Behind "- ", "12. ", "* [x] "; 0: no list line. */
static size_t
behind_marker(const Line *l)
{
    const char *t = l->text;
    size_t p = l->start;

    while (p < l->end && (t[p] == ' ' || t[p] == '\t'))
        p++;
    size_t digits = p;
    while (digits < l->end && g_ascii_isdigit(t[digits]))
        digits++;
    if (digits > p && digits < l->end && (t[digits] == '.' || t[digits] == ')'))
        p = digits + 1;
    else if (p < l->end && strchr("-*+", t[p]))
        p++;
    else
        return 0;
    if (p >= l->end || t[p] != ' ')
        return 0;
    while (p < l->end && t[p] == ' ')
        p++;
    if (l->end - p >= 4 && t[p] == '[' && strchr(" xX", t[p + 1]) && t[p + 2] == ']' &&
        t[p + 3] == ' ')
        p += 4;
    return p;
}

static bool
is_dash(const char *p)
{
    return strncmp(p, "- ", 2) == 0 || g_str_has_prefix(p, "–") || g_str_has_prefix(p, "—");
}

/* What stands behind the first word: does the word stand for itself? */
static bool
stands_apart(const Line *l, size_t p)
{
    while (p < l->end && strchr(" \r", l->text[p]))
        p++;
    return p == l->end || l->text[p] == ':' || is_dash(l->text + p);
}

static void
read_item(Line *l, size_t p)
{
    const char *t = l->text;
    bool ticks = p < l->end && t[p] == '`';
    size_t from = p, start = ticks ? p + 1 : p;
    size_t end = start + strspn(t + start, KEY_CHARS);
    size_t to = end;

    if (end > l->end || end == start)
        return;
    if (ticks && t[end] != '`')
        return;
    if (ticks)
        to++;
    else
        while (end > start && t[end - 1] == '.')
            to = --end;
    if ((to < l->end && !strchr(" :,;.\r", t[to])) || strncmp(t + to, "://", 3) == 0)
        return;
    NoteLink *link = add_link(l, NOTE_LINK_ITEM, start, end, from, to);
    if (!link)
        return;
    link->apart = stands_apart(l, to);
    link->marked = ticks || strchr(link->key, '/');
}

/* --- links in a line --- */

static size_t
find_in_line(const Line *l, size_t from, const char *what)
{
    const char *found = g_strstr_len(l->text + from, (gssize)(l->end - from), what);

    return found ? (size_t)(found - l->text) : 0;
}

/* "[[key]]" or "[[key|title]]" at p; gives the place behind it, or behind the brackets. */
static size_t
read_wiki(Line *l, size_t p)
{
    size_t close = find_in_line(l, p + 2, "]]");

    if (close == 0)
        return p + 2;
    const char *bar = memchr(l->text + p + 2, '|', close - p - 2);
    add_link(l, NOTE_LINK_WIKI, p + 2, bar ? (size_t)(bar - l->text) : close, p, close + 2);
    return close + 2;
}

/* "[title](target)" or "[title](target "words")" at p. */
static size_t
read_target(Line *l, size_t p)
{
    size_t middle = find_in_line(l, p + 1, "](");
    size_t close = middle ? find_in_line(l, middle + 2, ")") : 0;

    if (close == 0)
        return p + 1;
    /* "[a] and [b](c)": the title begins at the last bracket. */
    const char *inner = g_strrstr_len(l->text + p + 1, (gssize)(middle - p - 1), "[");
    if (inner)
        return (size_t)(inner - l->text);
    size_t end = middle + 2 + strcspn(l->text + middle + 2, " )");
    bool titled = l->text[end] == ' ' && strchr("\"'", l->text[end + 1]);
    bool picture = p > l->start && l->text[p - 1] == '!';
    NoteLink *link = NULL;
    if ((end == close || titled) && !picture)
        link = add_link(l, NOTE_LINK_TARGET, middle + 2, end, p, close + 1);
    if (link)
        link->title_end = middle;
    return close + 1;
}

/* Behind the code that begins at p with some backticks; behind these when it does not end. */
static size_t
skip_code(const Line *l, size_t p)
{
    size_t n = strspn(l->text + p, "`");
    g_autofree char *ticks = g_strnfill(n, '`');
    size_t close = p + n <= l->end ? find_in_line(l, p + n, ticks) : 0;

    return close ? close + n : p + n;
}

static void
read_line(Line *l)
{
    size_t p = behind_marker(l);

    l->item = p > 0;
    if (l->item)
        read_item(l, p);
    for (p = l->start; p < l->end;) {
        if (l->text[p] == '`')
            p = skip_code(l, p);
        else if (l->text[p] == '[' && p + 1 < l->end && l->text[p + 1] == '[')
            p = read_wiki(l, p);
        else if (l->text[p] == '[')
            p = read_target(l, p);
        else
            p++;
    }
}

/* The fence that a line begins or ends: '`', '~', or 0. */
static char
fence_of(const Line *l)
{
    size_t p = l->start;

    while (p < l->end && l->text[p] == ' ')
        p++;
    if (l->end - p >= 3 &&
        (strncmp(l->text + p, "```", 3) == 0 || strncmp(l->text + p, "~~~", 3) == 0))
        return l->text[p];
    return 0;
}

GPtrArray *
note_links_find(const char *text)
{
    GPtrArray *links = g_ptr_array_new_with_free_func(free_link);
    Line l = {.text = text, .links = links};
    char fence = 0;

    for (const char *p = text; *p;) {
        size_t len = strcspn(p, "\n");

        l.start = (size_t)(p - text);
        l.end = l.start + len;
        l.number++;
        char here = fence_of(&l);
        if (fence ? here == fence : here != 0)
            fence = fence ? 0 : here;
        else if (!fence)
            read_line(&l);
        p += len + (p[len] == '\n');
    }
    return links;
}

GStrv
note_links_keys(const char *text)
{
    g_autoptr(GPtrArray) links = note_links_find(text);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *keys = g_ptr_array_new();

    LIST_EACH(const NoteLink, link, links)
        if (g_hash_table_add(seen, link->key))
            g_ptr_array_add(keys, g_strdup(link->key));
    g_ptr_array_add(keys, NULL);
    return (GStrv)g_ptr_array_free(keys, FALSE);
}

/* --- changing --- */

static bool
names(const NoteLink *link, const char *key)
{
    return g_str_equal(link->key, key);
}

char *
note_links_rename(const char *text, const char *from, const char *to)
{
    g_autoptr(GPtrArray) links = note_links_find(text);
    g_autoptr(GString) out = g_string_new(NULL);
    size_t done = 0;

    LIST_EACH(const NoteLink, link, links) {
        if (!names(link, from) || link->start < done)
            continue;
        g_string_append_len(out, text + done, (gssize)(link->start - done));
        g_string_append(out, to);
        done = link->end;
    }
    if (done == 0)
        return NULL;
    g_string_append(out, text + done);
    return g_strdup(out->str);
}

/* A list line goes when it begins with the key, or has links to nothing else. */
static bool
line_is_about(const GPtrArray *links, guint i, const char *key)
{
    const NoteLink *link = g_ptr_array_index(links, i);
    bool only = true;

    if (!link->in_item)
        return false;
    LIST_EACH(const NoteLink, other, links) {
        if (other->line != link->line)
            continue;
        if (other->kind == NOTE_LINK_ITEM && names(other, key))
            return true;
        only = only && (names(other, key) || (other->kind == NOTE_LINK_ITEM && !other->marked));
    }
    return only;
}

/* What is left of a link: its title, or the key as a word. */
static void
append_unlinked(GString *out, const char *text, const NoteLink *link)
{
    if (link->kind == NOTE_LINK_TARGET)
        g_string_append_len(out, text + link->from + 1,
                            (gssize)(link->title_end - link->from - 1));
    else
        g_string_append(out, link->key);
}

char *
note_links_remove(const char *text, const char *key)
{
    g_autoptr(GPtrArray) links = note_links_find(text);
    g_autoptr(GString) out = g_string_new(NULL);
    size_t done = 0;
    bool changed = false;

    for (guint i = 0; i < links->len; i++) {
        const NoteLink *link = g_ptr_array_index(links, i);
        if (!names(link, key) || link->from < done)
            continue;
        bool whole = line_is_about(links, i, key);
        size_t from = link->from, to = link->to;
        while (whole && from > done && text[from - 1] != '\n')
            from--;
        g_string_append_len(out, text + done, (gssize)(from - done));
        if (whole)
            to += strcspn(text + to, "\n") + (strchr(text + to, '\n') != NULL);
        else
            append_unlinked(out, text, link);
        done = to;
        changed = true;
    }
    if (!changed)
        return NULL;
    g_string_append(out, text + done);
    return g_strdup(out->str);
}
