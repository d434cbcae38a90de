/* Links in what was written after words of a stranger were read. */
#include "engine/run/disarm.h"
#include <glib.h>

static const struct {
    const char *name, *text, *want; /* NULL: nothing to change */
} cases[] = {
    {"none", "Take North: 1,200 in 3 weeks.", NULL},
    {"empty", "", NULL},
    {"plain", "see https://evil.example/?q=1", "see https[:]//evil[.]example/?q=1"},
    {"picture", "![x](HTTP://evil.example/p)", "![x](HTTP[:]//evil[.]example/p)"},
    {"reference", "[a][r]\n\n[r]: ftp://e.example", "[a][r]\n\n[r]: ftp[:]//e[.]example"},
    {"in HTML", "<img src=\"https://e/?s\">", "<img src=\"https[:]//e/?s\">"},
    {"two", "a://b c://d", "a[:]//b c[:]//d"},
    {"no scheme", "www.evil.example and WWW.x", "www[.]evil[.]example and WWW[.]x"},
    {"both", "http://www.x", "http[:]//www[.]x"},
    {"one in another", "https://a.b/?u=https://evil.example/?q",
     "https[:]//a[.]b/?u=https[:]//evil[.]example/?q"},
    {"a host alone", "evil.example/?q=1", "evil[.]example/?q=1"},
    {"mail", "mailto:a@b.c?body=x", "mailto[:]a@b[.]c?body=x"},
    {"inside a word", "awww. that is nice", NULL},
    {"a path is no link", "read ://x and C:\\x and 10:30", NULL},
    {"other text stays", "Größe: https://ä.example – ja", "Größe: https[:]//ä[.]example – ja"},
};

static void
test_links(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = disarm_links(cases[i].text, NULL, DISARM_ALL);
        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/disarm/links", test_links);
    return g_test_run();
}
