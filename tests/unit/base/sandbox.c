#include "base/sandbox.h"
#include "base/err.h"
#include "tmpdir.h"

/* Stands in for bubblewrap, so that the words can be looked at where there is none. */
static const char works[] = "#!/bin/sh\nexit 0\n";
static const char old[] = "#!/bin/sh\n"
                          "case \"$*\" in *--disable-userns*)\n"
                          "    echo 'bwrap: Unknown option --disable-userns' >&2; exit 1;; esac\n";
static const char refuses[] =
    "#!/bin/sh\n"
    "case \"$*\" in *--unshare-net*) echo 'bwrap: loopback: no' >&2; exit 1;; esac\n"
    "printf 'bwrap: first\\nbwrap: setting up uid map: \\033[1mno\\n' >&2; exit 1\n";

static void
give_bwrap(const TmpDir *dir, const char *script)
{
    if (script)
        tmpdir_write(dir, "bwrap", script, 0755);
    g_autofree char *path = g_strdup_printf("%s:/nowhere", dir->path);
    g_setenv("PATH", path, TRUE);
}

static bool
has(char **argv, const char *words)
{
    g_autofree char *line = g_strjoinv(" ", argv);
    g_autofree char *all = g_strdup_printf(" %s ", line), *part = g_strdup_printf(" %s ", words);
    return strstr(all, part) != NULL;
}

/* What is said about the places below the folder, with its path as "@". */
static char *
places_of(char **argv, const char *folder)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (char **w = argv; *w; w++) {
        if (!g_str_has_prefix(*w, "--") || !w[1])
            continue;
        const char *last = w[2] && !g_str_has_prefix(w[2], "--") ? w[2] : w[1];
        if (!g_str_has_prefix(last, folder))
            continue;
        g_string_append_printf(out, "%s%s", out->len ? " " : "", *w + 2);
        if (last == w[2] && !g_str_equal(w[1], w[2]))
            g_string_append_printf(out, " %s", w[1]);
        g_string_append_printf(out, " @%s", last + strlen(folder));
    }
    g_string_replace(out, folder, "@", 0);
    return g_strdup(out->str);
}

#define SPOTS 6
static const struct {
    const char *name;
    struct {
        SandboxKind kind;
        const char *path, *from; /* from NULL: itself */
    } spots[SPOTS];
    const char *want;
} cases[] = {
    {"one of each",
     {{SANDBOX_WRITE, "a"}, {SANDBOX_READ, "b"}, {SANDBOX_SCRATCH, "c"}, {SANDBOX_HIDE, "d"}},
     "bind @/a ro-bind @/b tmpfs @/c tmpfs @/d remount-ro @/d"},
    {"a folder comes before what lies in it",
     {{SANDBOX_READ, "a/in"}, {SANDBOX_WRITE, "a"}},
     "bind @/a ro-bind @/a/in"},
    {"also where a name sorts between them",
     {{SANDBOX_WRITE, "a/in"}, {SANDBOX_HIDE, "a-b"}, {SANDBOX_HIDE, "a"}},
     "tmpfs @/a bind @/a/in tmpfs @/a-b remount-ro @/a remount-ro @/a-b"},
    {"of two words the stricter counts, whichever came first",
     {{SANDBOX_WRITE, "a"}, {SANDBOX_HIDE, "a"}, {SANDBOX_READ, "b"}, {SANDBOX_WRITE, "b"}},
     "tmpfs @/a ro-bind @/b remount-ro @/a"},
    {"a hidden file is empty", {{SANDBOX_HIDE, "f"}}, "dev-bind /dev/null @/f"},
    {"what is not there is left out",
     {{SANDBOX_HIDE, "none"}, {SANDBOX_WRITE, "a/none"}, {SANDBOX_READ, "none/f"}},
     ""},
    {"nothing is hidden twice",
     {{SANDBOX_HIDE, "a"}, {SANDBOX_HIDE, "a/in"}, {SANDBOX_HIDE, "f"}},
     "tmpfs @/a dev-bind /dev/null @/f remount-ro @/a"},
    {"but what is shown in between is",
     {{SANDBOX_HIDE, "a"}, {SANDBOX_WRITE, "a/in"}, {SANDBOX_HIDE, "a/in/deep"}},
     "tmpfs @/a bind @/a/in tmpfs @/a/in/deep remount-ro @/a remount-ro @/a/in/deep"},
    {"links are followed", {{SANDBOX_HIDE, "link"}}, "tmpfs @/a remount-ro @/a"},
    {"a link out of a hidden folder leads nowhere",
     {{SANDBOX_HIDE, "link/in"}, {SANDBOX_HIDE, "a"}},
     "tmpfs @/a remount-ro @/a"},
    {"something else in its place",
     {{SANDBOX_WRITE, "f", "g"}, {SANDBOX_SCRATCH, "c"}, {SANDBOX_READ, "c/new", "/dev/null"}},
     "tmpfs @/c dev-bind /dev/null @/c/new bind @/g @/f"},
};

static void
make_spots(const TmpDir *dir)
{
    static const char *const folders[] = {"a", "a/in", "a/in/deep", "a-b", "b", "c", "d"};
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++)
        g_assert_cmpint(mkdirat(dir->fd, folders[i], 0700), ==, 0);
    tmpdir_write(dir, "f", "", 0600);
    tmpdir_write(dir, "g", "", 0600);
    g_assert_cmpint(symlinkat("a", dir->fd, "link"), ==, 0);
}

static void
test_places(void)
{
    g_auto(TmpDir) tools = tmpdir_new(), dir = tmpdir_new();
    give_bwrap(&tools, works);
    make_spots(&dir);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Sandbox) s = sandbox_new();
        g_autoptr(GError) error = NULL;
        /* Not beneath /tmp, where nothing needs to be hidden. */
        g_ptr_array_set_size(LIST_ARRAY(s->places), 0);
        for (size_t k = 0; k < SPOTS && cases[i].spots[k].path; k++) {
            const char *from = cases[i].spots[k].from;
            g_autofree char *path = tmpdir_path(&dir, cases[i].spots[k].path);
            g_autofree char *other = from && *from != '/' ? tmpdir_path(&dir, from) : NULL;
            if (from)
                sandbox_put(s, cases[i].spots[k].kind, other ? other : from, path);
            else
                sandbox_add(s, cases[i].spots[k].kind, path);
        }
        g_auto(GStrv) argv = sandbox_argv(s, &error);
        g_assert_no_error(error);
        g_autofree char *got = places_of(argv, dir.path);
        g_test_message("%s", cases[i].name);
        g_assert_cmpstr(got, ==, cases[i].want);
    }
}

/* A link that the program may have made leads nowhere; its own file is seen wherever it is, and stays. */
static void
test_planted(void)
{
    g_auto(TmpDir) tools = tmpdir_new(), dir = tmpdir_new();
    give_bwrap(&tools, works);
    make_spots(&dir);
    tmpdir_write(&dir, "a/run", "", 0700);
    tmpdir_write(&dir, "b/run", "", 0700);
    g_assert_cmpint(symlinkat("../a/run", dir.fd, "b/link"), ==, 0);
    g_assert_cmpint(symlinkat("../a/run", dir.fd, "c/link"), ==, 0);
    g_autofree char *a = tmpdir_path(&dir, "a"), *b = tmpdir_path(&dir, "b");
    g_autofree char *c = tmpdir_path(&dir, "c"), *own = tmpdir_path(&dir, "b/run");
    g_autofree char *planted = tmpdir_path(&dir, "b/link"), *link = tmpdir_path(&dir, "c/link");
    g_autoptr(Sandbox) s = sandbox_new();
    g_ptr_array_set_size(LIST_ARRAY(s->places), 0);
    sandbox_add(s, SANDBOX_HIDE, a);
    sandbox_add(s, SANDBOX_WRITE, b);
    sandbox_add(s, SANDBOX_HIDE, c);
    sandbox_add_in(s, SANDBOX_READ, b, "link");
    sandbox_add_in(s, SANDBOX_READ, b, "none");
    sandbox_add_program(s, planted);
    sandbox_add_program(s, own);
    g_auto(GStrv) without = sandbox_argv(s, NULL);
    g_autofree char *before = places_of(without, dir.path);
    g_assert_cmpstr(before, ==,
                    "tmpfs @/a bind @/b ro-bind @/b/run tmpfs @/c remount-ro @/a remount-ro @/c");
    sandbox_add_program(s, link);
    g_auto(GStrv) with = sandbox_argv(s, NULL);
    g_autofree char *after = places_of(with, dir.path);
    g_assert_cmpstr(after, ==,
                    "tmpfs @/a ro-bind @/a/run bind @/b ro-bind @/b/run tmpfs @/c "
                    "ro-bind @/a/run @/c/link remount-ro @/a remount-ro @/c");
}

/* What every wall has, as one row each: a wall without it is none. */
static const char *const always[] = {
    "--unshare-user", "--unshare-pid",  "--unshare-ipc", "--cap-drop ALL",   "--die-with-parent",
    "--new-session",  "--ro-bind / /",  "--dev /dev",    "--proc /proc",     "--remount-ro /proc", "--tmpfs /tmp",
    "--tmpfs /run",   "--disable-userns", "keyring=new --",
};

static void
test_always(void)
{
    g_auto(TmpDir) tools = tmpdir_new();
    give_bwrap(&tools, works);
    for (int net = 0; net < 2; net++) {
        g_autoptr(Sandbox) s = sandbox_new();
        s->net = net;
        g_auto(GStrv) argv = sandbox_argv(s, NULL);
        g_assert_nonnull(argv);
        for (size_t i = 0; i < G_N_ELEMENTS(always); i++) {
            g_test_message("%s", always[i]);
            g_assert_true(has(argv, always[i]));
        }
        g_assert_true(has(argv, "--unshare-net") == !net);
        g_assert_cmpstr(argv[g_strv_length(argv) - 1], ==, "--");
    }
}

/* Beneath /tmp: only what is shown is made in the fresh one. */
static void
test_tmp(void)
{
    g_auto(TmpDir) tools = tmpdir_new(), dir = tmpdir_new();
    give_bwrap(&tools, works);
    make_spots(&dir);
    g_autofree char *hidden = tmpdir_path(&dir, "a"), *shown = tmpdir_path(&dir, "a/in");
    g_autoptr(Sandbox) s = sandbox_new();
    sandbox_add(s, SANDBOX_HIDE, hidden);
    sandbox_add(s, SANDBOX_WRITE, shown);
    g_auto(GStrv) argv = sandbox_argv(s, NULL);
    g_autofree char *got = places_of(argv, dir.path);
    g_assert_cmpstr(got, ==, g_str_has_prefix(dir.path, "/tmp/")
                                 ? "bind @/a/in"
                                 : "tmpfs @/a bind @/a/in remount-ro @/a");
}

static void
test_old(void)
{
    g_auto(TmpDir) tools = tmpdir_new();
    give_bwrap(&tools, old);
    g_autoptr(Sandbox) s = sandbox_new();
    g_auto(GStrv) argv = sandbox_argv(s, NULL);
    g_assert_nonnull(argv);
    g_assert_false(has(argv, "--disable-userns"));
    g_assert_true(has(argv, "--unshare-user"));
}

static void
test_missing(void)
{
    g_auto(TmpDir) tools = tmpdir_new();
    give_bwrap(&tools, NULL);
    g_autoptr(Sandbox) s = sandbox_new();
    g_autoptr(GError) error = NULL;
    g_assert_cmpstr(sandbox_lacks(true), ==, "there is no bubblewrap (bwrap) in PATH");
    g_assert_null(sandbox_argv(s, &error));
    g_assert_true(err_is(error, ERR_CONFIG));
}

static void
test_refuses(void)
{
    g_auto(TmpDir) tools = tmpdir_new();
    give_bwrap(&tools, refuses);
    g_assert_cmpstr(sandbox_lacks(true), ==,
                    "bubblewrap does not work here: setting up uid map: \\x1b[1mno");
    g_assert_cmpstr(sandbox_lacks(false), ==, "bubblewrap does not work here: loopback: no");
    tmpdir_write(&tools, "bwrap", works, 0755); /* tried once */
    g_assert_nonnull(sandbox_lacks(true));
}

/* What a process has found out it keeps, so that each test has one of its own. */
static void
in_child(const void *data)
{
    void (*test)(void) = *(void (*const *)(void))data;
    if (g_test_subprocess()) {
        test();
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
}

int
main(int argc, char **argv)
{
    static void (*const tests[])(void) = {test_places, test_planted, test_always, test_tmp,
                                          test_old,    test_missing, test_refuses};
    static const char *const names[] = {"places", "planted", "always", "tmp",
                                        "old",    "missing", "refuses"};
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_autofree char *name = g_strdup_printf("/sandbox/%s", names[i]);
        g_test_add_data_func(name, &tests[i], in_child);
    }
    return g_test_run();
}
