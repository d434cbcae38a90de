/*
 * What a program left uncommitted becomes a commit of the role's: new files that are not
 * ignored, changed and removed ones, and what it had staged. By plumbing, in the git folder
 * of ours, so no hook, filter or signature has a part in it; the branch moves last, by a
 * compare and swap.
 *
 * A program may have gone to another branch, or have no branch at all: wherever its HEAD
 * is, the job's branch follows, and the worktree is on it again. In the middle of a merge
 * or a rebase nothing is committed: half of one is nothing to review.
 */
#include "base/crash.h"
#include "base/file.h"
#include "engine/tree/tree_internal.h"

#define SUBJECT_CHARS 72u
#define NAMES_BYTES GIT_OUTPUT_MAX
#define TRIES 2
#define REFS "refs/heads/"

/* Git's marks of something that is not finished, in the folder of a worktree. */
static const char *const unfinished[] = {"MERGE_HEAD",   "CHERRY_PICK_HEAD", "REVERT_HEAD",
                                         "rebase-merge", "rebase-apply",     "BISECT_LOG"};

static void
leave(Tree *t, const char *what, const char *why)
{
    g_autofree char *before = g_steal_pointer(&t->left);
    g_autofree char *visible = text_vis(what, false);
    t->left = g_strconcat(before ? before : "", before ? "; " : "", visible, why, NULL);
}

bool
tree_is_unfinished(const char *git_dir)
{
    for (size_t i = 0; i < G_N_ELEMENTS(unfinished); i++) {
        g_autofree char *path = g_build_filename(git_dir, unfinished[i], NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return true;
    }
    return false;
}

/* --- HEAD --- */

/* The HEAD of the worktree, read as a file: the program may have changed the folder around
 * it. */
static char *
read_head(const Tree *t)
{
    auto_fd dir = dir_open(t->admin, NULL);
    g_autoptr(GBytes) bytes = NULL;

    if (!file_read(dir, "HEAD", 4096, &bytes, NULL) || !bytes)
        return NULL;
    return g_strchomp(text_from_bytes(bytes));
}

/* *ret NULL: it names no commit. *ret_own: it is on the job's branch. */
static bool
find_head(const Tree *t, char **ret, bool *ret_own, GError **error)
{
    g_autofree char *said = read_head(t), *what = NULL;
    g_autofree char *own = g_strconcat("ref: " REFS, t->row->branch, NULL);
    int status = 0;
    const GitCall call = {.repo = t->repo, .ret_status = &status};

    *ret = NULL;
    *ret_own = g_strcmp0(said, own) == 0;
    if (!said || *said == '-')
        return true;
    what = g_strconcat(g_str_has_prefix(said, "ref: ") ? said + strlen("ref: ") : said,
                       "^{commit}", NULL);
    if (!git_line(&call, GIT_ARGS("rev-parse", "--verify", "-q", what), ret, error))
        return false;
    if (status != 0)
        g_clear_pointer(ret, g_free);
    return true;
}

/* from: what it is at now. */
static bool
move_branch(const Tree *t, const char *to, const char *from, const char *why, GError **error)
{
    g_autofree char *ref = g_strconcat(REFS, t->row->branch, NULL);
    const GitCall call = {.repo = t->repo};
    return git_run(&call, GIT_ARGS("update-ref", "-m", why, ref, to, from), NULL, error);
}

/* The worktree stands on the job's branch again, which is where its HEAD was. */
static bool
come_back(Tree *t, const char *head, GError **error)
{
    g_autofree char *at = NULL;
    g_autofree char *line = g_strdup_printf("ref: " REFS "%s\n", t->row->branch);
    auto_fd dir = dir_open(t->admin, error);

    return dir >= 0 && tree_head(t->repo, t->row, &at, error) &&
           move_branch(t, head, at ? at : "", "postrider: follows HEAD", error) &&
           file_replace(dir, "HEAD", line, strlen(line), 0644, error);
}

/* --- what is there --- */

static GitCall
content(const Tree *t)
{
    return (GitCall){.repo = t->repo,
                     .content = true,
                     .work_tree = t->path,
                     .index = t->index,
                     .max = NAMES_BYTES};
}

/* The person's own list of files that no repository wants; NULL: there is none. */
static char *
user_ignores(const Tree *t)
{
    int status = 0;
    const GitCall call = {.repo = t->repo, .users = true, .ret_status = &status};
    g_autofree char *path = NULL;

    if (!git_line(&call,
                  GIT_ARGS("config", "--global", "--type=path", "--get", "core.excludesFile"),
                  &path, NULL) ||
        status != 0 || !*path) {
        g_free(path);
        path = g_build_filename(g_get_user_config_dir(), "git", "ignore", NULL);
    }
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer(&path) : NULL;
}

static bool
list_new(const Tree *t, GBytes **ret, GError **error)
{
    const GitCall call = content(t);
    g_autofree char *own = g_build_filename(t->repo->common, "info", "exclude", NULL);
    g_autofree char *users = user_ignores(t);
    g_autofree char *by_own = g_strconcat("--exclude-from=", own, NULL);
    g_autofree char *by_users = users ? g_strconcat("--exclude-from=", users, NULL) : NULL;
    bool has_own = g_file_test(own, G_FILE_TEST_IS_REGULAR);
    const char *args[] = {"ls-files", "-z", "--others", "--exclude-per-directory=.gitignore",
                          NULL,       NULL, NULL};
    unsigned n = 4;

    if (has_own)
        args[n++] = by_own;
    if (by_users)
        args[n++] = by_users;
    return git_run(&call, args, ret, error);
}

/* Names, each with a NUL behind it, but for repositories within the tree: they end with a
 * slash. */
static void
add_names(Tree *t, GBytes *names, GByteArray *to)
{
    gsize len;
    const char *p = g_bytes_get_data(names, &len), *end = p + len;
    unsigned within = 0;

    while (p < end) {
        size_t size = strnlen(p, (size_t)(end - p)) + 1;
        if (size > 1 && p[size - 2] != '/')
            g_byte_array_append(to, (const guint8 *)p, (guint)size);
        else if (size > 1 && within++ == 0)
            leave(t, p, " is a repository of its own");
        p += size;
    }
}

static bool
list_left(Tree *t, GBytes **ret, GError **error)
{
    const GitCall call = content(t);
    g_autoptr(GBytes) changed = NULL, fresh = NULL;
    g_autoptr(GByteArray) names = g_byte_array_new();

    if (!git_run(&call,
                 GIT_ARGS("diff-files", "-z", "--name-only", "--ignore-submodules=dirty"),
                 &changed, error) ||
        !list_new(t, &fresh, error))
        return false;
    add_names(t, changed, names);
    add_names(t, fresh, names);
    *ret = g_byte_array_free_to_bytes(g_steal_pointer(&names));
    return true;
}

/* --- the commit --- */

static char *
message_of(const Job *job)
{
    g_autofree char *visible = text_vis(job->subject ? job->subject : "", false);
    g_autofree char *brief = text_shorten(g_strstrip(visible), SUBJECT_CHARS);

    if (!*brief)
        return g_strdup_printf("Work of job %" G_GINT64_FORMAT "\n", job->id.v);
    return g_strdup_printf("%s\n\nWhat job %" G_GINT64_FORMAT
                           " left uncommitted, committed by postrider.\n",
                           brief, job->id.v);
}

static char **
identity(const Tree *t, const ConfRole *role)
{
    int64_t now = home_now(t->engine->home) / USEC_PER_SEC;
    char **env = g_environ_setenv(NULL, "GIT_AUTHOR_NAME", role->display, TRUE);
    g_autofree char *date = g_strdup_printf("@%" G_GINT64_FORMAT " +0000", now);

    env = g_environ_setenv(env, "GIT_AUTHOR_EMAIL", role->address, TRUE);
    env = g_environ_setenv(env, "GIT_AUTHOR_DATE", date, TRUE);
    env = g_environ_setenv(env, "GIT_COMMITTER_NAME", role->display, TRUE);
    env = g_environ_setenv(env, "GIT_COMMITTER_EMAIL", role->address, TRUE);
    return g_environ_setenv(env, "GIT_COMMITTER_DATE", date, TRUE);
}

bool
tree_commit_object(const Tree *t,
                   const Job *job,
                   const ConfRole *role,
                   const char *tree,
                   const char *parent,
                   char **ret,
                   GError **error)
{
    g_auto(GStrv) env = identity(t, role);
    g_autofree char *text = message_of(job);
    g_autoptr(GBytes) message = g_bytes_new(text, strlen(text));
    const GitCall call = {
        .repo = t->repo, .content = true, .input = message, .env = (const char *const *)env};
    return git_line(&call, GIT_ARGS("commit-tree", "-p", parent, "-F", "-", tree), ret, error);
}

/* Everything into the index, the index into a tree. */
static bool
write_tree(Tree *t, GBytes *names, char **ret, GError **error)
{
    GitCall call = content(t);

    if (g_bytes_get_size(names) > 0) {
        call.input = names;
        if (!git_run(&call, GIT_ARGS("update-index", "-z", "--add", "--remove", "--stdin"),
                     NULL, error))
            return false;
        call.input = NULL;
    }
    CRASH_POINT("tree-staged");
    return git_line(&call, GIT_ARGS("write-tree"), ret, error);
}

static bool
commit_all(Tree *t, const Job *job, const ConfRole *role, GBytes *names, GError **error)
{
    const GitCall call = {.repo = t->repo, .content = true};
    g_autofree char *tree = NULL, *before = NULL, *commit = NULL;
    g_autofree char *what = g_strconcat(t->head, "^{tree}", NULL);

    if (!write_tree(t, names, &tree, error) ||
        !git_line(&call, GIT_ARGS("rev-parse", "--verify", what), &before, error))
        return false;
    if (g_str_equal(tree, before))
        return true;
    if (!tree_commit_object(t, job, role, tree, t->head, &commit, error))
        return false;
    CRASH_POINT("tree-committed");
    if (!move_branch(t, commit, t->head, "postrider: what was left", error))
        return false;
    CRASH_POINT("tree-moved");
    g_free(t->head);
    t->head = g_steal_pointer(&commit);
    return true;
}

static bool
commit_left(Tree *t, const Job *job, const ConfRole *role, GError **error)
{
    g_autoptr(GBytes) names = NULL;
    bool own;

    if (tree_is_unfinished(t->admin)) {
        leave(t, "", "it left a merge or a rebase unfinished in its worktree");
        return tree_head(t->repo, t->row, &t->head, error);
    }
    if (!find_head(t, &t->head, &own, error))
        return false;
    if (!t->head) {
        leave(t, "HEAD", " of its worktree names no commit");
        return tree_head(t->repo, t->row, &t->head, error);
    }
    if ((!own && !come_back(t, t->head, error)) || !git_unsplit(t->repo, t->admin, error) ||
        !list_left(t, &names, error))
        return false;
    if (role->commit)
        return commit_all(t, job, role, names, error);
    if (g_bytes_get_size(names) > 0)
        leave(t, "", "what it left stays in its worktree");
    return true;
}

void
tree_commit(Tree *t, const Job *job, const ConfRole *role)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *text = NULL;

    for (int i = 0; i < TRIES; i++) { /* a git that somebody killed leaves locks, and no harm */
        tree_break_locks(t);
        g_clear_pointer(&t->left, g_free);
        g_clear_pointer(&t->head, g_free);
        g_clear_error(&why);
        if (commit_left(t, job, role, &why))
            return;
    }
    text = g_strdup_printf("what it left stays in its worktree: %s", why->message);
    leave(t, text, "");
    if (!t->head) /* what was committed before can be told all the same */
        (void)tree_head(t->repo, t->row, &t->head, NULL);
}
