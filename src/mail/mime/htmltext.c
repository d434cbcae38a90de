#include "mail/mime/htmltext.h"

#include "mail/mime/htmlhide.h"

#define NEST_MAX 20u

typedef struct Page {
    const char *p; /* reading here */
    GString *out;
    unsigned newlines; /* line ends owed before the next character; 2 is an empty line */
    bool space;        /* a space is owed */
    unsigned pre, quote;
    char skip[16];       /* inside an element that is not shown: its name, "" for none */
    unsigned skip_depth; /* and how many of that name are open */
    bool hidden;
    HtmlHide hide;
} Page;

typedef struct Tag {
    char name[16]; /* lower case, cut */
    bool closing, empty;
    const char *attrs, *end; /* up to ">" */
} Tag;

/* ---- writing ---- */

static void
write_pending(Page *page)
{
    bool begins = page->out->len == 0, new_line = begins || page->newlines > 0;

    for (unsigned i = 0; i < page->newlines && !begins; i++)
        g_string_append_c(page->out, '\n');
    for (unsigned i = 0; i < page->quote && new_line; i++)
        g_string_append(page->out, "> ");
    if (page->space && !new_line)
        g_string_append_c(page->out, ' ');
    page->newlines = 0;
    page->space = false;
}

static void
owe_newlines(Page *page, unsigned n)
{
    page->newlines = MAX(page->newlines, n);
}

static void
write_char(Page *page, gunichar c)
{
    if (c == '\n' && page->pre > 0) {
        page->newlines = MIN(page->newlines + 1, 2u);
    } else if (c == ' ' && page->pre > 0) {
        write_pending(page);
        g_string_append_c(page->out, ' ');
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0xA0) {
        page->space = true;
    } else if (c >= 32 && c != 127) {
        write_pending(page);
        g_string_append_unichar(page->out, c);
    }
}

/* ---- entities ---- */

static const struct {
    const char *name;
    gunichar c;
} entities[] = {
    {"amp", '&'},       {"lt", '<'},       {"gt", '>'},       {"quot", '"'},
    {"apos", '\''},     {"nbsp", 0xA0},    {"copy", 0xA9},    {"reg", 0xAE},
    {"sect", 0xA7},     {"deg", 0xB0},     {"plusmn", 0xB1},  {"middot", 0xB7},
    {"laquo", 0xAB},    {"raquo", 0xBB},   {"times", 0xD7},   {"euro", 0x20AC},
    {"pound", 0xA3},    {"yen", 0xA5},     {"cent", 0xA2},    {"trade", 0x2122},
    {"ndash", 0x2013},  {"mdash", 0x2014}, {"lsquo", 0x2018}, {"rsquo", 0x2019},
    {"ldquo", 0x201C},  {"rdquo", 0x201D}, {"sbquo", 0x201A}, {"bdquo", 0x201E},
    {"hellip", 0x2026}, {"bull", 0x2022},  {"rarr", 0x2192},  {"larr", 0x2190},
    {"auml", 0xE4},     {"ouml", 0xF6},    {"uuml", 0xFC},    {"Auml", 0xC4},
    {"Ouml", 0xD6},     {"Uuml", 0xDC},    {"szlig", 0xDF},   {"eacute", 0xE9},
    {"egrave", 0xE8},   {"ecirc", 0xEA},   {"agrave", 0xE0},  {"aacute", 0xE1},
    {"acirc", 0xE2},    {"ccedil", 0xE7},  {"ntilde", 0xF1},  {"oacute", 0xF3},
    {"ocirc", 0xF4},    {"uacute", 0xFA},  {"ugrave", 0xF9},  {"iacute", 0xED},
    {"icirc", 0xEE},    {"aring", 0xE5},   {"aelig", 0xE6},   {"oslash", 0xF8},
    {"Eacute", 0xC9},   {"Aring", 0xC5},   {"Oslash", 0xD8},  {"zwnj", 0x200C},
    {"zwj", 0x200D},    {"shy", 0xAD},     {"ensp", 0x2002},  {"emsp", 0x2003},
};

/* &#38; and &#x26; */
static gunichar
numeric_entity(const char *p, const char **ret_end)
{
    bool hex = p[2] == 'x' || p[2] == 'X';
    char *end;
    const char *digits = p + (hex ? 3 : 2);

    if (!g_ascii_isxdigit(*digits)) /* it would take a sign and blanks too */
        return 0;
    guint64 c = g_ascii_strtoull(digits, &end, hex ? 16 : 10);
    if (end == digits)
        return 0;
    *ret_end = *end == ';' ? end + 1 : end;
    return c > 0 && c <= 0x10FFFF && g_unichar_validate((gunichar)c) ? (gunichar)c : 0xFFFD;
}

/* The character of the entity at p, 0 when there is none. */
static gunichar
read_entity(const char *p, const char **ret_end)
{
    if (p[1] == '#')
        return numeric_entity(p, ret_end);
    size_t len = 0;
    while (len < 10 && g_ascii_isalnum(p[1 + len]))
        len++;
    for (size_t i = 0; i < G_N_ELEMENTS(entities); i++)
        if (strlen(entities[i].name) == len && memcmp(entities[i].name, p + 1, len) == 0) {
            *ret_end = p + 1 + len + (p[1 + len] == ';');
            return entities[i].c;
        }
    return 0;
}

/* ---- tags ---- */

static const char *const unshown[] = {"script", "style", "head",    "title", "template",
                                      "object", "svg",   "noembed", NULL};
static const char *const raw_text[] = {"script", "style", "title", NULL};
static const char *const paragraphs[] = {"p",  "h1", "h2",    "h3",  "h4", "h5",         "h6",
                                         "ul", "ol", "table", "pre", "dl", "blockquote", NULL};
static const char *const blocks[] = {"div",    "br",   "tr",      "li",      "hr",
                                     "dt",     "dd",   "section", "article", "header",
                                     "footer", "form", NULL};
static const char *const voids[] = {"br",   "hr",   "img", "input", "meta",
                                    "link", "area", "col", "wbr",   NULL};

/* Reads the tag at p, which is "<" and a letter or slash. False: it never ends. */
static bool
read_tag(const char *p, Tag *ret)
{
    size_t n = 0;
    char quote = '\0';

    ret->closing = p[1] == '/';
    p += ret->closing ? 2 : 1;
    for (; g_ascii_isalnum(*p); p++)
        if (n < sizeof ret->name - 1)
            ret->name[n++] = g_ascii_tolower(*p);
    ret->name[n] = '\0';
    ret->attrs = p;
    for (; *p && (quote || *p != '>'); p++) {
        if (quote ? *p == quote : (*p == '"' || *p == '\'') && p[-1] == '=')
            quote = quote ? '\0' : *p;
    }
    ret->end = p;
    ret->empty = p > ret->attrs && p[-1] == '/';
    return *p == '>';
}

/* Inside an element that is not shown: count its kind until it closes. */
static void
skip_tag(Page *page, const Tag *t)
{
    /* A head often is not closed. */
    bool leaves_head = strcmp(page->skip, "head") == 0 &&
                       (strcmp(t->name, "body") == 0 || g_strv_contains(paragraphs, t->name) ||
                        g_strv_contains(blocks, t->name));

    if (strcmp(t->name, page->skip) == 0 && t->closing)
        page->skip_depth--;
    else if (strcmp(t->name, page->skip) == 0 && !t->empty)
        page->skip_depth++;
    if (page->skip_depth == 0 || leaves_head)
        page->skip[0] = '\0';
}

/* In or out of an element whose depth we follow, to a point. */
static void
nest(unsigned *depth, bool closing)
{
    if (!closing && *depth < NEST_MAX)
        ++*depth;
    else if (closing && *depth > 0)
        --*depth;
}

static void
layout_tag(Page *page, const Tag *t)
{
    bool block = g_strv_contains(paragraphs, t->name);

    if (block)
        owe_newlines(page, 2);
    else if (strcmp(t->name, "br") == 0 && !t->closing)
        page->newlines = MIN(page->newlines + 1, 2u);
    else if (g_strv_contains(blocks, t->name))
        owe_newlines(page, 1);
    else if (strcmp(t->name, "td") == 0 || strcmp(t->name, "th") == 0)
        page->space = true;
    if (strcmp(t->name, "li") == 0 && !t->closing) {
        write_pending(page);
        g_string_append(page->out, "- ");
    }
    if (strcmp(t->name, "blockquote") == 0)
        nest(&page->quote, t->closing);
    else if (strcmp(t->name, "pre") == 0)
        nest(&page->pre, t->closing);
}

/* Text of script and the like ends at its own closing tag alone. */
static const char *
find_closing(const char *p, const char *name)
{
    for (p = strchr(p, '<'); p; p = strchr(p + 1, '<'))
        if (p[1] == '/' && g_ascii_strncasecmp(p + 2, name, strlen(name)) == 0)
            return p;
    return NULL;
}

/* Behind "<!-- … -->" at p; NULL: it never ends. "<!-->" is a whole one. */
static const char *
skip_comment(const char *p)
{
    for (p = strchr(p, '>'); p; p = strchr(p + 1, '>'))
        if (p[-1] == '-' && p[-2] == '-')
            return p + 1;
    return NULL;
}

static const char *
skip_declaration(const char *p)
{
    p = strchr(p, '>');
    return p ? p + 1 : NULL;
}

static void
handle_tag(Page *page, const Tag *t)
{
    page->p = t->end + 1;
    if (!t->closing && g_strv_contains(raw_text, t->name)) {
        const char *close = find_closing(page->p, t->name);
        if (close && strcmp(t->name, "style") == 0)
            htmlhide_read_style(&page->hide, page->p, (size_t)(close - page->p));
        page->p = close ? close + strcspn(close, ">") : page->p + strlen(page->p);
        page->p += *page->p == '>';
        return;
    }
    if (page->skip[0] != '\0') {
        skip_tag(page, t);
        return;
    }
    bool hide = !t->closing && !g_strv_contains(voids, t->name) && !t->empty &&
                htmlhide_hides(&page->hide, t->attrs, (size_t)(t->end - t->attrs));
    if (hide || (!t->closing && !t->empty && g_strv_contains(unshown, t->name))) {
        g_strlcpy(page->skip, t->name, sizeof page->skip);
        page->skip_depth = 1;
        page->hidden |= hide;
        return;
    }
    layout_tag(page, t);
}

/* "<" at page->p: a tag, a comment, or just that character. */
static void
read_markup(Page *page)
{
    const char *p = page->p;
    Tag tag;

    if (p[1] == '!' || p[1] == '?') {
        const char *end = strncmp(p, "<!--", 4) == 0 ? skip_comment(p) : skip_declaration(p);
        page->p = end ? end : p + strlen(p);
    } else if (g_ascii_isalpha(p[1]) || (p[1] == '/' && g_ascii_isalpha(p[2]))) {
        if (read_tag(p, &tag))
            handle_tag(page, &tag);
        else
            page->p = tag.end; /* as browsers do: a tag that never ends shows nothing */
    } else {
        page->p++;
        if (page->skip[0] == '\0')
            write_char(page, '<');
    }
}

static void
read_text(Page *page)
{
    const char *end = g_utf8_next_char(page->p);
    gunichar c = *page->p == '&' ? read_entity(page->p, &end) : 0;

    if (c == 0) {
        c = g_utf8_get_char(page->p);
        end = g_utf8_next_char(page->p);
    }
    page->p = end;
    if (page->skip[0] == '\0')
        write_char(page, c);
}

char *
htmltext_read(const char *html, size_t max, bool *cut, bool *hidden)
{
    Page page = {.p = html, .out = g_string_new(NULL)};

    while (*page.p && page.out->len <= max) {
        if (*page.p == '<')
            read_markup(&page);
        else
            read_text(&page);
    }
    *hidden |= page.hidden;
    if (page.out->len > max) {
        g_string_truncate(page.out, text_cut_at(page.out->str, max));
        *cut = true;
    }
    if (page.out->len > 0)
        g_string_append_c(page.out, '\n');
    return g_string_free(page.out, FALSE);
}
