/*
 * Notes and their files: every row of the table "what wins when a person edited", every state
 * that a crash leaves, and a person who edits while we write.
 */
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "notes/first_notes.h"
#include "notes/notes.h"
#include "temp_store.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const NoteBy role = {.author = "envoy", .label = TRUST_ROLE, .job = {1}, .step = 1};

/* --- the two sides --- */

static char *
path_of(TempStore *s, const char *name)
{
    return g_build_filename(s->home->path, "notes", name, NULL);
}

static void
write_file(TempStore *s, const char *name, const char *text)
{
    g_autofree char *path = path_of(s, name);
    g_autofree char *folder = g_path_get_dirname(path);
    auto_fd fd = -1;

    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    g_assert_true(file_write_all(fd, text, strlen(text), NULL));
}

static void
write_by_rename(TempStore *s, const char *name, const char *text)
{
    g_autofree char *path = path_of(s, name);
    g_autofree char *tmp = g_strconcat(path, "~", NULL);

    g_assert_true(g_file_set_contents(tmp, text, -1, NULL));
    g_assert_cmpint(rename(tmp, path), ==, 0);
}

static char *
read_file(TempStore *s, const char *name)
{
    g_autofree char *path = path_of(s, name);
    char *text = NULL;

    (void)g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static void
remove_file(TempStore *s, const char *name)
{
    g_autofree char *path = path_of(s, name);

    g_assert_cmpint(unlink(path), ==, 0);
}

static int64_t
put(TempStore *s, const char *key, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    int64_t version = 0;
    g_auto(Txn) txn = test_begin(s->db);

    note_put(&txn, key, body, NOTE_ANY, &role, &version, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return version;
}

/* What notes_sync_some() is called for; NULL: notes_sync(). */
static const char *const *named;

static NotesReport *
sync_notes(TempStore *s)
{
    g_autoptr(GError) error = NULL;
    NotesReport *report = NULL;

    if (named)
        notes_sync_some(s->home, s->db, named, &report, &error);
    else
        notes_sync(s->home, s->db, &report, &error);
    g_assert_no_error(error);
    return report;
}

/* "written imported deleted busy conflicts findings" */
static void
assert_sync(TempStore *s, const char *want)
{
    g_autoptr(NotesReport) r = sync_notes(s);
    g_autofree char *got =
        g_strdup_printf("%u %u %u %u %u %u", r->written, r->imported, r->deleted, r->busy,
                        r->conflicts->len, r->findings->len);

    for (guint i = 0; i < r->findings->len; i++)
        g_test_message("%s", (const char *)r->findings->pdata[i]);
    g_assert_cmpstr(got, ==, want);
}

#define NOTHING "0 0 0 0 0 0"

static void
assert_file(TempStore *s, const char *name, const char *want)
{
    g_autofree char *got = read_file(s, name);

    g_assert_cmpstr(got, ==, want);
}

/* The newest version, "2 person text"; NULL: there is none. */
static void
assert_note(TempStore *s, const char *key, const char *want)
{
    g_autoptr(Note) note = NULL;

    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, key, 0, &note, NULL));
    g_autofree char *text = note ? note_text(note) : NULL;
    g_autofree char *got =
        note ? g_strdup_printf("%d %s %s", (int)note->version, note->author, text) : NULL;
    g_assert_cmpstr(got, ==, want);
}

/* Names in notes/ that are not the marker and no notes. */
static unsigned
count_leftovers(TempStore *s)
{
    g_autofree char *path = path_of(s, "");
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned n = 0;

    for (const char *name; (name = g_dir_read_name(dir));)
        n += file_is_tmp(name);
    return n;
}

/* --- writing --- */

static void
test_owed(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    put(s, "deep/er/b", "");
    assert_sync(s, "2 0 0 0 0 0");
    assert_file(s, "a.md", "one");
    assert_file(s, "deep/er/b.md", "");
    assert_sync(s, NOTHING);
    put(s, "a", "two");
    assert_sync(s, "1 0 0 0 0 0");
    assert_file(s, "a.md", "two");
    g_assert_cmpuint(count_leftovers(s), ==, 1); /* displaced, looked at once more */
    assert_sync(s, NOTHING);
    g_assert_cmpuint(count_leftovers(s), ==, 0);
    assert_note(s, "a", "2 envoy two");
}

static void
test_delete_and_rename(TempStore *s, gconstpointer data)
{
    put(s, "folder/a", "text");
    put(s, "b", "b");
    assert_sync(s, "2 0 0 0 0 0");
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(notes_rename(&txn, "folder/a", "c/d", &role, NULL));
        g_assert_true(notes_delete(&txn, "b", NOTE_ANY, &role, NULL));
        test_commit(&txn);
    }
    assert_sync(s, "3 0 0 0 0 0");
    assert_file(s, "folder/a.md", NULL);
    assert_file(s, "b.md", NULL);
    assert_file(s, "c/d.md", "text");
    assert_sync(s, NOTHING);
    g_autofree char *folder = path_of(s, "folder");
    g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
    assert_note(s, "folder/a", NULL);
}

/* --- edits --- */

static void
test_edit(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    write_file(s, "a.md", "two"); /* in place, as many bytes, at once */
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "a", "2 person two");
    write_by_rename(s, "a.md", "three");
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "a", "3 person three");
    write_file(s, "a.md", "three"); /* saved without a change */
    assert_sync(s, NOTHING);
    write_file(s, "a.md", ""); /* emptied on purpose */
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "a", "4 person ");
    assert_sync(s, NOTHING);
}

/* A person's edit of a text keeps the text's label; a new file is the operator's. */
static void
test_labels(TempStore *s, gconstpointer data)
{
    g_autoptr(Note) edited = NULL, made = NULL;

    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    write_file(s, "a.md", "two");
    write_file(s, "new.md", "mine");
    assert_sync(s, "0 2 0 0 0 0");
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "a", 0, &edited, NULL));
    g_assert_cmpint(edited->label, ==, TRUST_ROLE);
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "new", 0, &made, NULL));
    g_assert_cmpint(made->label, ==, TRUST_OPERATOR);
    g_assert_cmpint(made->job.v, ==, 0);
}

static void
test_new_files(TempStore *s, gconstpointer data)
{
    g_autofree char *fifo = path_of(s, "pipe.md");

    assert_sync(s, NOTHING);
    write_file(s, "folder/new.md", "text");
    write_file(s, "notes.txt", "not ours");
    write_file(s, "a.md~", "an editor's");
    write_file(s, ".hidden.md", "hidden");
    write_file(s, ".git/x.md", "hidden");
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "folder/new", "1 person text");
    write_file(s, "my note.md", "no key");
    write_file(s, "my folder/x.md", "no key");
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    assert_sync(s, "0 0 0 0 0 3");
    assert_file(s, "my note.md", "no key");
}

/* The person wins; ours stays in the history, and both numbers are told. */
static void
test_conflict(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    put(s, "a", "ours");
    write_file(s, "a.md", "theirs");
    g_autoptr(NotesReport) r = sync_notes(s);
    g_assert_cmpuint(r->conflicts->len, ==, 1);
    const NoteConflict *c = r->conflicts->pdata[0];
    g_assert_cmpstr(c->key, ==, "a");
    g_assert_cmpint(c->ours, ==, 2);
    g_assert_cmpint(c->theirs, ==, 3);
    assert_note(s, "a", "3 person theirs");
    assert_file(s, "a.md", "theirs");
    g_autoptr(Note) ours = NULL;
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "a", 2, &ours, NULL));
    g_assert_nonnull(ours);
}

static void
test_conflict_with_deletion(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    put(s, "b", "one");
    put(s, "c", "one");
    assert_sync(s, "3 0 0 0 0 0");
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(notes_delete(&txn, "a", NOTE_ANY, &role, NULL));
        test_commit(&txn);
    }
    write_file(s, "a.md", "still wanted");
    put(s, "b", "two");
    remove_file(s, "b.md");
    assert_sync(s, "0 1 1 0 2 0");
    assert_note(s, "a", "3 person still wanted");
    assert_note(s, "b", NULL);
    assert_file(s, "b.md", NULL);
    assert_sync(s, NOTHING);
}

static void
assert_sync_some(TempStore *s, const char *const *keys, unsigned written, unsigned imported)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NotesReport) r = NULL;

    notes_sync_some(s->home, s->db, keys, &r, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(r->written, ==, written);
    g_assert_cmpuint(r->imported, ==, imported);
}

/* Other notes are left alone, on both sides, and are as they were for the next sync. */
static void
test_some(TempStore *s, gconstpointer data)
{
    static const char *const keys[] = {"a", "b", "c", "folder/d", "folder/e"};
    static const char *const a[] = {"a", "../x", "a", NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        put(s, keys[i], "one");
    assert_sync_some(s, a, 5, 0); /* there is no marker yet: all of them */
    put(s, "a", "two");
    put(s, "folder/d", "two");
    write_file(s, "b.md", "edited");
    write_file(s, "folder/.postrider-swap-0123456789abcdef-e.md", "before that");
    write_file(s, ".postrider-tmp-0123456789abcdef", "half of what");
    assert_sync_some(s, a, 1, 0);
    assert_file(s, "a.md", "two");
    assert_file(s, "folder/d.md", "one");
    assert_note(s, "b", "1 envoy one");
    assert_note(s, "folder/e", "1 envoy one");
    g_assert_cmpuint(count_leftovers(s), ==, 1); /* displaced by us */
    assert_sync_some(s, a, 0, 0);
    g_assert_cmpuint(count_leftovers(s), ==, 0);
    assert_sync_some(s, NULL, 2, 1); /* all that is owed, and what lies beside that */
    assert_file(s, "folder/d.md", "two");
    assert_file(s, "folder/e.md", "before that");
    assert_note(s, "b", "1 envoy one");
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "b", "2 person edited");
    assert_sync_some(s, NULL, 0, 0);
}

/* Only a look at the whole tells what a file means that is gone, or new. */
static void
test_some_gone_or_new(TempStore *s, gconstpointer data)
{
    static const char *const b[] = {"b", NULL}, *const new_one[] = {"new", NULL};

    put(s, "a", "one");
    put(s, "b", "one");
    put(s, "c", "one");
    assert_sync(s, "3 0 0 0 0 0");
    remove_file(s, "b.md");
    write_file(s, "a.md", "edited");
    assert_sync_some(s, b, 0, 1);
    assert_note(s, "a", "2 person edited");
    assert_note(s, "b", NULL);
    write_file(s, "new.md", "made");
    assert_sync_some(s, new_one, 0, 1);
    assert_note(s, "new", "1 person made");
    assert_sync(s, NOTHING);
}

static void
test_import_named(TempStore *s, gconstpointer data)
{
    static const char *const keys[] = {"a", "../x", "none", NULL};
    static const char *const new_keys[] = {"new", NULL};
    g_autoptr(GError) error = NULL;

    put(s, "a", "one");
    put(s, "b", "one");
    put(s, "c", "one");
    assert_sync(s, "3 0 0 0 0 0");
    put(s, "c", "owed");
    write_file(s, "a.md", "two");
    write_file(s, "b.md", "two");
    write_file(s, "new.md", "new");
    notes_import(s->home, s->db, keys, &error);
    g_assert_no_error(error);
    assert_note(s, "a", "2 person two");
    assert_note(s, "b", "1 envoy one");
    assert_file(s, "c.md", "one"); /* nothing is written */
    notes_import(s->home, s->db, new_keys, &error);
    g_assert_no_error(error);
    assert_note(s, "new", "1 person new");
    remove_file(s, "a.md");
    notes_import(s->home, s->db, keys, &error);
    g_assert_no_error(error);
    assert_note(s, "a", NULL);
}

/* --- deletions --- */

static void
put_some(TempStore *s)
{
    static const char *const keys[] = {"a", "b", "c", "d"};

    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        put(s, keys[i], keys[i]);
    put(s, "CONTENTS", "- [first](a)\n- b\n- c\n- d\n");
    assert_sync(s, "5 0 0 0 0 0");
}

static void
test_gone(TempStore *s, gconstpointer data)
{
    put_some(s);
    remove_file(s, "a.md");
    remove_file(s, "c.md");
    assert_sync(s, "1 0 2 0 0 0");
    assert_note(s, "a", NULL);
    assert_note(s, "CONTENTS", "3 person - b\n- d\n");
    assert_file(s, "CONTENTS.md", "- b\n- d\n");
    write_file(s, "a.md", "again");
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "a", "3 person again");
}

/* More than half at once: a disk, not a person. */
static void
test_most_gone(TempStore *s, gconstpointer data)
{
    put_some(s);
    remove_file(s, "a.md");
    remove_file(s, "b.md");
    remove_file(s, "c.md");
    assert_sync(s, "0 0 0 0 0 1");
    assert_note(s, "a", "1 envoy a");
    assert_file(s, "a.md", NULL);
    write_file(s, "a.md", "a"); /* two are back, so one was meant */
    write_file(s, "b.md", "b");
    assert_sync(s, "1 0 1 0 0 0");
    assert_note(s, "a", "1 envoy a");
    assert_note(s, "c", NULL);
}

static void
test_marker_gone(TempStore *s, gconstpointer data)
{
    put_some(s);
    remove_file(s, ".postrider");
    remove_file(s, "a.md");
    put(s, "b", "newer");
    assert_sync(s, "0 0 0 0 0 1");
    assert_note(s, "a", "1 envoy a");
    assert_file(s, "b.md", "b"); /* nor is anything written there */
}

static void
test_folder_gone(TempStore *s, gconstpointer data)
{
    g_autofree char *notes = path_of(s, "");
    g_autoptr(GError) error = NULL;
    g_autoptr(NotesReport) report = NULL;

    put_some(s);
    test_remove(notes);
    assert_sync(s, "0 0 0 0 0 1");
    g_assert_false(g_file_test(notes, G_FILE_TEST_EXISTS));
    notes_restore(s->home, s->db, &report, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(report->written, ==, 5);
    assert_file(s, "a.md", "a");
    assert_note(s, "a", "1 envoy a");
    assert_sync(s, NOTHING);
}

static void
test_moved(TempStore *s, gconstpointer data)
{
    g_autofree char *from = path_of(s, "a.md");
    g_autofree char *to = path_of(s, "sub/z.md");

    put_some(s);
    write_file(s, "sub/other.md", "x");
    g_assert_cmpint(rename(from, to), ==, 0);
    assert_sync(s, "1 2 0 0 0 0");
    assert_note(s, "a", NULL);
    assert_note(s, "sub/z", "1 person a");
    assert_note(s, "CONTENTS", "2 person - [first](sub/z)\n- b\n- c\n- d\n");
    assert_sync(s, NOTHING);
}

/* Renamed under our hands while a newer version was still to be written: not the same note any
 * more. What the person moved is theirs, and the newer one is in the history. */
static void
test_moved_behind(TempStore *s, gconstpointer data)
{
    g_autofree char *from = path_of(s, "a.md");
    g_autofree char *to = path_of(s, "z.md");
    g_autoptr(Note) newer = NULL;

    put_some(s);
    put(s, "a", "newer");
    g_assert_cmpint(rename(from, to), ==, 0);
    assert_sync(s, "1 1 1 0 1 0");
    assert_note(s, "a", NULL);
    assert_note(s, "z", "1 person a");
    assert_file(s, "z.md", "a");
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "a", 2, &newer, NULL));
    g_assert_nonnull(newer);
    assert_sync(s, NOTHING);
}

/* --- what a crash leaves --- */

static void
set_mark(TempStore *s, const char *key, int64_t mirrored, bool has_file)
{
    g_autoptr(NoteMirror) m = NULL;
    g_auto(Txn) txn = test_begin(s->db);

    g_assert_true(note_mirror_load(s->db, key, &m, NULL));
    m->mirrored = mirrored;
    m->has_file = has_file;
    m->ino = 0;
    g_assert_true(note_mirror_set(&txn, m, NULL));
    test_commit(&txn);
}

static void
set_age(TempStore *s, const char *name, int64_t seconds)
{
    g_autofree char *path = path_of(s, name);
    const time_t now = time(NULL);
    const struct timespec times[2] = {{.tv_sec = now - seconds}, {.tv_sec = now - seconds}};

    g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

static void
test_mark_lost(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    set_mark(s, "a", 0, false); /* written, then a crash */
    assert_sync(s, NOTHING);
    assert_note(s, "a", "1 envoy one");
    put(s, "a", "two");
    assert_sync(s, "1 0 0 0 0 0");
    set_mark(s, "a", 1, false);
    put(s, "a", "three"); /* and another version before anybody looked */
    assert_sync(s, "1 0 0 0 0 0");
    assert_file(s, "a.md", "three");
    assert_note(s, "a", "3 envoy three");
}

static void
test_power_loss(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    put(s, "a", "two");
    assert_sync(s, "1 0 0 0 0 0");
    write_by_rename(s, "a.md", "one");
    set_age(s, "a.md", 60); /* older than our mark: the rename was undone */
    assert_sync(s, "1 0 0 0 0 0");
    assert_file(s, "a.md", "two");
    assert_note(s, "a", "2 envoy two");
    assert_sync(s, NOTHING);
    write_by_rename(s, "a.md", "one"); /* younger: a person went back */
    set_age(s, "a.md", -1);
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "a", "3 person one");
}

static void
test_leftovers(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    put(s, "folder/b", "one");
    put(s, "a", "two");
    assert_sync(s, "2 0 0 0 0 0");
    write_file(s, ".postrider-tmp-0123456789abcdef", "half of what");
    write_file(s, ".postrider-swap-0123456789abcdef-a.md", "one");
    write_file(s, "folder/.postrider-swap-0123456789abcdef-b.md", "a person's words");
    write_file(s, "folder/.postrider-swap-1123456789abcdef-new.md~", "a new note's");
    write_file(s, ".postrider-swap-2123456789abcdef-a.md", "");
    assert_sync(s, "2 2 0 0 1 0");
    g_assert_cmpuint(count_leftovers(s), ==, 0);
    assert_note(s, "a", "2 envoy two");
    assert_note(s, "folder/b", "2 person a person's words");
    assert_file(s, "folder/b.md", "a person's words");
    assert_note(s, "folder/new", "1 person a new note's");
    assert_file(s, "folder/new.md", "a new note's");
    assert_sync(s, NOTHING);
}

/* A displaced edit is older than what lies there now. */
static void
test_displaced_then_edited(TempStore *s, gconstpointer data)
{
    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    write_file(s, ".postrider-swap-0123456789abcdef-a.md", "first edit");
    write_file(s, "a.md", "second edit");
    assert_sync(s, "0 2 0 0 2 0");
    assert_note(s, "a", "3 person second edit");
    assert_file(s, "a.md", "second edit");
}

/* Without a store, notes come back from their files; who wrote them nobody knows. */
static void
test_lost_store(TempStore *s, gconstpointer data)
{
    g_autofree char *state = g_build_filename(s->home->path, "state", NULL);
    g_autoptr(Note) note = NULL, first = NULL;
    {
        g_auto(Txn) txn = test_begin(s->db);
        g_assert_true(notes_write_first(&txn, "envoy", NULL));
        test_commit(&txn);
    }
    put(s, "a", "text");
    assert_sync(s, "13 0 0 0 0 0");
    g_autofree char *home = g_strdup(s->home->path);
    db_close(s->db);
    home_close(s->home);
    test_remove(state);
    s->home = test_home_at(home);
    s->db = test_db_open(s->home, DB_WRITE);
    assert_sync(s, "0 13 0 0 0 1");
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "a", 0, &note, NULL));
    g_assert_cmpint(note->label, ==, TRUST_KNOWN);
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "envoy/start", 0, &first, NULL));
    g_assert_cmpint(first->label, ==, TRUST_OPERATOR);
    assert_sync(s, NOTHING);
}

/* --- editors that have it open --- */

static void
test_open_for_writing(TempStore *s, gconstpointer data)
{
    g_autofree char *path = path_of(s, "a.md");

    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    auto_fd fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    g_assert_true(file_write_all(fd, "half", 4, NULL));
    assert_sync(s, "0 0 0 1 0 0"); /* not yet */
    g_assert_true(file_write_all(fd, " and half", 9, NULL));
    cleanup_fd(&fd);
    fd = -1;
    assert_sync(s, "0 1 0 0 0 0");
    assert_note(s, "a", "2 person half and half");
}

/* We write while an editor has the file open: its words arrive when it is done. */
static void
test_displaced_while_open(TempStore *s, gconstpointer data)
{
    g_autofree char *path = path_of(s, "a.md");

    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    auto_fd fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    g_assert_true(file_write_all(fd, "th", 2, NULL));
    put(s, "a", "ours");
    g_autoptr(NotesReport) r = sync_notes(s);
    g_assert_cmpuint(r->written, ==, 1);
    assert_file(s, "a.md", "ours");
    assert_note(s, "a", "2 envoy ours");
    g_assert_true(file_write_all(fd, "eirs", 4, NULL));
    cleanup_fd(&fd);
    fd = -1;
    assert_sync(s, "1 1 0 0 1 0");
    assert_note(s, "a", "3 person theirs");
    assert_file(s, "a.md", "theirs");
}

/* --- What an enemy plants --- */

static void
test_planted(TempStore *s, gconstpointer data)
{
    g_autofree char *key = g_build_filename(s->home->path, "key", NULL);
    g_autofree char *secret = NULL;
    g_autofree char *link_path = path_of(s, "linked.md");
    g_autofree char *hard = path_of(s, "hard.md");
    g_autofree char *own = path_of(s, "a.md");
    g_autofree char *folder = path_of(s, "folder");

    put(s, "a", "one");
    put(s, "b", "one");
    assert_sync(s, "2 0 0 0 0 0");
    g_assert_cmpint(symlink(key, link_path), ==, 0);
    g_assert_cmpint(symlink(s->home->path, folder), ==, 0);
    g_assert_cmpint(link(key, hard), ==, 0);
    assert_sync(s, "0 0 0 0 0 3");
    assert_note(s, "linked", NULL);
    assert_note(s, "hard", NULL);
    remove_file(s, "a.md");
    g_assert_cmpint(symlink(key, own), ==, 0);
    put(s, "a", "two");
    put(s, "folder/x", "into the home");
    g_autoptr(NotesReport) r = sync_notes(s);
    g_assert_cmpuint(r->findings->len, >=, 5);
    g_assert_true(g_file_get_contents(key, &secret, NULL, NULL));
    g_assert_true(g_str_has_prefix(secret, "0001"));
    g_autofree char *escaped = g_build_filename(s->home->path, "x.md", NULL);
    g_assert_false(g_file_test(escaped, G_FILE_TEST_EXISTS));
}

static void
test_too_large(TempStore *s, gconstpointer data)
{
    g_autofree char *large = g_strnfill(LIMIT_NOTE_BYTES + 1, 'x');

    put(s, "a", "one");
    assert_sync(s, "1 0 0 0 0 0");
    write_file(s, "a.md", large);
    assert_sync(s, "0 0 0 0 0 1");
    assert_note(s, "a", "1 envoy one");
}

/* --- a person and the runtime at the same time --- */

#define EDITS 60
/* Syncs after which an edit must have been seen: displaced in one, finished in the next. */
#define SYNCS_TO_SEE 4

typedef struct Shared {
    atomic_uint syncs;
    atomic_bool done;
} Shared;

static char *
edit_text(unsigned n)
{
    g_autofree char *padding = g_strnfill(3000, 'e');

    return g_strdup_printf("edit %u %s", n, padding);
}

static void
edit_in_place(const char *path, const char *text)
{
    auto_fd fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t half = strlen(text) / 2;

    if (!file_write_all(fd, text, half, NULL))
        _exit(1);
    (void)sched_yield();
    if (!file_write_all(fd, text + half, strlen(text) - half, NULL))
        _exit(1);
}

static void
edit_by_rename(const char *path, const char *text)
{
    g_autofree char *tmp = g_strconcat(path, "~", NULL);

    edit_in_place(tmp, text);
    if (rename(tmp, path) < 0)
        _exit(1);
}

static void
run_editor(const char *path, Shared *shared)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned n = 0; n < EDITS; n++) {
        g_autofree char *text = edit_text(n);

        (n % 2 ? edit_in_place : edit_by_rename)(path, text);
        unsigned start = atomic_load(&shared->syncs);
        while (atomic_load(&shared->syncs) - start <= SYNCS_TO_SEE)
            (void)sched_yield();
    }
    atomic_store(&shared->done, true);
    _exit(0);
}

/* How often version bodies hold exactly this text. */
static unsigned
count_versions(TempStore *s, const char *text)
{
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    int64_t version = 0;

    g_assert_true(note_version_of(s->db, "a", body, &version, NULL));
    return version > 0;
}

static void
test_together(TempStore *s, gconstpointer data)
{
    g_autofree char *path = path_of(s, "a.md");
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned lost = 0, ours = 0;
    int status;

    put(s, "a", "begin");
    assert_sync(s, "1 0 0 0 0 0");
    pid_t editor = fork();
    if (editor == 0)
        run_editor(path, shared);
    while (!atomic_load(&shared->done) && waitpid(editor, &status, WNOHANG) == 0) {
        g_autofree char *text = g_strdup_printf("version %u", ours++);
        g_autoptr(NotesReport) report = NULL;

        put(s, "a", text);
        report = sync_notes(s);
        atomic_fetch_add(&shared->syncs, 1);
    }
    g_assert_true(atomic_load(&shared->done));
    (void)waitpid(editor, &status, 0);
    for (int i = 0; i < 2; i++)
        notes_report_free(sync_notes(s));
    for (unsigned n = 0; n < EDITS; n++) {
        g_autofree char *text = edit_text(n);
        lost += count_versions(s, text) == 0;
    }
    g_assert_cmpuint(lost, ==, 0);
    for (unsigned n = 0; n < ours; n++) {
        g_autofree char *text = g_strdup_printf("version %u", n);
        g_assert_cmpuint(count_versions(s, text), ==, 1);
    }
    g_test_message("%u edits, %u writes, none lost", EDITS, ours);

    /* And both sides end the same. */
    g_autoptr(Note) newest = NULL;
    g_assert_true(note_load(s->db, &VIEWER_OPERATOR, "a", 0, &newest, NULL));
    g_autofree char *text = note_text(newest);
    assert_file(s, "a.md", text);
    g_assert_cmpuint(count_leftovers(s), ==, 0);
    (void)munmap(shared, sizeof *shared);
}

typedef struct Case {
    const char *name;
    void (*run)(TempStore *s, gconstpointer data);
    bool one; /* knows no note but "a": once more, for that one alone */
} Case;

static void
run_for_one(TempStore *s, gconstpointer data)
{
    static const char *const a[] = {"a", NULL};
    const Case *c = data;

    named = a;
    c->run(s, NULL);
    named = NULL;
}

int
main(int argc, char **argv)
{
    static const Case cases[] = {
        {"owed", test_owed},
        {"delete-and-rename", test_delete_and_rename},
        {"edit", test_edit, true},
        {"labels", test_labels},
        {"new-files", test_new_files},
        {"conflict", test_conflict, true},
        {"conflict-with-deletion", test_conflict_with_deletion},
        {"some", test_some},
        {"some-gone-or-new", test_some_gone_or_new},
        {"import-named", test_import_named},
        {"gone", test_gone},
        {"most-gone", test_most_gone},
        {"marker-gone", test_marker_gone},
        {"folder-gone", test_folder_gone},
        {"moved", test_moved},
        {"moved-behind", test_moved_behind},
        {"mark-lost", test_mark_lost, true},
        {"power-loss", test_power_loss, true},
        {"leftovers", test_leftovers},
        {"displaced-then-edited", test_displaced_then_edited, true},
        {"lost-store", test_lost_store},
        {"open-for-writing", test_open_for_writing, true},
        {"displaced-while-open", test_displaced_while_open, true},
        {"planted", test_planted},
        {"too-large", test_too_large, true},
        {"together", test_together, true},
    };

    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/sync/%s", cases[i].name);
        g_autofree char *one = g_strdup_printf("/sync-one/%s", cases[i].name);

        g_test_add(path, TempStore, NULL, temp_store_open, cases[i].run, temp_store_close);
        if (cases[i].one)
            g_test_add(one, TempStore, &cases[i], temp_store_open, run_for_one,
                       temp_store_close);
    }
    return g_test_run();
}
