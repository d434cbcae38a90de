/* Markdown as HTML that says no more and no less than its text. */
#include "mail/markdown.h"
#include "base/limits.h"

static bool
may(const char *url, void *data)
{
    (*(unsigned *)data)++;
    return !strstr(url, "evil");
}

static void
test_table(void)
{
    static const struct {
        const char *row, *in, *want; /* NULL: no HTML */
    } cases[] = {
        {"words", "Hello *big* **world**",
         "<p>Hello <em>big</em> <strong>world</strong></p>\n"},
        {"lines stay lines", "Regards,\nMax", "<p>Regards,<br>\nMax</p>\n"},
        {"heading", "## Two", "<h2>Two</h2>\n"},
        {"rule", "a\n\n---\n\nb", "<p>a</p>\n<hr>\n<p>b</p>\n"},
        {"quote", "> a", "<blockquote><p>a</p>\n</blockquote>\n"},
        {"bullets", "- a\n- b", "<ul><li>a</li>\n<li>b</li>\n</ul>\n"},
        {"numbers", "3. a\n4. b", "<ol start=\"3\"><li>a</li>\n<li>b</li>\n</ol>\n"},
        {"numbers that would change", "2019. good\n2021. better", NULL},
        {"lists in lists", "1. a\n   - b\n2. c",
         "<ol start=\"1\"><li>a<ul><li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ol>\n"},
        {"a task", "- [x] done", "<ul><li>[x] done</li>\n</ul>\n"},
        {"table", "|a|b|\n|---|---|\n|1|2|",
         "<table><tr><th>a</th>\n<th>b</th>\n</tr>\n<tr><td>1</td>\n<td>2</td>\n</tr>\n</"
         "table>\n"},
        {"a cell too many", "|a|b|\n|---|---|\n|1|2|3|", NULL},
        {"code", "`a<b`", "<p><code>a&lt;b</code></p>\n"},
        {"a block of code", "```sh\nls *\n```",
         "<p><small>sh</small></p>\n<pre>ls *\n</pre>\n"},
        {"a fence that is left open", "```\n<b>", "<pre>&lt;b&gt;\n</pre>\n"},
        {"raw HTML is text", "<b onclick=x>a</b>", "<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>\n"},
        {"a block of it too", "<script>\nx()\n</script>",
         "<p>&lt;script&gt;<br>\nx()<br>\n&lt;/script&gt;</p>\n"},
        {"a comment is seen", "<!-- a -->", "<p>&lt;!-- a --&gt;</p>\n"},
        {"entities stay", "a &lt; b &#98;", "<p>a &amp;lt; b &amp;#98;</p>\n"},
        {"a link shows where it leads", "[x](https://a.org/b)",
         "<p>x &lt;<a href=\"https://a.org/b\">https://a.org/b</a>&gt;</p>\n"},
        {"another name for a place", "[https://bank.org](https://a.org/b)",
         "<p>https://bank.org &lt;<a "
         "href=\"https://a.org/b\">https://a.org/b</a>&gt;</p>\n"},
        {"bare", "see https://a.org/b.",
         "<p>see <a href=\"https://a.org/b\">https://a.org/b</a>.</p>\n"},
        {"in brackets", "<https://a.org>",
         "<p><a href=\"https://a.org\">https://a.org</a></p>\n"},
        {"a title is seen", "[x](https://a.org/b \"c d\")",
         "<p>x &lt;<a href=\"https://a.org/b\">https://a.org/b</a>&gt; (c d)</p>\n"},
        {"a link that may not work", "[x](https://evil.org/b)",
         "<p>x &lt;https://evil.org/b&gt;</p>\n"},
        {"javascript", "[x](javascript:alert(1))", "<p>x &lt;javascript:alert(1)&gt;</p>\n"},
        {"in any case", "[x](JaVaScRiPt:y)", "<p>x &lt;JaVaScRiPt:y&gt;</p>\n"},
        {"data", "[x](data:text/html,y)", "<p>x &lt;data:text/html,y&gt;</p>\n"},
        {"no scheme", "[x](//a.org/b)", "<p>x &lt;//a.org/b&gt;</p>\n"},
        {"a picture is not loaded", "![x](https://a.org/b.png)",
         "<p>x &lt;<a href=\"https://a.org/b.png\">https://a.org/b.png</a>&gt;</p>\n"},
        {"a picture in a link", "[![x](https://a.org/p)](https://a.org/l)",
         "<p>x &lt;<a href=\"https://a.org/p\">https://a.org/p</a>&gt; &lt;<a "
         "href=\"https://a.org/l\">https://a.org/l</a>&gt;</p>\n"},
        {"quotes in a link", "[x](https://a.org/\"b)",
         "<p>x &lt;<a href=\"https://a.org/&quot;b\">https://a.org/&quot;b</a>&gt;</p>\n"},
        {"a reference is seen", "[x][1]\n\n[1]: https://a.org/b",
         "<p>[x][1]</p>\n<p>[1]: <a href=\"https://a.org/b\">https://a.org/b</a></p>\n"},
        {"an address", "<ann@a.org>", "<p><a href=\"mailto:ann@a.org\">ann@a.org</a></p>\n"},
        {"a product", "2*3*4 = 24", NULL},
        {"names with underscores", "a_b_c", "<p>a_b_c</p>\n"},
        {"beyond ASCII", "Grüße · *ä*", "<p>Grüße · <em>ä</em></p>\n"},
        {"a control character",
         "a\x01"
         "b",
         "<p>ab</p>\n"},
        {"nothing", "", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        unsigned asked = 0;
        g_autofree char *seen = NULL;
        g_autofree char *html = markdown_html(cases[i].in, may, &asked, &seen);
        if (g_strcmp0(html, cases[i].want) != 0)
            g_error("%s: %s", cases[i].row, html ? html : "no HTML");
        g_assert_true(!html == !seen);
        if (strstr(cases[i].in, "cript:") || strstr(cases[i].in, "data:"))
            g_assert_cmpuint(asked, ==, 0);
    }
}

/* What is read is what was written, also where markup stood. */
static void
test_seen(void)
{
    unsigned asked = 0;
    g_autofree char *seen = NULL;
    g_autofree char *html = markdown_html(
        "1. **a** [b](https://c.org/d)\n\n| e |\n|---|\n| `f` |", may, &asked, &seen);
    g_assert_nonnull(html);
    g_assert_cmpstr(g_strstrip(seen), ==, "1. a b <https://c.org/d>\n\ne\n\n\nf");
}

static char *
repeat(const char *what, size_t bytes)
{
    GString *s = g_string_new(NULL);
    while (s->len < bytes)
        g_string_append(s, what);
    return g_string_free(s, FALSE);
}

/* Whatever it is, its HTML is no more than some times as long, and there at once. */
static void
test_large(void)
{
    static const char *const pieces[] = {
        "a ",   ">",        "> ", "- ",    "[",      "![",        "[a](",     "*a ",
        "_*",   "`a``",     "<",  "<!--",  "|",      "&",         "](x)",     "**a*",
        "\\",   "1. ",      "#",  "[x]: ", "a|b\n",  "|\n|---\n", "https://", "\t",
        "*a_ ", "<a href=", "]:", "\n> a", "- a\n ", "a\n-\n"};
    unsigned asked = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        g_autofree char *text = repeat(pieces[i], LIMIT_MARKDOWN_BYTES - 16);
        g_autofree char *seen = NULL;
        int64_t begin = g_get_monotonic_time();
        g_autofree char *html = markdown_html(text, may, &asked, &seen);
        if (html)
            g_assert_cmpuint(strlen(html), <, 20 * (size_t)LIMIT_MARKDOWN_BYTES);
        g_test_message("'%s': %" G_GINT64_FORMAT " us", pieces[i],
                       g_get_monotonic_time() - begin);
    }
    /* A wide head, and rows that would be filled up to it. */
    g_autofree char *head = repeat("|a", 10000);
    g_autofree char *line = repeat("|---", 20000);
    g_autofree char *rows = repeat("|a\n", 10000);
    g_autofree char *wide = g_strconcat(head, "\n", line, "\n", rows, NULL);
    g_autofree char *seen = NULL;
    g_assert_null(markdown_html(wide, may, &asked, &seen));
    g_autofree char *long_text = repeat("a ", LIMIT_MARKDOWN_BYTES + 1);
    g_assert_null(markdown_html(long_text, may, &asked, &seen));
}

static void
test_page(void)
{
    g_autofree char *bare = markdown_page("<p>a</p>\n", NULL);
    g_autofree char *page = markdown_page("<p>a</p>\n", "job 1 · reply <STOP>");
    g_assert_nonnull(strstr(bare, "<body>\n<p>a</p>\n</body></html>\n"));
    g_assert_nonnull(strstr(page, "<p>a</p>\n<p>-- <br>\n<small>job 1 · reply &lt;STOP&gt;"));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/markdown/table", test_table);
    g_test_add_func("/markdown/seen", test_seen);
    g_test_add_func("/markdown/large", test_large);
    g_test_add_func("/markdown/page", test_page);
    return g_test_run();
}
