/* The shapes of nouns, and that docs/formats.md promises just these members. */
#include "base/json.h"
#include "base/text.h"
#include "view/job_rows.h"
#include "view/mail_rows.h"
#include "view/note_rows.h"

static const Schedule a_schedule;
static const CostRow a_cost = {.name = (char *)"x", .role = (char *)"envoy", .job = {1}};
static const MsgRow a_mail = {.msgid = (char *)"a@b",
                              .role = (char *)"envoy",
                              .folder = (char *)"",
                              .from = (char *)"ann@b",
                              .from_name = (char *)"Ann",
                              .to = (char *)"",
                              .subject = (char *)""};
static const OutRow a_sent = {
    .msgid = (char *)"a@b", .from = (char *)"", .address = (char *)"", .subject = (char *)""};

/* What stands behind `mark`, up to the next "}". */
static char *
promised_by(const char *page, const char *mark)
{
    const char *at = strstr(page, mark);
    g_assert_nonnull(at);
    at += strlen(mark);
    g_autofree char *cut = g_strndup(at, strcspn(at, "}"));
    g_auto(GStrv) words = text_words(cut, " \n");
    return g_strjoinv(" ", words);
}

/* The first "{…}" behind `mark` in the row of a verb, without what stands in braces of its own. */
static char *
promised(const char *formats, const char *verb, const char *mark)
{
    g_autofree char *head = g_strdup_printf("\n| %s", verb);
    const char *row = strstr(formats, head);

    g_assert_nonnull(row);
    return promised_by(row, mark);
}

static char *
read_page(const char *folder, const char *name)
{
    g_autofree char *path =
        g_build_filename(g_getenv("G_TEST_SRCDIR"), "..", "..", folder, name, NULL);
    char *text;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static void
check(const char *noun, const Shape *shape, char *take_members, const char *others)
{
    g_autofree char *members = take_members;
    g_autofree char *all = g_strdup_printf("%s, %s", members, others);
    g_auto(GStrv) names = g_strsplit(all, ", ", -1);

    for (size_t i = 0; i < shape->n; i++) {
        const char *name = shape->fields[i].name;

        g_test_message("%s: %s", noun, name ? name : "-");
        g_assert_true(!name || g_strv_contains((const char *const *)names, name));
    }
    for (char **name = names; *name; name++) {
        bool found = !**name || strstr(others, *name);

        for (size_t i = 0; i < shape->n; i++)
            found |= g_strcmp0(shape->fields[i].name, *name) == 0;
        g_test_message("%s promises %s", noun, *name);
        g_assert_true(found);
    }
}

static void
test_formats(void)
{
    g_autofree char *formats = read_page("docs", "formats.md");
    g_autofree char *port = read_page("src/port", "port.h");

    check("job", &job_shape, promised(formats, "`job list`", "[{"), "");
    check("step", &step_shape, promised(formats, "`job show`", "steps: [{"), "");
    check("mail", &msg_row_shape, promised(formats, "`mail list`", "[{"), "space");
    check("note", &note_shape, promised(formats, "`note list`", "[{"),
          "job, step, deleted, renamed_from");
    check("schedule", &schedule_shape, promised(formats, "`every list`", "[{"), "problem");
    check("outgoing mail", &out_row_shape, promised(formats, "`outbox list`", "[{"),
          "kind, question, question_state, space");
    check("cost", &cost_row_shape, promised(formats, "`cost`", "rows: [{"),
          "day or role or job or brain or artifact, job, role, subject");
    check("permit", &permit_shape, promised(formats, "`permit list`", "[{"), "holds");
    check("trace", &trace_row_shape, promised(formats, "`mail trace`", "[{"), "role");
    check("note hit", &note_hit_shape, promised(formats, "`note search`", "[{"), "");
    check("doing", &doing_shape, promised(formats, "`job show`", "said last, `{"), "");
    check("session", &session_shape, promised_by(formats, "`session` is there where a program worked that keeps one: `{"), "");
    check("job in hand", &job_in_hand_shape, promised_by(port, "status       {} -> {"), "");
}

/* Mail that was written has the members of mail that came, in the same order. */
static void
test_sent(void)
{
    g_autoptr(json_t) in = mail_json(&a_mail, NULL), out = mail_json(NULL, &a_sent);
    void *a = json_object_iter(in), *b = json_object_iter(out);

    while (a && b) {
        g_assert_cmpstr(json_object_iter_key(a), ==, json_object_iter_key(b));
        a = json_object_iter_next(in, a);
        b = json_object_iter_next(out, b);
    }
    g_assert_true(!a && !b);
    g_assert_cmpstr(json_string_value(json_object_get(in, "message_id")), ==, "<a@b>");
    g_assert_cmpstr(json_string_value(json_object_get(in, "from")), ==, "Ann <ann@b>");
    g_assert_cmpstr(json_string_value(json_object_get(in, "folder")), ==, "INBOX");
    g_assert_true(json_is_null(json_object_get(in, "job")));
}

static void
test_json(void)
{
    static const struct {
        const Shape *shape;
        const void *row;
        const char *want;
    } cases[] = {
        {&cost_row_shape, &a_cost,
         "{\"job\":1,\"role\":\"envoy\",\"subject\":\"x\",\"steps\":0,\"cost_usd\":0.0}"},
        {&schedule_shape, &a_schedule,
         "{\"id\":0,\"when\":null,\"role\":null,\"subject\":null,\"body\":null,\"next\":null,"
         "\"last\":null,\"created\":null}"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) value = shape_json(cases[i].shape, cases[i].row);
        g_autofree char *text = json_format(value);
        g_assert_cmpstr(text, ==, cases[i].want);
    }
    g_autoptr(json_t) some = shape_pick(&cost_row_shape, &a_cost, "steps", "role", NULL);
    g_autofree char *text = json_format(some);
    g_assert_cmpstr(text, ==, "{\"steps\":0,\"role\":\"envoy\"}");
}

static void
test_words(void)
{
    MsgState state = MSG_HELD;

    g_assert_true(msg_state_parse("dead", &state));
    g_assert_cmpint(state, ==, MSG_DEAD);
    g_assert_false(msg_state_parse("undead", &state));
    g_assert_cmpint(state, ==, MSG_DEAD);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shape/formats", test_formats);
    g_test_add_func("/shape/sent", test_sent);
    g_test_add_func("/shape/json", test_json);
    g_test_add_func("/shape/words", test_words);
    return g_test_run();
}
