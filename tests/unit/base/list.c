#include "base/list.h"

typedef struct Word {
    char text[8];
} Word;
LIST_OF(Words_, words, Word, g_free)

static Words_ *
make(const char *const *texts)
{
    Words_ *list = words_new();

    for (; *texts; texts++) {
        Word *w = g_new0(Word, 1);
        g_strlcpy(w->text, *texts, sizeof w->text);
        words_add(list, w);
    }
    return list;
}

/* Both kinds of jump mean what they mean in any loop. */
static void
test_each(void)
{
    static const struct {
        const char *texts[5], *want;
    } cases[] = {
        {{NULL}, ""},
        {{"a", NULL}, "a"},
        {{"a", "b", "c", NULL}, "abc"},
        {{"a", "-", "c", NULL}, "ac"},
        {{"a", "!", "c", NULL}, "a"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Words_) list = make(cases[i].texts);
        g_autoptr(GString) seen = g_string_new(NULL);

        LIST_EACH(const Word, w, list) {
            if (*w->text == '-')
                continue;
            if (*w->text == '!')
                break;
            g_string_append(seen, w->text);
        }
        g_assert_cmpstr(seen->str, ==, cases[i].want);
    }
}

/* What is added meanwhile is gone through too. */
static void
test_grows(void)
{
    const char *const texts[] = {"a", NULL};
    g_autoptr(Words_) list = make(texts);
    unsigned n = 0;

    LIST_EACH(Word, w, list) {
        if (++n < 40)
            words_add(list, g_memdup2(w, sizeof *w));
    }
    g_assert_cmpuint(n, ==, 40);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/list/each", test_each);
    g_test_add_func("/list/grows", test_grows);
    return g_test_run();
}
