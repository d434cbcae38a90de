#include "mail/mime/htmlhide.h"

#define WHITE "ffffff"
#define COLOUR_MAX 24

/* Lower case, without white space. Caller frees. */
static char *
squeeze(const char *text, size_t len)
{
    char *out = g_ascii_strdown(text, (gssize)len);
    size_t n = 0;
    for (size_t i = 0; out[i]; i++)
        if (!g_ascii_isspace(out[i]))
            out[n++] = out[i];
    out[n] = '\0';
    return out;
}

/* A declaration: "font-size:0" is there for "0;" and "0px", not for "0.9em". */
static bool
has_style(const char *style, const char *what)
{
    for (const char *at = strstr(style, what); at; at = strstr(at + 1, what)) {
        char next = at[strlen(what)];
        if (next == '\0' || strchr(";\"'!pe} ", next))
            return true;
    }
    return false;
}

/* Moved away by hundreds: "left:-9999px". */
static bool
is_off_page(const char *style)
{
    static const char *const moves[] = {"left:-", "text-indent:-", "top:-"};
    for (size_t i = 0; i < G_N_ELEMENTS(moves); i++) {
        for (const char *at = strstr(style, moves[i]); at; at = strstr(at + 1, moves[i])) {
            const char *digits = at + strlen(moves[i]);
            if (strspn(digits, "0123456789") >= 3)
                return true;
        }
    }
    return false;
}

/* The colour behind any of these names, in one form; false: none is said. */
static bool
read_colour(const char *style, const char *const *names, char ret[COLOUR_MAX])
{
    for (; *names; names++) {
        const char *at = strstr(style, *names);
        while (at && at > style && (g_ascii_isalpha(at[-1]) || at[-1] == '-'))
            at = strstr(at + 1, *names);
        if (!at)
            continue;
        at += strlen(*names);
        at += strspn(at, "\"'#");
        size_t len = strcspn(at, ";\"'!>}");
        g_autofree char *value = g_strndup(at, MIN(len, COLOUR_MAX - 1u));
        if (g_str_equal(value, "white") || g_str_equal(value, "fff") ||
            g_str_equal(value, "rgb(255,255,255)"))
            g_strlcpy(ret, WHITE, COLOUR_MAX);
        else if (g_str_equal(value, "black") || g_str_equal(value, "000") ||
                 g_str_equal(value, "rgb(0,0,0)"))
            g_strlcpy(ret, "000000", COLOUR_MAX);
        else
            g_strlcpy(ret, value, COLOUR_MAX);
        return true;
    }
    return false;
}

/* Text in the colour of its own ground, or white while the page is still white. */
static bool
is_camouflaged(HtmlHide *h, const char *style)
{
    static const char *const text[] = {"color:", "color=", NULL};
    static const char *const ground[] = {
        "background-color:", "background:", "bgcolor=", "background=", NULL};
    char front[COLOUR_MAX], back[COLOUR_MAX];
    bool coloured = read_colour(style, text, front);
    bool painted = read_colour(style, ground, back);
    if (painted && !g_str_equal(back, WHITE) && !g_str_equal(back, "none") &&
        !g_str_equal(back, "transparent"))
        h->painted = true;
    if (!coloured)
        return false;
    return g_str_equal(front, "transparent") ||
           (painted ? g_str_equal(front, back) : !h->painted && g_str_equal(front, WHITE));
}

static bool
hides_by_style(HtmlHide *h, const char *style)
{
    static const char *const styles[] = {"display:none",  "visibility:hidden", "font-size:0",
                                         "font-size:1px", "opacity:0",         "max-height:0",
                                         "mso-hide:all"};
    for (size_t i = 0; i < G_N_ELEMENTS(styles); i++)
        if (has_style(style, styles[i]))
            return true;
    return strstr(style, "clip:rect(0") || strstr(style, "transform:scale(0)") ||
           is_off_page(style) || is_camouflaged(h, style);
}

/* --- style sheets --- */

/* Every class in "p.a, .b > td.c" that stands last in its selector. */
static void
add_classes(HtmlHide *h, const char *selectors, size_t len)
{
    g_autofree char *all = g_ascii_strdown(selectors, (gssize)len);
    g_auto(GStrv) list = g_strsplit(all, ",", HTMLHIDE_CLASSES);
    for (char **one = list; *one && h->n_classes < HTMLHIDE_CLASSES; one++) {
        const char *dot = strrchr(g_strchomp(*one), '.');
        if (!dot || dot[1] == '\0' || dot[strcspn(dot, " >+~:[#")] != '\0')
            continue;
        g_strlcpy(h->classes[h->n_classes++], dot + 1, sizeof h->classes[0]);
    }
}

void
htmlhide_read_style(HtmlHide *h, const char *css, size_t len)
{
    const char *end = css + len, *from = css, *open = NULL;
    unsigned depth = 0;
    for (const char *p = css; p < end; p++) {
        if (*p == '{') {
            open = depth++ == 0 ? p : NULL;
        } else if (*p == '}' && depth > 0 && --depth == 0) {
            g_autofree char *style = open ? squeeze(open + 1, (size_t)(p - open - 1)) : NULL;
            HtmlHide page = {.painted = true};
            if (style && hides_by_style(&page, style))
                add_classes(h, from, (size_t)(open - from));
            from = p + 1;
        }
    }
}

static bool
has_hidden_class(const HtmlHide *h, const char *lower)
{
    const char *at = h->n_classes > 0 ? strstr(lower, "class=") : NULL;
    if (!at)
        return false;
    at += strlen("class=");
    char quote = *at == '"' || *at == '\'' ? *at++ : ' ';
    g_autofree char *value = g_strndup(at, strcspn(at, (char[]){quote, '\0'}));
    g_auto(GStrv) names = g_strsplit_set(value, " \t\r\n", 16);
    for (char **name = names; *name; name++)
        for (unsigned i = 0; i < h->n_classes; i++)
            if (g_str_equal(*name, h->classes[i]))
                return true;
    return false;
}

/* True when there is an attribute of this name, with a value or without. */
static bool
has_attribute(const char *lower, const char *name)
{
    char quote = '\0';
    for (const char *p = lower; *p; p++) {
        if (quote)
            quote = *p == quote ? '\0' : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (g_ascii_isspace(*p) && g_str_has_prefix(p + 1, name) &&
                 strchr("= \t\r\n/>", p[1 + strlen(name)]))
            return true;
    }
    return false;
}

bool
htmlhide_hides(HtmlHide *h, const char *attrs, size_t len)
{
    if (len < 6)
        return false;
    g_autofree char *lower = g_ascii_strdown(attrs, (gssize)len);
    g_autofree char *style = squeeze(attrs, len);
    if (has_attribute(lower, "hidden"))
        return true;
    bool by_style = hides_by_style(h, style);
    return by_style || has_hidden_class(h, lower);
}
