#include "plan/file/todo_list.h"
#include "plan/file/findings.h"

static void
test_lines(void)
{
    static const struct {
        const char *line;
        const char *want_id, *want_title, *want_owner, *want_check, *want_after;
        bool want_none, want_ticked;
    } rows[] = {
        {"- [ ] SC-3: text (owner: tester) (check: make test) (after: SC-1)", "SC-3", "text",
         "tester", "make test", "SC-1", false, false},
        {"  * [x] A1: b (after: X-1, X-2 X-3)", "A1", "b", NULL, NULL, "X-1,X-2,X-3", false, true},
        {"+ [X]  text: of no id", NULL, "text: of no id", NULL, NULL, NULL, false, true},
        {"- [ ] SC-1:", "SC-1", "", NULL, NULL, NULL, false, false},
        {"- [ ] SC-1:text", NULL, "SC-1:text", NULL, NULL, NULL, false, false},
        {"- [ ] see http://x.y/z: now", NULL, "see http://x.y/z: now", NULL, NULL, NULL, false, false},
        {"- [ ] Note: it", NULL, "Note: it", NULL, NULL, NULL, false, false},
        {"- [ ] S-1: a (b) c", "S-1", "a (b) c", NULL, NULL, NULL, false, false},
        {"- [ ] S-1: a (b)", "S-1", "a (b)", NULL, NULL, NULL, false, false},
        {"- [ ] S-1: a (b) (check: x)", "S-1", "a (b)", NULL, "x", NULL, false, false},
        {"- [ ] S-1: a (check: test \"$(cat (x))\" = 1)", "S-1", "a", NULL,
         "test \"$(cat (x))\" = 1", NULL, false, false},
        {"- [ ] S-1: a (check: grep ')' x)", "S-1", "a", NULL, "grep ')' x", NULL, false, false},
        {"- [ ] S-1: a (check: one) (check: two)", "S-1", "a (check: one)", NULL, "two", NULL, false,
         false},
        {"- [ ] S-1: a (Owner: B)\r", "S-1", "a", "B", NULL, NULL, false, false},
        {"- [ ]", NULL, NULL, NULL, NULL, NULL, true, false},
        {"- [-] x", NULL, NULL, NULL, NULL, NULL, true, false},
        {"-[ ] x", NULL, NULL, NULL, NULL, NULL, true, false},
        {"- text", NULL, NULL, NULL, NULL, NULL, true, false},
        {"# - [ ] x", NULL, NULL, NULL, NULL, NULL, true, false},
        {")", NULL, NULL, NULL, NULL, NULL, true, false},
        {"- [ ] )", NULL, ")", NULL, NULL, NULL, false, false},
        {"- [ ] (check:)", NULL, "", NULL, "", NULL, false, false},
        {"<!-- such as\n- [ ] A-1: a -->\n- [ ] A-1: b <!-- c", "A-1", "b <!-- c", NULL, NULL, NULL,
         false, false},
        {"  <!-- a -->\n- [ ] A-1: b", "A-1", "b", NULL, NULL, NULL, false, false},
        {"<!--\n```\n-->\n- [ ] A-1: b", "A-1", "b", NULL, NULL, NULL, false, false},
        {"```\n<!--\n```\n- [ ] A-1: b", "A-1", "b", NULL, NULL, NULL, false, false},
        {"<!--\n- [ ] A-1: b", NULL, NULL, NULL, NULL, NULL, true, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TodoItems) items = NULL;

        g_test_message("%s", rows[i].line);
        g_assert_true(todo_items_parse(rows[i].line, strlen(rows[i].line), &items, NULL));
        g_assert_cmpuint(items->len, ==, rows[i].want_none ? 0 : 1);
        if (rows[i].want_none)
            continue;
        const TodoItem *item = items->pdata[0];
        g_autofree char *after = item->after ? g_strjoinv(",", item->after) : NULL;
        g_assert_cmpstr(item->id, ==, rows[i].want_id);
        g_assert_cmpstr(item->title, ==, rows[i].want_title);
        g_assert_cmpstr(item->owner, ==, rows[i].want_owner);
        g_assert_cmpstr(item->check, ==, rows[i].want_check);
        g_assert_cmpstr(after, ==, rows[i].want_after);
        g_assert_cmpint(item->ticked, ==, rows[i].want_ticked);
    }
}

static void
test_tick(void)
{
    const char *text = "# P\r\n- [ ] A-1: ä\r\n```\n- [ ] A-2: code\n```\n  - [x] A-2: b";
    g_autofree char *one = todo_items_tick(text, "A-1", true, NULL);
    g_autofree char *two = todo_items_tick(text, "A-2", false, NULL);

    g_assert_cmpstr(one, ==, "# P\r\n- [x] A-1: ä\r\n```\n- [ ] A-2: code\n```\n  - [x] A-2: b");
    g_assert_cmpstr(two, ==, "# P\r\n- [ ] A-1: ä\r\n```\n- [ ] A-2: code\n```\n  - [ ] A-2: b");
    g_assert_null(todo_items_tick(text, "A-1", false, NULL));
    g_assert_null(todo_items_tick(text, "A-3", true, NULL));
}

/* Any bytes: no crash, and a text that is taken is the same after its boxes were ticked back and forth. */
static void
test_any_bytes(void)
{
    static const char *const pieces[] = {"- ", "[ ]", "[x]", " ", "(check:", "(after: A-1)", ")", "(", "A-1:",
                                         "B-2: ", "\n", "```", "ä", "\t", "*", "\r", "owner:"};
    g_autoptr(GRand) rand = g_rand_new_with_seed(16);

    for (int round = 0; round < 20000; round++) {
        g_autoptr(GString) text = g_string_new(NULL);
        g_autoptr(TodoItems) items = NULL;

        for (int n = g_rand_int_range(rand, 1, 30); n > 0; n--)
            g_string_append(text, pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
        if (!todo_items_parse(text->str, text->len, &items, NULL))
            continue;
        LIST_EACH(const TodoItem, item, items) {
            g_autofree char *on =
                item->id ? todo_items_tick(text->str, item->id, !item->ticked, NULL) : NULL;
            g_autofree char *off = on ? todo_items_tick(on, item->id, item->ticked, NULL) : NULL;

            if (on && !strchr(text->str, 'X'))
                g_assert_cmpstr(off, ==, text->str);
        }
        g_autofree char *numbered = todo_items_number(text->str, items);
        g_autoptr(TodoItems) again = NULL;
        g_assert_true(todo_items_parse(numbered, strlen(numbered), &again, NULL));
        g_assert_cmpuint(again->len, ==, items->len);
    }
}

static void
test_bad(void)
{
    g_autoptr(TodoItems) items = NULL;

    g_assert_false(todo_items_parse("- [ ] A-1: x\n- [ ] A-1: y", 25, &items, NULL));
    g_assert_false(todo_items_parse("- [ ] A\0x", 9, &items, NULL));
    g_assert_false(todo_items_parse("- [ ] \377", 7, &items, NULL));
}

static void
test_findings(void)
{
    static const struct {
        const char *title;
        unsigned want;
    } rows[] = {
        {"Create auth service", 0},   {"Change a.c and b.c", 1},  {"Change a.c, see a.c", 0},
        {"15 minutes for it", 0},     {"16 minutes", 1},          {"about 2h", 1},
        {"one day", 0},               {"1 day", 1},               {"Release 1.2 and 1.3", 0},
        {"Use `A` in `B`", 1},        {"Use `A b c` in x.c", 0},  {"e.g. this, i.e. that", 0},
        {"30-minute job", 1},         {"see http://a.b/c.d and x.c", 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *line = g_strdup_printf("- [ ] A-1: %s", rows[i].title);
        g_autoptr(TodoItems) items = NULL;

        g_test_message("%s", line);
        g_assert_true(todo_items_parse(line, strlen(line), &items, NULL));
        g_autoptr(GPtrArray) findings = todo_findings(items);
        g_assert_cmpuint(findings->len, ==, rows[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/todo-list/lines", test_lines);
    g_test_add_func("/todo-list/tick", test_tick);
    g_test_add_func("/todo-list/any-bytes", test_any_bytes);
    g_test_add_func("/todo-list/bad", test_bad);
    g_test_add_func("/todo-list/findings", test_findings);
    return g_test_run();
}
