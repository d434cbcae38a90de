#include "store/note/note_versions.h"
#include "base/err.h"
#include "base/limits.h"
#include "store/index/note_index.h"
#include "store/note/note_readers.h"
#include "temp_store.h"

static const NoteBy ann = {.author = "person", .label = TRUST_OPERATOR};

static GBytes *
bytes(const char *text)
{
    return g_bytes_new(text, strlen(text));
}

/* The version that was written, or the error's text. */
static char *
put(TempStore *s, const char *key, const char *text, int64_t if_version, const NoteBy *by)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) body = bytes(text);
    int64_t version = 0;
    g_auto(Txn) txn = test_begin(s->db);

    if (!note_put(&txn, key, body, if_version, by, &version, &error))
        return g_strdup(error->message);
    test_commit(&txn);
    return g_strdup_printf("%d", (int)version);
}

#define assert_put(s, key, text, if_version, by, want)                                         \
    do {                                                                                       \
        g_autofree char *got_ = put(s, key, text, if_version, by);                             \
        g_assert_cmpstr(got_, ==, want);                                                       \
    } while (0)

static Note *
load(TempStore *s, const char *key, int64_t version)
{
    g_autoptr(GError) error = NULL;
    Note *note = NULL;

    note_load(s->db, &VIEWER_OPERATOR, key, version, &note, &error);
    g_assert_no_error(error);
    return note;
}

static void
assert_body(TempStore *s, const char *key, int64_t version, const char *want)
{
    g_autoptr(Note) note = load(s, key, version);

    if (!want) {
        g_assert_null(note);
        return;
    }
    g_assert_nonnull(note);
    g_autofree char *text = note_text(note);
    g_assert_cmpstr(text, ==, want);
    g_assert_cmpuint(note->size, ==, strlen(want));
}

/* A key is never a way out of the folder. */
static void
test_keys(void)
{
    g_autofree char *longest = g_strnfill(NOTE_KEY_MAX, 'k');
    g_autofree char *too_long = g_strnfill(300, 'k');
    const struct {
        const char *key;
        bool want;
    } cases[] = {
        {"envoy/states/triage", true},
        {"CONTENTS", true},
        {"a.b-c_D/9", true},
        {"x.md", true},
        {longest, true},
        {too_long, false},
        {"", false},
        {"../../x", false},
        {"..", false},
        {"a/../b", false},
        {"a//b", false},
        {"/a", false},
        {"a/", false},
        {".x", false},
        {"a/.x", false},
        {"a b", false},
        {"a\nb", false},
        {"a\\b", false},
        {"a@2", false},
        {"\xc3\xa4", false},
        {"x.md/y", false},
        {"a:b", false},
        {"a/b/\x1b[31m", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_cmpint(note_key_valid(cases[i].key), ==, cases[i].want);
        g_assert_cmpint(note_key_check(cases[i].key, &error), ==, cases[i].want);
        g_assert_cmpint(err_is(error, ERR_NEVER), ==, !cases[i].want);
        if (error)
            g_assert_null(strchr(error->message, '\x1b'));
    }
}

static void
test_versions(TempStore *s, gconstpointer data)
{
    g_autoptr(Notes) history = NULL;

    assert_body(s, "a/b", 0, NULL);
    assert_put(s, "a/b", "one", NOTE_ABSENT, &ann, "1");
    assert_put(s, "a/b", "two", 1, &ann, "2");
    assert_put(s, "a/b", "", NOTE_ANY, &ann, "3");
    assert_body(s, "a/b", 0, "");
    assert_body(s, "a/b", 1, "one");
    assert_body(s, "a/b", 2, "two");
    assert_body(s, "a/b", 4, NULL);
    g_assert_true(note_history(s->db, &VIEWER_OPERATOR, "a/b", &history, NULL));
    g_assert_cmpuint(history->len, ==, 3);
    const Note *newest = history->pdata[0];
    g_assert_cmpint(newest->version, ==, 3);
    g_assert_cmpstr(newest->author, ==, "person");
    g_assert_cmpint(newest->label, ==, TRUST_OPERATOR);
    g_assert_cmpint(newest->updated_us, ==, TEST_NOW);
}

/* A conflict names both versions and whose the newest is. */
static void
test_conditions(TempStore *s, gconstpointer data)
{
    const NoteBy role = {.author = "envoy", .label = TRUST_PRINCIPAL, .job = {7}, .step = 2};

    assert_put(s, "n", "one", 3, &ann,
               "conflict: note 'n' does not exist; this write knew version 3");
    assert_put(s, "n", "one", NOTE_ABSENT, &ann, "1");
    assert_put(s, "n", "x", NOTE_ABSENT, &ann,
               "conflict: note 'n' is at version 1, by person; this write took it for new");
    assert_put(s, "n", "two", 1, &role, "2");
    assert_put(s, "n", "x", 1, &ann,
               "conflict: note 'n' is at version 2, by envoy; this write knew version 1");
    assert_body(s, "n", 0, "two");
}

static void
shown(TempStore *s, JobId job, const char *key, int64_t version)
{
    g_auto(Txn) txn = test_begin(s->db);

    g_assert_true(note_mark_shown(&txn, job, key, version, NULL));
    test_commit(&txn);
}

/* The runtime keeps the condition: what a job was not shown it can't write over. */
static void
test_shown(TempStore *s, gconstpointer data)
{
    const NoteBy job = {.author = "envoy", .label = TRUST_ROLE, .job = {7}, .step = 1};
    const NoteBy other = {.author = "envoy", .label = TRUST_ROLE, .job = {8}, .step = 1};
    int64_t version = -1;

    assert_put(s, "n", "one", NOTE_SHOWN, &job, "1");
    assert_put(s, "n", "two", NOTE_SHOWN, &job, "2"); /* its own newest */
    assert_put(s, "n", "x", NOTE_SHOWN, &other,
               "conflict: note 'n' is at version 2, by envoy; this write took it for new");
    shown(s, other.job, "n", 2);
    g_assert_true(note_shown_version(s->db, other.job, "n", &version, NULL));
    g_assert_cmpint(version, ==, 2);
    assert_put(s, "n", "three", NOTE_ANY, &ann, "3"); /* a person edits meanwhile */
    assert_put(s, "n", "x", NOTE_SHOWN, &other,
               "conflict: note 'n' is at version 3, by person; this write knew version 2");
    shown(s, other.job, "n", 3);
    assert_put(s, "n", "four", NOTE_SHOWN, &other, "4");
    assert_put(s, "n", "x", NOTE_SHOWN, &job,
               "conflict: note 'n' is at version 4, by envoy; this write took it for new");
}

/* Appending over an edit that was never shown does not make that edit known. */
static void
test_append_is_blind(TempStore *s, gconstpointer data)
{
    const NoteBy job = {.author = "envoy", .label = TRUST_KNOWN, .job = {7}, .step = 1};
    g_autoptr(GBytes) line = bytes("more\n");
    int64_t version = 0;

    assert_put(s, "log", "first", NOTE_ABSENT, &ann, "1");
    for (int i = 0; i < 2; i++) {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(note_append(&txn, "log", line, &job, &version, NULL));
        test_commit(&txn);
    }
    g_assert_cmpint(version, ==, 3);
    assert_body(s, "log", 0, "first\nmore\nmore\n");
    assert_put(s, "log", "x", NOTE_SHOWN, &job,
               "conflict: note 'log' is at version 3, by envoy; this write took it for new");

    /* Text of a stranger keeps its label, whoever wrote the rest. */
    g_autoptr(Note) note = load(s, "log", 0);
    g_assert_cmpint(note->label, ==, TRUST_KNOWN);
    Txn txn = test_begin(s->db);
    g_assert_true(note_append(&txn, "log", line, &ann, NULL, NULL));
    test_commit(&txn);
    g_autoptr(Note) then = load(s, "log", 0);
    g_assert_cmpint(then->label, ==, TRUST_KNOWN);
}

static void
test_append_new(TempStore *s, gconstpointer data)
{
    g_autoptr(GBytes) line = bytes("line");
    g_auto(Txn) txn = test_begin(s->db);

    g_assert_true(note_append(&txn, "new", line, &ann, NULL, NULL));
    test_commit(&txn);
    assert_body(s, "new", 0, "line");
}

static bool
remove_note(TempStore *s, const char *key, int64_t if_version)
{
    g_autoptr(GError) error = NULL;
    g_auto(Txn) txn = test_begin(s->db);
    bool ok = note_delete(&txn, key, if_version, &ann, &error);

    if (ok)
        test_commit(&txn);
    g_assert_cmpint(ok, ==, error == NULL);
    return ok;
}

static void
test_delete(TempStore *s, gconstpointer data)
{
    g_autoptr(Notes) live = NULL;
    g_autoptr(Note) looked = NULL;

    g_assert_false(remove_note(s, "n", NOTE_ANY));
    assert_put(s, "n", "one", NOTE_ABSENT, &ann, "1");
    g_assert_false(remove_note(s, "n", 2));
    g_assert_true(remove_note(s, "n", 1));
    assert_body(s, "n", 0, NULL);
    assert_body(s, "n", 1, "one");
    g_assert_true(note_look(s->db, &VIEWER_OPERATOR, "n", 0, &looked, NULL));
    g_assert_true(looked->deleted);
    g_assert_cmpint(looked->version, ==, 2);
    assert_put(s, "n", "x", 1, &ann,
               "conflict: note 'n' was deleted in version 2, by person; this write knew "
               "version 1");
    g_assert_true(notes_list(s->db, &VIEWER_OPERATOR, "", &live, NULL));
    g_assert_cmpuint(live->len, ==, 0);
    assert_put(s, "n", "again", NOTE_ABSENT, &ann, "3");
}

static void
test_rename(TempStore *s, gconstpointer data)
{
    const NoteBy stranger = {.author = "envoy", .label = TRUST_ANYONE, .job = {3}};
    const struct {
        const char *from, *to;
        bool want;
    } cases[] = {
        {"old", "taken", false}, {"none", "new", false},  {"old", "../x", false},
        {"old", "new", true},    {"old", "newer", false}, {"new", "old", true},
    };

    assert_put(s, "old", "text", NOTE_ABSENT, &stranger, "1");
    assert_put(s, "taken", "text", NOTE_ABSENT, &ann, "1");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_auto(Txn) txn = test_begin(s->db);
        bool ok = note_rename(&txn, cases[i].from, cases[i].to, &ann, &error);

        g_assert_cmpint(ok, ==, cases[i].want);
        g_assert_cmpint(err_is(error, ERR_NEVER), ==, !cases[i].want);
        if (ok)
            test_commit(&txn);
    }
    assert_body(s, "new", 0, NULL);
    assert_body(s, "old", 0, "text");
    g_autoptr(Note) note = load(s, "old", 0);
    g_assert_cmpint(note->version, ==, 3);
    g_assert_cmpint(note->label, ==, TRUST_ANYONE);
    /* Who renames has not read it. */
    assert_put(s, "old", "x", NOTE_SHOWN, &stranger,
               "conflict: note 'old' is at version 3, by person; this write took it for new");
}

static void
test_list(TempStore *s, gconstpointer data)
{
    static const char *const keys[] = {"b/x", "a", "b/y", "b-c", "B/x"};
    static const struct {
        const char *prefix, *want;
    } cases[] = {
        {"", "B/x a b-c b/x b/y "}, {"b/", "b/x b/y "}, {"b", "b-c b/x b/y "}, {"c", ""}};

    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        assert_put(s, keys[i], "1234", NOTE_ABSENT, &ann, "1");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Notes) notes = NULL;
        g_autoptr(GString) got = g_string_new(NULL);

        g_assert_true(notes_list(s->db, &VIEWER_OPERATOR, cases[i].prefix, &notes, NULL));
        for (guint k = 0; k < notes->len; k++) {
            const Note *n = notes->pdata[k];
            g_assert_cmpuint(n->size, ==, 4);
            g_string_append_printf(got, "%s ", n->key);
        }
        g_assert_cmpstr(got->str, ==, cases[i].want);
    }
}

static void
test_limits(TempStore *s, gconstpointer data)
{
    g_autofree char *large = g_strnfill(LIMIT_NOTE_BYTES + 1, 'x');
    g_autofree char *got = put(s, "n", large, NOTE_ANY, &ann);

    g_assert_nonnull(strstr(got, "larger than the limit"));
    assert_put(s, "../../x", "x", NOTE_ANY, &ann,
               "'../../x' is no note key: it has a part that begins with a dot");
    assert_body(s, "n", 0, NULL);
}

/* Bytes that are no text are kept as they are, and shown as text. */
static void
test_odd_bytes(TempStore *s, gconstpointer data)
{
    g_autoptr(GBytes) odd = g_bytes_new_static("a\0b\xff", 4);
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(note_put(&txn, "n", odd, NOTE_ANY, &ann, NULL, NULL));
        test_commit(&txn);
    }
    g_autoptr(Note) note = load(s, "n", 0);
    g_assert_true(g_bytes_equal(note->body, odd));
    g_autofree char *text = note_text(note);
    g_assert_cmpstr(text, ==, "ab\xef\xbf\xbd");
}

/* --- full text --- */

static char *
search_as(TempStore *s, const Viewer *viewer, const char *query, unsigned limit)
{
    const NoteQuery q = {viewer, query, limit};
    g_autoptr(GError) error = NULL;
    g_autoptr(Index) ix = NULL;
    g_autoptr(NoteHits) hits = NULL;
    GString *got = g_string_new(NULL);
    bool fresh;

    index_open(s->home, &ix, &fresh, &error);
    g_assert_no_error(error);
    notes_index_follow(ix, s->db, &error);
    g_assert_no_error(error);
    notes_index_search(ix, s->db, &q, &hits, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < hits->len; i++)
        g_string_append_printf(got, "%s ", hits->pdata[i]->key);
    return g_string_free(got, FALSE);
}

#define assert_found(s, query, want)                                                           \
    do {                                                                                       \
        g_autofree char *found_ = search_as(s, &VIEWER_OPERATOR, query, 10);                   \
        g_assert_cmpstr(found_, ==, want);                                                     \
    } while (0)

static void
test_search(TempStore *s, gconstpointer data)
{
    assert_put(s, "projects/budget", "Numbers for May.\nTotal 500.", NOTE_ANY, &ann, "1");
    assert_put(s, "meeting", "We spoke of the budget, and of a bigger picture.", NOTE_ANY, &ann,
               "1");
    assert_found(s, "budget", "projects/budget meeting ");
    assert_found(s, "bigger picture", "meeting ");
    assert_found(s, "\"picture bigger\"", "");
    assert_found(s, "TOTAL", "projects/budget ");
    assert_found(s, "", "");
    assert_found(s, "from:ann \" OR * (", "");
    assert_put(s, "meeting", "Nothing.", NOTE_ANY, &ann, "2");
    assert_found(s, "picture", "");
    assert_found(s, "nothing", "meeting ");
    g_assert_true(remove_note(s, "meeting", NOTE_ANY));
    assert_found(s, "nothing", "");
    g_assert_true(index_delete(s->home, NULL));
    assert_found(s, "numbers", "projects/budget ");
}

/* --- who may see it --- */

static void
set_config(TempStore *s, const char *more)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strconcat("[brain b]\nkind = script\n[role envoy]\nbrain = b\n"
                                        "[role scribe]\nbrain = b\n[role ann]\nperson = yes\n",
                                        more, NULL);

    test_write(s->home->path, "postrider.conf", text);
    g_assert_true(home_reload(s->home, &error));
}

static char *
said(bool ok, GError **error)
{
    char *text = ok ? g_strdup("ok") : g_strdup((*error)->message);

    g_assert_true(ok || err_is(*error, ERR_NEVER));
    g_clear_error(error);
    return text;
}

static char *
list_of(const Notes *notes)
{
    GString *keys = g_string_new(NULL);

    for (guint i = 0; i < notes->len; i++)
        g_string_append_printf(keys, "%s ", ((Note *)notes->pdata[i])->key);
    return g_string_free(keys, FALSE);
}

#define HIDDEN "is in a folder that role 'envoy' may not see or change"

/* Each key twice in the table: once there is such a note, once there is none. */
static void
test_viewer(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *shared, *key;
        bool want_seen;
    } cases[] = {
        {"", "plan", true},
        {"", "scribe", true}, /* no folder */
        {"", "team/plan", true},
        {"", "README/rules", true},
        {"", "envoy/start", true},
        {"", "envoy/states/x", true},
        {"", "envoys/x", true}, /* only begins like a role */
        {"", "scribes/x", true},
        {"", "ann/x", true}, /* a person, not a role */
        {"", "scribe/start", false},
        {"", "scribe/a/b", false},
        {"", "spaces/x", false},
        {"[notes]\nshared = scribe\n", "scribe/start", true},
        {"[notes]\nshared = scribe/a/\n", "scribe/a/b", true},
        {"[notes]\nshared = scribe/a\n", "scribe/a", true},
        {"[notes]\nshared = scribe/a\n", "scribe/ab", false},
        {"[notes]\nshared = scribe/a\n", "scribe/start", false},
        {"[notes]\nshared = envoy scribe\n", "scribe/start", true},
    };
    const Viewer envoy = {.role = "envoy"}, nobody = {0};
    const NoteBy by = {.author = "envoy", .label = TRUST_ROLE, .job = {7}, .step = 1};

    for (size_t i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
        const char *key = cases[i / 2].key;
        bool want = cases[i / 2].want_seen, there = i % 2;
        g_autoptr(GError) error = NULL;
        g_autoptr(Note) loaded = NULL, looked = NULL;
        g_autoptr(Notes) history = NULL, list = NULL;
        g_autoptr(GBytes) body = bytes("over it");
        g_autofree char *line = g_strdup_printf("note '%s' " HIDDEN, key);

        set_config(s, cases[i / 2].shared);
        if (there)
            g_free(put(s, key, "Marmalade.", NOTE_ANY, &ann));
        g_test_message("%s %s", key, there ? "there" : "not there");
        g_assert_true(note_load(s->db, &envoy, key, 0, &loaded, NULL));
        g_assert_true(note_look(s->db, &envoy, key, 0, &looked, NULL));
        g_assert_true(note_history(s->db, &envoy, key, &history, NULL));
        g_assert_true(notes_list(s->db, &envoy, key, &list, NULL));
        g_autofree char *found = search_as(s, &envoy, "marmalade", 1);
        g_autofree char *word = g_strdup_printf("%s ", key);
        g_assert_cmpint(loaded != NULL, ==, want && there);
        g_assert_true(looked ? want : !(want && there)); /* it may have been there before */
        g_assert_true(history->len ? want : !(want && there));
        g_assert_cmpint(list->len > 0, ==, want && there);
        g_assert_cmpstr(found, ==, want && there ? word : "");
        g_assert_false(viewer_sees_note(s->db, &nobody, key));

        g_auto(Txn) txn = test_begin(s->db);
        g_autofree char *put =
            said(note_put(&txn, key, body, NOTE_ANY, &by, NULL, &error), &error);
        g_autofree char *append = said(note_append(&txn, key, body, &by, NULL, &error), &error);
        g_autofree char *from = said(note_rename(&txn, key, "else", &by, &error), &error);
        g_autofree char *to = said(note_rename(&txn, "else", key, &by, &error), &error);
        g_autofree char *gone = said(note_delete(&txn, key, NOTE_ANY, &by, &error), &error);
        const char *const all[] = {put, append, from, to, gone};
        for (size_t k = 0; k < G_N_ELEMENTS(all); k++)
            g_assert_cmpstr(all[k], ==, want ? "ok" : line);
        txn_clear(&txn);
        g_auto(Txn) tidy = test_begin(s->db);
        g_assert_true(!there || note_delete(&tidy, key, NOTE_ANY, &ann, NULL));
        test_commit(&tidy);
    }
}

/* What is hidden does not take the place of what is not. */
static void
test_viewer_limit(TempStore *s, gconstpointer data)
{
    const Viewer envoy = {.role = "envoy"};
    g_autoptr(Notes) list = NULL;

    assert_put(s, "scribe/marmalade", "Marmalade, marmalade, marmalade.", NOTE_ANY, &ann, "1");
    assert_put(s, "team/x", "Of this and that, and of marmalade.", NOTE_ANY, &ann, "1");
    assert_put(s, "envoy/x", "Words.", NOTE_ANY, &ann, "1");
    g_autofree char *found = search_as(s, &envoy, "marmalade", 1);
    g_assert_cmpstr(found, ==, "team/x ");
    g_autofree char *all = search_as(s, &VIEWER_OPERATOR, "marmalade", 1);
    g_assert_cmpstr(all, ==, "scribe/marmalade ");
    g_assert_true(notes_list(s->db, &envoy, "", &list, NULL));
    g_autofree char *keys = list_of(list);
    g_assert_cmpstr(keys, ==, "envoy/x team/x ");
}

static void
assert_readers(TempStore *s, const char *want)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    GString *got = g_string_new(NULL);

    g_assert_true(notes_readers_check(s->db, lines, NULL));
    for (guint i = 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i), *setting = strrchr(line, ':');
        g_string_append_printf(got, "%.*s%s\n", (int)strcspn(line, "w"), line, setting);
    }
    g_assert_cmpstr(got->str, ==, want);
    g_string_free(got, TRUE);
}

/* A store in which every role saw every note. */
static void
test_readers(TempStore *s, gconstpointer data)
{
    JobId envoy = temp_job(s, "envoy"), scribe = temp_job(s, "scribe");
    bool first;

    assert_readers(s, "");
    shown(s, envoy, "scribe/briefs/may", 1);
    shown(s, envoy, "scribe/briefs/old/april", 1);
    shown(s, envoy, "scribe/log", 1);
    shown(s, envoy, "envoy/start", 1);
    shown(s, envoy, "team/plan", 1);
    shown(s, scribe, "envoy/states/triage", 1);
    shown(s, scribe, "envoy/states/tools/x", 1);
    static const char want[] = "role 'envoy' : shared = scribe\n"
                               "role 'scribe' : shared = envoy/states\n";
    assert_readers(s, want);
    g_assert_true(notes_readers_keep(s->db, &first, NULL));
    g_assert_true(first);
    shown(s, scribe, "envoy/log", 1); /* is of the new rule: somebody shared it for a while */
    g_assert_true(notes_readers_keep(s->db, &first, NULL));
    g_assert_false(first);
    assert_readers(s, want);
    set_config(s, "[notes]\nshared =\n");
    assert_readers(s, "");
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(TempStore *s, gconstpointer data);
    } cases[] = {
        {"versions", test_versions},
        {"conditions", test_conditions},
        {"shown", test_shown},
        {"append/blind", test_append_is_blind},
        {"append/new", test_append_new},
        {"delete", test_delete},
        {"rename", test_rename},
        {"list", test_list},
        {"limits", test_limits},
        {"odd-bytes", test_odd_bytes},
        {"search", test_search},
        {"viewer", test_viewer},
        {"viewer/limit", test_viewer_limit},
        {"readers", test_readers},
    };

    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/notes/keys", test_keys);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/notes/%s", cases[i].name);
        g_test_add(path, TempStore, NULL, temp_store_open, cases[i].run, temp_store_close);
    }
    return g_test_run();
}
