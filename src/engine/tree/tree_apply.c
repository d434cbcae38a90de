#include "engine/tree/tree_apply.h"
#include "engine/tree/tree_internal.h"

#define REFS "refs/heads/"
#define NAMES_BYTES (4u << 20)
#define NAMED_MAX 10u /* files with conflicts that are named */

typedef struct Apply {
    GitRepo *repo;
    char *top, *index; /* of the work tree */
    char *ref;         /* that is checked out */
    char *head, *work; /* commits: of ref, of the job's branch */
    const char *branch;
} Apply;

static void
apply_clear(Apply *a)
{
    git_repo_free(a->repo);
    free_all(a->top, a->index, a->ref, a->head, a->work);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Apply, apply_clear)

void
tree_applied_clear(TreeApplied *a)
{
    free_all(a->into, a->before, a->after);
}

static GitCall
content(const Apply *a)
{
    return (GitCall){.repo = a->repo,
                     .content = true,
                     .work_tree = a->top,
                     .index = a->index,
                     .max = NAMES_BYTES};
}

/* The root of the work tree that the folder lies in. Caller frees. */
static char *
find_top(const char *folder, const char *prefix)
{
    g_autofree char *real = realpath(folder, NULL);

    if (real && *prefix && g_str_has_suffix(real, prefix))
        real[strlen(real) - strlen(prefix) - 1] = '\0';
    return g_strdup(real ? real : folder);
}

static bool
find_places(Apply *a, const Home *home, const char *folder, const TreeRow *row, GError **error)
{
    if (!git_find(home, folder, &a->repo, error))
        return false;
    if (!a->repo || !g_str_equal(a->repo->common, row->repo))
        return err_set(error, ERR_NEVER, "'%s' is not of the repository '%s' any more", folder,
                       row->repo);
    if (a->repo->bare)
        return err_set(error, ERR_NEVER,
                       "'%s' is a bare repository: nothing is checked out there", folder);
    a->top = find_top(folder, a->repo->prefix);
    a->index = g_build_filename(a->repo->own, "index", NULL);
    return true;
}

static bool
find_commits(Apply *a, const TreeRow *row, GError **error)
{
    int status = 0;
    const GitCall call = {.repo = a->repo, .git_dir = a->repo->own, .ret_status = &status};

    if (!git_line(&call, GIT_ARGS("symbolic-ref", "-q", "HEAD"), &a->ref, error))
        return false;
    if (status != 0 || !g_str_has_prefix(a->ref, REFS))
        return err_set(error, ERR_NEVER, "no branch is checked out in '%s'", a->top);
    if (!git_line(&call, GIT_ARGS("rev-parse", "--verify", "-q", "HEAD^{commit}"), &a->head,
                  error) ||
        !tree_head(a->repo, row, &a->work, error))
        return false;
    if (!a->work)
        return err_set(error, ERR_NEVER, "there is no branch '%s' any more", row->branch);
    return status == 0 || err_set(error, ERR_NEVER, "'%s' has no commit yet", a->top);
}

/* Neither files nor index differ from HEAD, and no merge is half done. Files that nobody
 * added do not count: where the merge would write over one, it is refused. */
static bool
check_clean(const Apply *a, GError **error)
{
    int changed = 0, staged = 0;
    GitCall call = content(a);

    if (!git_unsplit(a->repo, a->repo->own, error))
        return false;
    call.ret_status = &changed;
    if (!git_run(&call, GIT_ARGS("update-index", "--refresh"), NULL, error))
        return false;
    call.ret_status = &staged;
    if (!git_run(
            &call,
            GIT_ARGS("diff-index", "--cached", "--quiet", "--ignore-submodules=dirty", a->head),
            NULL, error))
        return false;
    if (!changed && !staged && !tree_is_unfinished(a->repo->own))
        return true;
    return err_set(
        error, ERR_LATER,
        "there are changes in '%s' that are not committed: commit or stash them first", a->top);
}

/* Names the files with conflicts, which git prints behind the tree. */
static bool
say_conflict(const Apply *a, char **names, GError **error)
{
    g_autoptr(GString) list = g_string_new(NULL);
    unsigned n = 0;

    for (char **name = names; *name && **name; name++, n++) {
        g_autofree char *visible = text_vis(*name, false);
        if (n < NAMED_MAX)
            g_string_append_printf(list, "%s%s", n ? ", " : "", visible);
    }
    return err_set(error, ERR_NEVER,
                   "'%s' can't be merged, with conflicts in %s%s; nothing has changed",
                   a->branch, list->str, n > NAMED_MAX ? ", …" : "");
}

static bool
make_merge(const Apply *a, char **ret, GError **error)
{
    int status = 0;
    const GitCall call = {
        .repo = a->repo, .content = true, .max = NAMES_BYTES, .ret_status = &status};
    const GitCall by_person = {.repo = a->repo, .git_dir = a->repo->own, .users = true};
    g_autofree char *out = NULL;
    g_autofree char *message = g_strdup_printf("Merge branch '%s'", a->branch);

    if (!git_line(&call,
                  GIT_ARGS("merge-tree", "--write-tree", "--name-only", "--no-messages",
                           a->head, a->work),
                  &out, error))
        return false;
    g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
    if (status != 0)
        return say_conflict(a, lines[0] ? lines + 1 : lines, error);
    return git_line(
        &by_person,
        GIT_ARGS("commit-tree", "-p", a->head, "-p", a->work, "-m", message, lines[0]), ret,
        error);
}

static bool
find_result(const Apply *a, char **ret, GError **error)
{
    bool has, forward;

    if (!tree_is_within(a->repo, a->work, a->head, &has, error) ||
        !tree_is_within(a->repo, a->head, a->work, &forward, error))
        return false;
    if (!has && !forward)
        return make_merge(a, ret, error);
    *ret = g_strdup(has ? a->head : a->work);
    return true;
}

/* Files first: git refuses where one is in the way. Then the branch; where somebody has
 * moved it meanwhile, the files go back. */
static bool
put(const Apply *a, const char *commit, GError **error)
{
    const GitCall call = content(a), refs = {.repo = a->repo, .git_dir = a->repo->own};
    g_autofree char *why = g_strdup_printf("postrider: merge %s", a->branch);

    if (!git_run(&call, GIT_ARGS("read-tree", "-m", "-u", a->head, commit), NULL, error))
        return false;
    if (git_run(&refs, GIT_ARGS("update-ref", "-m", why, a->ref, commit, a->head), NULL, error))
        return true;
    (void)git_run(&call, GIT_ARGS("read-tree", "-m", "-u", commit, a->head), NULL, NULL);
    return false;
}

bool
tree_apply(
    const Home *home, const char *folder, const TreeRow *row, TreeApplied *ret, GError **error)
{
    g_auto(Apply) a = {.branch = row->branch};
    g_autofree char *commit = NULL;

    if (!find_places(&a, home, folder, row, error) || !find_commits(&a, row, error) ||
        !check_clean(&a, error) || !find_result(&a, &commit, error))
        return false;
    if (!g_str_equal(commit, a.head) && !put(&a, commit, error))
        return false;
    *ret = (TreeApplied){.into = g_strdup(a.ref + strlen(REFS)),
                         .before = g_steal_pointer(&a.head),
                         .after = g_steal_pointer(&commit)};
    return true;
}
