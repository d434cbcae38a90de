/* CONTENTS follows; and what `note check` finds. */
#include "base/err.h"
#include "notes/notes.h"
#include "temp_store.h"

static const NoteBy ann = {.author = "operator", .label = TRUST_OPERATOR};

static void
put(TempStore *s, const char *key, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    g_auto(Txn) txn = test_begin(s->db);

    note_put(&txn, key, body, NOTE_ANY, &ann, NULL, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

static char *
read_note(TempStore *s, const char *key)
{
    g_autoptr(Note) note = NULL;

    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, key, 0, &note, NULL));
    return note ? note_text(note) : NULL;
}

static char *
findings(TempStore *s)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) found = NULL;
    GString *got = g_string_new(NULL);

    notes_check(s->db, &found, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < found->len; i++) {
        const NoteFinding *f = found->pdata[i];
        g_string_append_printf(got, "%s:%u: %s\n", f->key, f->line, f->what);
    }
    return g_string_free(got, FALSE);
}

static void
assert_findings(TempStore *s, const char *want)
{
    g_autofree char *got = findings(s);

    g_assert_cmpstr(got, ==, want);
}

static void
test_check(TempStore *s, gconstpointer data)
{
    assert_findings(s, "");
    put(s, "projects/report/plan", "See [code](projects/report/code) and [here](code).\n");
    put(s, "projects/report/code", "- src/main.c: no key\n- milk\n```\n[x](nowhere)\n```\n");
    put(s, "scratch/one", "[gone](projects/raport/code) [[nothing-like-it-at-all]]");
    put(s, "scratch/t-index", "- projects/report/paln\n- some words\n");
    assert_findings(
        s, "scratch/one:1: the link 'projects/raport/code' leads nowhere; did you mean "
           "'projects/report/code'?\n"
           "scratch/one:1: the link 'nothing-like-it-at-all' leads nowhere\n"
           "scratch/t-index:1: the line 'projects/report/paln' leads nowhere; did you mean "
           "'projects/report/plan'?\n"
           "CONTENTS:0: there is no note CONTENTS\n");
    put(s, "scratch/one", "");
    put(s, "scratch/t-index", "");
    put(s, "CONTENTS",
        "# All\n\n- scratch/ work\n- [the code](projects/report/code.md)\n- budget: numbers\n"
        "- old/plan\n");
    assert_findings(s, "CONTENTS:5: the line 'budget' leads nowhere\n"
                       "CONTENTS:6: the line 'old/plan' leads nowhere; did you mean "
                       "'projects/report/plan'?\n"
                       "projects/report/plan:0: is not listed in CONTENTS\n");
    put(s, "CONTENTS", "- projects/\n- scratch/\n");
    assert_findings(s, "");
}

static void
test_nearest(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *word, *want;
    } cases[] = {{"envoy/states/triag", "envoy/states/triage"},
                 {"states/triage", "envoy/states/triage"},
                 {"Triage", "envoy/states/triage"},
                 {"budgte", "budget"},
                 {"completely-different", NULL},
                 {"x", NULL}};

    put(s, "envoy/states/triage", "");
    put(s, "budget", "");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_assert_true(notes_nearest(s->db, &VIEWER_OPERATOR, cases[i].word, &got, NULL));
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

/* In one transaction, or not at all. */
static void
test_contents_follows(TempStore *s, gconstpointer data)
{
    static const char contents[] = "- [a](docs/a) text\n- docs/b\n- docs/c\n";
    const NoteBy job = {.author = "envoy", .label = TRUST_ROLE, .job = {5}};
    g_autoptr(GError) error = NULL;

    put(s, "CONTENTS", contents);
    put(s, "docs/a", "a");
    put(s, "docs/b", "b");
    put(s, "docs/c", "c");
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(notes_rename(&txn, "docs/a", "docs/z", &job, NULL));
        g_assert_true(notes_delete(&txn, "docs/b", NOTE_ANY, &job, NULL));
    } /* rolled back */
    g_autofree char *same = read_note(s, "CONTENTS");
    g_assert_cmpstr(same, ==, contents);
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(notes_rename(&txn, "docs/a", "docs/z", &job, NULL));
        g_assert_true(notes_delete(&txn, "docs/b", NOTE_ANY, &job, NULL));
        test_commit(&txn);
    }
    g_autofree char *changed = read_note(s, "CONTENTS");
    g_assert_cmpstr(changed, ==, "- [a](docs/z) text\n- docs/c\n");
    assert_findings(s, "");

    /* The job has not read CONTENTS by that. */
    g_autoptr(GBytes) body = g_bytes_new_static("x", 1);
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_false(note_put(&txn, "CONTENTS", body, NOTE_SHOWN, &job, NULL, &error));
    g_assert_true(err_is(error, ERR_NEVER));
}

/* CONTENTS that a stranger had a hand in is no more trusted for a rename by us. */
static void
test_contents_label(TempStore *s, gconstpointer data)
{
    const NoteBy poisoned = {.author = "envoy", .label = TRUST_ANYONE, .job = {5}};
    g_autoptr(GBytes) body = g_bytes_new_static("- docs/a\n", 9);
    g_autoptr(Note) contents = NULL;
    g_auto(Txn) txn = test_begin(s->db);

    g_assert_true(note_put(&txn, "CONTENTS", body, NOTE_ANY, &poisoned, NULL, NULL));
    g_assert_true(note_put(&txn, "docs/a", body, NOTE_ANY, &ann, NULL, NULL));
    g_assert_true(notes_rename(&txn, "docs/a", "docs/z", &ann, NULL));
    test_commit(&txn);
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "CONTENTS", 0, &contents, NULL));
    g_assert_cmpint(contents->version, ==, 2);
    g_assert_cmpint(contents->label, ==, TRUST_ANYONE);
}

static void
test_contents_itself(TempStore *s, gconstpointer data)
{
    put(s, "CONTENTS", "- CONTENTS\n");
    g_auto(Txn) txn = test_begin(s->db);
    g_assert_true(notes_delete(&txn, "CONTENTS", NOTE_ANY, &ann, NULL));
    test_commit(&txn);
    assert_findings(s, "");
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(TempStore *s, gconstpointer data);
    } cases[] = {
        {"/check/findings", test_check},
        {"/check/nearest", test_nearest},
        {"/check/contents-follows", test_contents_follows},
        {"/check/contents-label", test_contents_label},
        {"/check/contents-itself", test_contents_itself},
    };

    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_test_add(cases[i].name, TempStore, NULL, temp_store_open, cases[i].run,
                   temp_store_close);
    return g_test_run();
}
