#include "plan/file/project.h"
#include "../base/tmpdir.h"

static void
make(const TmpDir *dir, const char *path, const char *content)
{
    g_autofree char *whole = g_build_filename(dir->path, path, NULL);
    g_autofree char *folder = content ? g_path_get_dirname(whole) : g_strdup(whole);

    g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
    if (content)
        g_assert_true(g_file_set_contents(whole, content, -1, NULL));
}

static void
test_find(void)
{
    static const struct {
        const char *from, *want, *want_branch;
    } rows[] = {
        {"repo", "repo", "main"},
        {"repo/deep/er", "repo", "main"},
        {"repo/part/below", "repo/part", "main"},
        {"repo/tree/x", "repo/tree", "feature/x"}, /* a work tree within the other one */
        {"repo/sub/x", "repo", "main"},            /* a submodule belongs to what is around it */
        {"bare/x", "bare", ""},
        {"fresh/x", "fresh", "0123456789012345678901234567890123456789"},
        {"other/sub/x", "other/sub", "s"}, /* of a repository without plans: its own top level */
    };
    g_auto(TmpDir) dir = tmpdir_new();

    make(&dir, "repo/.git/HEAD", "ref: refs/heads/main\n");
    make(&dir, "repo/.pilot", NULL);
    make(&dir, "repo/deep/er", NULL);
    make(&dir, "repo/part/.pilot", NULL);
    make(&dir, "repo/part/below", NULL);
    make(&dir, "repo/tree/.git", "gitdir: ../.git/worktrees/tree\n");
    make(&dir, "repo/.git/worktrees/tree/HEAD", "ref: refs/heads/feature/x\n");
    make(&dir, "repo/tree/x", NULL);
    make(&dir, "repo/sub/.git", "gitdir: ../.git/modules/sub\n");
    make(&dir, "repo/sub/x", NULL);
    make(&dir, "bare/.pilot", NULL);
    make(&dir, "bare/x", NULL);
    make(&dir, "fresh/.git/HEAD", "0123456789012345678901234567890123456789\n");
    make(&dir, "fresh/x", NULL);
    make(&dir, "other/.git/HEAD", "ref: refs/heads/main\n");
    make(&dir, "other/.git/modules/sub/HEAD", "ref: refs/heads/s\n");
    make(&dir, "other/sub/.git", "gitdir: ../.git/modules/sub\n");
    make(&dir, "other/sub/x", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *from = g_build_filename(dir.path, rows[i].from, NULL);
        g_autofree char *want = g_build_filename(dir.path, rows[i].want, NULL);
        g_autoptr(Project) project = NULL;

        g_assert_true(project_find(from, false, &project, NULL));
        g_assert_cmpstr(project->path, ==, want);
        g_autofree char *branch = project_branch(project);
        g_assert_cmpstr(branch, ==, rows[i].want_branch);
    }
}

static void
test_branches(void)
{
    static const struct {
        const char *plan, *now;
        bool want;
    } rows[] = {
        {"main", "main", true},
        {"main", "dev", false},
        {"", "dev", true},
        {"main", "", true},
        {"main", "0123456789012345678901234567890123456789", false},
        {"0123456789012345678901234567890123456789", "abcdefabcdefabcdefabcdefabcdefabcdefabcd", true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        g_assert_cmpint(project_branch_fits(rows[i].plan, rows[i].now), ==, rows[i].want);
}

static void
test_paths(void)
{
    static const struct {
        const char *typed, *want; /* NULL: refused */
    } rows[] = {
        {"a.md", "sub/a.md"}, {"./a.md", "sub/a.md"}, {"../a.md", NULL}, {"b/../a.md", NULL},
        {"/etc/passwd", NULL}, {"", NULL},            {"\377", NULL},    {"...", "sub/..."},
    };
    g_auto(TmpDir) dir = tmpdir_new();
    g_autoptr(Project) project = NULL;
    g_autofree char *from = g_build_filename(dir.path, "sub", NULL);

    g_assert_true(project_find(dir.path, true, &project, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = project_path(project, from, rows[i].typed, NULL);
        g_assert_cmpstr(path, ==, rows[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/project/find", test_find);
    g_test_add_func("/project/branches", test_branches);
    g_test_add_func("/project/paths", test_paths);
    return g_test_run();
}
