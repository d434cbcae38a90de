#include "base/text.h"

#define FFFD "\357\277\275"

static const struct {
    const char *in;
    gssize len;
    const char *want;
} valids[] = {
    {"plain", -1, "plain"},
    {"gr\303\274n", -1, "gr\303\274n"},
    {"a\0b", 3, "ab"},
    {"\0\0", 2, ""},
    {"a\377b", -1, "a" FFFD "b"},
    {"\303", -1, FFFD},
    {"\342\202x", -1, FFFD "x"},                   /* a cut sequence is one mistake */
    {"\355\240\200", -1, FFFD FFFD FFFD},          /* a surrogate */
    {"\300\257", -1, FFFD FFFD},                   /* overlong */
    {"\360\237\230", -1, FFFD},                    /* cut at the end */
    {"\364\220\200\200", -1, FFFD FFFD FFFD FFFD}, /* above U+10FFFF */
    {"", -1, ""},
};

static void
test_valid(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(valids); i++) {
        g_autofree char *out = text_make_valid(valids[i].in, valids[i].len);

        g_assert_cmpstr(out, ==, valids[i].want);
        g_assert_true(g_utf8_validate(out, -1, NULL));
    }
}

/* Wherever in a text the byte stands that is none, and whatever stands beside it. */
static void
test_valid_anywhere(void)
{
    static const struct {
        char bad;
        const char *want;
    } cases[] = {{'\377', FFFD}, {'\0', ""}, {'\200', FFFD}, {'\1', "\1"}, {'\177', "\177"}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (size_t len = 1; len < 35; len++) {
            for (size_t at = 0; at < len; at++) {
                g_autofree char *in = g_strnfill(len, '\1');
                g_autofree char *before = g_strnfill(at, '\1'), *after = g_strnfill(len - at - 1, '\1');
                g_autofree char *want = g_strconcat(before, cases[i].want, after, NULL);
                in[at] = cases[i].bad;
                g_autofree char *out = text_make_valid(in, (gssize)len);
                g_assert_cmpstr(out, ==, want);
            }
        }
    }
}

static const struct {
    const char *in;
    bool keep_lines;
    const char *want;
} vises[] = {
    {"plain \303\274 \360\237\230\200", false, "plain \303\274 \360\237\230\200"},
    {"a\nb\tc", false, "a\\x0ab\\x09c"},
    {"a\nb\tc\r", true, "a\nb\tc\\x0d"},
    {"\033[31mred", true, "\\x1b[31mred"},
    {"\177", true, "\\x7f"},
    {"\302\233x", true, "\\u{9b}x"},                                /* CSI of one byte */
    {"\233x\377", true, "\\x9bx\\xff"},                             /* raw bytes */
    {"\342\200\256evil", true, "\\u{202e}evil"},                    /* right-to-left override */
    {"\342\201\246x", true, "\\u{2066}x"},                          /* isolate */
    {"\330\234", true, "\\u{61c}"},                                 /* Arabic letter mark */
    {"a\342\200\213b", true, "a\\u{200b}b"},                        /* zero width space */
    {"\342\200\215", true, "\\u{200d}"},                            /* joiner */
    {"\357\273\277", true, "\\u{feff}"},                            /* BOM */
    {"\302\255", true, "\\u{ad}"},                                  /* soft hyphen */
    {"\342\200\250", true, "\\u{2028}"},                            /* line separator */
    {"\363\240\201\201", true, "\\u{e0041}"},                       /* tag A */
    {"\363\240\204\200", true, "\\u{e0100}"},                       /* variation selector 17 */
    {"\343\205\244", true, "\\u{3164}"},                            /* Hangul filler */
    {"\342\235\244\357\270\217", true, "\342\235\244\357\270\217"}, /* emoji style stays */
    {"\303", true, "\\xc3"},
};

static void
test_vis(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(vises); i++) {
        g_autofree char *out = text_vis(vises[i].in, vises[i].keep_lines);
        g_assert_cmpstr(out, ==, vises[i].want);
    }
}

static const struct {
    const char *in;
    size_t max;
    const char *want;
} shortens[] = {
    {"abcdef", 6, "abcdef"},
    {"abcdef", 5, "abcd\342\200\246"},
    {"\303\274\303\274\303\274", 2, "\303\274\342\200\246"},
    {"abc", 1, "\342\200\246"},
    {"abc", 0, ""},
    {"", 0, ""},
    {"\377\377", 1, "\342\200\246"},
};

static void
test_shorten(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(shortens); i++) {
        g_autofree char *out = text_shorten(shortens[i].in, shortens[i].max);
        g_assert_cmpstr(out, ==, shortens[i].want);
    }
}

static const struct {
    const char *a, *b;
    unsigned max, want;
} distances[] = {
    {"", "", 3, 0},
    {"abc", "abc", 3, 0},
    {"abc", "", 3, 3},
    {"adress", "address", 3, 1},
    {"envyo", "envoy", 3, 1},
    {"ENVOY", "envoy", 3, 0},
    {"kitten", "sitting", 9, 3},
    {"kitten", "sitting", 1, 2},
    {"ab", "ba", 3, 1},
    {"brian", "brain", 3, 1},
};

static void
test_distance(void)
{
    g_autofree char *long_word = g_strnfill(10000, 'x');

    for (size_t i = 0; i < G_N_ELEMENTS(distances); i++) {
        unsigned max = distances[i].max;

        g_assert_cmpuint(text_distance(distances[i].a, distances[i].b, max), ==,
                         distances[i].want);
        g_assert_cmpuint(text_distance(distances[i].b, distances[i].a, max), ==,
                         distances[i].want);
    }
    g_assert_cmpuint(text_distance(long_word, "x", 2), ==, 3);
}

static const struct {
    const char *word, *want;
} nearests[] = {
    {"adress", "address"}, {"brian", "brain"}, {"mod", "mode"},  {"mdoe", "mode"},
    {"xy", NULL},          {"x", NULL},        {"", NULL},       {"adrss", "address"},
    {"brayne", "brain"},   {"bra", NULL},      {"mode", "mode"},
};

static void
test_nearest(void)
{
    static const char *const names[] = {"address", "brain", "mode", "a", NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(nearests); i++)
        g_assert_cmpstr(text_nearest(nearests[i].word, names), ==, nearests[i].want);

    g_autofree char *near = text_did_you_mean("adress", names);
    g_autofree char *none = text_did_you_mean("xy", names);
    g_assert_cmpstr(near, ==, "; did you mean 'address'?");
    g_assert_cmpstr(none, ==, "");
}

static void
test_from_bytes(void)
{
    g_autoptr(GBytes) some = g_bytes_new_static("abcd", 3);
    g_autoptr(GBytes) empty = g_bytes_new(NULL, 0);
    g_autofree char *of_some = text_from_bytes(some), *of_empty = text_from_bytes(empty),
                    *of_none = text_from_bytes(NULL);

    g_assert_cmpstr(of_some, ==, "abc");
    g_assert_cmpstr(of_empty, ==, "");
    g_assert_cmpstr(of_none, ==, "");
}

#define SEC INT64_C(1000000)
static const struct {
    const char *text;
    bool want_ok;
    int64_t want;
} spans[] = {
    {"90", true, 90 * SEC},
    {"90s", true, 90 * SEC},
    {"2m", true, 120 * SEC},
    {"1h", true, 3600 * SEC},
    {"7d", true, 604800 * SEC},
    {"0", true, 0},
    {"", false, 0},
    {"s", false, 0},
    {"-5s", false, 0},
    {"5 s", false, 0},
    {" 5s", false, 0},
    {"5 parsecs", false, 0},
    {"1.5h", false, 0},
    {"5S", false, 0},
    {"99999999999999d", false, 0},
    {"18446744073709551616", false, 0},
    {"9223372036855", false, 0},
    {"9223372036854", true, INT64_C(9223372036854) * SEC},
};

static void
test_span(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(spans); i++) {
        int64_t us = -7;

        g_test_message("'%s'", spans[i].text);
        g_assert_true(text_parse_span(spans[i].text, &us) == spans[i].want_ok);
        g_assert_cmpint(us, ==, spans[i].want_ok ? spans[i].want : -7);
    }
}

static const struct {
    const char *text;
    bool want_ok;
    uint64_t want;
} sizes[] = {
    {"4096", true, 4096},     {"64k", true, 65536},
    {"25m", true, 25u << 20}, {"1g", true, 1u << 30},
    {"1G", true, 1u << 30},   {"1t", false, 0},
    {"", false, 0},           {"-1", false, 0},
    {"1.5m", false, 0},       {"17179869184g", false, 0},
};

static void
test_size(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        uint64_t bytes = 0;

        g_assert_true(text_parse_size(sizes[i].text, &bytes) == sizes[i].want_ok);
        if (sizes[i].want_ok)
            g_assert_cmpuint(bytes, ==, sizes[i].want);
    }
}

static const struct {
    const char *text;
    int64_t min, max;
    bool want_ok;
    int64_t want;
} ints[] = {
    {"0", 0, 9, true, 0},
    {"-5", -9, 9, true, -5},
    {"10", 0, 9, false, 0},
    {"-1", 0, 9, false, 0},
    {"9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX},
    {"-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN},
    {"9223372036854775808", INT64_MIN, INT64_MAX, false, 0},
    {"-9223372036854775809", INT64_MIN, INT64_MAX, false, 0},
    {"", 0, 9, false, 0},
    {"-", -9, 9, false, 0},
    {"+1", 0, 9, false, 0},
    {"1e3", 0, 9999, false, 0},
    {" 1", 0, 9, false, 0},
};

static void
test_int(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ints); i++) {
        int64_t value = -7;

        g_test_message("'%s'", ints[i].text);
        g_assert_true(text_parse_int(ints[i].text, ints[i].min, ints[i].max, &value) ==
                      ints[i].want_ok);
        g_assert_cmpint(value, ==, ints[i].want_ok ? ints[i].want : -7);
    }
}

static const struct {
    const char *text;
    bool want_ok;
    int64_t want;
} moneys[] = {
    {"2.00", true, 2000000},
    {"2", true, 2000000},
    {"0.11", true, 110000},
    {"0.000001", true, 1},
    {"10.5", true, 10500000},
    {"0.0000001", false, 0},
    {"2.", false, 0},
    {".5", false, 0},
    {"-1", false, 0},
    {"1,50", false, 0},
    {"$2", false, 0},
    {"", false, 0},
    {"9223372036854", true, INT64_C(9223372036854000000)},
    {"9223372036855", false, 0},
    {"9223372036854.9", false, 0},
};

static void
test_money(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(moneys); i++) {
        int64_t micro = -7;

        g_test_message("'%s'", moneys[i].text);
        g_assert_true(text_parse_money(moneys[i].text, &micro) == moneys[i].want_ok);
        g_assert_cmpint(micro, ==, moneys[i].want_ok ? moneys[i].want : -7);
    }
}

static void
test_show_money(void)
{
    static const struct {
        int64_t micro;
        const char *want;
    } rows[] = {
        {0, "$0.00"},       {1, "<$0.0001"},         {99, "<$0.0001"},    {100, "$0.0001"},
        {4200, "$0.0042"},  {110000, "$0.11"},       {113499, "$0.1134"}, {1000000, "$1.00"},
        {1234567, "$1.23"}, {2000000000, "$2000.00"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = text_money(rows[i].micro);
        g_assert_cmpstr(text, ==, rows[i].want);
    }
}

static const struct {
    uint64_t bytes;
    const char *want;
} shown[] = {
    {0, "0 B"},
    {1023, "1023 B"},
    {1024, "1 KB"},
    {1536, "1.5 KB"},
    {3u << 20, "3 MB"},
    {(25u << 20) + (1u << 19), "25 MB"},
    {UINT64_MAX, "15 EB"},
    {UINT64_C(1) << 60, "1 EB"},
};

static void
test_format_size(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) {
        g_autofree char *text = text_format_size(shown[i].bytes);
        g_assert_cmpstr(text, ==, shown[i].want);
    }
}

static const struct {
    const char *name;
    bool want;
} names[] = {
    {"envoy", true}, {"a", true},         {"0x", true},    {"a.b-c_d", true}, {"", false},
    {".a", false},   {"-a", false},       {"a..b", false}, {"a/b", false},    {"Envoy", false},
    {"a b", false},  {"\303\274", false}, {"..", false},   {"a\n", false},
};

static void
test_name(void)
{
    g_autofree char *longest = g_strnfill(64, 'a'), *longer = g_strnfill(65, 'a');

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_assert_true(text_name_valid(names[i].name) == names[i].want);
    g_assert_true(text_name_valid(longest));
    g_assert_false(text_name_valid(longer));
    g_assert_cmpuint(text_chars("\303\274b"), ==, 2);
    g_assert_cmpuint(text_cut_at("\303\274b", 0), ==, 0);
    g_assert_cmpuint(text_cut_at("\303\274b", 1), ==, 0);
    g_assert_cmpuint(text_cut_at("\303\274b", 2), ==, 2);
    g_assert_cmpuint(text_cut_at("\303\274b", 99), ==, 3);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/text/valid", test_valid);
    g_test_add_func("/text/valid-anywhere", test_valid_anywhere);
    g_test_add_func("/text/vis", test_vis);
    g_test_add_func("/text/shorten", test_shorten);
    g_test_add_func("/text/distance", test_distance);
    g_test_add_func("/text/nearest", test_nearest);
    g_test_add_func("/text/from-bytes", test_from_bytes);
    g_test_add_func("/text/span", test_span);
    g_test_add_func("/text/size", test_size);
    g_test_add_func("/text/int", test_int);
    g_test_add_func("/text/money", test_money);
    g_test_add_func("/text/show-money", test_show_money);
    g_test_add_func("/text/format-size", test_format_size);
    g_test_add_func("/text/name", test_name);
    return g_test_run();
}
