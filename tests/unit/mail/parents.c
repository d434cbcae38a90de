#include "mail/parents.h"
#include "base/err.h"
#include "mail/msgid.h"
#include <string.h>

/* "a b c" as ids. */
static GPtrArray *
split(const char *text)
{
    GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = g_strsplit(text, " ", -1);

    for (char **w = words; *w; w++)
        if (**w)
            g_ptr_array_add(ids, g_strdup(*w));
    return ids;
}

static Compose *
letter(void)
{
    Compose *c = compose_new();

    g_assert_true(compose_from(c, NULL, "anna@example.org", NULL));
    g_assert_true(compose_to(c, NULL, "ben@example.org", NULL));
    g_assert_true(compose_subject(c, "s", NULL));
    compose_date(c, 1000000);
    compose_msgid(c, "own@x");
    return c;
}

static Message *
parse(Compose *c)
{
    g_autoptr(GBytes) bytes = compose_format(c, NULL);

    g_assert_nonnull(bytes);
    return message_parse_bytes(bytes, MESSAGE_HEADERS);
}

static char *
join(const GPtrArray *ids)
{
    GString *s = g_string_new(NULL);

    for (guint i = 0; i < ids->len; i++)
        g_string_append_printf(s, "%s%s", i ? " " : "", (const char *)ids->pdata[i]);
    return g_string_free(s, FALSE);
}

/* chains: of each parent what stands in References of an answer to it alone; its last id is the parent. */
static void
test_thread(void)
{
    static const struct {
        const char *name, *chains[4];
        const char *want_answers, *want_references;
    } cases[] = {
        {"one", {"r@x a@x"}, "a@x", "r@x a@x"},
        {"two of one thread", {"r@x a@x", "r@x b@x"}, "a@x b@x", "b@x r@x a@x"},
        {"two threads", {"r@x a@x", "s@x b@x"}, "a@x b@x", "s@x b@x r@x a@x"},
        {"three", {"a@x", "b@x", "c@x"}, "a@x b@x c@x", "b@x c@x a@x"},
        {"the second is above the first", {"r@x b@x a@x", "r@x b@x"}, "a@x b@x", "r@x b@x a@x"},
        {"the first is above the second", {"r@x a@x", "r@x a@x b@x"}, "a@x b@x", "b@x r@x a@x"},
        {"no id to write", {"r@x a@no-id.invalid", "b@x"}, "b@x", "b@x"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GPtrArray) chains =
            g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
        for (const char *const *chain = cases[i].chains; *chain; chain++) {
            g_autoptr(GPtrArray) all = split(*chain);
            char *last = g_strdup(all->pdata[all->len - 1]);
            g_ptr_array_remove_index(all, all->len - 1);
            g_ptr_array_add(ids, last);
            g_ptr_array_add(chains, msgid_answer_references(all, NULL, last));
        }
        g_autoptr(Compose) c = letter();
        g_assert_true(parents_thread(c, ids, chains, NULL));
        g_autoptr(Message) m = parse(c);
        g_autoptr(GPtrArray) parents = parents_of(m);
        g_autofree char *answers = join(parents), *references = join(m->references);
        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(answers, ==, cases[i].want_answers);
        g_assert_cmpstr(references, ==, cases[i].want_references);
        g_assert_cmpstr(m->in_reply_to, ==, parents->pdata[0]);
    }
}

/* Long threads stand there whole. Cut for others the oldest is kept, each parent, and the newest. */
static void
test_long(void)
{
    g_autoptr(GPtrArray) ids = split("a@x b@x");
    g_autoptr(GPtrArray) chains =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

    for (int parent = 0; parent < 2; parent++) {
        g_autoptr(GPtrArray) above = g_ptr_array_new_with_free_func(g_free);
        for (int i = 0; i < 100; i++)
            g_ptr_array_add(above, g_strdup_printf("%d.%d@x", parent, i));
        g_ptr_array_add(chains, msgid_answer_references(above, NULL, ids->pdata[parent]));
    }
    g_autoptr(Compose) c = letter();
    g_assert_true(parents_thread(c, ids, chains, NULL));
    g_autoptr(Message) m = parse(c);
    g_assert_cmpuint(m->references->len, ==, 202);
    g_assert_cmpstr(m->references->pdata[0], ==, "1.0@x");
    g_assert_cmpstr(m->references->pdata[100], ==, "b@x");
    g_assert_cmpstr(m->references->pdata[101], ==, "0.0@x");
    g_assert_cmpstr(m->references->pdata[201], ==, "a@x");
    compose_cut_references(c, 30);
    g_autoptr(Message) cut = parse(c);
    g_assert_cmpuint(cut->references->len, ==, 30);
    g_assert_cmpstr(cut->references->pdata[0], ==, "1.0@x");
    g_assert_cmpstr(cut->references->pdata[1], ==, "b@x");
    g_assert_cmpstr(cut->references->pdata[2], ==, "0.73@x");
    g_assert_cmpstr(cut->references->pdata[29], ==, "a@x");
}

/* What one header can't hold: the oldest, and as many of the newest as it can. */
static void
test_huge(void)
{
    g_autoptr(GPtrArray) refs = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Compose) many = letter(), large = letter();
    g_autofree char *pad = g_strnfill(400, 'a');

    for (int i = 0; i < 1500; i++)
        g_ptr_array_add(refs, g_strdup_printf("%d@x", i));
    g_assert_true(compose_thread(many, "1499@x", refs, NULL));
    g_autoptr(Message) m = parse(many);
    g_assert_cmpuint(m->references->len, ==, 999);
    g_assert_cmpstr(m->references->pdata[0], ==, "0@x");
    g_assert_cmpstr(m->references->pdata[998], ==, "1499@x");
    for (guint i = 0; i < refs->len; i++) {
        char *id = refs->pdata[i];
        refs->pdata[i] = g_strconcat(pad, id, NULL);
        g_free(id);
    }
    g_assert_true(compose_thread(large, NULL, refs, NULL));
    g_autoptr(Message) n = parse(large);
    g_assert_cmpuint(n->references->len, >, 100);
    g_assert_cmpuint(n->references->len, <, 120);
    g_assert_cmpstr(n->references->pdata[0], ==, refs->pdata[0]);
    g_assert_cmpstr(n->references->pdata[n->references->len - 1], ==, refs->pdata[1499]);
}

/* The header stays on one line of a legal length. */
static void
test_line(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Compose) c = letter();
    g_autofree char *pad = g_strnfill(300, 'a');

    g_assert_true(compose_thread(c, "first@x", NULL, NULL));
    for (int i = 0; i < 3; i++) {
        g_autofree char *id = g_strdup_printf("%s%d@x", pad, i);
        g_assert_true(compose_answer_too(c, id, NULL));
    }
    g_autofree char *more = g_strdup_printf("%s3@x", pad);
    g_assert_false(compose_answer_too(c, more, &error));
    g_assert_true(err_is(error, ERR_LIMIT));
    g_assert_false(compose_answer_too(c, "a@x\r\nBcc: x@y", NULL));
    g_autoptr(GBytes) bytes = compose_format(c, NULL);
    g_autofree char *raw = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    const char *line = strstr(raw, "\nIn-Reply-To: ") + 1;
    g_assert_cmpuint(strcspn(line, "\n"), <=, 998);
    g_autoptr(Message) m = parse(c);
    g_autoptr(GPtrArray) parents = parents_of(m);
    g_assert_cmpuint(parents->len, ==, 4);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/parents/thread", test_thread);
    g_test_add_func("/parents/long", test_long);
    g_test_add_func("/parents/huge", test_huge);
    g_test_add_func("/parents/line", test_line);
    return g_test_run();
}
