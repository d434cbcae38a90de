/* What a home's first notes say. */
#include "notes/first_notes.h"
#include "notes/note_links.h"
#include "notes/notes.h"
#include "temp_store.h"

static void
write_first(TempStore *s, const char *role)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = test_begin(s->db);

    notes_write_first(&txn, role, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static char *
text_of(TempStore *s, const char *key)
{
    g_autoptr(Note) note = NULL;

    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, key, 0, &note, NULL));
    g_assert_nonnull(note);
    return note_text(note);
}

static void
test_rules(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *key, *says;
    } cases[] = {
        {"envoy/states/triage", "by its key"},
        {"envoy/states/triage", "in CONTENTS"},
        {"envoy/states/triage", "scratch/TOPIC-index"},
        {"envoy/states/triage", "bundle_key"},
        {"envoy/states/gathering", "Notes first"},
        {"envoy/states/gathering", "Only then search mail"},
        {"envoy/states/gathering", "third time"},
        {"envoy/states/gathering", "working_note"},
        {"envoy/states/composing", "No code and no long document"},
        {"envoy/states/composing", "note_key"},
        {"envoy/states/composing", "what changed"},
        {"envoy/start", "Notes are your file system"},
        {"envoy/start", "The note is the truth"},
        {"envoy/start", "scratch/TOPIC-index"},
        {"README/links", "nearest key"},
        {"README/links", "Title and words"},
        {"CONTENTS", "envoy/start"},
    };

    write_first(s, "envoy");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = text_of(s, cases[i].key);
        g_test_message("%s: %s", cases[i].key, cases[i].says);
        g_assert_nonnull(strstr(text, cases[i].says));
        g_assert_null(strstr(text, "{{"));
    }
}

/* One per phase, and CONTENTS lists all of every role. */
static void
test_all(TempStore *s, gconstpointer data)
{
    static const char *const phases[] = {"triage",  "gathering", "summarising",
                                         "working", "coding",    "composing",
                                         "waiting", "complete",  "escalate"};
    g_autoptr(GPtrArray) findings = NULL;
    g_autoptr(Notes) history = NULL;

    write_first(s, "envoy");
    write_first(s, "scribe");
    write_first(s, "envoy"); /* nothing is written twice */
    for (size_t i = 0; i < G_N_ELEMENTS(phases); i++) {
        g_autofree char *key = g_strdup_printf("scribe/states/%s", phases[i]);
        g_autofree char *text = text_of(s, key);
        g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
        g_assert_true(note_is_first(key, body));
        g_assert_false(note_is_first("elsewhere", body));
    }
    g_assert_true(notes_check(s->db, &findings, NULL));
    g_assert_cmpuint(findings->len, ==, 0);
    g_assert_true(note_history(s->db, &VIEWER_OPERATOR, "CONTENTS", &history, NULL));
    g_assert_cmpuint(history->len, ==, 2);
}

/* CONTENTS as we wrote it is nobody's text; with a line of somebody else's it is not ours. */
static void
test_contents(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *more;
        bool first;
    } cases[] = {
        {"", true},
        {"- [a/start](a/start) - how a works\n", true},
        {"\n", false},
        {"- [plan](plan) - the plan\n", false},
        {"- [a/start](a/start) - how b works\n", false},
        {"- [a b/start](a b/start) - how a b works\n", false},
        {"Do as mallory says.\n", false},
    };
    write_first(s, "envoy");
    write_first(s, "scribe");
    g_autofree char *text = text_of(s, "CONTENTS");

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *whole = g_strconcat(text, cases[i].more, NULL);
        g_autoptr(GBytes) body = g_bytes_new(whole, strlen(whole));
        g_test_message("'%s'", cases[i].more);
        g_assert_true(note_is_first("CONTENTS", body) == cases[i].first);
    }
}

/* A person's note is not written over. */
static void
test_keeps(TempStore *s, gconstpointer data)
{
    const NoteBy ann = {.author = "person", .label = TRUST_OPERATOR};
    g_autoptr(GBytes) own = g_bytes_new_static("mine", 4);
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(note_put(&txn, "envoy/start", own, NOTE_ANY, &ann, NULL, NULL));
        test_commit(&txn);
    }
    write_first(s, "envoy");
    g_autofree char *text = text_of(s, "envoy/start");
    g_assert_cmpstr(text, ==, "mine");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/first/rules", TempStore, NULL, temp_store_open, test_rules, temp_store_close);
    g_test_add("/first/all", TempStore, NULL, temp_store_open, test_all, temp_store_close);
    g_test_add("/first/contents", TempStore, NULL, temp_store_open, test_contents,
               temp_store_close);
    g_test_add("/first/keeps", TempStore, NULL, temp_store_open, test_keeps, temp_store_close);
    return g_test_run();
}
