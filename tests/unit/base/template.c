#include "base/template.h"
#include <string.h>

static const TemplateValue values[] = {
    {"date", "2026-02-09"}, {"name", "{date}"}, {"NN", "07"}, {"empty", ""}, {NULL, NULL}};

static const struct {
    const char *in, *want;
} cases[] = {
    {"", ""},
    {"plain", "plain"},
    {"{date}", "2026-02-09"},
    {"a {date} b {date}", "a 2026-02-09 b 2026-02-09"},
    {"{name}", "{date}"}, /* a value is not expanded again */
    {"{{date}}", "{2026-02-09}"},
    {"{date}{name}", "2026-02-09{date}"},
    {"{DATE} {nn}", "2026-02-09 07"},
    {"x{empty}y", "xy"},
    {"{unknown} {date", "{unknown} {date"},
    {"{} { date } {1} {da te}", "{} { date } {1} {da te}"},
    {"{\"a\": {date}}", "{\"a\": 2026-02-09}"},
    {"}{", "}{"},
    {"gr\303\274n {date} \342\200\224", "gr\303\274n 2026-02-09 \342\200\224"},
    {"${date} $(x) `y`", "$2026-02-09 $(x) `y`"},
};

static void
test_expand(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *out = template_expand(cases[i].in, values);
        g_assert_cmpstr(out, ==, cases[i].want);
    }
}

static void
test_double(void)
{
    static const struct {
        const char *in, *want;
    } doubles[] = {
        {"{{date}}", "2026-02-09"},
        {"{{{date}}}", "{2026-02-09}"},
        {"{{name}} {date} {{date", "{date} {date} {{date"},
        {"{{NN}}{{empty}}{{unknown}}{{ nn }}", "07{{unknown}}{{ nn }}"},
        {"", ""},
        {"{", "{"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(doubles); i++) {
        g_autofree char *out = template_expand_double(doubles[i].in, values);
        g_assert_cmpstr(out, ==, doubles[i].want);
    }
}

/* The pieces of a template are all of it, in order. */
static void
test_pieces(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *at = cases[i].in;
        g_autoptr(GString) all = g_string_new(NULL);
        TemplatePiece piece;
        while (template_next(&at, &piece)) {
            g_assert_cmpuint(piece.len, >, 0);
            g_string_append_len(all, piece.text, (gssize)piece.len);
        }
        g_assert_cmpstr(all->str, ==, cases[i].in);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/template/expand", test_expand);
    g_test_add_func("/template/double", test_double);
    g_test_add_func("/template/pieces", test_pieces);
    return g_test_run();
}
