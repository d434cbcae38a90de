#include "mail/markdown.h"
#include "base/late.h"
#include "base/limits.h"
#include <md4c.h>

#define md_parse LATE("libmd4c.so.0", md_parse)

#define DEPTH_MAX 64 /* elements in one another */
#define GROWTH 12 /* bytes of HTML for one of text: short rows of a wide table are filled up */
#define GUARD '\x01' /* put between "]" and ":", so that nothing is a reference definition */

/* The HTML of a text on its way. */
typedef struct Page {
    GString *html, *seen;
    size_t max;
    unsigned depth;
    GArray *lists;          /* of unsigned: the next number of each open list; 0: bullets */
    GArray *links;          /* of Start: open links and pictures */
    MarkdownLink *may_link; /* with data */
    void *data;
} Page;

/* Where a link's own words begin. */
typedef struct Start {
    size_t html, seen;
} Start;

static void
add_escaped(GString *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        switch (text[i]) {
        case GUARD:
            break;
        case '<':
            g_string_append(out, "&lt;");
            break;
        case '>':
            g_string_append(out, "&gt;");
            break;
        case '&':
            g_string_append(out, "&amp;");
            break;
        case '"':
            g_string_append(out, "&quot;");
            break;
        default:
            g_string_append_c(out, text[i]);
        }
    }
}

static void
add_seen(GString *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != GUARD)
            g_string_append_c(out, text[i]);
    }
}

/* A reader sees it: it stands in both. */
static void
show(Page *page, const char *text, size_t len)
{
    add_escaped(page->html, text, len);
    add_seen(page->seen, text, len);
}

/* Nonzero ends the parser, and so the HTML. */
static int
check_size(const Page *page)
{
    return page->html->len > page->max || page->depth > DEPTH_MAX;
}

/* ---- blocks ---- */

/* NULL: it has no element of its own. */
static const char *
block_tag(MD_BLOCKTYPE type, void *detail)
{
    static const char *const headings[] = {"h1", "h2", "h3", "h4", "h5", "h6"};
    switch (type) {
    case MD_BLOCK_QUOTE:
        return "blockquote";
    case MD_BLOCK_UL:
        return "ul";
    case MD_BLOCK_LI:
        return "li";
    case MD_BLOCK_H:
        return headings[((MD_BLOCK_H_DETAIL *)detail)->level - 1];
    case MD_BLOCK_CODE:
        return "pre";
    case MD_BLOCK_P:
        return "p";
    case MD_BLOCK_TABLE:
        return "table";
    case MD_BLOCK_TR:
        return "tr";
    case MD_BLOCK_TH:
        return "th";
    case MD_BLOCK_TD:
        return "td";
    default:
        return NULL;
    }
}

/* The number that a reader sees in front of an item. */
static void
show_number(Page *page)
{
    unsigned *next = &g_array_index(page->lists, unsigned, page->lists->len - 1);
    if (*next > 0)
        g_string_append_printf(page->seen, "%u. ", *next - 1);
    *next += *next > 0;
}

static void
enter_list(Page *page, MD_BLOCKTYPE type, void *detail)
{
    unsigned next = type == MD_BLOCK_OL ? ((MD_BLOCK_OL_DETAIL *)detail)->start + 1 : 0;
    g_array_append_val(page->lists, next);
    if (type == MD_BLOCK_OL)
        g_string_append_printf(page->html, "<ol start=\"%u\">", next - 1);
}

/* The word behind a fence says what the block is: it is part of the text. */
static void
show_info(Page *page, const MD_BLOCK_CODE_DETAIL *code)
{
    if (code->info.size == 0)
        return;
    g_string_append(page->html, "<p><small>");
    show(page, code->info.text, code->info.size);
    g_string_append(page->html, "</small></p>\n");
    g_string_append_c(page->seen, '\n');
}

static int
enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    Page *page = data;
    const char *tag = block_tag(type, detail);
    page->depth++;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL)
        enter_list(page, type, detail);
    if (type == MD_BLOCK_CODE)
        show_info(page, detail);
    if (type == MD_BLOCK_HR)
        g_string_append(page->html, "<hr>\n");
    if (tag)
        g_string_append_printf(page->html, "<%s>", tag);
    if (type == MD_BLOCK_LI)
        show_number(page);
    return check_size(page);
}

static int
leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    Page *page = data;
    const char *tag = type == MD_BLOCK_OL ? "ol" : block_tag(type, detail);
    page->depth--;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL)
        g_array_set_size(page->lists, page->lists->len - 1);
    if (tag)
        g_string_append_printf(page->html, "</%s>\n", tag);
    g_string_append_c(page->seen, '\n');
    return 0;
}

/* ---- spans ---- */

static const char *
span_tag(MD_SPANTYPE type)
{
    return type == MD_SPAN_EM ? "em" : type == MD_SPAN_STRONG ? "strong" : "code";
}

static int
enter_span(MD_SPANTYPE type, void *detail, void *data)
{
    Page *page = data;
    const GString *seen = page->seen;
    page->depth++;
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
        Start start = {page->html->len, seen->len};
        g_array_append_val(page->links, start);
        return check_size(page);
    }
    /* Within a word it is more likely a product than emphasis. */
    if (type != MD_SPAN_CODE && seen->len > 0 && g_ascii_isalnum(seen->str[seen->len - 1]))
        return 1;
    g_string_append_printf(page->html, "<%s>", span_tag(type));
    return check_size(page);
}

static bool
may_work(const Page *page, const char *url)
{
    static const char *const schemes[] = {"http://", "https://", "mailto:"};
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++) {
        if (g_ascii_strncasecmp(url, schemes[i], strlen(schemes[i])) == 0)
            return page->may_link(url, page->data);
    }
    return false;
}

static char *
attribute(const MD_ATTRIBUTE *a)
{
    g_autoptr(GString) s = g_string_new(NULL);
    add_seen(s, a->text, a->size);
    return g_string_free(g_steal_pointer(&s), FALSE);
}

static void
insert_anchor(Page *page, size_t at, const char *url)
{
    g_autoptr(GString) open = g_string_new("<a href=\"");
    add_escaped(open, url, strlen(url));
    g_string_append(open, "\">");
    g_string_insert_len(page->html, (gssize)at, open->str, (gssize)open->len);
    g_string_append(page->html, "</a>");
}

/* Where it leads stands behind its words, unless these are just that. */
static void
leave_link(Page *page, const MD_ATTRIBUTE *href, const MD_ATTRIBUTE *title)
{
    Start start = g_array_index(page->links, Start, page->links->len - 1);
    g_autofree char *url = attribute(href);
    g_autofree char *words = g_strdup(page->seen->str + start.seen);
    bool mail = g_str_has_prefix(url, "mailto:") && g_str_equal(url + strlen("mailto:"), words);
    bool works = may_work(page, url);
    g_array_set_size(page->links, page->links->len - 1);
    if (!g_str_equal(url, words) && !mail) {
        show(page, " <", 2);
        start.html = page->html->len;
        show(page, url, strlen(url));
    }
    if (works)
        insert_anchor(page, start.html, url);
    if (!g_str_equal(url, words) && !mail)
        show(page, ">", 1);
    if (title->size > 0) {
        show(page, " (", 2);
        show(page, title->text, title->size);
        show(page, ")", 1);
    }
}

static int
leave_span(MD_SPANTYPE type, void *detail, void *data)
{
    Page *page = data;
    page->depth--;
    if (type == MD_SPAN_A) {
        const MD_SPAN_A_DETAIL *a = detail;
        leave_link(page, &a->href, &a->title);
    } else if (type == MD_SPAN_IMG) {
        const MD_SPAN_IMG_DETAIL *img = detail;
        leave_link(page, &img->src, &img->title);
    } else {
        g_string_append_printf(page->html, "</%s>", span_tag(type));
    }
    return check_size(page);
}

/* A line of the text is a line for its reader too, as it is in the plain part. */
static int
add_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
    Page *page = data;
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
        g_string_append(page->html, "<br>\n");
        g_string_append_c(page->seen, '\n');
    } else {
        show(page, text, size);
    }
    return check_size(page);
}

/* ---- the whole ---- */

static char *
guarded(const char *text)
{
    GString *s = g_string_sized_new(strlen(text));
    for (const char *p = text; *p; p++) {
        if (*p != GUARD)
            g_string_append_c(s, *p);
        if (*p == ']' && p[1] == ':')
            g_string_append_c(s, GUARD);
    }
    return g_string_free(s, FALSE);
}

static bool
is_said(char c)
{
    return g_ascii_isalnum(c) || (c & 0x80);
}

/* The same letters and digits in the same order. */
static bool
says_the_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !is_said(*a))
            a++;
        while (*b && !is_said(*b))
            b++;
        if (*a != *b || !*a)
            return *a == *b;
    }
}

char *
markdown_html(const char *text, MarkdownLink *may, void *data, char **ret_seen)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_PERMISSIVEURLAUTOLINKS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = add_text,
    };
    size_t len = strlen(text);
    if (len > LIMIT_MARKDOWN_BYTES)
        return NULL;
    g_autofree char *source = guarded(text);
    g_autoptr(GString) html = g_string_sized_new(2 * len), seen = g_string_sized_new(len);
    g_autoptr(GArray) lists = g_array_new(FALSE, FALSE, sizeof(unsigned));
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(Start));
    Page page = {.html = html,
                 .seen = seen,
                 .max = GROWTH * len + 1024,
                 .lists = lists,
                 .links = links,
                 .may_link = may,
                 .data = data};
    if (md_parse(source, (MD_SIZE)strlen(source), &parser, &page) != 0 ||
        !says_the_same(text, seen->str))
        return NULL;
    *ret_seen = g_string_free(g_steal_pointer(&seen), FALSE);
    return g_string_free(g_steal_pointer(&html), FALSE);
}

char *
markdown_page(const char *html, const char *footer)
{
    GString *page =
        g_string_new("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><style>\n"
                     "th, td { border: 1px solid #bbb; padding: 2px 8px }\n"
                     "table { border-collapse: collapse }\n"
                     "pre, code { background: #f3f3f3 }\n"
                     "blockquote { border-left: 3px solid #bbb; margin-left: 0; "
                     "padding-left: 12px }\n"
                     "</style></head><body>\n");
    g_string_append(page, html);
    if (footer) {
        g_string_append(page, "<p>-- <br>\n<small>");
        add_escaped(page, footer, strlen(footer));
        g_string_append(page, "</small></p>\n");
    }
    g_string_append(page, "</body></html>\n");
    return g_string_free(page, FALSE);
}
