#include "base/json.h"
#include "base/err.h"
#include "base/json_plain.h"
#include "base/limits.h"

/* What is refused, and how it is said. */
static const struct {
    const char *text;
    const char *want_error; /* a part of the message; NULL: accepted */
} texts[] = {
    {"{}", NULL},
    {" [1, -0, 9007199254740993, 9223372036854775807] ", NULL},
    {"\"lonely\"", NULL},
    {"{\"seq\":1,\"seq\":9}", "duplicate object key"},
    {"[9223372036854775808]", "too big"},
    {"[-9223372036854775809]", "too big"},
    {"[1e999]", "overflow"},
    {"[01]", "line 1, column 2"},
    {"[NaN]", "line 1, column 4"},
    {"[\"\\u0000\"]", "\\u0000"},
    {"[\"\\ud800\"]", "invalid Unicode"},
    {"[\"\\udc00\"]", "invalid Unicode"},
    {"[\"\377\"]", "unable to decode byte"},
    {"\357\273\277{}", "line 1"},
    {"{} x", "end of file expected"},
    {"{}{}", "end of file expected"},
    {"{} // c", "end of file expected"},
    {"[1,]", "line 1, column 4"},
    {"{'a':1}", "line 1, column 2"},
    {"{\n\"a\" 1}", "line 2"},
    {"", "line 1, column 0"},
    {"   ", "near end of file"},
};

static void
test_texts(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(json_t) value = NULL;
        g_autoptr(GError) error = NULL;
        bool ok = json_parse(texts[i].text, strlen(texts[i].text), 0, &value, &error);

        g_test_message("case %zu: %s", i, ok ? "ok" : error->message);
        g_assert_true(ok == !texts[i].want_error);
        if (ok)
            continue;
        g_assert_true(err_is(error, ERR_NEVER));
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
    }
}

/* json_format() is a writer of ours: the same bytes as jansson's. */
static void
test_same_bytes(void)
{
    static const char *const same[] = {
        "{}", "[]", "null", "true", "-9223372036854775808", "0.1", "1e300", "\"\"",
        "[9223372036854775807,0,-1,10,-10,99]",
        "[[],{},[[1,2],{\"a\":{\"b\":[false,null]}}],-0.0,3.0]",
        "\"\\\" \\\\ / \\b\\f\\n\\r\\t \\u0001\\u001f\\u007f \\u00e4 \\ud83d\\ude00\"",
        "{\"z\":1,\"a\\n\":{\"\\u0002\":\"x\"},\"\":[]}"};

    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        g_autoptr(json_t) value = NULL;
        g_assert_true(json_parse(same[i], strlen(same[i]), 0, &value, NULL));
        g_autofree char *ours = json_format(value);
        char *want = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        g_assert_cmpstr(ours, ==, want);
        free(want);
    }
}

/* The quick reader: what it takes, and that it takes it as jansson does. What it leaves may be right or wrong. */
static const struct {
    const char *text;
    bool want_plain;
} plain[] = {
    {"{}", true},
    {" [ ] ", true},
    {"\t{\r\n \"a\" : [ 1 , -2 , 0 , -0 , true , false , null , \"\" , {} ] }\n", true},
    {"\"lonely\"", true},
    {"7", true},
    {"null", true},
    {"999999999999999999", true},
    {"-999999999999999999", true},
    {"{\"\":\"\"}", true},
    {"\"\303\244 \360\237\230\200 \177\"", true},
    {"[\"a \\\"b\\\" \\\\ \\/ \\n \\u00e4 \\ud83d\\ude00\",\"\\\\\"]", true},
    {"", false},
    {" ", false},
    {"{", false},
    {"[", false},
    {"\"", false},
    {"\"\\", false},
    {"\"\\\"", false},
    {"\"\\x\"", false},
    {"\"\\u0000\"", false},
    {"\"\\ud800\"", false},
    {"\"a\nb\"", false},
    {"\"\377\"", false},
    {"\"\355\240\200\"", false},
    {"\"\303\"", false},
    {"[1,]", false},
    {"[,1]", false},
    {"[1 2]", false},
    {"[1}", false},
    {"{\"a\":1,}", false},
    {"{\"a\"}", false},
    {"{\"a\":}", false},
    {"{a:1}", false},
    {"{\"a\":1,\"a\":2}", false},
    {"{\"a\":{\"b\":1,\"b\":1}}", false},
    {"{\"\\u0061\":1}", false}, /* right, but not plain, as what follows */
    {"1000000000000000000", false},
    {"1.5", false},
    {"1e3", false},
    {"01", false},
    {"-", false},
    {"-01", false},
    {"+1", false},
    {"truer", false},
    {"tru", false},
    {"nul", false},
    {"{}{}", false},
    {"{} x", false},
    {"1,", false},
};

/* False: it is left to jansson. */
static bool
check_plain(const char *text, size_t len)
{
    json_t *value = json_read_plain(text, len);
    json_t *want = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    bool is_plain = value != NULL;

    if (is_plain) {
        g_assert_nonnull(want);
        g_assert_true(json_equal(value, want));
        g_autofree char *ours = json_format(value), *theirs = json_format(want);
        g_assert_cmpstr(ours, ==, theirs); /* members in the same order */
    }
    json_decref(value);
    json_decref(want);
    return is_plain;
}

static char *
nested(unsigned depth)
{
    g_autofree char *open = g_strnfill(depth, '['), *close = g_strnfill(depth, ']');

    return g_strconcat(open, close, NULL);
}

static void
test_plain(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(plain); i++) {
        size_t len = strlen(plain[i].text);
        g_autofree char *exact = g_memdup2(plain[i].text, len); /* no byte behind it */

        g_test_message("plain %zu", i);
        g_assert_true(check_plain(exact, len) == plain[i].want_plain);
    }
    g_autofree char *deep = nested(64), *deeper = nested(65);
    g_assert_true(check_plain(deep, strlen(deep)));
    g_assert_false(check_plain(deeper, strlen(deeper)));
    g_autofree char *key = g_strnfill(63, 'k'), *longer = g_strnfill(64, 'k');
    g_autofree char *fits = g_strdup_printf("{\"%s\":1}", key);
    g_autofree char *long_key = g_strdup_printf("{\"%s\":1}", longer);
    g_assert_true(check_plain(fits, strlen(fits)));
    g_assert_false(check_plain(long_key, strlen(long_key)));
}

/* Texts with up to four bytes of them changed: about a third is still JSON. */
static void
test_plain_random(void)
{
    static const char bytes[] = "{}[]\":,\\0123456789.eE-+tfnu \n\t\001\177\303\244\355\377";

    for (int round = 0; round < 30000; round++) {
        const char *from = plain[g_test_rand_int_range(0, G_N_ELEMENTS(plain))].text;
        g_autofree char *text = g_strdup(from);
        size_t len = strlen(text);

        for (int n = g_test_rand_int_range(0, 5); len > 0 && n > 0; n--)
            text[g_test_rand_int_range(0, (int)len)] =
                bytes[g_test_rand_int_range(0, sizeof bytes - 1)];
        (void)check_plain(text, len);
    }
}

/* Last, since nothing turns it back. */
static void
test_keep_all(void)
{
    g_autofree char *large = g_strnfill(1 << 20, 'x');

    json_keep_all();
    for (int i = 0; i < 3; i++) {
        g_autoptr(json_t) value = json_pack("{s:s, s:[i,i]}", "large", large, "n", i, i + 1);
        g_autofree char *text = json_format(value);
        g_autoptr(json_t) again = NULL;
        g_assert_true(json_parse(text, strlen(text), 8u << 20, &again, NULL));
        g_assert_true(json_equal(value, again));
    }
}

static void
test_messages(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(json_t) value = NULL;
        g_autoptr(GError) error = NULL;

        if (!texts[i].want_error)
            continue;
        g_assert_false(json_parse(texts[i].text, strlen(texts[i].text), 0, &value, &error));
        if (!strstr(error->message, texts[i].want_error))
            g_error("'%s' not in '%s'", texts[i].want_error, error->message);
    }
}

static void
test_raw_nul(void)
{
    g_autoptr(json_t) value = NULL;

    g_assert_false(json_parse("[1\0]", 4, 0, &value, NULL));
    g_assert_false(json_parse("[]\0", 3, 0, &value, NULL));
}

static void
test_limits(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');
    g_autofree char *large = g_strnfill(LIMIT_JSON_BYTES + 1, ' ');
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL, limit = NULL;

    g_assert_false(json_parse(deep, strlen(deep), 0, &value, &error));
    g_assert_nonnull(strstr(error->message, "depth"));
    g_assert_false(json_parse(large, strlen(large), 0, &value, &limit));
    g_assert_true(err_is(limit, ERR_LIMIT));
    g_assert_nonnull(strstr(limit->message, "8388608"));
    g_assert_false(json_parse("[1,2,3]", 7, 6, &value, NULL));
    g_assert_true(json_parse("[1,2,3]", 7, 7, &value, NULL));
}

static void
test_format(void)
{
    const char *text = "{\"z\":9007199254740993,\"a\":[\"\303\274\",null]}";
    g_autoptr(json_t) value = NULL;

    g_assert_true(json_parse(text, strlen(text), 0, &value, NULL));
    g_autofree char *compact = json_format(value);
    g_autofree char *pretty = json_format_pretty(value);

    g_assert_cmpstr(compact, ==, text);
    g_assert_cmpstr(
        pretty, ==,
        "{\n  \"z\": 9007199254740993,\n  \"a\": [\n    \"\303\274\",\n    null\n  ]\n}");
}

static const char document[] =
    "{\"s\":\"x\",\"i\":5,\"r\":1.0,\"b\":true,\"a\":[],\"n\":null,\"extra\":0}";

/* The message names the path. */
static void
test_members(void)
{
    g_autoptr(json_t) o = NULL;
    const char *string;
    const json_t *array;
    int64_t number;
    bool flag;

    g_assert_true(json_parse(document, strlen(document), 0, &o, NULL));
    g_assert_true(json_get_string(o, "", "s", &string, NULL));
    g_assert_cmpstr(string, ==, "x");
    g_assert_true(json_get_int(o, "", "i", 0, 9, &number, NULL));
    g_assert_cmpint(number, ==, 5);
    g_assert_true(json_get_bool(o, "", "b", &flag, NULL));
    g_assert_true(flag);
    g_assert_true(json_get_array(o, "", "a", &array, NULL));
    g_assert_cmpuint(json_array_size(array), ==, 0);
}

typedef enum Getter { GET_STRING, GET_INT, GET_BOOL, GET_ARRAY } Getter;

static const struct {
    Getter getter;
    const char *path, *name, *want;
} wrongs[] = {
    {GET_STRING, "send_emails[1]", "i", "send_emails[1].i: must be a string"},
    {GET_STRING, "", "n", "n: must be a string"},
    {GET_STRING, "", "gone", "gone: is missing"},
    {GET_INT, "", "s", "s: must be a whole number"},
    {GET_INT, "", "r", "r: must be a whole number"},
    {GET_INT, "wait", "i", "wait.i: must be from 0 to 4"},
    {GET_BOOL, "", "i", "i: must be true or false"},
    {GET_ARRAY, "", "s", "s: must be an array"},
};

static bool
get_any(const json_t *o, Getter getter, const char *path, const char *name, GError **error)
{
    const char *string;
    const json_t *array;
    int64_t number;
    bool flag;

    switch (getter) {
    case GET_STRING:
        return json_get_string(o, path, name, &string, error);
    case GET_INT:
        return json_get_int(o, path, name, 0, 4, &number, error);
    case GET_BOOL:
        return json_get_bool(o, path, name, &flag, error);
    case GET_ARRAY:
        return json_get_array(o, path, name, &array, error);
    }
    g_assert_not_reached();
}

static void
test_wrong_members(void)
{
    g_autoptr(json_t) o = NULL;
    g_autoptr(json_t) list = json_array();

    g_assert_true(json_parse(document, strlen(document), 0, &o, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(wrongs); i++) {
        g_autoptr(GError) error = NULL, of_list = NULL;

        g_assert_false(get_any(o, wrongs[i].getter, wrongs[i].path, wrongs[i].name, &error));
        g_assert_true(err_is(error, ERR_NEVER));
        g_assert_cmpstr(error->message, ==, wrongs[i].want);
        g_assert_false(get_any(list, wrongs[i].getter, "x", "y", &of_list));
        g_assert_cmpstr(of_list->message, ==, "x: must be an object");
    }
}

static void
test_only(void)
{
    static const char *const all[] = {"s", "i", "r", "b", "a", "n", "extra", NULL};
    static const char *const most[] = {"s", "i", "r", "b", "a", "n", "extras", NULL};
    static const char *const few[] = {"s", NULL};
    g_autoptr(json_t) o = NULL;
    g_autoptr(GError) near = NULL, far = NULL;

    g_assert_true(json_parse(document, strlen(document), 0, &o, NULL));
    g_assert_true(json_only(o, "", all, NULL));
    g_assert_false(json_only(o, "x", most, &near));
    g_assert_cmpstr(near->message, ==, "x.extra: is not known here; did you mean 'extras'?");
    g_assert_false(json_only(o, "", few, &far));
    g_assert_cmpstr(far->message, ==, "i: is not known here");
}

/* The suite leaves these four open to us: it says that they may be accepted, and a
 * state file must not hold them. */
static const char *const stricter[] = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
    "y_object_escaped_null_in_key.json",
    "y_string_null_escape.json",
    NULL,
};

/* What the suite leaves to the reader and we accept; all other i_ files are refused. */
static const char *const i_accepted[] = {
    "i_number_double_huge_neg_exp.json",
    "i_number_real_underflow.json",
    "i_structure_500_nested_arrays.json",
    NULL,
};

static bool
want_accepted(const char *name)
{
    if (name[0] == 'i')
        return g_strv_contains(i_accepted, name);
    return name[0] == 'y' && !g_strv_contains(stricter, name);
}

static char *
corpus_folder(void)
{
    const char *env = g_getenv("POSTRIDER_CORPORA"), *unit = g_getenv("G_TEST_SRCDIR");

    if (env)
        return g_build_filename(env, "json", NULL);
    return g_build_filename(unit ? unit : ".", "../../../shared/corpora/json", NULL);
}

static void
test_corpus(void)
{
    g_autofree char *folder = corpus_folder();
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    unsigned n = 0;

    if (!dir) {
        g_test_skip("no JSONTestSuite; POSTRIDER_CORPORA names the folder that holds json/");
        return;
    }
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *text = NULL;
        g_autoptr(json_t) value = NULL;
        gsize len;

        if (!g_str_has_suffix(name, ".json"))
            continue;
        g_assert_true(g_file_get_contents(path, &text, &len, NULL));
        if (json_parse(text, len, 0, &value, NULL) != want_accepted(name)) {
            g_test_message("%s: should be %s", name,
                           want_accepted(name) ? "accepted" : "refused");
            g_test_fail();
        }
        n++;
    }
    g_assert_cmpuint(n, >=, 300);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/json/texts", test_texts);
    g_test_add_func("/json/messages", test_messages);
    g_test_add_func("/json/raw-nul", test_raw_nul);
    g_test_add_func("/json/limits", test_limits);
    g_test_add_func("/json/format", test_format);
    g_test_add_func("/json/members", test_members);
    g_test_add_func("/json/wrong-members", test_wrong_members);
    g_test_add_func("/json/only", test_only);
    g_test_add_func("/json/corpus", test_corpus);
    g_test_add_func("/json/same-bytes", test_same_bytes);
    g_test_add_func("/json/plain", test_plain);
    g_test_add_func("/json/plain-random", test_plain_random);
    g_test_add_func("/json/keep-all", test_keep_all);
    return g_test_run();
}
