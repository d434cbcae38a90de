/* The folder of a program, with everything in it that a program may put there. */
#include "engine/run/workplace.h"
#include "base/err.h"
#include "testwork.h"
#include <sys/stat.h>

/* --- names --- */

static const struct {
    const char *name, *want;
} names[] = {
    {"report.pdf", "report.pdf"},
    {"../../x", "x"},
    {"/abs", "abs"},
    {"C:\\dir\\y.doc", "y.doc"},
    {"CON", "_CON"},
    {"con.txt", "_con.txt"},
    {"lpt1", "_lpt1"},
    {"console.txt", "console.txt"},
    {"", "attachment"},
    {".", "attachment"},
    {"..", "attachment"},
    {"/", "attachment"},
    {" ", "attachment"},
    {".bashrc", "_bashrc"},
    {"-rf", "_rf"},
    {"a\342\200\256cod.exe", "acod.exe"},
    {"x.txt\r\nBcc: a@b", "x.txtBcc_ a@b"},
    {"trailing. ", "trailing"},
    {"a b(1).txt", "a b(1).txt"},
    {"$(rm);`x`|&\"'<>*?.sh", "_(rm)__x_________.sh"},
    {"r\303\251sum\303\251.txt", "r\303\251sum\303\251.txt"},
    {"bad\377.txt", "bad\357\277\275.txt"},
};

static void
test_names(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GHashTable) taken = workplace_names_new();
        g_autofree char *got = workplace_name(taken, names[i].name);
        g_assert_cmpstr(got, ==, names[i].want);
    }
}

static void
test_long_name(void)
{
    g_autoptr(GHashTable) taken = workplace_names_new();
    g_autoptr(GString) name = g_string_new(NULL);
    for (int i = 0; i < 4096; i++)
        g_string_append(name, "\303\251");
    g_string_append(name, ".tar.gz");
    g_autofree char *got = workplace_name(taken, name->str);

    g_assert_cmpuint(strlen(got), <=, 120);
    g_assert_true(g_utf8_validate(got, -1, NULL));
    g_assert_true(g_str_has_suffix(got, ".gz"));
}

static void
test_same_names(void)
{
    static const char *const asked[] = {"a.txt", "a.txt", "A.TXT", "a-2.txt", "a", "a", NULL};
    static const char *const want[] = {"a.txt", "a-2.txt", "A-3.TXT", "a-2-2.txt",
                                       "a",     "a-2",     NULL};
    g_autoptr(GHashTable) taken = workplace_names_new();

    for (size_t i = 0; asked[i]; i++) {
        g_autofree char *got = workplace_name(taken, asked[i]);
        g_assert_cmpstr(got, ==, want[i]);
    }
}

/* --- the folder --- */

static const char mail[] = "From: ann@example.org\nTo: envoy@example.org\nSubject: files\n"
                           "Message-ID: <one@example.org>\n"
                           "Content-Type: multipart/mixed; boundary=b\nMIME-Version: 1.0\n\n"
                           "--b\nContent-Type: text/plain\n\nSee files.\n"
                           "--b\nContent-Type: text/plain\n"
                           "Content-Disposition: attachment; filename=\"../data.csv\"\n\n1,2\n"
                           "--b\nContent-Type: application/octet-stream\n"
                           "Content-Transfer-Encoding: base64\n"
                           "Content-Disposition: attachment; filename=data.csv\n\nAAEC\n"
                           "--b--\n";

static const char second_mail[] =
    "From: ann@example.org\nTo: envoy@example.org\nSubject: newer\n"
    "Message-ID: <two@example.org>\nIn-Reply-To: <one@example.org>\n"
    "Content-Type: text/csv; name=data.csv\n"
    "Content-Disposition: attachment; filename=data.csv\n\n3,4\n";

static void
open_work(TestWork *w, gconstpointer data)
{
    work_open(w, data);
    work_take_in(w, "envoy", mail, TRUST_PRINCIPAL, MSG_STORED);
    work_take_in(w, "envoy", second_mail, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
}

static Workplace *
open_place(TestWork *w)
{
    g_autoptr(GError) error = NULL;
    Workplace *place = NULL;

    workplace_open(&w->engine, w->job, work_role(w), &w->claim, &place, &error);
    g_assert_no_error(error);
    return place;
}

static ProposedFiles *
take(Workplace *place, char **ret_notes)
{
    g_autoptr(GError) error = NULL;
    ProposedFiles *files = NULL;

    workplace_take(place, &files, ret_notes, &error);
    g_assert_no_error(error);
    return files;
}

static void
put_out(const Workplace *place, const char *name, const char *text)
{
    test_write(place->out, name, text);
}

static char *
read_text(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    char *text = NULL;
    (void)g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static void
test_open(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *want = g_strdup_printf("%s/work/envoy/%d", w->home->path, (int)w->id.v);
    g_autofree char *path = workplace_path(w->home, w->job);

    g_assert_cmpstr(place->path, ==, want);
    g_assert_cmpstr(path, ==, want);
    g_assert_cmpstr(place->cwd, ==, want);
    g_assert_true(g_file_test(place->in, G_FILE_TEST_IS_DIR));
    g_assert_true(g_file_test(place->out, G_FILE_TEST_IS_DIR));

    const char *const ours[] = {place->path, place->in, place->out};
    struct stat is;
    for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
        g_assert_cmpint(stat(ours[i], &is), ==, 0);
        g_assert_cmpint(is.st_mode & 07777, ==, 0700);
    }
}

static void
test_workdir(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Workplace) place = NULL;
    ConfRole role = *work_role(w);

    role.workdir = "mail";
    g_assert_true(workplace_open(&w->engine, w->job, &role, &w->claim, &place, &error));
    g_autofree char *want = g_build_filename(w->home->path, "mail", NULL);
    g_assert_cmpstr(place->cwd, ==, want);
    g_clear_pointer(&place, workplace_close);

    /* Nobody can say whether somebody works there. */
    g_autofree char *locks = g_build_filename(w->home->path, "state", "workdir", NULL);
    g_autoptr(GDir) dir = g_dir_open(locks, 0, NULL);
    g_autofree char *lock = g_build_filename(locks, g_dir_read_name(dir), NULL);
    g_assert_cmpint(g_unlink(lock), ==, 0);
    g_assert_cmpint(g_mkdir(lock, 0700), ==, 0);
    g_assert_false(workplace_open(&w->engine, w->job, &role, &w->claim, &place, &error));
    g_assert_nonnull(error);
    g_clear_error(&error);

    role.workdir = "/no/such/folder";
    g_assert_false(workplace_open(&w->engine, w->job, &role, &w->claim, &place, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
}

static void
test_fill(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Workplace) place = open_place(w);

    workplace_fill(place, &w->engine, w->in.shown, &error);
    g_assert_no_error(error);
    g_autofree char *first = read_text(place->in, "data.csv");
    g_autofree char *second = read_text(place->in, "data (2).csv");
    g_autofree char *third = read_text(place->in, "data-2.csv");
    g_assert_cmpstr(first, ==, "1,2");
    g_assert_nonnull(second);
    g_assert_cmpmem(second, 3, "\0\1\2", 3);
    g_assert_nonnull(third);
    g_assert_true(g_str_has_prefix(third, "3,4"));

    /* A second try of the same claim, or the next one, gives the same names. */
    g_autoptr(Workplace) again = open_place(w);
    g_assert_true(workplace_fill(again, &w->engine, w->in.shown, &error));
    g_autofree char *more = read_text(place->in, "data-3.csv");
    g_assert_null(more);
}

/* A folder and a link stand where an attachment belongs. */
static void
test_fill_obstacles(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *folder = g_build_filename(place->in, "data.csv", NULL);
    g_autofree char *below = g_build_filename(folder, "below", NULL);
    g_autofree char *link = g_build_filename(place->in, "data-2.csv", NULL);
    g_autofree char *key = g_build_filename(w->home->path, "key", NULL);
    g_autofree char *before = read_text(w->home->path, "key");

    g_assert_cmpint(g_mkdir_with_parents(below, 0700), ==, 0);
    g_assert_cmpint(symlink(key, link), ==, 0);
    workplace_fill(place, &w->engine, w->in.shown, &error);
    g_assert_no_error(error);
    g_autofree char *first = read_text(place->in, "data.csv");
    g_autofree char *after = read_text(w->home->path, "key");
    g_assert_cmpstr(first, ==, "1,2");
    g_assert_cmpstr(before, ==, after);
}

/* What the program left in a folder's place is moved away, and the folder is as private as the first one. */
static void
test_fill_replaced(TestWork *w, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Workplace) place = open_place(w);
    struct stat is;

    g_assert_cmpint(g_rmdir(place->in), ==, 0);
    test_write(place->path, "in", "a file");
    workplace_fill(place, &w->engine, w->in.shown, &error);
    g_assert_no_error(error);
    g_autofree char *first = read_text(place->in, "data.csv");
    g_assert_cmpstr(first, ==, "1,2");
    g_assert_cmpint(stat(place->in, &is), ==, 0);
    g_assert_cmpint(is.st_mode & 07777, ==, 0700);
}

static void
test_take(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *notes = NULL;

    put_out(place, "b.txt", "two");
    put_out(place, "a.txt", "one");
    g_autoptr(ProposedFiles) files = take(place, &notes);
    g_assert_null(notes);
    g_assert_cmpuint(files->len, ==, 2);
    const ProposedFile *a = g_ptr_array_index(files, 0);
    g_assert_cmpstr(a->filename, ==, "a.txt");
    g_assert_cmpmem(g_bytes_get_data(a->content, NULL), g_bytes_get_size(a->content), "one", 3);
}

static void
test_take_hostile(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *notes = NULL;
    g_autofree char *fifo = g_build_filename(place->out, "fifo", NULL);
    g_autofree char *folder = g_build_filename(place->out, "folder", NULL);
    g_autofree char *link = g_build_filename(place->out, "link", NULL);
    g_autofree char *huge = g_build_filename(place->out, "huge", NULL);

    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    g_assert_cmpint(symlink("/etc/passwd", link), ==, 0);
    put_out(place, "huge", "");
    g_assert_cmpint(truncate(huge, 26 << 20), ==, 0);
    put_out(place, "evil\r\nBcc: x", "text");
    g_autoptr(ProposedFiles) files = take(place, &notes);
    g_assert_cmpuint(files->len, ==, 1);
    g_assert_cmpstr(files->pdata[0]->filename, ==, "evilBcc_ x");
    g_assert_cmpstr(notes, ==,
                    "not attached: fifo, not a file that can be read\n"
                    "not attached: folder, not a file that can be read\n"
                    "not attached: huge, larger than 25 MB\n"
                    "not attached: link, not a file that can be read");
}

static void
test_take_many(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *notes = NULL;

    for (unsigned i = 0; i < WORKPLACE_FILES_MAX + 5; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        put_out(place, name, "x");
    }
    g_autoptr(ProposedFiles) files = take(place, &notes);
    g_assert_cmpuint(files->len, ==, WORKPLACE_FILES_MAX);
    g_assert_cmpstr(notes, ==, "not attached: 5 more files, at most 100 are");
}

static void
test_take_heavy(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *notes = NULL;

    for (unsigned i = 0; i < 3; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        g_autofree char *path = g_build_filename(place->out, name, NULL);
        put_out(place, name, "");
        g_assert_cmpint(truncate(path, 20 << 20), ==, 0);
    }
    g_autoptr(ProposedFiles) files = take(place, &notes);
    g_assert_cmpuint(files->len, ==, 2);
    g_assert_cmpstr(notes, ==, "not attached: f2, more than 50 MB with the others");
}

/* Of many that can't be taken, twenty are named. */
static void
test_skip_many(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *notes = NULL;

    for (unsigned i = 0; i < 22; i++) {
        g_autofree char *path = g_strdup_printf("%s/folder%u", place->out, i);
        g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    }
    g_autoptr(ProposedFiles) files = take(place, &notes);
    g_auto(GStrv) lines = g_strsplit(notes, "\n", -1);
    g_assert_cmpuint(files->len, ==, 0);
    g_assert_cmpuint(g_strv_length(lines), ==, 21);
    g_assert_cmpstr(lines[20], ==, "not attached: 2 others");
}

/* The program took out/ away, or put something else in its place. */
static void
test_take_replaced(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) place = open_place(w);
    g_autofree char *notes = NULL;

    g_assert_cmpint(g_rmdir(place->out), ==, 0);
    g_assert_cmpint(symlink("/etc", place->out), ==, 0);
    g_autoptr(ProposedFiles) files = take(place, &notes);
    g_assert_cmpuint(files->len, ==, 0);
    g_assert_cmpstr(notes, ==, "not attached: out/ is no folder any more");
}

/* What an earlier claim left is kept, and not attached again. */
static void
test_fresh(TestWork *w, gconstpointer data)
{
    g_autoptr(Workplace) first = open_place(w);
    g_autofree char *notes = NULL;

    put_out(first, "a.txt", "one");
    w->claim.fence++;
    g_autoptr(Workplace) second = open_place(w);
    g_autoptr(ProposedFiles) files = take(second, &notes);
    g_assert_cmpuint(files->len, ==, 0);
    g_autofree char *old = g_strdup_printf("%s/old/%d", second->path, (int)second->fence);
    g_autofree char *kept = read_text(old, "a.txt");
    g_assert_cmpstr(kept, ==, "one");
}

/* Links, files and folders without rights in place of ours do not stop the next claim. */
static void
test_fresh_hostile(TestWork *w, gconstpointer data)
{
    static const char *const parts[] = {"out", "in", "old"};
    g_autoptr(Workplace) first = open_place(w);

    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
            g_autofree char *path = g_build_filename(first->path, parts[i], NULL);
            test_remove(path);
            g_unlink(path);
            if (kind == 0)
                g_assert_cmpint(symlink("/etc", path), ==, 0);
            else if (kind == 1)
                test_write(first->path, parts[i], "a file");
            else
                g_assert_cmpint(g_mkdir(path, 0000), ==, 0);
        }
        w->claim.fence++;
        g_autoptr(Workplace) place = open_place(w);
        g_autofree char *notes = NULL;
        put_out(place, "a", "x");
        g_autoptr(ProposedFiles) files = take(place, &notes);
        g_assert_cmpuint(files->len, ==, 1);
        g_assert_false(g_file_test(place->out, G_FILE_TEST_IS_SYMLINK));
        g_assert_false(g_file_test(place->in, G_FILE_TEST_IS_SYMLINK));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/workplace/names", test_names);
    g_test_add_func("/workplace/long-name", test_long_name);
    g_test_add_func("/workplace/same-names", test_same_names);
#define ADD(name, f) g_test_add("/workplace/" name, TestWork, NULL, open_work, f, work_close)
    ADD("open", test_open);
    ADD("workdir", test_workdir);
    ADD("fill", test_fill);
    ADD("fill-obstacles", test_fill_obstacles);
    ADD("fill-replaced", test_fill_replaced);
    ADD("take", test_take);
    ADD("take-hostile", test_take_hostile);
    ADD("take-many", test_take_many);
    ADD("take-heavy", test_take_heavy);
    ADD("skip-many", test_skip_many);
    ADD("take-replaced", test_take_replaced);
    ADD("fresh", test_fresh);
    ADD("fresh-hostile", test_fresh_hostile);
    return g_test_run();
}
