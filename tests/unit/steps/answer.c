/* What a brain may answer: its fields, and every bad answer. */
#include "steps/answer.h"

#include "base/clock.h"
#include "base/err.h"

#define SMALL "{\"status\":\"continue\",\"current_phase\":\"working\"}"
#define OTHER "{\"status\":\"complete\",\"current_phase\":\"complete\"}"

/* Every field, with something in each list. */
static const char full[] =
    "{\"status\":\"waiting\",\"current_phase\":\"waiting\",\"working_note\":\"a ```json {} "
    "``` b\\nline \303\274\",\"bundle_key\":\"scratch/task-index\",\"reasoning\":\"because\","
    "\"add_notes\":[\"envoy/design\",\"CONTENTS\"],"
    "\"add_emails\":[{\"message_id\":\"<a@b>\",\"folder\":\"INBOX\"}],"
    "\"search_emails\":[{\"folder\":\"Done\",\"from\":\"bob\",\"to\":\"\",\"subject\":\"s\","
    "\"text\":\"words\",\"since\":\"2026-11-15\",\"before\":\"\"}],"
    "\"search_notes\":[\"parser\"],"
    "\"read_attachments\":[{\"message_id\":\"a@b\",\"filename\":\"x.py\",\"offset\":7}],"
    "\"drop\":[\"old/note\",\"<c@d>\"],"
    "\"write_notes\":[{\"key\":\"k\",\"content\":\"\\u001b[1mtext\",\"mode\":\"append\","
    "\"if_version\":3}],"
    "\"rename_notes\":[{\"from\":\"a\",\"to\":\"b\"}],\"delete_notes\":[\"gone\"],"
    "\"send_emails\":[{\"to\":[\"bob@example.org\"],\"cc\":[\"\\\"Doe, J\\\" "
    "<j@example.org>\"],\"subject\":\"Done\",\"body\":\"See attached.\\n\","
    "\"in_reply_to\":\"<a@b>\",\"attachments\":[{\"note_key\":\"k\",\"filename\":\"k.py\"}]}],"
    "\"move_emails\":[{\"message_id\":\"<a@b>\",\"folder\":\"Archive\"}],"
    "\"wait\":{\"for\":\"time\",\"until\":\"2026-11-15T10:00:00Z\",\"then\":\"remind\"}}";

static Answer *
parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    Answer *answer = NULL;

    if (!answer_parse(text, strlen(text), NULL, &answer, &error))
        g_test_message("%s", error->message);
    return answer;
}

/* The message of the refusal; caller frees. NULL when it was taken. */
static char *
refusal(const char *text, size_t len)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Answer) answer = NULL;

    if (answer_parse(text, len, NULL, &answer, &error))
        return NULL;
    g_assert_null(answer);
    g_assert_true(err_is(error, ERR_NEVER) || err_is(error, ERR_LIMIT));
    return g_strdup(error->message);
}

static const char *
nth(const GPtrArray *list, guint i)
{
    g_assert_cmpuint(i, <, list->len);
    return g_ptr_array_index(list, i);
}

static void
test_gathering(const Answer *a)
{
    const MailRef *mail = g_ptr_array_index(a->add_emails, 0);
    const AnswerSearch *search = g_ptr_array_index(a->search_emails, 0);
    const FileRef *file = g_ptr_array_index(a->read_attachments, 0);
    int64_t since;

    g_assert_cmpuint(a->add_notes->len, ==, 2);
    g_assert_cmpstr(nth(a->add_notes, 1), ==, "CONTENTS");
    g_assert_cmpstr(mail->message_id, ==, "<a@b>");
    g_assert_cmpstr(mail->folder, ==, "INBOX");
    g_assert_true(clock_parse_iso("2026-11-15", &since));
    g_assert_cmpint(search->since_us, ==, since);
    g_assert_cmpint(search->before_us, ==, 0);
    g_assert_cmpstr(search->folder, ==, "Done");
    g_assert_cmpstr(search->text, ==, "words");
    g_assert_cmpstr(nth(a->search_notes, 0), ==, "parser");
    g_assert_cmpstr(file->message_id, ==, "a@b");
    g_assert_cmpstr(file->filename, ==, "x.py");
    g_assert_cmpint(file->offset, ==, 7);
    g_assert_cmpstr(nth(a->drop, 1), ==, "<c@d>");
}

static void
test_acting(const Answer *a)
{
    const AnswerWrite *write = g_ptr_array_index(a->write_notes, 0);
    const AnswerRename *rename = g_ptr_array_index(a->rename_notes, 0);
    const AnswerMail *mail = g_ptr_array_index(a->send_emails, 0);
    const AnswerFile *file = g_ptr_array_index(mail->attachments, 0);
    const MailRef *move = g_ptr_array_index(a->move_emails, 0);

    g_assert_cmpstr(write->content, ==, "\033[1mtext"); /* a note is kept as it was sent */
    g_assert_true(write->append);
    g_assert_cmpint(write->if_version, ==, 3);
    g_assert_cmpstr(rename->to, ==, "b");
    g_assert_cmpstr(nth(a->delete_notes, 0), ==, "gone");
    g_assert_cmpstr(nth(mail->to, 0), ==, "bob@example.org");
    g_assert_cmpstr(nth(mail->cc, 0), ==, "\"Doe, J\" <j@example.org>");
    g_assert_cmpstr(mail->body, ==, "See attached.\n");
    g_assert_cmpstr(file->note_key, ==, "k");
    g_assert_cmpstr(file->filename, ==, "k.py");
    g_assert_cmpstr(move->folder, ==, "Archive");
}

static void
test_full(void)
{
    g_autoptr(Answer) a = parse(full);
    int64_t until;

    g_assert_nonnull(a);
    g_assert_cmpint(a->status, ==, ANSWER_WAITING);
    g_assert_cmpint(a->current_phase, ==, PHASE_WAITING);
    g_assert_cmpstr(a->working_note, ==, "a ```json {} ``` b\nline \303\274");
    g_assert_cmpstr(a->bundle_key, ==, "scratch/task-index");
    g_assert_cmpstr(a->reasoning, ==, "because");
    test_gathering(a);
    test_acting(a);
    g_assert_true(clock_parse_iso("2026-11-15T10:00:00Z", &until));
    g_assert_true(a->wait.for_time);
    g_assert_cmpint(a->wait.until_us, ==, until);
    g_assert_cmpint(a->wait.then, ==, ANSWER_THEN_REMIND);
    g_assert_cmpuint(a->flags->len, ==, 0);
}

/* The documented leniency: what is left out is empty, and that is said. */
static void
test_left_out(void)
{
    g_autoptr(Answer) a = parse("{\"status\":\"Complete\",\"current_phase\":\"COMPOSING\","
                                "\"send_emails\":[{\"to\":\"a@b\",\"body\":\"x\"}],"
                                "\"write_notes\":[{\"key\":\"k\",\"content\":\"\"}]}");

    g_assert_nonnull(a);
    const AnswerMail *mail = g_ptr_array_index(a->send_emails, 0);
    const AnswerWrite *write = g_ptr_array_index(a->write_notes, 0);

    g_assert_cmpint(a->status, ==, ANSWER_COMPLETE);
    g_assert_cmpint(a->current_phase, ==, PHASE_COMPOSING);
    g_assert_cmpstr(a->working_note, ==, "");
    g_assert_cmpuint(a->drop->len, ==, 0);
    g_assert_cmpuint(mail->to->len, ==, 1);
    g_assert_cmpstr(nth(mail->to, 0), ==, "a@b");
    g_assert_cmpuint(mail->cc->len, ==, 0);
    g_assert_cmpstr(mail->in_reply_to, ==, "");
    g_assert_false(write->append);
    g_assert_cmpint(write->if_version, ==, 0);
    g_assert_cmpuint(a->flags->len, ==, 1);
    g_assert_true(g_str_has_prefix(nth(a->flags, 0), "left out, so taken for empty: reasoning, "
                                                     "working_note, "));
}

/* What has a status only may leave the rest out; these tests look at the flags of answers in fences and prose. */
static bool
is_flagged(const Answer *a, const char *what)
{
    for (guint i = 0; i < a->flags->len; i++)
        if (strstr(g_ptr_array_index(a->flags, i), what))
            return true;
    return false;
}

#define HEAD "{\"status\":\"continue\",\"current_phase\":\"working\","
#define MAIL(fields) HEAD "\"send_emails\":[{\"to\":[]},{" fields "}]}"
#define WAIT(fields) "{\"status\":\"waiting\",\"current_phase\":\"waiting\"" fields "}"

static const struct {
    const char *row, *text, *want_flag; /* NULL: none beside what was left out */
} around[] = {
    {"nothing", SMALL, NULL},
    {"blanks", "\n\n  " SMALL "\r\n", NULL},
    {"fence", "```json\n" SMALL "\n```", NULL},
    {"fence without a language", "```\n" SMALL "\n```\n", NULL},
    {"fence on one line", "```json " SMALL " ```", NULL},
    {"prose before", "Here it is: " SMALL, "around the JSON was passed over: Here it is:"},
    {"prose after", SMALL "\nI hope\nthis helps.", "I hope\\x0athis helps."},
    {"prose with braces", "In {x} and { y I see\n```json\n" SMALL "\n```", "In {x} and { y"},
    {"two fences, one a snippet", "```json\n{\"a\":1}\n```\n```json\n" SMALL "\n```",
     "JSON that is no answer was passed over: status: is missing"},
    {"a draft, then one that fits",
     "{\"status\":\"continue\",\"current_phase\":\"resting\"} No: " SMALL,
     "current_phase: must be triage"},
    {"the same twice", SMALL "\n" SMALL, "the same answer once more"},
    {"a list beside it", "[{\"a\":1}] " SMALL, "must be one JSON object"},
    {"encoded twice",
     "\"{\\\"status\\\":\\\"continue\\\",\\\"current_phase\\\":\\\"working\\\"}\"",
     "a string around the JSON"},
    {"a list encoded twice", HEAD "\"drop\":\"[\\\"a\\\"]\"}", "a string around JSON"},
    {"an object encoded twice", HEAD "\"wait\":\"{\\\"for\\\":\\\"reply\\\"}\"}",
     "a string around JSON"},
    {"unknown action", HEAD "\"run_shell\":[\"rm\"]}", "unknown, so dropped: run_shell"},
    {"unknown field below", MAIL("\"priority\":1"),
     "unknown, so dropped: send_emails[1].priority"},
    {"null recipients", MAIL("\"to\":null"), "left out, so taken for empty"},
    {"wait null", HEAD "\"wait\":null}", NULL},
    {"null everywhere",
     HEAD "\"working_note\":null,\"drop\":null,\"send_emails\":null,\"bundle_key\":null,"
          "\"read_attachments\":[{\"message_id\":\"a@b\",\"filename\":\"x\",\"offset\":null}]}",
     NULL},
    {"fence inside a string",
     "```json\n{\"status\":\"continue\",\"current_phase\":\"working\",\"working_note\":"
     "\"```json\\n{\\\"status\\\":\\\"complete\\\"}\\n```\"}\n```",
     NULL},
    {"escapes of a terminal",
     "{\"status\":\"continue\",\"current_phase\":\"working\",\"reasoning\":\"a\\u001b["
     "31mb\\tc\"}",
     "control characters were taken out of: reasoning"},
};

static void
test_around(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(around); i++) {
        g_test_message("%s", around[i].row);
        g_autoptr(Answer) a = parse(around[i].text);

        g_assert_nonnull(a);
        g_assert_cmpint(a->status, ==, ANSWER_CONTINUE);
        g_assert_cmpint(a->current_phase, ==, PHASE_WORKING);
        if (around[i].want_flag)
            g_assert_true(is_flagged(a, around[i].want_flag));
        else
            g_assert_cmpuint(a->flags->len, ==, 1);
    }
}

static const struct {
    const char *row, *text, *want;
} refused[] = {
    {"nothing", "", "there is no JSON object in the answer"},
    {"blanks", " \n\t\r\n ", "there is no JSON object in the answer"},
    {"null", "null", "there is no JSON object in the answer"},
    {"prose", "I have sent the mail.", "there is no JSON object in the answer"},
    {"empty object", "{}", "status: is missing"},
    {"two different ones", SMALL "\n" OTHER, "there are two different answers"},
    {"two fences that differ", "```json\n" SMALL "\n```\nor\n```json\n" OTHER "\n```",
     "there are two different answers"},
    {"in a list", "[" SMALL "]", "the answer must be one JSON object"},
    {"in a wrapper", "{\"answer\":" SMALL "}", "status: is missing"},
    {"a part of it encoded twice", "\"{\\\"status\\\":\\\"continue\\\"}\"",
     "current_phase: is missing; it must be triage"},
    {"everything that is wrong",
     HEAD
     "\"drop\":5,\"send_emails\":[{\"to\":7},\"x\"],\"write_notes\":[{\"mode\":\"patch\"}]}",
     "drop: must be a list of strings; write_notes[0].key: is missing; write_notes[0].mode: "
     "must be "
     "replace or append; send_emails[0].to: must be a list of strings; send_emails[1]: must be "
     "an "
     "object"},
    {"blind copies", MAIL("\"bcc\":[]"),
     "send_emails[1].bcc: is not known here; did you mean 'cc'?"},
    {"what was meant is named", "{\"a\":1} {\"status\":1}", "status: must be a string"},
    {"in a wrapper", "{\"answer\":" SMALL, "is cut off; answer again, shorter"},
    {"in a list", "[" SMALL ",", "is cut off"},
    {"behind a whole one", SMALL "{\"status\":\"comp", "is cut off"},
    {"trailing comma", HEAD "}", "malformed JSON"},
    {"trailing comma in a list", HEAD "\"drop\":[\"a\",]}", "malformed JSON"},
    {"single quotes", "{'status':'continue','current_phase':'working'}", "no JSON object"},
    {"comment", HEAD "/* why */\"drop\":[]}", "malformed JSON"},
    {"NaN", HEAD "\"drop\":NaN}", "malformed JSON"},
    {"line break in a string", HEAD "\"reasoning\":\"a\nb\"}", "malformed JSON"},
    {"broken wrapper", "{\"answer\":" SMALL ",}", "malformed JSON"},
    {"broken one beside a good one", "{\"status\":\"complete\",} " SMALL, "malformed JSON"},
    {"brackets crossed", HEAD "\"drop\":[}]", "malformed JSON"},
    {"no phase", "{\"status\":\"continue\"}", "current_phase: is missing"},
    {"unknown status", "{\"status\":\"sleep\",\"current_phase\":\"working\"}",
     "status: must be continue, waiting, complete or escalate"},
    {"unknown field", HEAD "\"send_email\":[]}",
     "send_email: is not known here; did you mean 'send_emails'?"},
    {"null recipient", MAIL("\"to\":[null]"), "send_emails[1].to[0]: must be a string"},
    {"number for a list", MAIL("\"cc\":5"), "send_emails[1].cc: must be a list of strings"},
    {"list for a text", MAIL("\"body\":[]"), "send_emails[1].body: must be a string"},
    {"string for an object", HEAD "\"send_emails\":[\"a@b\"]}",
     "send_emails[0]: must be an object"},
    {"object for a list", HEAD "\"send_emails\":{}}",
     "send_emails: must be a list of objects"},
    {"no path but the field", HEAD "\"write_notes\":[{\"content\":\"x\"}]}",
     "write_notes[0].key: is missing"},
    {"empty key", HEAD "\"write_notes\":[{\"key\":\"\"}]}",
     "write_notes[0].key: must not be empty"},
    {"mode", HEAD "\"write_notes\":[{\"key\":\"k\",\"mode\":\"patch\"}]}",
     "write_notes[0].mode: must be replace or append"},
    {"version", HEAD "\"write_notes\":[{\"key\":\"k\",\"if_version\":\"3\"}]}",
     "write_notes[0].if_version: must be a whole number"},
    {"negative version", HEAD "\"write_notes\":[{\"key\":\"k\",\"if_version\":-1}]}",
     "write_notes[0].if_version: must be a whole number from 0 on"},
    {"empty entry", HEAD "\"add_notes\":[\"\"]}", "add_notes[0]: must not be empty"},
    {"date", HEAD "\"search_emails\":[{\"since\":\"last week\"}]}",
     "search_emails[0].since: must be a time"},
    {"attachment", MAIL("\"attachments\":[{\"filename\":\"x\"}]"),
     "send_emails[1].attachments[0].note_key: is missing"},
    {"move to nowhere", HEAD "\"move_emails\":[{\"message_id\":\"a@b\",\"folder\":\"\"}]}",
     "move_emails[0].folder: must not be empty"},
    {"wait of a wrong type", HEAD "\"wait\":{\"for\":1}}", "wait.for: must be a string"},
    {"waiting for nothing", WAIT(""), "wait: is missing"},
    {"wait for what", WAIT(",\"wait\":{\"for\":\"\",\"then\":\"remind\"}"),
     "wait.for: must be reply or time"},
    {"and then", WAIT(",\"wait\":{\"for\":\"reply\",\"until\":\"\",\"then\":\"later\"}"),
     "wait.then: must be remind, escalate or continue"},
    {"a time without one", WAIT(",\"wait\":{\"for\":\"time\",\"then\":\"continue\"}"),
     "wait.until: must say when"},
    {"a time that is none",
     WAIT(",\"wait\":{\"for\":\"reply\",\"until\":\"soon\",\"then\":\"remind\"}"),
     "wait.until: must be a time"},
    {"a key twice", MAIL("\"to\":[\"a@b\"],\"to\":[\"c@d\"]"), "duplicate"},
    {"two in one string", MAIL("\"to\":\"a@b,c@d\""),
     "send_emails[1].to: must have one address in each string"},
    {"two in one entry", MAIL("\"cc\":[\"x@y\",\"a@b; c@d\"]"),
     "send_emails[1].cc: must have one address in each string"},
    {"line break in an address", MAIL("\"to\":[\"a@b\\r\\nBcc: c@d\"]"),
     "send_emails[1].to[0]: must not have line breaks"},
    {"line break in a subject", MAIL("\"subject\":\"x\\nBcc: c@d\""),
     "send_emails[1].subject: must not have line breaks"},
    {"line separator", MAIL("\"subject\":\"x\342\200\250y\""),
     "send_emails[1].subject: must not have line breaks"},
    {"escape in a key", HEAD "\"add_notes\":[\"a\\u001b\"]}",
     "add_notes[0]: must not have line breaks or control characters"},
    {"escape in a file name",
     MAIL("\"attachments\":[{\"note_key\":\"k\",\"filename\":"
          "\"a\\u0007\"}]"),
     "send_emails[1].attachments[0].filename: must not have"},
    {"NUL", HEAD "\"reasoning\":\"a\\u0000b\"}", "malformed JSON"},
    {"not UTF-8", HEAD "\"reasoning\":\"a\xff\"}", "malformed JSON"},
};

static void
test_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autofree char *got = refusal(refused[i].text, strlen(refused[i].text));

        g_test_message("%s: %s", refused[i].row, got ? got : "taken");
        g_assert_nonnull(got);
        g_assert_nonnull(strstr(got, refused[i].want));
    }
}

/* No part of an answer is one, at whichever byte it ends. */
static void
test_cut(void)
{
    for (size_t len = 0; len + 1 < sizeof full; len++) {
        g_autofree char *got = refusal(full, len);
        g_assert_nonnull(got);
    }
}

/* A wait is read only when the answer waits. */
static void
test_wait(void)
{
    g_autoptr(Answer) idle =
        parse(HEAD "\"wait\":{\"for\":\"\",\"until\":\"n/a\",\"then\":\"\"}}");
    g_autoptr(Answer) reply =
        parse(WAIT(",\"wait\":{\"for\":\"Reply\",\"until\":\"\",\"then\":\"Escalate\"}"));

    g_assert_nonnull(idle);
    g_assert_cmpint(idle->wait.until_us, ==, 0);
    g_assert_nonnull(reply);
    g_assert_false(reply->wait.for_time);
    g_assert_cmpint(reply->wait.until_us, ==, 0);
    g_assert_cmpint(reply->wait.then, ==, ANSWER_THEN_ESCALATE);
}

/* HEAD, then open, then piece as often as told with commas between, then close. */
static char *
repeat(const char *open, const char *piece, unsigned times, const char *close)
{
    GString *s = g_string_new(HEAD);

    g_string_append(s, open);
    for (unsigned i = 0; i < times; i++)
        g_string_append_printf(s, "%s%s", i ? "," : "", piece);
    g_string_append(s, close);
    return g_string_free(s, FALSE);
}

/* Numbers of entries. */
static void
test_many(void)
{
    static const struct {
        unsigned times;
        const char *want; /* NULL: taken */
    } cases[] = {
        {100, NULL},
        {101, "add_notes: 101 entries are over the limit of 100"},
        {10000, "add_notes: 10000 entries are over the limit of 100"},
        {100000, "there are more than 50000 values in the JSON"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = repeat("\"add_notes\":[", "\"k\"", cases[i].times, "]}");
        g_autofree char *got = refusal(text, strlen(text));
        g_assert_cmpstr(got, ==, cases[i].want);
    }
    g_autofree char *mails = repeat("\"send_emails\":[", "{}", 101, "]}");
    g_autofree char *got = refusal(mails, strlen(mails));
    g_assert_cmpstr(got, ==, "send_emails: 101 entries are over the limit of 100");
}

static char *
with_text(const char *open, size_t len, const char *close)
{
    g_autofree char *text = g_strnfill(len, 'x');

    return g_strconcat(HEAD, open, text, close, NULL);
}

/* Sizes. Each limit is taken, one byte more is not. */
static void
test_large(void)
{
    static const struct {
        const char *open, *close, *want_path;
        size_t max;
    } cases[] = {
        {"\"send_emails\":[{\"body\":\"", "\"}]}", "send_emails[0].body", ANSWER_TEXT_MAX},
        {"\"write_notes\":[{\"key\":\"k\",\"content\":\"", "\"}]}", "write_notes[0].content",
         ANSWER_TEXT_MAX},
        {"\"working_note\":\"", "\"}", "working_note", STATE_NOTE_MAX},
        {"\"reasoning\":\"", "\"}", "reasoning", ANSWER_REASON_MAX},
        {"\"add_notes\":[\"", "\"]}", "add_notes[0]", STATE_LINE_MAX},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *fits = with_text(cases[i].open, cases[i].max, cases[i].close);
        g_autofree char *over = with_text(cases[i].open, cases[i].max + 1, cases[i].close);
        g_autofree char *taken = refusal(fits, strlen(fits));
        g_autofree char *got = refusal(over, strlen(over));
        g_autofree char *want =
            g_strdup_printf("%s: %zu bytes are over the limit of %zu", cases[i].want_path,
                            cases[i].max + 1, cases[i].max);

        g_assert_null(taken);
        g_assert_cmpstr(got, ==, want);
    }
}

static char *
nested(const char *open, unsigned depth)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < depth; i++)
        g_string_append(s, open);
    return g_string_free(s, FALSE);
}

/* 100 MB, depth 100,000; and no input that takes long. */
static void
test_huge(void)
{
    g_autofree char *blanks = g_strnfill(ANSWER_MAX + 1, ' ');
    g_autofree char *objects = nested("{\"a\":", 100000), *lists = nested("[", 100000);
    g_autofree char *braces = nested("{", 1000000), *quotes = nested("{\"", 1000000);
    g_autofree char *lines = nested("\n", 1000000);
    const struct {
        const char *text, *want;
    } cases[] = {
        {blanks, "the answer has 8388609 bytes, over the limit of 8388608"},
        {objects, "the JSON is nested deeper than 16 levels"},
        {lists, "there is no JSON object in the answer"},
        {braces, "is cut off"},
        {quotes, "the JSON is nested deeper than 16 levels"},
        {lines, "there is no JSON object in the answer"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = refusal(cases[i].text, strlen(cases[i].text));
        g_assert_nonnull(got);
        g_test_message("%s", got);
        g_assert_true(strstr(got, cases[i].want) != NULL);
    }
}

/* --- the schema --- */

static bool
is_known_word(const char *word)
{
    static const char *const words[] = {
        "type", "properties",  "items", "required", "additionalProperties",
        "enum", "description", NULL};
    return g_strv_contains(words, word);
}

static void check_schema(json_t *schema, unsigned depth);

/* All fields are required, and no other ones are allowed. */
static void
check_object(json_t *schema, unsigned depth)
{
    json_t *properties = json_object_get(schema, "properties"), *child;
    json_t *required = json_object_get(schema, "required");
    const char *name;
    size_t i = 0;

    g_assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    g_assert_cmpuint(json_array_size(required), ==, json_object_size(properties));
    json_object_foreach(properties, name, child)
    {
        g_assert_cmpstr(json_string_value(json_array_get(required, i++)), ==, name);
        check_schema(child, depth + 1);
    }
}

/* The portable profile: what every provider with structured output takes. */
static void
check_schema(json_t *schema, unsigned depth)
{
    const char *type = json_string_value(json_object_get(schema, "type")), *word;
    json_t *value;

    g_assert_cmpuint(depth, <=, 5);
    json_object_foreach(schema, word, value)
    {
        g_assert_true(is_known_word(word));
    }
    if (strcmp(type, "object") == 0)
        check_object(schema, depth);
    else if (strcmp(type, "array") == 0)
        check_schema(json_object_get(schema, "items"), depth + 1);
    else
        g_assert_true(strcmp(type, "string") == 0 || strcmp(type, "integer") == 0);
}

/* A value that fits the schema: one entry in each list, the chosen value of each enum. */
static json_t *
make_sample(const json_t *schema, size_t choice)
{
    const char *type = json_string_value(json_object_get(schema, "type")), *name;
    const json_t *choices = json_object_get(schema, "enum");
    json_t *child;

    if (strcmp(type, "array") == 0)
        return json_pack("[o]", make_sample(json_object_get(schema, "items"), choice));
    if (strcmp(type, "integer") == 0)
        return json_integer(0);
    if (strcmp(type, "string") == 0)
        return choices ? json_incref(json_array_get(choices, choice % json_array_size(choices)))
                       : json_string("2026-11-15");
    json_t *object = json_object();
    json_object_foreach(json_object_get(schema, "properties"), name, child)
    {
        json_object_set_new(object, name, make_sample(child, choice));
    }
    return object;
}

/* What fits the schema is taken without a flag, with every value of every enum; so parser and
 * schema know the same fields. */
static void
test_schema(void)
{
    g_autoptr(json_t) schema = NULL;

    g_autofree char *bare = answer_schema(NULL);
    g_assert_true(json_parse(bare, strlen(bare), 0, &schema, NULL));
    check_schema(schema, 0);
    /* A model that writes its reasons first decides by them. */
    g_assert_cmpstr(json_string_value(json_array_get(json_object_get(schema, "required"), 0)),
                    ==, "reasoning");
    g_assert_cmpuint(json_object_size(json_object_get(schema, "properties")), ==, 17);
    for (size_t i = 0; i < PHASE_COUNT; i++) {
        g_autoptr(json_t) sample = make_sample(schema, i);
        g_autofree char *text = json_format(sample);
        g_autoptr(Answer) a = parse(text);

        g_assert_nonnull(a);
        g_assert_cmpint(a->current_phase, ==, i);
        g_assert_cmpuint(a->flags->len, ==, 0);
    }
}

/* Acts are fields of the schema and of the answer, and only those that are offered. */
static const ActField act_fields[] = {{"key", "what", true, false},
                                      {"body", "words", true, true},
                                      {"note", "more", false, false},
                                      {NULL, NULL, false, false}};
static const ActOps act_wave = {.name = "wave", .about = "waves", .fields = act_fields};

static char *
answer_with(const char *wave)
{
    return g_strdup_printf(
        "{\"reasoning\":\"r\",\"status\":\"complete\",\"current_phase\":\"complete\",\"wave\":%s}", wave);
}

static void
test_acts(void)
{
    static const struct {
        const char *wave, *want_error; /* NULL: one act */
    } cases[] = {
        {"[{\"key\":\"k\",\"body\":\"b\\nc\"}]", NULL},
        {"[{\"key\":\"k\",\"body\":\"b\",\"note\":\"\"}]", NULL},
        {"\"[{\\\"key\\\":\\\"k\\\",\\\"body\\\":\\\"b\\\"}]\"", NULL},
        {"[{\"key\":\"\",\"body\":\"b\"}]", "wave[0].key"},
        {"[{\"key\":\"k\",\"body\":\"\"}]", "wave[0].body: must not be empty"},
        {"[{\"key\":\"k\"}]", "wave[0].body"},
        {"[{\"key\":7,\"body\":\"b\"}]", "wave[0].key"},
        {"{\"key\":\"k\",\"body\":\"b\"}", "wave"},
    };
    g_autoptr(GPtrArray) acts = g_ptr_array_new();
    g_ptr_array_add(acts, (ActOps *)&act_wave);
    g_autofree char *with = answer_schema(acts);
    g_autoptr(json_t) schema = NULL;
    g_assert_true(json_parse(with, strlen(with), 0, &schema, NULL));
    check_schema(schema, 0);
    g_assert_cmpuint(json_object_size(json_object_get(schema, "properties")), ==, 18);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = answer_with(cases[i].wave);
        g_autoptr(Answer) a = NULL;
        g_autoptr(GError) error = NULL;
        bool ok = answer_parse(text, strlen(text), acts, &a, &error);
        g_test_message("%s: %s", cases[i].wave, ok ? "taken" : error->message);
        g_assert_cmpint(ok, ==, !cases[i].want_error);
        if (!ok) {
            g_assert_nonnull(strstr(error->message, cases[i].want_error));
            continue;
        }
        const ProposedAct *act = g_ptr_array_index(a->acts, 0);
        g_assert_true(a->acts->len == 1 && act->ops == &act_wave);
        g_assert_cmpstr(act_text(act->args, "key"), ==, "k");
        g_assert_null(act_text(act->args, "note"));
    }
    g_autofree char *text = answer_with("[]");
    g_autoptr(Answer) none = parse(text);
    g_assert_cmpuint(none->acts->len, ==, 0);
    g_assert_nonnull(strstr(nth(none->flags, none->flags->len - 1), "wave"));
}

/* "{a, b: [text], c: [{d}]}", as docs/formats.md says it. */
static void
outline(const json_t *schema, GString *s)
{
    const char *type = json_string_value(json_object_get(schema, "type")), *name;
    const json_t *items = json_object_get(schema, "items");
    const char *comma = "";
    json_t *child;

    if (strcmp(type, "object") == 0) {
        g_string_append_c(s, '{');
        json_object_foreach(json_object_get(schema, "properties"), name, child)
        {
            g_string_append_printf(s, "%s%s", comma, name);
            comma = ", ";
            if (json_object_get(child, "items") || json_object_get(child, "properties"))
                g_string_append(s, ": ");
            outline(child, s);
        }
        g_string_append_c(s, '}');
    } else if (items) {
        g_string_append_c(s, '[');
        if (json_object_get(items, "properties"))
            outline(items, s);
        else
            g_string_append(s, "text");
        g_string_append_c(s, ']');
    }
}

static void
test_formats(void)
{
    g_autofree char *path =
        g_build_filename(g_getenv("G_TEST_SRCDIR"), "..", "..", "docs", "formats.md", NULL);
    g_autofree char *formats = NULL;
    g_autoptr(json_t) schema = NULL;
    g_autoptr(GString) want = g_string_new(NULL);

    g_autofree char *bare = answer_schema(NULL);
    g_assert_true(json_parse(bare, strlen(bare), 0, &schema, NULL));
    outline(schema, want);
    g_assert_true(g_file_get_contents(path, &formats, NULL, NULL));
    g_auto(GStrv) words = g_strsplit_set(formats, " \n", -1);
    g_autofree char *text = g_strjoinv(" ", words);
    g_test_message("%s", want->str);
    g_assert_nonnull(strstr(text, want->str));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/answer/formats", test_formats);
    g_test_add_func("/answer/full", test_full);
    g_test_add_func("/answer/left-out", test_left_out);
    g_test_add_func("/answer/around", test_around);
    g_test_add_func("/answer/refused", test_refused);
    g_test_add_func("/answer/cut", test_cut);
    g_test_add_func("/answer/wait", test_wait);
    g_test_add_func("/answer/many", test_many);
    g_test_add_func("/answer/large", test_large);
    g_test_add_func("/answer/huge", test_huge);
    g_test_add_func("/answer/schema", test_schema);
    g_test_add_func("/answer/acts", test_acts);
    return g_test_run();
}
