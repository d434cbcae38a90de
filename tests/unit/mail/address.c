#include "mail/address.h"

#include "base/limits.h"

/* "name|spec, name|spec" */
static char *
describe(const Addresses *list)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < list->len; i++) {
        const Address *a = list->pdata[i];
        g_string_append_printf(s, "%s%s|%s", i ? ", " : "", a->name, a->spec);
    }
    return g_string_free(s, FALSE);
}

static void
test_list(void)
{
    static const struct {
        const char *row, *in, *want;
    } cases[] = {
        {"bare", "a@b.example", "|a@b.example"},
        {"named", "Ann <ann@x.example>", "Ann|ann@x.example"},
        {"quoted comma", "\"Smith, Ann\" <ann@x.example>, b@y",
         "Smith, Ann|ann@x.example, |b@y"},
        {"comment behind", "ann@x (Ann Smith)", "|ann@x"},
        {"comments", "Ann (of \"x\" (y)) <ann@(here)x.example>", "Ann|ann@x.example"},
        {"group", "team: a@x, B <b@x>;, c@x", "|a@x, B|b@x, |c@x"},
        {"empty group", "undisclosed-recipients:;", ""},
        {"encoded name", "=?utf-8?q?J=C3=BCrgen?= <j@x>", "Jürgen|j@x"},
        {"raw UTF-8 name", "Jürgen <j@x>", "Jürgen|j@x"},
        {"route", "<@relay,@two:a@x>", "|a@x"},
        {"domain in any case", "a@EXAMPLE.Org", "|a@example.org"},
        {"local part as it is", "Ann.Smith@x", "|Ann.Smith@x"},
        {"quoted local part", "\"odd.local\"@x", "|\"odd.local\"@x"},
        {"literal", "a@[192.0.2.1]", "|a@[192.0.2.1]"},
        {"no literal", "a@[192.0.2.g]", ""},
        {"white space around the sign", "ann @ x . example", "|ann@x.example"},
        {"Outlook's semicolons", "a@x; b@y;", "|a@x, |b@y"},
        {"two words are no address", "foo bar@x", ""},
        {"two words in brackets neither", "N <foo bar@x>", ""},
        {"nothing", "", ""},
        {"no address", "Ann Smith", ""},
        {"open bracket", "Ann <ann@x", "Ann|ann@x"},
        {"open quote", "\"Ann <ann@x>", ""},
        {"two pairs of brackets", "<a@x> <b@y>", ""},
        {"encoded word is no address", "=?utf-8?b?YXR0YWNrZXJAZXZpbC5jb20=?=", ""},
        {"name that is an address", "\"boss@corp.example\" <x@evil>",
         "boss@corp.example|x@evil"},
        {"bare name that is one", "boss@corp.example <x@evil>", "boss@corp.example|x@evil"},
        {"encoded word with brackets", "=?utf-8?q?boss_=3Cboss=40corp=3E?= <x@evil>",
         "boss <boss@corp>|x@evil"},
        {"another alphabet is another address", "аdmin@corp", "|аdmin@corp"},
        {"encoded word in an addr-spec stays", "=?utf-8?q?a?=@x", "|=?utf-8?q?a?=@x"},
        {"UTF-8 local part, IDN", "юзер@пример.рф", "|юзер@пример.рф"},
        {"empty entries", ",,a@x,,;;,b@y,", "|a@x, |b@y"},
        {"new line in a decoded name", "=?utf-8?q?a=0D=0ABcc=3A_x?= <a@x>", "a  Bcc: x|a@x"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Addresses) list = address_parse_list(cases[i].in);
        g_autofree char *got = describe(list);
        g_test_message("%s: %s", cases[i].row, cases[i].in);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

static void
test_valid(void)
{
    g_autofree char *local64 = g_strdup_printf("%064d@x", 0);
    g_autofree char *local65 = g_strdup_printf("%065d@x", 0);
    g_autofree char *domain255 = g_strdup_printf("a@%0255d", 0);
    g_autofree char *domain256 = g_strdup_printf("a@%0256d", 0);
    const struct {
        const char *spec;
        bool want;
    } cases[] = {
        {"a@b", true},
        {"a.b+c@x.example", true},
        {"\"a\\\"b\"@x", true},
        {"юзер@пример.рф", true},
        {local64, true},
        {local65, false},
        {domain255, true},
        {domain256, false},
        {"", false},
        {"a", false},
        {"@b", false},
        {"a@", false},
        {"a b@c", false},
        {"a@b c", false},
        {".a@b", false},
        {"a.@b", false},
        {"a..b@c", false},
        {"a@b..c", false},
        {"a@.b", false},
        {"a@b.", false},
        {"a@-b", false},
        {"a<b@c", false},
        {"a@b>\r\nRCPT TO:<evil@x", false},
        {"a\n@b", false},
        {"\"a b\"@c", false},
        {"\"a<b\"@c", false},
        {"a@b@c", false},
        {"a\xff@b", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("case %zu", i);
        g_assert_cmpint(address_spec_valid(cases[i].spec), ==, cases[i].want);
    }
}

static void
test_equal(void)
{
    g_assert_true(address_equal("a@X.example", "a@x.EXAMPLE"));
    g_assert_true(address_equal("a@bücher.example", "a@xn--bcher-kva.example"));
    g_assert_false(address_equal("a@bücher.example", "a@bucher.example"));
    g_assert_false(address_equal("A@x", "a@x"));
    g_assert_false(address_equal("a@x", "a@x.example"));
    g_assert_false(address_equal("a", "a"));
    g_assert_false(address_equal("аdmin@corp", "admin@corp"));
    g_assert_true(address_is_ours("ENVOY@x", "envoy@X"));
    g_assert_true(address_is_ours("Envoy@bücher.example", "envoy@xn--bcher-kva.example"));
    g_assert_false(address_is_ours("ENVOYS@x", "envoy@x"));
    g_assert_false(address_is_ours("ENVOY@x", "envoy@y"));
    g_autofree char *normal = address_normalise("Ann@X.Example");
    g_assert_cmpstr(normal, ==, "Ann@x.example");
    g_assert_null(address_normalise("nobody"));
}

static void
test_tag(void)
{
    static const struct {
        const char *spec, *want_base, *want_tag;
    } cases[] = {
        {"envoy+12.abc@x", "envoy@x", "12.abc"},
        {"envoy@x", "envoy@x", NULL},
        {"envoy+@x", "envoy@x", ""},
        {"a+b+c@x", "a@x", "b+c"},
        {"+b@x", "+b@x", NULL},
        {"a@x+y", "a@x+y", NULL},
        {"nobody", "nobody", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *base = NULL, *tag = NULL;
        address_split_tag(cases[i].spec, &base, &tag);
        g_assert_cmpstr(base, ==, cases[i].want_base);
        g_assert_cmpstr(tag, ==, cases[i].want_tag);
    }
}

static void
test_format(void)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        {NULL, "a@x"},
        {"", "a@x"},
        {"Ann Smith", "Ann Smith <a@x>"},
        {"Smith, Ann", "\"Smith, Ann\" <a@x>"},
        {"The \"A\"", "\"The \\\"A\\\"\" <a@x>"},
        {"Jürgen", "=?utf-8?b?SsO8cmdlbg==?= <a@x>"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = address_format(cases[i].name, "a@x");
        g_assert_cmpstr(got, ==, cases[i].want);
        g_autoptr(Addresses) back = address_parse_list(got);
        g_assert_cmpuint(back->len, ==, 1);
        const Address *a = back->pdata[0];
        g_assert_cmpstr(a->name, ==, cases[i].name ? cases[i].name : "");
    }
}

static void
test_machine(void)
{
    static const char *const machines[] = {
        "MAILER-DAEMON@x", "postmaster@x",    "no-reply@x",     "noreply@x",
        "donotreply@x",    "owner-list@x",    "list-request@x", "bounce+123@x",
        "bounces-12@x",    "noreply+thing@x", "list-bounces@x", "jira-noreply@x"};
    static const char *const people[] = {"ann@x", "owner@x", "request@x", "replyall@x"};

    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++)
        g_assert_true(address_is_machine(machines[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(people); i++)
        g_assert_false(address_is_machine(people[i]));
}

static void
test_show(void)
{
    static const struct {
        const char *header, *want;
    } cases[] = {
        {"", ""},
        {"a@x.example", "a@x.example"},
        {"\"Bob, the\" <b@x.example>", "Bob, the <b@x.example>"},
        {"Ann <a@x.example>, b@x.example", "Ann <a@x.example>, b@x.example"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Addresses) list = address_parse_list(cases[i].header);
        g_autofree char *got = address_show_list(list);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
    g_autofree char *nameless = address_show(NULL, "a@x.example");
    g_assert_cmpstr(nameless, ==, "a@x.example");
}

/* Many of anything, in linear time; the count is capped. */
static void
test_hostile(void)
{
    static const struct {
        const char *row, *unit;
        unsigned times, want;
    } cases[] = {
        {"addresses", "a@b, ", 200000, LIMIT_ADDRESSES},
        {"empty groups", ";", 1000000, 0},
        {"named groups", "g:;", 300000, 0},
        {"open comments", "(", 1000000, 0},
        {"open quotes", "\"", 1000000, 0},
        {"open brackets", "<", 1000000, 0},
        {"literals", "a[:", 300000, 0},
        {"encoded words", "=?utf-8?q?a?= ", 100000, 0},
        {"half encoded words", "=?utf-8?q?", 100000, 0},
        {"backslashes", "\\", 1000000, 0},
        {"at signs", "@", 1000000, 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) in = g_string_new(NULL);
        for (unsigned k = 0; k < cases[i].times; k++)
            g_string_append(in, cases[i].unit);
        int64_t start = g_get_monotonic_time();
        g_autoptr(Addresses) list = address_parse_list(in->str);
        int64_t took = g_get_monotonic_time() - start;
        g_test_message("%s: %d ms", cases[i].row, (int)(took / 1000));
        g_assert_cmpuint(list->len, ==, cases[i].want);
        g_assert_cmpint(took, <,
                        5 * G_USEC_PER_SEC); /* with sanitizers; quadratic is minutes */
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/address/list", test_list);
    g_test_add_func("/address/valid", test_valid);
    g_test_add_func("/address/equal", test_equal);
    g_test_add_func("/address/tag", test_tag);
    g_test_add_func("/address/format", test_format);
    g_test_add_func("/address/show", test_show);
    g_test_add_func("/address/machine", test_machine);
    g_test_add_func("/address/hostile", test_hostile);
    return g_test_run();
}
