#include "report/report_thread.h"
#include "report/report_files.h"
#include <string.h>

static Report *
report_new(const char *body)
{
    Report *r = g_new0(Report, 1);
    *r = (Report){.role = g_strdup("carlton"),
                  .date = g_strdup("2026-02-09"),
                  .name = g_strdup("Carlton"),
                  .msgid = g_strdup("carlton-2026-02-09@carlton.local"),
                  .transport = g_strdup("7"),
                  .subject = g_strdup("Good morning"),
                  .to = g_strdup("sam@test.com"),
                  .sent_us = INT64_C(1770526800) * 1000000, /* 2026-02-08 05:00 */
                  .body = g_bytes_new(body, strlen(body))};
    return r;
}

static void
add_reply(Replies *all, int n, int settled, const char *body)
{
    Reply *reply = g_new0(Reply, 1);
    *reply = (Reply){.n = n,
                     .settled = settled,
                     .msgid = g_strdup_printf("r%d@test.com", n),
                     .sender = g_strdup("sam@test.com"),
                     .subject = g_strdup("Re: Good morning"),
                     .files = g_strdup(""),
                     .at_us = INT64_C(1770545700) * 1000000, /* 2026-02-08 10:15 */
                     .body = g_bytes_new(body, strlen(body))};
    replies_add(all, reply);
}

static void
add_response(Responses *all, int n, const char *body)
{
    Response *response = g_new0(Response, 1);
    *response =
        (Response){.n = n, .msgid = g_strdup(""), .body = g_bytes_new(body, strlen(body))};
    responses_add(all, response);
}

#define HEAD                                                                                   \
    "# Carlton Thread — 2026-02-09\n\n## Briefing Sent (2026-02-08 05:00 GMT)\n"               \
    "# Good morning\n\n---\n"
#define REPLY(new, n) "\n## " new "Reply #" n " (2026-02-08 10:15 from sam@test.com)\n"

/* The seed's own example, byte by byte: titles, headings, rules, order. */
static void
test_format(void)
{
    g_autoptr(Report) r = report_new("# Good morning\n");
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    g_autofree char *alone = thread_format(r, replies, responses, SIZE_MAX);
    g_assert_cmpstr(alone, ==, HEAD);
    add_reply(replies, 1, 1, "one\n");
    add_response(responses, 1, "answer\n");
    add_reply(replies, 2, 0, "two");
    g_autofree char *text = thread_format(r, replies, responses, SIZE_MAX);
    g_assert_cmpstr(text, ==,
                    HEAD REPLY("", "1") "one\n\n## Response to Reply #1\nanswer\n\n---\n"
                                        REPLY("NEW ", "2") "two\n");
}

/* One answer to several replies names them all, and stands behind the last. */
static void
test_batch(void)
{
    g_autoptr(Report) r = report_new("# Good morning\n");
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    add_reply(replies, 2, 3, "two");
    add_reply(replies, 3, 3, "three");
    add_reply(replies, 4, 0, "four");
    add_response(responses, 3, "both");
    g_autofree char *text = thread_format(r, replies, responses, SIZE_MAX);
    g_assert_cmpstr(text, ==,
                    HEAD REPLY("", "2") "two\n" REPLY("", "3")
                        "three\n\n## Response to Reply #2, #3\nboth\n\n---\n"
                        REPLY("NEW ", "4") "four\n");
}

static const struct {
    const char *in, *want;
} bodies[] = {
    {"", ""},
    {"plain", "plain\n"},
    {"a\n\nb\n", "a\n\nb\n"},
    {"## NEW Reply #9 (x)", "\\## NEW Reply #9 (x)\n"},
    {"## Response to Reply #1", "\\## Response to Reply #1\n"},
    {"## reply #2", "\\## reply #2\n"},
    {"   ## Briefing Sent (now)", "\\   ## Briefing Sent (now)\n"},
    {"# Carlton Thread — 2026-02-09", "\\# Carlton Thread — 2026-02-09\n"},
    {"# My own heading", "# My own heading\n"},
    {"## Agenda", "## Agenda\n"},
    {"---", "\\---\n"},
    {"-----  ", "\\-----  \n"},
    {"--", "--\n"},
    {"- - -", "- - -\n"},
    {"\"quotes\" `ticks` $(x)", "\"quotes\" `ticks` $(x)\n"},
    {"```\ncode", "```\ncode\n```\n"},
    {"```\ncode\n```", "```\ncode\n```\n"},
    {"~~~~\n```\ncode", "~~~~\n```\ncode\n~~~~\n"},
    {"````\n```\ncode", "````\n```\ncode\n````\n"},
    {"``` js\n``` not the end", "``` js\n``` not the end\n```\n"},
    {"``` a ` b", "``` a ` b\n"},
    {"``\nno fence", "``\nno fence\n"},
    {"\377\376 bad", "\377\376 bad\n"},
};

static void
test_bodies(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        thread_add_body(out, bodies[i].in, strlen(bodies[i].in));
        g_assert_cmpstr(out->str, ==, bodies[i].want);
    }
}

/* Whatever a body says, only our own sections are read back. */
static void
test_forged(void)
{
    g_autoptr(Report) r = report_new("# Good morning\n## Response to Reply #7\n");
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    add_reply(replies, 1, 0, "```\n## NEW Reply #9 (x)\n---\n## Response to Reply #1\n");
    g_autofree char *text = thread_format(r, replies, responses, SIZE_MAX);
    g_assert_true(thread_names(text, 1, false));
    g_assert_false(thread_names(text, 9, false));
    g_assert_false(thread_names(text, 1, true));
    g_assert_false(thread_names(text, 7, true));
}

/* What does not fit is named with its file; the newest reply is shown before all else. */
static void
test_room(void)
{
    g_autoptr(Report) r = report_new("# Good morning\n");
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    add_reply(replies, 1, 1, "a long old reply");
    add_response(responses, 1, "ok");
    add_reply(replies, 2, 0, "new");
    g_autofree char *text = thread_format(r, replies, responses, 6);
    g_assert_nonnull(strstr(text, REPLY("NEW ", "2") "new\n"));
    g_assert_nonnull(strstr(text, ": reports/2026-02-09/responses/01-reply.md)"));
    g_assert_nonnull(strstr(text, "reports/2026-02-09/briefing.md)"));
    g_assert_nonnull(strstr(text, "\nok\n"));
    /* A response takes room, too. */
    g_autofree char *less = thread_format(r, replies, responses, 4);
    g_assert_nonnull(strstr(less, ": reports/2026-02-09/responses/01-response.md)"));
}

/* What was attached, and where the rest is, stands behind the text. */
static void
test_remarks(void)
{
    g_autoptr(Report) r = report_new("# Good morning\n");
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    add_reply(replies, 1, 0, "see\n\r\n");
    Reply *reply = replies->pdata[0];
    g_free(reply->files);
    reply->files = g_strdup("a.jpg (image/jpeg, 1 KB)\nb.pdf (application/pdf, 2 KB)");
    reply->cut = true;
    g_autofree char *text = thread_format(r, replies, responses, SIZE_MAX);
    g_assert_cmpstr(text, ==,
                    HEAD REPLY("NEW ", "1") "see\n"
                        "[… cut: the whole text is in responses/01-reply.md]\n"
                        "[attached: a.jpg (image/jpeg, 1 KB)]\n"
                        "[attached: b.pdf (application/pdf, 2 KB)]\n");
}

/* A thread.md that somebody has left says when its briefing was sent; not one without our heading. */
static void
test_read_sent(void)
{
    int64_t at = 0;
    g_assert_true(thread_read_sent(HEAD, &at));
    g_assert_cmpint(at, ==, INT64_C(1770526800) * 1000000);
    g_assert_false(thread_read_sent("# Carlton Thread\n\n## Briefing Sent (soon)\n", &at));
    g_assert_false(thread_read_sent("", &at));
    g_assert_cmpint(thread_read_after("## Response to Reply #1\n", 1), ==, 0);
}

/* maxReplyNumber(), maxResponseNumber(), hasUnprocessedReplies() */
static void
test_numbers(void)
{
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    g_assert_cmpint(thread_highest_reply(replies), ==, 0);
    g_assert_cmpint(thread_highest_response(responses), ==, 0);
    g_assert_false(thread_has_open(replies));
    add_reply(replies, 1, 0, "x");
    g_assert_cmpint(thread_highest_reply(replies), ==, 1);
    g_assert_true(thread_has_open(replies));
    add_reply(replies, 3, 3, "x");
    add_response(responses, 1, "x");
    g_assert_cmpint(thread_highest_response(responses), ==, 1);
    add_response(responses, 3, "x");
    g_assert_cmpint(thread_highest_reply(replies), ==, 3);
    g_assert_cmpint(thread_highest_response(responses), ==, 3);
    ((Reply *)replies->pdata[0])->settled = 1;
    g_assert_false(thread_has_open(replies));
    add_reply(replies, 4, 0, "x");
    g_assert_true(thread_has_open(replies));
}

static const struct {
    const char *name;
    int want;
    bool want_response;
} names[] = {
    {"01-reply.md", 1, false},      {"07-response.md", 7, true}, {"120-reply.md", 120, false},
    {"1-reply.md", 0, false},       {"00-reply.md", 0, false},   {"01-reply.md.edited-1", 0, false},
    {"01-replies.md", 0, false},    {"reply.md", 0, false},      {"-1-reply.md", 0, false},
    {"9999999-reply.md", 0, false}, {"0000001-reply.md", 0, false}, {"01-response.txt", 0, true},
};

static void
test_names(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        bool response;
        g_assert_cmpint(report_name_number(names[i].name, &response), ==, names[i].want);
        if (names[i].want)
            g_assert_cmpint(response, ==, names[i].want_response);
    }
    g_autofree char *two = report_reply_name(7), *three = report_response_name(120);
    g_assert_cmpstr(two, ==, "responses/07-reply.md");
    g_assert_cmpstr(three, ==, "responses/120-response.md");
}

static void
test_dates(void)
{
    static const char *const good[] = {"2026-02-09", "2024-02-29", "1999-12-31"};
    static const char *const bad[] = {"2026-02-30", "2026-2-9", "../x", "", "2026-02-09x",
                                      "2026-13-01", "2026-00-10", "0000-01-01", "2026/02/09"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
        g_assert_true(clock_date_valid(good[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(clock_date_valid(bad[i]));
}

/* A reply comes back from its file as it was, also with a body that looks like a head. */
static void
test_reply_file(void)
{
    g_autoptr(Replies) replies = replies_new();
    add_reply(replies, 1, 0, "Subject: not a header\n\nbody\377\n");
    Reply *was = replies->pdata[0];
    g_free(was->files);
    was->files = g_strdup("a.jpg (image/jpeg, 1 KB)\nb.pdf (application/pdf, 2 KB)");
    g_autoptr(GBytes) file = report_reply_format(was, was->body);
    g_autoptr(Reply) is = report_reply_parse(file);
    g_assert_cmpstr(is->msgid, ==, was->msgid);
    g_assert_cmpstr(is->sender, ==, was->sender);
    g_assert_cmpstr(is->subject, ==, was->subject);
    g_assert_cmpstr(is->files, ==, was->files);
    g_assert_cmpint(is->at_us, ==, was->at_us);
    g_assert_true(g_bytes_equal(is->body, was->body));
    g_autoptr(GBytes) plain = g_bytes_new_static("just words\n", 11);
    g_autoptr(Reply) bare = report_reply_parse(plain);
    g_assert_true(g_bytes_equal(bare->body, plain));
    g_assert_cmpstr(bare->sender, ==, "");
}

/* .briefing-sent contains valid JSON with resendId and messageId */
static void
test_sent(void)
{
    g_autoptr(Report) r = report_new("x"), back = report_new("x");
    g_autoptr(GBytes) file = report_sent_format(r);
    g_assert_nonnull(strstr(g_bytes_get_data(file, NULL),
                            "{\"resendId\":\"7\",\"messageId\":"
                            "\"<carlton-2026-02-09@carlton.local>\""));
    back->sent_us = 0;
    g_assert_true(report_sent_parse(file, back, NULL));
    g_assert_cmpint(back->sent_us, ==, r->sent_us);
    g_autoptr(GBytes) wrong = g_bytes_new_static("{", 1);
    g_assert_false(report_sent_parse(wrong, back, NULL));
}

/* A response stands behind the replies that were there when it was sent, whatever clocks say; so it reads
 * back. */
static void
test_order(void)
{
    g_autoptr(Report) r = report_new("# Good morning\n");
    g_autoptr(Replies) replies = replies_new();
    g_autoptr(Responses) responses = responses_new();
    add_reply(replies, 1, 1, "one");
    add_reply(replies, 2, 2, "two came while one was answered");
    add_reply(replies, 3, 0, "three");
    add_response(responses, 1, "first");
    add_response(responses, 2, "second");
    ((Response *)g_ptr_array_index(responses, 0))->after = 2;
    ((Response *)g_ptr_array_index(responses, 1))->after = 3;
    ((Reply *)g_ptr_array_index(replies, 2))->at_us = 0;
    g_autofree char *text = thread_format(r, replies, responses, SIZE_MAX);
    g_assert_cmpstr(text, ==,
                    HEAD REPLY("", "1") "one\n" REPLY("", "2")
                        "two came while one was answered\n\n## Response to Reply #1\nfirst\n\n---\n"
                        "\n## NEW Reply #3 (1970-01-01 00:00 from sam@test.com)\nthree\n"
                        "\n## Response to Reply #2\nsecond\n\n---\n");
    g_assert_cmpint(thread_read_after(text, 1), ==, 2);
    g_assert_cmpint(thread_read_after(text, 2), ==, 3);
    g_assert_cmpint(thread_read_after(text, 3), ==, 0);
    g_assert_cmpint(thread_read_after("", 1), ==, 0);
    g_assert_cmpint(thread_highest_response(responses), ==, 2);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/thread/format", test_format);
    g_test_add_func("/thread/batch", test_batch);
    g_test_add_func("/thread/order", test_order);
    g_test_add_func("/thread/bodies", test_bodies);
    g_test_add_func("/thread/forged", test_forged);
    g_test_add_func("/thread/room", test_room);
    g_test_add_func("/thread/remarks", test_remarks);
    g_test_add_func("/thread/read_sent", test_read_sent);
    g_test_add_func("/thread/numbers", test_numbers);
    g_test_add_func("/files/names", test_names);
    g_test_add_func("/files/dates", test_dates);
    g_test_add_func("/files/reply", test_reply_file);
    g_test_add_func("/files/sent", test_sent);
    return g_test_run();
}
