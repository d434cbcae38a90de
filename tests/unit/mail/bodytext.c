#include "mail/mime/bodytext.h"

#include "mail/mime/filename.h"
#include "mail/mime/htmltext.h"
#include <glib.h>

static void
test_html(void)
{
    static const struct {
        const char *row, *in, *want;
        bool want_hidden;
    } cases[] = {
        {"words", "<p>Hello  <b>big</b>\n world</p>", "Hello big world\n", false},
        {"paragraphs", "<p>a</p><p>b</p>", "a\n\nb\n", false},
        {"lines", "a<br>b<br/>c<div>d</div>e", "a\nb\nc\nd\ne\n", false},
        {"empty line by two breaks", "a<br><br>b", "a\n\nb\n", false},
        {"entities", "a&amp;b &lt;x&gt; &#228;&#xE4;&auml; &nbsp;&bogus; &",
         "a&b <x> äää &bogus; &\n", false},
        {"bad numbers", "&#0;&#xD800;&#99999999;", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\n",
         false},
        {"script and style", "<style>p{}</style>a<script>if (a<b) x()</script>b", "ab\n",
         false},
        {"head", "<html><head><title>t</title><meta x></head><body>b</body>", "b\n", false},
        {"head with an element that is not closed",
         "<head><title>t</title><script>x()</head>c</script><noscript>y</head>b", "b\n", false},
        {"head that is not closed", "<head><title>t</title><body>b", "b\n", false},
        {"comments", "a<!-- x > y -->b<!doctype html>c<?php x ?>d", "abcd\n", false},
        {"list", "<ul><li>a<li>b</ul>", "- a\n- b\n", false},
        {"table", "<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc\n", false},
        {"pre", "<pre>a\n  b</pre>", "a\n  b\n", false},
        {"quote", "a<blockquote>b<br>c</blockquote>d", "a\n\n> b\n> c\n\nd\n", false},
        {"sign of less", "1 < 2", "1 < 2\n", false},
        {"quotes in attributes", "<a title=\"a>b\" href='x'>t</a>", "t\n", false},
        {"image and link show nothing", "<img alt=x><a href=http://evil>t</a>", "t\n", false},
        {"open tag", "a<b", "a\n", false},
        {"open comment", "a<!-- b", "a\n", false},
        {"open script", "a<script>b", "a\n", false},
        {"display", "a<div style=\"Display : none\">b<div>c</div></div>d", "ad\n", true},
        {"size", "a<span style='font-size:0px'>b</span>c", "ac\n", true},
        {"attribute", "a<p hidden>b</p>c", "ac\n", true},
        {"attribute beside a style", "a<p hidden style='color:red'>b</p>c", "ac\n", true},
        {"the word in a style and a class", "<i class='x hidden' style='overflow: hidden'>b</i>",
         "b\n", false},
        {"nearly no size", "a<span style='font-size:1px'>b</span>c", "ac\n", true},
        {"nothing to see through", "a<p style='opacity:0'>b</p>c", "ac\n", true},
        {"beside the page", "a<i style='position:absolute; left:-9999px'>b</i>c", "ac\n",
         true},
        {"indented away", "a<i style='text-indent:-1000em'>b</i>c", "ac\n", true},
        {"cut to nothing", "a<i style='clip:rect(0,0,0,0)'>b</i>c", "ac\n", true},
        {"white on white", "a<font color=\"#FFFFFF\">b</font>c", "ac\n", true},
        {"white by name", "a<i style='color: white'>b</i>c", "ac\n", true},
        {"the colour of its ground", "a<i style='color:#123;background-color:#123'>b</i>c",
         "ac\n", true},
        {"transparent", "a<i style='color:transparent'>b</i>c", "ac\n", true},
        {"a class",
         "<style>p.x, td .pre-1 { display: none; }</style>a<i class='y pre-1'>b</i>c", "ac\n",
         true},
        {"title and alternative text", "<title>t</title>a<img alt='b' title='c'>", "a\n",
         false},
        {"white on blue is seen", "<td bgcolor=#00f><i style='color:#fff'>b</i></td>", "b\n",
         false},
        {"another colour is seen", "<i style='color:#123;background:#fff'>b</i>", "b\n", false},
        {"a little to the left is seen", "<i style='margin-left:-5px'>b</i>", "b\n", false},
        {"a class of narrow screens is seen",
         "<style>@media (max-width:9px) { .x { display:none } } .y {color:red}</style>"
         "<i class=x>a</i><i class=y>b</i>",
         "ab\n", false},
        {"small is not hidden", "<span style='font-size:0.9em'>b</span>", "b\n", false},
        {"nothing", "", "", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool cut = false, hidden = false;
        g_autofree char *got = htmltext_read(cases[i].in, 10000, &cut, &hidden);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpint(hidden, ==, cases[i].want_hidden);
        g_assert_false(cut);
    }
}

/* Depth costs nothing; the text is cut between characters. */
static void
test_html_hostile(void)
{
    static const char *const units[] = {
        "<div>",      "<p hidden>", "<blockquote>", "<pre>",    "<!--", "<a href=\"",
        "<a b='",     "</",         "&#",           "<script>", "<li>", "<b style=opacity:0>",
        "&nbsp;&amp", "<script></s"};

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        g_autoptr(GString) in = g_string_new(NULL);
        bool cut = false, hidden = false;
        for (unsigned k = 0; k < 50000; k++)
            g_string_append(in, units[i]);
        g_string_append(in, "end");
        int64_t start = g_get_monotonic_time();
        g_autofree char *got = htmltext_read(in->str, 256 << 10, &cut, &hidden);
        int64_t took = g_get_monotonic_time() - start;
        g_test_message("'%s': %d ms", units[i], (int)(took / 1000));
        g_assert_true(g_utf8_validate(got, -1, NULL));
        g_assert_cmpint(took, <, 5 * G_USEC_PER_SEC);
    }
    bool cut = false, hidden = false;
    g_autofree char *got = htmltext_read("ääää", 5, &cut, &hidden);
    g_assert_cmpstr(got, ==, "ää\n");
    g_assert_true(cut);
}

static void
test_flowed(void)
{
    static const struct {
        const char *row, *in;
        bool delsp;
        const char *want;
    } cases[] = {
        {"joined", "one \ntwo\nthree\n", false, "one two\nthree\n"},
        {"DelSp", "one \ntwo\n", true, "onetwo\n"},
        {"stuffed", " >not quoted\n From here\n", false, ">not quoted\nFrom here\n"},
        {"quoted levels", "> a \n> b\n>> c\nd\n", false, "> a b\n>> c\nd\n"},
        {"level ends a paragraph", "> a \nb\n", false, "> a \nb\n"},
        {"signature", "text \n-- \nAnn\n", false, "text \n-- \nAnn\n"},
        {"no newline at the end", "a \nb", false, "a b"},
        {"soft end", "a \n", false, "a \n"},
        {"nothing", "", false, ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = bodytext_unflow(cases[i].in, cases[i].delsp);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

static void
test_invisible(void)
{
    static const struct {
        const char *row, *in, *want;
        bool want_found;
    } cases[] = {
        {"plain", "Grüße, 日本", "Grüße, 日本", false},
        {"tags", "a\U000E0069\U000E0067b", "ab", true},
        {"zero width", "a\u200Bb", "ab", true},
        {"bidi", "a\u202Eb\u2066c", "abc", true},
        {"private use", "a\uE000b", "ab", true},
        {"variation selector", "a\uFE00b\U000E0100", "ab", true},
        {"emoji go without a word", "\u2764\uFE0F", "\u2764", false},
        {"soft hyphen", "a\u00ADb", "ab", false},
        {"nothing", "", "", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup(cases[i].in);
        g_test_message("%s", cases[i].row);
        g_assert_cmpint(bodytext_strip_invisible(text), ==, cases[i].want_found);
        g_assert_cmpstr(text, ==, cases[i].want);
    }
}

static void
test_lines(void)
{
    g_autofree char *text = g_strdup("a\r\nb\rc\nd\r\r\ne");

    bodytext_lines(text);
    g_assert_cmpstr(text, ==, "a\nb\nc\nd\n\ne");
}

static void
test_filename(void)
{
    static const struct {
        const char *row, *in, *want;
    } cases[] = {
        {"plain", "a.txt", "a.txt"},
        {"folders", "../../x", "x"},
        {"absolute", "/etc/passwd", "passwd"},
        {"backslashes", "C:\\dir\\a.txt", "a.txt"},
        {"device", "CON", "_CON"},
        {"device with extension", "nul.txt", "_nul.txt"},
        {"device with number", "COM1", "_COM1"},
        {"dot", ".", NULL},
        {"dots", "..", NULL},
        {"empty", "", NULL},
        {"only folders", "a/", NULL},
        {"right to left", "gpj.\u202Eexe", "gpj.exe"},
        {"new line", "x.txt\r\nBcc: y", "x.txtBcc: y"},
        {"blanks at the end", " a.txt  ", "a.txt"},
        {"dots at the end", "a.txt..", "a.txt"},
        {"hidden file stays", ".gitignore", ".gitignore"},
        {"escape", "a\x1b[2Jb", "a[2Jb"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = filename_clean(cases[i].in);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
    g_autoptr(GString) huge = g_string_new(NULL);
    while (huge->len < 4096)
        g_string_append(huge, "ä");
    g_string_append(huge, ".txt");
    g_autofree char *cut = filename_clean(huge->str);
    g_assert_cmpuint(strlen(cut), <=, 200);
    g_assert_true(g_str_has_suffix(cut, "ä.txt"));
    g_assert_true(g_utf8_validate(cut, -1, NULL));
    g_autofree char *second = filename_numbered("a.tar.gz", 2);
    g_assert_cmpstr(second, ==, "a.tar (2).gz");
    g_autofree char *bare = filename_numbered("README", 2);
    g_assert_cmpstr(bare, ==, "README (2)");
}

/* A quotation in a quotation, and so on: the twentieth is the last that shows. */
static void
test_deep_quotes(void)
{
    for (unsigned depth = 19; depth <= 22; depth++) {
        g_autoptr(GString) html = g_string_new(NULL);
        for (unsigned i = 0; i < depth; i++)
            g_string_append(html, "<blockquote>");
        g_string_append(html, "x");
        for (unsigned i = 0; i < depth; i++)
            g_string_append(html, "</blockquote>");
        bool cut = false, hidden = false;
        g_autofree char *text = htmltext_read(html->str, 10000, &cut, &hidden);
        unsigned marks = 0;
        for (const char *c = text; *c; c++)
            marks += *c == '>';
        g_assert_cmpuint(marks, ==, MIN(depth, 20));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/htmltext/table", test_html);
    g_test_add_func("/htmltext/hostile", test_html_hostile);
    g_test_add_func("/htmltext/deep-quotes", test_deep_quotes);
    g_test_add_func("/bodytext/flowed", test_flowed);
    g_test_add_func("/bodytext/invisible", test_invisible);
    g_test_add_func("/bodytext/lines", test_lines);
    g_test_add_func("/filename/table", test_filename);
    return g_test_run();
}
