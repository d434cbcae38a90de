/* Server-sent events: what counts as one. */
#include "wire/sse.h"

static const struct {
    const char *name, *stream;
    const char *want; /* "event=data|" for each */
} cases[] = {
    {"nothing", "", ""},
    {"one", "event: a\ndata: 1\n\n", "a=1|"},
    {"two", "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", "a=1|b=2|"},
    {"no name", "data: 1\n\n", "=1|"},
    {"names do not last", "event: a\ndata: 1\n\ndata: 2\n\n", "a=1|=2|"},
    {"name without data", "event: a\n\ndata: 2\n\n", "=2|"},
    {"the last name counts", "event: a\nevent: b\ndata: 1\n\n", "b=1|"},
    {"lines are joined", "data: 1\ndata: 2\ndata:\ndata: 3\n\n", "=1\n2\n\n3|"},
    {"one blank is no data", "data:1\n\ndata:  2\n\n", "=1|= 2|"},
    {"empty data", "data\n\n", "=|"},
    {"comments and others", ": hi\nid: 7\nretry: 3\ndata: 1\n\n", "=1|"},
    {"a longer name", "dataset: 1\ndata: 2\n\n", "=2|"},
    {"CRLF", "event: a\r\ndata: 1\r\n\r\n", "a=1|"},
    {"CR", "event: a\rdata: 1\r\r", "a=1|"},
    {"byte order mark",
     "\xef\xbb\xbf"
     "data: 1\n\n",
     "=1|"},
    {"cut behind the data", "data: 1\n\nevent: b\ndata: 2\n", "=1|"},
    {"cut in a line", "data: 1\n\ndata: 2", "=1|"},
    {"only blank lines", "\n\n\r\n\n", ""},
};

static void
test_events(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) got = g_string_new(NULL);
        g_auto(Sse) sse = {0};

        sse_init(&sse, cases[i].stream, strlen(cases[i].stream));
        while (sse_next(&sse)) {
            g_string_append_printf(got, "%s=%s|", sse.event->str, sse.data->str);
        }
        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(got->str, ==, cases[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/sse/events", test_events);
    return g_test_run();
}
