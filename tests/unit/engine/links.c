/* Links in what an agent writes, and which of them could take something along (T12). */
#include "engine/links.h"
#include "base/banned.h"
#include "engine/disarm.h"

#define LONG40 "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"

static const struct {
    const char *text, *want; /* links, each behind a space; "!" before one with data */
} cases[] = {
    {"", ""},
    {"Take North: 1,200 in 3 weeks.", ""},
    {"see https://a.example.", " https://a.example"},
    {"see (https://a.example/x).", " https://a.example/x"},
    {"[a](https://a.example/x)[b](https://b.example/?q=1)",
     " https://a.example/x !https://b.example/?q=1"},
    {"![x](https://evil.example/?q=SECRET)", " !https://evil.example/?q=SECRET"},
    {"<img src=\"https://evil.example/?q=S\">", " !https://evil.example/?q=S"},
    {"[a][r]\n\n[r]: ftp://e.example/x?y", " !ftp://e.example/x?y"},
    {"https://a.example/?", " https://a.example/"},
    {"https://u:SECRET@a.example/", " !https://u:SECRET@a.example/"},
    {"https://a.example/" LONG40, " https://a.example/" LONG40},
    {"https://a.example/" LONG40 LONG40, " !https://a.example/" LONG40 LONG40},
    {"https://a.example/" LONG40 "/" LONG40 "/" LONG40,
     " !https://a.example/" LONG40 "/" LONG40 "/" LONG40},
    {"https://" LONG40 ".a.example/", " !https://" LONG40 ".a.example/"},
    {"https://a.example/x#L10-L20", " https://a.example/x#L10-L20"},
    {"https://a.example/x#" LONG40, " !https://a.example/x#" LONG40},
    {"https://a.example/x;k=SECRET", " !https://a.example/x;k=SECRET"},
    {"https://a.example/a#b?c", " https://a.example/a#b?c"},
    {"www.a.example and awww. that", " www.a.example"},
    {"evil.example/?q=SECRET", " !evil.example/?q=SECRET"},
    {"evil.example/p", " evil.example/p"},
    {"evil.example?q=SECRET", " !evil.example?q=SECRET"},
    {"src/engine/policy.c/x, and/or, 1.5/2, a.m./p.m., bob@a.example/x", ""},
    {"read ://x, https:// and C:\\x and 10:30", ""},
    {"mailto:bob@a.example", ""},
    {"mailto:bob@a.example?body=SECRET", " !mailto:bob@a.example?body=SECRET"},
    {"https://a.example/x)SECRET", " https://a.example/x)SECRET"},
    {"Größe: https://ä.example – ja", " https://ä.example"},
};

static void
test_find(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) got = g_string_new(NULL);
        const char *text = cases[i].text;
        Link link;
        for (const char *p = text; link_find(text, p, &link); p = link.at + link.len)
            g_string_append_printf(got, " %s%.*s", link_has_data(&link) ? "!" : "",
                                   (int)link.len, link.at);
        g_assert_cmpstr(got->str, ==, cases[i].want);
    }
}

static void
test_known(void)
{
    g_autoptr(GHashTable) known = links_new();
    Link link;
    links_add(known, "Use (https://a.example/?id=1) and https://b.example/x.");
    g_assert_false(links_find_new(known, "https://a.example/?id=1, https://c.example", &link));
    g_assert_true(links_find_new(known, "https://a.example/?id=1&x=SECRET", &link));
    g_assert_true(links_find_new(known, "https://b.example/x?SECRET", &link));
    g_autofree char *kept =
        disarm_links("https://a.example/?id=1 http://c.example", known, DISARM_ALL);
    g_assert_cmpstr(kept, ==, "https://a.example/?id=1 http[:]//c[.]example");
    g_autofree char *data =
        disarm_links("http://c.example http://c.example/?x", known, DISARM_DATA);
    g_assert_cmpstr(data, ==, "http://c.example http[:]//c[.]example/?x");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/links/T12-find", test_find);
    g_test_add_func("/links/T12-known", test_known);
    return g_test_run();
}
