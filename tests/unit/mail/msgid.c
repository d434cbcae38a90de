#include "mail/msgid.h"

static char *
join(const GPtrArray *ids)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < ids->len; i++)
        g_string_append_printf(s, "%s%s", i ? " " : "", (const char *)ids->pdata[i]);
    return g_string_free(s, FALSE);
}

/* "<aaaa…@x>" of that many bytes between the brackets; caller frees. */
static char *
long_id(unsigned len)
{
    GString *s = g_string_new("<");

    while (s->len < len - 1)
        g_string_append_c(s, 'a');
    return g_string_free(g_string_append(s, "@x>"), FALSE);
}

static void
test_parse(void)
{
    static const struct {
        const char *row, *in, *want;
    } cases[] = {
        {"brackets", "<a@b>", "a@b"},
        {"none", "a@b", "a@b"},
        {"blanks", "  <a@b> ", "a@b"},
        {"blanks inside the brackets", "< a@b >", "a@b"},
        {"needless quotes", "<\"x\"@h>", "x@h"},
        {"quotes that are needed", "<\"x@y\"@h>", "\"x@y\"@h"},
        {"case stays", "<A@B>", "A@B"},
        {"first valid one", "<nothing> <a@b> <c@d>", "a@b"},
        {"text around", "Your message of Monday <a@b> by me", "a@b"},
        {"inner brackets", "<a <b@c>", "b@c"},
        {"empty", "<>", NULL},
        {"nothing", "", NULL},
        {"no sign", "<abc>", NULL},
        {"no left side", "<@b>", NULL},
        {"no right side", "<a@>", NULL},
        {"space inside", "<a b@c>", NULL},
        {"new line inside", "<a\n@c>", NULL},
        {"not UTF-8", "<a\xff@c>", NULL},
        {"never closed", "<a@c", NULL},
        {"UTF-8", "<ä@x>", "ä@x"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = msgid_parse(cases[i].in);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
    g_autofree char *fits = long_id(996), *over = long_id(997), *huge = long_id(5000);
    g_autofree char *got = msgid_parse(fits);
    g_assert_nonnull(got);
    g_assert_null(msgid_parse(over));
    g_assert_null(msgid_parse(huge));
}

static void
test_list(void)
{
    static const struct {
        const char *row, *in, *want;
    } cases[] = {
        {"two", "<a@b> <c@d>", "a@b c@d"},
        {"none between", "<a@b><c@d>", "a@b c@d"},
        {"commas and comments", "<a@b>,(x) <c@d>", "a@b c@d"},
        {"repeats", "<a@b> <c@d> <a@b> <\"a\"@b>", "a@b c@d"},
        {"bad ones between", "<a@b> <oops> c@d <e@f> <", "a@b e@f"},
        {"nothing", "", ""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) ids = msgid_parse_list(cases[i].in, 100);
        g_autofree char *got = join(ids);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

/* Ten thousand ids are read up to the cap; nonsense takes linear time. */
static void
test_hostile(void)
{
    g_autoptr(GString) many = g_string_new(NULL), open = g_string_new(NULL);

    for (unsigned i = 0; i < 10000; i++)
        g_string_append_printf(many, "<%u@x> ", i);
    for (unsigned i = 0; i < 1000000; i++)
        g_string_append_c(open, '<');
    g_autoptr(GPtrArray) capped = msgid_parse_list(many->str, 1000);
    g_assert_cmpuint(capped->len, ==, 1000);
    g_assert_cmpstr(capped->pdata[999], ==, "999@x");
    g_autoptr(GPtrArray) none = msgid_parse_list(open->str, 1000);
    g_assert_cmpuint(none->len, ==, 0);
}

static void
test_mint(void)
{
    Key key = {.n = 1, .v = {{1}}}, other = {.n = 1, .v = {{2}}}, rolled = {.n = 2};
    Minted minted;

    memcpy(rolled.v[0], other.v[0], KEY_SIZE);
    memcpy(rolled.v[1], key.v[0], KEY_SIZE);
    g_autofree char *id = msgid_mint(&key, MAIL_ACK, 3, 42, "body", 4, "X.example");
    g_autofree char *again = msgid_mint(&key, MAIL_ACK, 3, 42, "body", 4, "x.example");
    g_autofree char *text = msgid_mint(&key, MAIL_ACK, 3, 42, "Body", 4, "x.example");
    g_autofree char *row = msgid_mint(&key, MAIL_ACK, 3, 43, "body", 4, "x.example");
    g_autofree char *stranger = msgid_mint(&other, MAIL_ACK, 3, 42, "body", 4, "x.example");

    g_assert_true(g_str_has_prefix(id, "3.42."));
    g_assert_true(g_str_has_suffix(id, "@x.example"));
    g_assert_cmpstr(id, ==, again);
    g_assert_cmpstr(id, !=, text);
    g_assert_cmpstr(id, !=, row);
    g_assert_cmpstr(id, !=, stranger);
    g_autofree char *parsed = msgid_parse(id);
    g_assert_cmpstr(parsed, ==, id);

    g_assert_true(msgid_read(&key, id, "x.example", &minted));
    g_assert_cmpuint(minted.generation, ==, 3);
    g_assert_cmpint(minted.number, ==, 42);
    g_assert_true(msgid_read(&rolled, id, "x.example", &minted));
    g_assert_false(msgid_read(&other, id, "x.example", &minted));
    g_assert_false(msgid_read(&key, id, "y.example", &minted));
}

/* Each number has one form, so each mail has one id. */
static void
test_numbers(void)
{
    static const struct {
        uint64_t generation;
        int64_t number;
    } ids[] = {{1, 1}, {10, 100}, {3, 7}, {1700000000000, 2000}};
    Key key = {.n = 1, .v = {{1}}};
    Minted minted;

    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_autofree char *id = msgid_mint(&key, MAIL_ACK, ids[i].generation, ids[i].number, "body", 4, "x.example");
        g_autofree char *first = g_strconcat("0", id, NULL);
        g_autoptr(GString) second = g_string_new(id);

        g_string_insert(second, strchr(id, '.') + 1 - id, "0");
        g_assert_true(msgid_read(&key, id, "x.example", &minted));
        g_assert_cmpuint(minted.generation, ==, ids[i].generation);
        g_assert_cmpint(minted.number, ==, ids[i].number);
        g_assert_false(msgid_read(&key, first, "x.example", &minted));
        g_assert_false(msgid_read(&key, second->str, "x.example", &minted));
    }
}

/* The id alone says what its mail is; one of a version before kinds is still ours. */
static void
test_event(void)
{
    Key key = {.n = 1, .v = {{1}}}, other = {.n = 1, .v = {{2}}};
    const int64_t at = INT64_C(1763116200) * G_USEC_PER_SEC; /* 2025-11-14 10:30:00 UTC */
    g_autofree char *id = msgid_mint_event(&key, at, "spec-writer", 3, 42, "body", 4, "Workflow.local");
    g_autofree char *dotted = msgid_mint_event(&key, at, "a.b", 3, 42, "body", 4, "workflow.local");
    Minted minted;

    g_assert_true(g_str_has_prefix(id, "20251114103000.3.42."));
    g_assert_true(g_str_has_suffix(id, ".spec-writer@workflow.local"));
    g_assert_true(msgid_read(&key, id, "workflow.local", &minted));
    g_assert_cmpint(minted.kind, ==, MAIL_EVENT);
    g_assert_cmpuint(minted.generation, ==, 3);
    g_assert_cmpint(minted.number, ==, 42);
    g_assert_true(msgid_read(&key, dotted, "workflow.local", &minted));
    g_assert_false(msgid_read(&other, id, "workflow.local", &minted));
    g_assert_false(msgid_read(&key, id, "x.local", &minted));
    /* Neither time nor role can be changed. */
    id[3] = '6';
    g_assert_false(msgid_read(&key, id, "workflow.local", &minted));
    id[3] = '5';
    g_assert_true(msgid_read(&key, id, "workflow.local", &minted));
    *strstr(id, "spec") = 'x';
    g_assert_false(msgid_read(&key, id, "workflow.local", &minted));
    g_assert_false(msgid_read(&key, "20251114103000.spec-writer@workflow.local", "workflow.local", &minted));
}

static void
test_kinds(void)
{
    static const char unsaid[] = "3.42.aagga4mzb2vweyskhs6csm5lcr4whtph5moiops@x.example";
    Key key = {.n = 1, .v = {{1}}}, other = {.n = 1, .v = {{2}}}, rolled = {.n = 2};
    g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Minted minted;

    memcpy(rolled.v[0], other.v[0], KEY_SIZE);
    memcpy(rolled.v[1], key.v[0], KEY_SIZE);
    for (MailKind kind = 0; kind < MAIL_N_KINDS; kind++) {
        char *id = msgid_mint(&key, kind, 3, 42, "body", 4, "x.example");
        g_assert_true(g_hash_table_add(ids, id)); /* each kind has another */
        g_assert_true(msgid_read(&key, id, "X.example", &minted));
        g_assert_cmpstr(mail_kind_name(minted.kind), ==, mail_kind_name(kind));
        g_assert_cmpuint(minted.generation, ==, 3);
        g_assert_cmpint(minted.number, ==, 42);
        g_assert_true(msgid_read(&rolled, id, "x.example", &minted));
        g_assert_cmpint(minted.kind, ==, kind);
        g_assert_false(msgid_read(&other, id, "x.example", &minted));
    }
    g_assert_true(msgid_read(&key, unsaid, "x.example", &minted));
    g_assert_cmpint(minted.kind, ==, MAIL_UNSAID);
    g_assert_true(g_hash_table_contains(ids, unsaid));
}

static void
test_order(void)
{
    static const struct {
        Minted a, b;
        int want;
    } cases[] = {
        {{MAIL_ACK, 3, 42}, {MAIL_ANSWER, 3, 42}, 0},
        {{MAIL_ACK, 3, 42}, {MAIL_ACK, 3, 43}, -1},
        {{MAIL_ACK, 4, 1}, {MAIL_ACK, 3, 43}, 1},
        {{MAIL_ACK, 3, 43}, {MAIL_ACK, 4, 1}, -1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(minted_compare(&cases[i].a, &cases[i].b), ==, cases[i].want);
}

static void
test_not_minted(void)
{
    Key key = {.n = 1, .v = {{1}}};
    static const char *const ids[] = {"", "@x", "1@x", "1.2@x", "1.2.abc@x", "a.b.c@x"};
    g_autofree char *id = msgid_mint(&key, MAIL_ACK, 3, 42, "body", 4, "x");
    Minted minted;

    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++)
        g_assert_false(msgid_read(&key, ids[i], "x", &minted));
    id[2] = '5'; /* 3.52: the tag is for another number */
    g_assert_false(msgid_read(&key, id, "x", &minted));
    g_autofree char *zeros = g_strdup_printf("0%s", id);
    g_assert_false(msgid_read(&key, zeros, "x", &minted));
}

static void
test_answer(void)
{
    g_autoptr(GPtrArray) refs = msgid_parse_list("<a@x> <b@x>", 10);
    g_autoptr(GPtrArray) both = msgid_answer_references(refs, "z@x", "c@x");
    g_autoptr(GPtrArray) one = msgid_answer_references(NULL, "z@x", "c@x");
    g_autoptr(GPtrArray) none = msgid_answer_references(NULL, NULL, "c@x");
    g_autofree char *got_both = join(both), *got_one = join(one), *got_none = join(none);

    g_assert_cmpstr(got_both, ==, "a@x b@x c@x");
    g_assert_cmpstr(got_one, ==, "z@x c@x");
    g_assert_cmpstr(got_none, ==, "c@x");

    g_autoptr(GPtrArray) many = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < 100; i++)
        g_ptr_array_add(many, g_strdup_printf("%u@x", i));
    g_autoptr(GPtrArray) whole = msgid_answer_references(many, NULL, "me@x");
    g_assert_cmpuint(whole->len, ==, 101);
    g_assert_cmpstr(whole->pdata[0], ==, "0@x");
    g_assert_cmpstr(whole->pdata[100], ==, "me@x");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/msgid/numbers", test_numbers);
    g_test_add_func("/msgid/parse", test_parse);
    g_test_add_func("/msgid/list", test_list);
    g_test_add_func("/msgid/hostile", test_hostile);
    g_test_add_func("/msgid/mint", test_mint);
    g_test_add_func("/msgid/kinds", test_kinds);
    g_test_add_func("/msgid/event", test_event);
    g_test_add_func("/msgid/order", test_order);
    g_test_add_func("/msgid/not-minted", test_not_minted);
    g_test_add_func("/msgid/answer", test_answer);
    return g_test_run();
}
