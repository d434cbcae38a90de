/* What a person wrote in reply to a question about tool calls. */
#include "engine/permit/permit_answer.h"
#include "base/clock.h"
#include <string.h>

/* Decisions as "1+" or "2-why", with blanks between; NULL: the text is none. */
static const struct {
    const char *text, *want;
} replies[] = {
    {"yes", "0+"},
    {"Yes.", "0+"},
    {"ok", "0+"},
    {"no", "0-"},
    {"No!", "0-"},
    {"no: not today", "0-not today"},
    {"no, use make check", "0-use make check"},
    {"1 yes, 2 no: why not", "1+ 2-why not"},
    {"1 yes, 2 no", "1+ 2-"},
    {"1. yes\n2. no: not on a Friday, please\n3) ok", "1+ 2-not on a Friday, please 3+"},
    {"1: approve; 2: reject: no", "1+ 2-no"},
    {"2 yes", "2+"},
    {"2 NO", "2-"},
    {"1 no: it has 2 parts, 2 yes", "1-it has 2 parts 2+"},
    {"yes\n\nSent from my phone", "0+Sent from my phone"},
    {"yes, but only tomorrow", NULL},
    {"1 yes but wait, 2 no", NULL},
    {"use make check instead", NULL},
    {"nothing of the kind", NULL},
    {"yesterday was fine", NULL},
    {"I say yes", NULL},
    {"please do 1 yes", NULL},
    {"", NULL},
    {"2", NULL},
    {"1yes", NULL},
};

static char *
format(const PermitSaids *saids)
{
    GString *s = g_string_new(NULL);
    LIST_EACH(const PermitSaid, said, saids)
        g_string_append_printf(s, "%s%d%c%s", s->len ? " " : "", said->n,
                               said->approve ? '+' : '-', said->why ? said->why : "");
    return g_string_free(s, FALSE);
}

static void
test_replies(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(replies); i++) {
        g_autoptr(PermitSaids) saids = permit_said_parse(replies[i].text);
        g_autofree char *got = saids ? format(saids) : NULL;
        g_test_message("%s", replies[i].text);
        g_assert_cmpstr(got, ==, replies[i].want);
    }
}

#define ONE                                                                                    \
    "{\"questions\": [{\"question\": \"Which?\", \"options\": [{\"label\": \"Red\"}, "           \
    "{\"label\": \"Dark blue\"}, {\"label\": \"Green\"}]}]}"
#define TWO                                                                                    \
    "{\"questions\": [{\"question\": \"A?\", \"options\": [{\"label\": \"x\"}, {\"label\": "     \
    "\"y\"}]}, {\"question\": \"B?\", \"options\": [{\"label\": \"p\"}, {\"label\": \"q\"}]}]}"

static const struct {
    const char *input, *words, *want;
} choices[] = {
    {ONE, "2", "{\"Which?\":\"Dark blue\"}"},
    {ONE, " 2.\n", "{\"Which?\":\"Dark blue\"}"},
    {ONE, "1, 3", "{\"Which?\":\"Red, Green\"}"},
    {ONE, "1 and 3", "{\"Which?\":\"Red, Green\"}"},
    {ONE, "dark BLUE", "{\"Which?\":\"Dark blue\"}"},
    {ONE, "none of them", "{\"Which?\":\"none of them\"}"},
    {ONE, "4", "{\"Which?\":\"4\"}"},
    {ONE, "0", "{\"Which?\":\"0\"}"},
    {ONE, "two lines\nof words", "{\"Which?\":\"two lines\\nof words\"}"},
    {TWO, "2, 1", "{\"A?\":\"y\",\"B?\":\"p\"}"},
    {TWO, "y\nsomething else", "{\"A?\":\"y\",\"B?\":\"something else\"}"},
    {TWO, "2: 2\n1: x", "{\"A?\":\"x\",\"B?\":\"q\"}"},
    {TWO, "1: x", "{\"A?\":\"x\",\"B?\":\"(no answer)\"}"},
    {TWO, "9: x", "{\"A?\":\"(no answer)\",\"B?\":\"(no answer)\"}"},
    {"{}", "2", "{}"},
    {"{\"questions\": 3}", "2", "{}"},
    {"{\"questions\": [{\"question\": \"Why?\"}]}", "2", "{\"Why?\":\"2\"}"},
};

static void
test_choices(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(choices); i++) {
        g_autoptr(json_t) input = NULL;
        const char *text = choices[i].input;
        g_assert_true(json_parse(text, strlen(text), 0, &input, NULL));
        g_autoptr(json_t) got = permit_answers(input, choices[i].words);
        g_autofree char *answers = json_format_sorted(json_object_get(got, "answers"));
        g_test_message("%s", choices[i].words);
        g_assert_cmpstr(answers, ==, choices[i].want);
        json_object_del(got, "answers");
        g_assert_true(json_equal(got, input));
    }
}

/* 2026-11-17 is a Tuesday; the zone is UTC. */
static const struct {
    const char *text, *want;
} times[] = {
    {"fri", "2026-11-21T00:00:00Z"},    {"Friday", "2026-11-21T00:00:00Z"},
    {"tue", "2026-11-18T00:00:00Z"},    {"mon", "2026-11-24T00:00:00Z"},
    {"18:00", "2026-11-17T18:00:00Z"},  {"09:30", "2026-11-18T09:30:00Z"},
    {"2026-11-20", "2026-11-21T00:00:00Z"}, {"2026-11-17", "2026-11-18T00:00:00Z"},
    {"2026-11-16", NULL},               {"fr", NULL},
    {"frid", NULL},                     {"25:00", NULL},
    {"18:0", NULL},                     {"", NULL},
    {"2026-13-40", NULL},               {"ever", NULL},
};

static void
test_until(void)
{
    int64_t now, got;
    g_assert_true(clock_parse_iso("2026-11-17T12:00:00Z", &now));
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        g_test_message("%s", times[i].text);
        bool ok = permit_until_parse(times[i].text, now, &got);
        g_assert_true(ok == (times[i].want != NULL));
        g_autofree char *iso = ok ? clock_format_iso(got) : NULL;
        g_assert_cmpstr(iso, ==, times[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_setenv("TZ", "UTC", TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/permit-answer/replies", test_replies);
    g_test_add_func("/permit-answer/choices", test_choices);
    g_test_add_func("/permit-answer/until", test_until);
    return g_test_run();
}
