/* What a job carries from step to step. */
#include "steps/state.h"

#include <stdint.h>

#include "base/err.h"

static const char *
nth(const GPtrArray *list, guint i)
{
    g_assert_cmpuint(i, <, list->len);
    return g_ptr_array_index(list, i);
}

static StepState *
parse(const char *text, GError **error)
{
    g_autoptr(json_t) object = NULL;
    StepState *state = NULL;

    g_assert_true(json_parse(text, strlen(text), STATE_JSON_MAX, &object, NULL));
    (void)state_from_json(object, &state, error);
    return state;
}

static char *
format(const StepState *state)
{
    g_autoptr(json_t) object = state_to_json(state);

    return json_format(object);
}

static void
test_phases(void)
{
    Phase phase;

    for (unsigned i = 0; i < PHASE_COUNT; i++) {
        g_autofree char *upper = g_ascii_strup(phase_name((Phase)i), -1);

        g_assert_true(phase_parse(phase_name((Phase)i), &phase));
        g_assert_cmpint(phase, ==, i);
        g_assert_true(phase_parse(upper, &phase));
        g_assert_cmpint(phase, ==, i);
    }
    g_assert_null(phase_names[PHASE_COUNT]);
    g_assert_false(phase_parse("", &phase));
    g_assert_false(phase_parse("triage ", &phase));
}

/* --- what was gathered --- */

/* The original showed a note twice when it was asked for twice. */
static void
test_notes_once(void)
{
    g_autoptr(StepState) s = state_new();

    g_assert_true(state_add_note(s, "envoy/design"));
    g_assert_true(state_add_note(s, "CONTENTS"));
    g_assert_false(state_add_note(s, "envoy/design"));
    g_assert_false(state_add_note(s, " CONTENTS\n"));
    g_assert_false(state_add_note(s, ""));
    g_assert_cmpuint(s->note_keys->len, ==, 2);
    g_assert_cmpstr(nth(s->note_keys, 0), ==, "envoy/design");
}

/* The original never matched an id with brackets and the same id without. */
static void
test_mails_once(void)
{
    g_autoptr(StepState) s = state_new();

    g_assert_true(state_add_mail(s, "<a@b>", "INBOX"));
    g_assert_false(state_add_mail(s, "a@b", ""));
    const MailRef *ref = g_ptr_array_index(s->mail_refs, 0);
    g_assert_cmpstr(ref->message_id, ==, "a@b");
    g_assert_cmpstr(ref->folder, ==, "INBOX");
    g_assert_false(state_add_mail(s, " <a@b> ", "Done"));
    g_assert_cmpstr(ref->folder, ==, "Done");
    g_assert_false(state_add_mail(s, "#3", "INBOX"));
    g_assert_cmpuint(s->mail_refs->len, ==, 1);
}

static void
test_attachments_once(void)
{
    g_autoptr(StepState) s = state_new();

    g_assert_true(state_add_attachment(s, "<a@b>", "x.py", 0));
    g_assert_false(state_add_attachment(s, "a@b", "x.py", 0));
    g_assert_true(state_add_attachment(s, "a@b", "x.py (2)", 0));
    g_assert_true(state_add_attachment(s, "c@d", "x.py", 0));
    g_assert_false(state_add_attachment(s, "", "x.py", 0));
    g_assert_cmpuint(s->attachment_refs->len, ==, 3);
}

/* A page takes the place of the one before it. */
static void
test_pages(void)
{
    g_autoptr(StepState) s = state_new();

    g_assert_true(state_add_note(s, "a"));
    g_assert_true(state_add_note(s, "b"));
    g_assert_true(state_add_note(s, "a@1000"));
    g_assert_false(state_add_note(s, "a@1000"));
    g_assert_true(state_add_note(s, "a@2000"));
    g_assert_cmpuint(s->note_keys->len, ==, 2);
    g_assert_cmpstr(g_ptr_array_index(s->note_keys, 1), ==, "a@2000");
    g_assert_false(state_drop(s, "b@5")); /* an id, if anything */
    g_assert_true(state_drop(s, "a"));
    g_assert_cmpuint(s->note_keys->len, ==, 1);

    g_assert_true(state_add_attachment(s, "a@b", "x.log", 0));
    g_assert_true(state_add_attachment(s, "a@b", "x.log", 500));
    g_assert_false(state_add_attachment(s, "a@b", "x.log", 500));
    g_assert_cmpuint(s->attachment_refs->len, ==, 1);
    g_assert_cmpint(((FileRef *)g_ptr_array_index(s->attachment_refs, 0))->offset, ==, 500);
}

static void
test_note_keys(void)
{
    static const struct {
        const char *entry, *want_key;
        int64_t want_offset;
    } cases[] = {
        {"a/b", "a/b", 0},
        {"a/b@0", "a/b", 0},
        {"a/b@17", "a/b", 17},
        {"a/b@", "a/b@", 0},
        {"a/b@-1", "a/b@-1", 0},
        {"a/b@x", "a/b@x", 0},
        {"a@b@17", "a@b", 17},
        {"@17", "", 17},
        {"a@9999999999999999999", "a@9999999999999999999", 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t offset = -1;
        g_autofree char *key = state_note_key(cases[i].entry, &offset);
        g_assert_cmpstr(key, ==, cases[i].want_key);
        g_assert_cmpint(offset, ==, cases[i].want_offset);
    }
}

static void
test_drop(void)
{
    static const struct {
        const char *row, *what;
        bool want;
        guint want_notes, want_mails, want_files;
    } cases[] = {
        {"a key", "k", true, 0, 2, 3},
        {"a key with blanks", " k ", true, 0, 2, 3},
        {"an id with brackets takes its attachments along", "<a@b>", true, 1, 1, 1},
        {"an id without", "a@b", true, 1, 1, 1},
        {"only an attachment is left of it", "<e@f>", true, 1, 2, 2},
        {"unknown key", "other", false, 1, 2, 3},
        {"unknown id", "<x@y>", false, 1, 2, 3},
        {"nothing", "", false, 1, 2, 3},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(StepState) s = state_new();

        state_add_note(s, "k");
        state_add_mail(s, "a@b", "INBOX");
        state_add_mail(s, "c@d", "INBOX");
        state_add_attachment(s, "a@b", "1", 0);
        state_add_attachment(s, "a@b", "2", 0);
        state_add_attachment(s, "e@f", "1", 0);
        g_test_message("%s", cases[i].row);
        g_assert_true(state_drop(s, cases[i].what) == cases[i].want);
        g_assert_cmpuint(s->note_keys->len, ==, cases[i].want_notes);
        g_assert_cmpuint(s->mail_refs->len, ==, cases[i].want_mails);
        g_assert_cmpuint(s->attachment_refs->len, ==, cases[i].want_files);
    }
}

/* A full list forgets its oldest entry; a long line is cut between characters. */
static void
test_limits(void)
{
    g_autoptr(StepState) s = state_new();
    g_autofree char *fill = g_strnfill(STATE_LINE_MAX - 1, 'x');
    g_autofree char *longer = g_strconcat(fill, "\303\274\303\274", NULL);

    for (unsigned i = 0; i <= STATE_LIST_MAX; i++) {
        g_autofree char *key = g_strdup_printf("k%u", i);
        g_assert_true(state_add_note(s, key));
    }
    g_assert_cmpuint(s->note_keys->len, ==, STATE_LIST_MAX);
    g_assert_cmpstr(nth(s->note_keys, 0), ==, "k1");
    g_assert_true(state_search_tried(s, longer));
    g_assert_cmpstr(nth(s->searches, 0), ==, fill);
    g_assert_false(state_search_tried(s, longer));
    g_assert_cmpuint(state_search_failed(s, longer), ==, 1);
    g_assert_cmpuint(state_search_failed(s, longer), ==, 2);
    g_assert_true(state_search_unavailable(s, longer));
}

/* --- what failed --- */

static void
test_unavailable(void)
{
    g_autoptr(StepState) s = state_new();

    g_assert_false(state_unavailable(s, "missing-key"));
    g_assert_cmpuint(state_fail(s, "missing-key"), ==, 1);
    g_assert_false(state_unavailable(s, "missing-key"));
    g_assert_cmpuint(state_fail(s, "missing-key"), ==, 2);
    g_assert_true(state_unavailable(s, "missing-key"));
    g_assert_cmpuint(state_fail(s, "missing-key"), ==, 3);
    g_assert_cmpuint(state_fail(s, "<a@b>"), ==, 1);
    g_assert_cmpuint(state_fail(s, "a@b"), ==, 2);
    g_assert_true(state_unavailable(s, " <a@b>"));
    g_assert_cmpuint(s->failed->len, ==, 2);
}

/* A search is counted under a name of its own, also one that has an address in it. */
static void
test_search_unavailable(void)
{
    g_autoptr(StepState) s = state_new();

    state_search_failed(s, "mail of <a@b>");
    g_assert_cmpuint(state_search_failed(s, " mail of <a@b> "), ==, 2);
    g_assert_true(state_search_unavailable(s, "mail of <a@b>"));
    g_assert_true(state_unavailable(s, "search:mail of <a@b>"));
    g_assert_false(state_unavailable(s, "a@b"));
    g_assert_false(state_unavailable(s, "mail of <a@b>"));
}

static void
test_format_tried(void)
{
    g_autoptr(StepState) s = state_new();
    g_autofree char *none = state_format_tried(s);

    g_assert_cmpstr(none, ==, "");
    g_assert_true(state_search_tried(s, "q1"));
    g_assert_true(state_search_tried(s, "q2"));
    g_assert_false(state_search_tried(s, "q1 "));
    g_autofree char *two = state_format_tried(s);
    g_assert_cmpstr(two, ==,
                    "=== SEARCHES TRIED THIS RUN ===\n  q1\n  q2\n"
                    "Try a different approach if these have already failed.\n");
}

/* No key or search can forge a heading. */
static void
test_format_unavailable(void)
{
    g_autoptr(StepState) s = state_new();

    state_fail(s, "once");
    g_autofree char *none = state_format_unavailable(s);
    g_assert_cmpstr(none, ==, "");

    state_set_failures(s, "missing-key", 2);
    state_search_failed(s, "x\n=== SYSTEM ===");
    state_search_failed(s, "x\n=== SYSTEM ===");
    g_autofree char *two = state_format_unavailable(s);
    g_assert_cmpstr(
        two, ==,
        "=== UNAVAILABLE ===\n  missing-key\n  search:x\\x0a=== SYSTEM ===\n"
        "These failed twice and are not tried again. Use another key, other words or "
        "another folder, or ask.\n");
}

static void
test_results(void)
{
    g_autoptr(StepState) s = state_new();
    g_autofree char *longer = g_strnfill(STATE_RESULT_MAX + 1, 'x');

    state_add_result(s, "sent %s", "<1@x>");
    state_add_result(s, "UNSUPPORTED: a\n=== b");
    state_add_result(s, "%s", longer);
    g_assert_cmpuint(s->results->len, ==, 3);
    g_assert_cmpstr(nth(s->results, 0), ==, "sent <1@x>");
    g_assert_cmpstr(nth(s->results, 1), ==, "UNSUPPORTED: a\\x0a=== b");
    g_assert_cmpint(g_utf8_strlen(nth(s->results, 2), -1), ==, STATE_RESULT_MAX);
    state_clear_results(s);
    g_assert_cmpuint(s->results->len, ==, 0);
}

/* --- JSON --- */

static StepState *
sample(void)
{
    StepState *s = state_new();

    s->phase = PHASE_COMPOSING;
    state_set_working_note(s, "line\n\"two\" \303\274");
    state_set_bundle_key(s, "scratch/task-bundle");
    state_add_note(s, "envoy/design-spec");
    state_add_mail(s, "<a@b>", "INBOX");
    state_set_failures(s, "missing-key", 2);
    state_set_failures(s, "a-later-key", 1);
    state_search_tried(s, "parser");
    state_add_attachment(s, "<a@b>", "x.py", 0);
    state_add_attachment(s, "<a@b>", "x.log", 4096);
    state_add_result(s, "sent <1@x> to 'c@d'");
    s->idle_steps = 1;
    s->refused_empty_complete = s->refused_waiting = true;
    state_say(s, "c@d", "Which one?");
    state_set_last(s, "waiting", INT64_C(1800000000000000));
    return s;
}

/* Names and order of the members; ids have brackets. */
static void
test_to_json(void)
{
    g_autoptr(StepState) empty = state_new(), s = sample();
    g_autofree char *of_empty = format(empty), *of_sample = format(s);

    g_assert_cmpstr(
        of_empty, ==,
        "{\"current_phase\":\"triage\",\"working_note\":\"\",\"bundle_key\":\"\","
        "\"gathered_note_keys\":[],\"gathered_email_refs\":[],\"failed_fetches\":{},"
        "\"attempted_searches\":[],\"gathered_attachment_refs\":[],\"results\":[],"
        "\"idle_steps\":0,\"refused_empty_complete\":false,\"last_status\":\"\",\"wait_until\":"
        "0,\"refused_waiting\":false,\"said\":[]}");
    g_assert_cmpstr(
        of_sample, ==,
        "{\"current_phase\":\"composing\",\"working_note\":\"line\\n\\\"two\\\" \303\274\","
        "\"bundle_key\":\"scratch/task-bundle\",\"gathered_note_keys\":[\"envoy/design-spec\"],"
        "\"gathered_email_refs\":[{\"message_id\":\"<a@b>\",\"folder\":\"INBOX\"}],"
        "\"failed_fetches\":{\"missing-key\":2,\"a-later-key\":1},"
        "\"attempted_searches\":[\"parser\"],"
        "\"gathered_attachment_refs\":[{\"message_id\":\"<a@b>\",\"filename\":\"x.py\"},"
        "{\"message_id\":\"<a@b>\",\"filename\":\"x.log\",\"offset\":4096}],"
        "\"results\":[\"sent <1@x> to 'c@d'\"],\"idle_steps\":1,"
        "\"refused_empty_complete\":true,\"last_status\":\"waiting\",\"wait_until\":"
        "1800000000000000,\"refused_waiting\":true,\"said\":[\"mclm7gcsmnw2ldhg\"]}");
}

/* What comes back is what was there. */
static void
test_round_trip(void)
{
    g_autoptr(StepState) s = sample();
    g_autofree char *text = format(s);
    g_autoptr(StepState) back = parse(text, NULL);

    g_assert_nonnull(back);
    g_autofree char *again = format(back);
    g_assert_cmpstr(again, ==, text);
    g_assert_cmpint(back->phase, ==, PHASE_COMPOSING);
    g_assert_cmpstr(back->working_note, ==, s->working_note);
    g_assert_true(state_unavailable(back, "missing-key"));
    g_assert_false(state_add_mail(back, "a@b", ""));
    g_assert_cmpuint(back->idle_steps, ==, 1);
    g_assert_true(back->refused_empty_complete);
    g_assert_true(back->refused_waiting);
    g_assert_false(state_say(back, "c@d", "Which one?"));
    g_assert_true(state_say(back, "e@f", "Which one?"));
    g_assert_true(state_say(back, "c@d", "Which two?"));
    g_assert_cmpstr(back->last_status, ==, "waiting");
    g_assert_cmpint(back->wait_until_us, ==, INT64_C(1800000000000000));
}

/* The document of the seed has none of the later members, and others that are not ours.
 * What is in it twice, as the original wrote it, comes back once. */
static void
test_seed_form(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(StepState) s = parse(
        "{\"type\":\"continuation\",\"original_message_id\":\"<o@x>\","
        "\"original_subject\":\"s\",\"original_from\":\"f\",\"iteration\":3,"
        "\"total_iterations\":3,\"current_phase\":\"composing\",\"working_note\":\"w\","
        "\"bundle_key\":\"scratch/task-bundle\",\"gathered_note_keys\":[\"a\",\"a\",\"b\"],"
        "\"gathered_email_refs\":[{\"message_id\":\"<a@b>\",\"folder\":\"INBOX\"},"
        "{\"message_id\":\"a@b\",\"folder\":\"\"}],\"failed_fetches\":{\"missing-key\":2}}",
        &error);

    g_assert_no_error(error);
    g_assert_cmpuint(s->note_keys->len, ==, 2);
    g_assert_cmpuint(s->mail_refs->len, ==, 1);
    g_assert_true(state_unavailable(s, "missing-key"));
    g_assert_cmpuint(s->searches->len, ==, 0);
    g_assert_cmpuint(s->idle_steps, ==, 0);
}

/* Each change of one member of a good document, and what is said about it. */
static const struct {
    const char *name, *value; /* value NULL: the member is taken out */
    const char *want;
} wrongs[] = {
    {"current_phase", NULL, "current_phase: is missing"},
    {"current_phase", "\"resting\"", "current_phase: is not a phase"},
    {"working_note", "null", "working_note: must be a string"},
    {"bundle_key", "1", "bundle_key: must be a string"},
    {"gathered_note_keys", NULL, "gathered_note_keys: is missing"},
    {"gathered_note_keys", "[\"a\",1]", "gathered_note_keys[1]: must be a string"},
    {"gathered_email_refs", "{}", "gathered_email_refs: must be an array"},
    {"gathered_email_refs", "[\"a@b\"]", "gathered_email_refs[0]: must be an object"},
    {"gathered_email_refs", "[{\"message_id\":\"<a@b>\"}]",
     "gathered_email_refs[0].folder: is missing"},
    {"gathered_email_refs", "[{\"message_id\":\"x\",\"folder\":\"\"}]",
     "gathered_email_refs[0].message_id: is not a Message-ID"},
    {"gathered_email_refs", "[{\"message_id\":\"<a@b>\",\"folder\":\"\",\"uid\":1}]",
     "gathered_email_refs[0].uid: is not known here"},
    {"failed_fetches", NULL, "failed_fetches: is missing"},
    {"failed_fetches", "[]", "failed_fetches: must be an object"},
    {"failed_fetches", "{\"k\":\"2\"}", "failed_fetches.k: must be a whole number"},
    {"failed_fetches", "{\"k\":-1}", "failed_fetches.k: must be from 0 to 1000000"},
    {"attempted_searches", "[null]", "attempted_searches[0]: must be a string"},
    {"attempted_searches", "null", "attempted_searches: must be an array"},
    {"gathered_attachment_refs", "[{\"message_id\":\"<a@b>\",\"folder\":\"\"}]",
     "gathered_attachment_refs[0].folder: is not known here"},
    {"gathered_attachment_refs",
     "[{\"message_id\":\"<a@b>\",\"filename\":\"x\",\"offset\":-1}]",
     "gathered_attachment_refs[0].offset: must be from 0 to 9223372036854775807"},
    {"gathered_email_refs", "[{\"message_id\":\"<a@b>\",\"folder\":\"\",\"offset\":1}]",
     "gathered_email_refs[0].offset: is not known here"},
    {"results", "[[]]", "results[0]: must be a string"},
    {"idle_steps", "-1", "idle_steps: must be from 0 to 1000000"},
    {"last_status", "1", "last_status: must be a string"},
    {"wait_until", "-1", "wait_until: must be from 0"},
    {"refused_empty_complete", "0", "refused_empty_complete: must be true or false"},
    {"refused_waiting", "1", "refused_waiting: must be true or false"},
    {"said", "[1]", "said[0]: must be a string"},
};

static void
test_wrong_json(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wrongs); i++) {
        g_autoptr(StepState) s = sample(), none = NULL;
        g_autoptr(json_t) object = state_to_json(s), value = NULL;
        g_autoptr(GError) error = NULL;
        const char *text = wrongs[i].value;

        if (!text)
            json_object_del(object, wrongs[i].name);
        else if (json_parse(text, strlen(text), 0, &value, NULL))
            json_object_set(object, wrongs[i].name, value);
        g_assert_false(state_from_json(object, &none, &error));
        g_assert_null(none);
        g_assert_true(err_is(error, ERR_NEVER));
        g_assert_true(g_str_has_prefix(error->message, wrongs[i].want));
    }
    g_autoptr(GError) error = NULL;
    g_assert_null(parse("[]", &error));
    g_assert_cmpstr(error->message, ==, "document: must be an object");
}

static void
test_json_limits(void)
{
    g_autoptr(StepState) s = sample(), none = NULL;
    g_autoptr(json_t) object = state_to_json(s);
    g_autoptr(GError) count = NULL, bytes = NULL;
    g_autofree char *note = g_strnfill(STATE_NOTE_MAX + 1, 'x');

    for (unsigned i = 0; i < STATE_LIST_MAX; i++)
        json_array_append_new(json_object_get(object, "gathered_note_keys"), json_string("k"));
    g_assert_false(state_from_json(object, &none, &count));
    g_assert_true(err_is(count, ERR_LIMIT));
    g_assert_cmpstr(count->message, ==,
                    "gathered_note_keys: 257 entries are over the limit of 256");

    json_object_set_new(object, "working_note", json_string(note));
    g_assert_false(state_from_json(object, &none, &bytes));
    g_assert_true(err_is(bytes, ERR_LIMIT));
    g_assert_cmpstr(bytes->message, ==,
                    "working_note: 262145 bytes are over the limit of 262144");
}

/* STATE_JSON_MAX keeps its promise in the worst case that the lists allow. */
static void
test_largest(void)
{
    g_autoptr(StepState) s = state_new();
    g_autofree char *note = g_strnfill(STATE_NOTE_MAX, '\1');
    g_autofree char *fill = g_strnfill(STATE_LINE_MAX - 8, '\1');
    g_autofree char *result = g_strnfill(STATE_RESULT_MAX, '"');

    state_set_working_note(s, note);
    for (unsigned i = 0; i < STATE_LIST_MAX; i++) {
        g_autofree char *line = g_strdup_printf("%03u%s", i, fill);
        g_autofree char *id = g_strdup_printf("%0990u@x", i);

        state_add_note(s, line);
        state_add_mail(s, id, line);
        state_add_attachment(s, id, line, 0);
        state_fail(s, line);
        state_search_tried(s, line);
    }
    for (unsigned i = 0; i < STATE_RESULTS_MAX; i++)
        state_add_result(s, "%s", result);
    g_autofree char *text = format(s);
    g_assert_cmpuint(strlen(text), >, 8u << 20);
    g_assert_cmpuint(strlen(text), <=, STATE_JSON_MAX);
    g_autoptr(StepState) back = parse(text, NULL);
    g_assert_nonnull(back);
    g_autofree char *again = format(back);
    g_assert_cmpstr(again, ==, text);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/state/phases", test_phases);
    g_test_add_func("/state/notes-once", test_notes_once);
    g_test_add_func("/state/mails-once", test_mails_once);
    g_test_add_func("/state/attachments-once", test_attachments_once);
    g_test_add_func("/state/pages", test_pages);
    g_test_add_func("/state/note-keys", test_note_keys);
    g_test_add_func("/state/drop", test_drop);
    g_test_add_func("/state/limits", test_limits);
    g_test_add_func("/state/unavailable", test_unavailable);
    g_test_add_func("/state/search-unavailable", test_search_unavailable);
    g_test_add_func("/state/format-tried", test_format_tried);
    g_test_add_func("/state/format-unavailable", test_format_unavailable);
    g_test_add_func("/state/results", test_results);
    g_test_add_func("/state/to-json", test_to_json);
    g_test_add_func("/state/round-trip", test_round_trip);
    g_test_add_func("/state/seed-form", test_seed_form);
    g_test_add_func("/state/wrong-json", test_wrong_json);
    g_test_add_func("/state/json-limits", test_json_limits);
    g_test_add_func("/state/largest", test_largest);
    return g_test_run();
}
