#include "engine/tree/tree_twin.h"
#include "base/limits.h"
#include "engine/run/workplace.h"
#include "engine/tree/tree_internal.h"

void
tree_twin_free(TreeTwin *t)
{
    if (!t)
        return;
    git_repo_free(t->repo);
    free_all(t->path, t->commit, t->prefix, t);
}

bool
tree_twin_open(
    Engine *engine, const Job *job, const char *folder, TreeTwin **ret, GError **error)
{
    g_autoptr(TreeRow) row = NULL;
    g_autoptr(GitRepo) repo = NULL;

    *ret = NULL;
    if (!tree_find(engine->db, job->id, &row, error))
        return false;
    if (!row || row->state != TREE_MADE)
        return true;
    if (!git_find(engine->home, folder, &repo, error))
        return false;
    if (!repo || !g_str_equal(repo->common, row->repo))
        return true;
    g_autofree char *work = workplace_path(engine->home, job);
    TreeTwin *t = g_new0(TreeTwin, 1);
    t->path = g_build_filename(work, TREE_FOLDER, repo->prefix, NULL);
    t->prefix = *repo->prefix ? g_strconcat(repo->prefix, "/", NULL) : g_strdup("");
    t->commit = g_strdup(row->base);
    t->repo = g_steal_pointer(&repo);
    *ret = t;
    return true;
}

/* Without an index every file is a new one. */
bool
tree_twin_names(const TreeTwin *t, GBytes **ret, GError **error)
{
    g_autofree char *none = g_build_filename(t->repo->ours, "no-index", NULL);
    const GitCall call = {
        .repo = t->repo, .content = true, .work_tree = t->path, .index = none, .max = GIT_OUTPUT_MAX};

    return git_run(&call,
                   GIT_ARGS("ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"), ret,
                   error);
}

bool
tree_twin_before(const TreeTwin *t, const char *path, GBytes **ret, GError **error)
{
    g_autofree char *name = g_strconcat(t->commit, ":", t->prefix, path, NULL), *id = NULL;
    int status = 0;
    GitCall call = {.repo = t->repo, .content = true, .ret_status = &status};

    *ret = NULL;
    if (!git_line(&call, GIT_ARGS("rev-parse", "--verify", "-q", name), &id, error))
        return false;
    if (status != 0)
        return true;
    call.ret_status = NULL;
    call.max = LIMIT_MESSAGE_BYTES;
    return git_run(&call, GIT_ARGS("cat-file", "blob", id), ret, error);
}
