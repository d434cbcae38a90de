#include "notes/note_links.h"

/* "LINE KIND KEY" of each, with the words that list lines tell about themselves. */
static char *
describe(const char *text)
{
    static const char *const kinds[] = {"link", "wiki", "item"};
    g_autoptr(GPtrArray) links = note_links_find(text);
    GString *got = g_string_new(NULL);

    for (guint i = 0; i < links->len; i++) {
        const NoteLink *l = links->pdata[i];
        g_autofree char *bytes = g_strndup(text + l->start, l->end - l->start);

        g_assert_cmpstr(bytes, ==, l->key);
        g_string_append_printf(got, "%u %s %s%s%s\n", l->line, kinds[l->kind], l->key,
                               l->marked ? " marked" : "", l->apart ? " apart" : "");
    }
    return g_string_free(got, FALSE);
}

static void
test_find(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"no links", ""},
        {"[a](envoy/start)", "1 link envoy/start\n"},
        {"see [a b](x.md) and [c](./y.md#part) and [d](/z)", "1 link x\n1 link y\n1 link z\n"},
        {"[t](<a/b>) [t](a/b \"words\")", "1 link a/b\n1 link a/b\n"},
        {"[w](https://example.org/x) [m](mailto:a@b) [h](#part)", ""},
        {"![picture](x.png)", ""},
        {"[not a key](a b) [out](../x) [dot](.x)", ""},
        {"[[a/b]] and [[c|title]]", "1 wiki a/b\n1 wiki c\n"},
        {"[open](a/b", ""},
        {"[[open", ""},
        {"[a] and [b](c)", "1 link c\n"},
        {"`[a](b)` ``[[c]]`` [d](e)", "1 link e\n"},
        {"```\n[a](b)\n- c/d\n```\n[e](f)", "5 link f\n"},
        {"~~~\n```\n[a](b)\n~~~\n[e](f)", "5 link f\n"},
        {"- envoy/start", "1 item envoy/start marked apart\n"},
        {"- `start`: words", "1 item start marked apart\n"},
        {"* milk", "1 item milk apart\n"},
        {"+ milk and bread", "1 item milk\n"},
        {"1. a/b - words\n12) c/d.md", "1 item a/b marked apart\n2 item c/d marked apart\n"},
        {"  - [x] a/b\n\t- c", "1 item a/b marked apart\n2 item c apart\n"},
        {"- a/b.\r\n- c/d\r\n", "1 item a/b marked\n2 item c/d marked apart\n"},
        {"- [t](a/b): words", "1 link a/b\n"},
        {"- me@example.org\n- http://x\n- --\n-x\n-\n- ", ""},
        {"- scratch/ - work", "1 item scratch/ marked apart\n"},
        {"- `open", ""},
        {"3. x\n3x", "1 item x apart\n"},
        {"] ( ) [ ]( [](", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = describe(cases[i].text);

        g_test_message("%s", cases[i].text);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

/* One key per list line or link, each once. */
static void
test_keys(void)
{
    g_auto(GStrv) keys =
        note_links_keys("# Index\n\nThe task: a report.\n\n- scratch/a\n- `b` numbers\n"
                        "- scratch/a again\n\nSee [c](docs/c).\n");
    g_autofree char *got = g_strjoinv(" ", keys);

    g_assert_cmpstr(got, ==, "scratch/a b docs/c");
}

static void
test_rename(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"nothing", NULL},
        {"- old/a words old/a", "- new words old/a"},
        {"[t](old/a) [t](old/a.md#x) [[old/a]] [u](old/ab)",
         "[t](new) [t](new.md#x) [[new]] [u](old/ab)"},
        {"- `old/a`: x\n- [old/a](old/a)\n", "- `new`: x\n- [old/a](new)\n"},
        {"```\n- old/a\n```\n", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = note_links_rename(cases[i].text, "old/a", "new");
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

static void
test_remove(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"nothing", NULL},
        {"- a/b words", ""},
        {"# T\n- a/b words\n- c\n", "# T\n- c\n"},
        {"# T\n- x [t](a/b) y\n- c\n", "# T\n- c\n"},
        {"- [t](a/b), [u](c)\n", "- t, [u](c)\n"},
        {"- a/b, see [u](c)\n- d", "- d"},
        {"Read [the text](a/b.md) or [[a/b]].\n", "Read the text or a/b.\n"},
        {"- [a](a/b) and [b](a/b)\nend", "end"},
        {"- one\n- a/b", "- one\n"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = note_links_remove(cases[i].text, "a/b");
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/links/find", test_find);
    g_test_add_func("/links/keys", test_keys);
    g_test_add_func("/links/rename", test_rename);
    g_test_add_func("/links/remove", test_remove);
    return g_test_run();
}
