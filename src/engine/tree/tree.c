#include "base/crash.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/run/workplace.h"
#include "engine/tree/tree_internal.h"
#include <fcntl.h>

#define BRANCHES "refs/heads/"
#define NAMES_MAX 1000      /* postrider/12-1000: somebody makes them faster than we look */
#define WORKTREES_MAX 10000 /* of one repository that are looked at */
#define LINK_MAX (16u << 10)
#define NAMES_AT_ONCE 10000u /* that are removed in one go */

void
tree_free(Tree *t)
{
    if (!t)
        return;
    git_repo_free(t->repo);
    tree_row_free(t->row);
    free_all(t->path, t->admin, t->index, t->head, t->left, t);
}

char *
tree_cwd(const Tree *t)
{
    return *t->row->prefix ? g_build_filename(t->path, t->row->prefix, NULL)
                           : g_strdup(t->path);
}

bool
tree_place(Engine *engine, const Job *job, char **ret, GError **error)
{
    g_autoptr(TreeRow) row = NULL;
    *ret = NULL;
    if (!tree_find(engine->db, job->id, &row, error))
        return false;
    if (!row || row->state != TREE_MADE)
        return true;
    g_autofree char *work = workplace_path(engine->home, job);
    g_autofree char *place = g_build_filename(work, TREE_FOLDER, row->prefix, NULL);
    if (g_file_test(place, G_FILE_TEST_IS_DIR))
        *ret = g_steal_pointer(&place);
    return true;
}

static bool
save(Tree *t, TxnFlush flush, GError **error)
{
    g_auto(Txn) txn = {.db = t->engine->db, .flush = flush};
    while (txn_again(&txn, error))
        txn.ok = tree_save(&txn, t->job, t->row, error);
    return txn.done;
}

/* --- commits and branches --- */

/* The id of a commit; NULL with true: there is none of this name. */
static bool
find_commit(const GitCall *call, const char *name, char **ret, GError **error)
{
    g_autofree char *what = g_strconcat(name, "^{commit}", NULL);
    GitCall quiet = *call;
    int status = 0;

    quiet.ret_status = &status;
    if (!git_line(&quiet, GIT_ARGS("rev-parse", "--verify", "-q", what), ret, error))
        return false;
    if (status != 0)
        g_clear_pointer(ret, g_free);
    return true;
}

bool
tree_head(const GitRepo *repo, const TreeRow *row, char **ret, GError **error)
{
    g_autofree char *ref = g_strconcat(BRANCHES, row->branch, NULL);
    const GitCall call = {.repo = repo};
    return find_commit(&call, ref, ret, error);
}

bool
tree_base(const GitRepo *repo, const ConfRole *role, char **ret, GError **error)
{
    const GitCall call = {.repo = repo, .git_dir = repo->own};
    bool named = role->base && *role->base;
    const char *name = named ? role->base : "HEAD";

    *ret = NULL;
    if (*name != '-' && !find_commit(&call, name, ret, error))
        return false;
    if (*ret)
        return true;
    if (named)
        return err_set(error, ERR_CONFIG, "role '%s': base '%s' names no commit in '%s'",
                       role->name, role->base, repo->common);
    return err_set(
        error, ERR_CONFIG,
        "role '%s': the repository '%s' has no commit yet that work could begin from",
        role->name, repo->common);
}

/* *ret is true when the folder is a part of this commit. */
static bool
has_folder(const GitRepo *repo, const char *commit, bool *ret, GError **error)
{
    const GitCall call = {.repo = repo, .content = true};
    g_autofree char *line = NULL;

    *ret = true;
    if (!*repo->prefix)
        return true;
    if (!git_line(&call, GIT_ARGS("ls-tree", "-d", "--full-tree", commit, "--", repo->prefix),
                  &line, error))
        return false;
    *ret = *line != '\0';
    return true;
}

/* The first name that no branch has. */
static bool
choose_name(Tree *t, GError **error)
{
    const GitCall call = {.repo = t->repo};

    for (int n = 1; n <= NAMES_MAX; n++) {
        g_autofree char *name =
            n == 1 ? g_strdup_printf("postrider/%" G_GINT64_FORMAT, t->job.v)
                   : g_strdup_printf("postrider/%" G_GINT64_FORMAT "-%d", t->job.v, n);
        g_autofree char *ref = g_strconcat(BRANCHES, name, NULL), *there = NULL;
        if (!find_commit(&call, ref, &there, error))
            return false;
        if (there)
            continue;
        g_free(t->row->branch);
        t->row->branch = g_steal_pointer(&name);
        t->row->ours = false;
        return true;
    }
    return err_set(error, ERR_CONFIG, "'%s' has too many branches postrider/%" G_GINT64_FORMAT,
                   t->repo->common, t->job.v);
}

/* Only where there is none of that name. */
static bool
make_branch(const Tree *t, const char *at, GError **error)
{
    g_autofree char *ref = g_strconcat(BRANCHES, t->row->branch, NULL);
    const GitCall call = {.repo = t->repo};
    return git_run(
        &call,
        GIT_ARGS("update-ref", "--create-reflog", "-m", "postrider: job begins", ref, at, ""),
        NULL, error);
}

/* The branch of the row is there, and ours. A row that is not sure may find what it made
 * before it died, or what somebody else has made since. */
static bool
ensure_branch(Tree *t, const char *base, GError **error)
{
    g_autofree char *at = NULL;

    if (!tree_head(t->repo, t->row, &at, error))
        return false;
    if (at && (t->row->ours || g_str_equal(at, t->row->base))) {
        t->row->ours = true;
        return true;
    }
    if (at && !choose_name(t, error))
        return false;
    if (!at && t->row->ours) { /* somebody is done with it: what comes now is new work */
        g_free(t->row->base);
        t->row->base = g_strdup(base);
        g_clear_pointer(&t->row->told, g_free);
    }
    t->row->state = TREE_BEGUN;
    if (!save(t, TXN_DURABLE, error))
        return false;
    CRASH_POINT("tree-chosen");
    tree_break_locks(t);
    if (!make_branch(t, t->row->base, error))
        return false;
    t->row->ours = true;
    CRASH_POINT("tree-branched");
    return true;
}

/* --- the folder in the repository --- */

static char *
read_line(const char *folder, const char *name)
{
    auto_fd dir = dir_open(folder, NULL);
    g_autoptr(GBytes) bytes = NULL;

    if (dir < 0 || !file_read(dir, name, LINK_MAX, &bytes, NULL) || !bytes)
        return NULL;
    return g_strchomp(text_from_bytes(bytes));
}

/* The folder in which the repository keeps what it knows of the worktree at path; a file in it
 * leads back to path. NULL: the repository knows no such worktree. Caller frees. */
static char *
admin_of(const GitRepo *repo, const char *path)
{
    g_autofree char *all = g_build_filename(repo->common, "worktrees", NULL);
    g_autofree char *want = g_build_filename(path, ".git", NULL);
    g_autoptr(GDir) dir = g_dir_open(all, 0, NULL);
    const char *name;

    for (int n = 0; dir && n < WORKTREES_MAX && (name = g_dir_read_name(dir)); n++) {
        g_autofree char *admin = g_build_filename(all, name, NULL);
        g_autofree char *leads = read_line(admin, "gitdir");
        if (g_strcmp0(leads, want) == 0)
            return g_steal_pointer(&admin);
    }
    return NULL;
}

static void
find_admin(Tree *t)
{
    g_clear_pointer(&t->admin, g_free);
    g_clear_pointer(&t->index, g_free);
    t->admin = admin_of(t->repo, t->path);
    if (t->admin)
        t->index = g_build_filename(t->admin, "index", NULL);
}

/* The repository forgets the worktree in this folder. `git worktree remove` would do the
 * same, but refuses where half of it is missing, and takes the folder along. */
static bool
forget_worktree(const GitRepo *repo, const char *path, GError **error)
{
    g_autofree char *admin = admin_of(repo, path);
    g_autofree char *all = admin ? g_path_get_dirname(admin) : NULL;
    g_autofree char *name = admin ? g_path_get_basename(admin) : NULL;

    if (!admin)
        return true;
    auto_fd dir = dir_open(all, error);
    if (dir < 0)
        return false;
    while (dir_remove(dir, name, NAMES_AT_ONCE) > 0)
        ;
    return !g_file_test(admin, G_FILE_TEST_EXISTS) ||
           err_set(error, ERR_CONFIG, "'%s' can't be removed", admin);
}

/* Nobody works in the tree now, so its locks are those of a git that was killed. */
void
tree_break_locks(const Tree *t)
{
    g_autofree char *branch =
        g_strdup_printf("%s/" BRANCHES "%s.lock", t->repo->common, t->row->branch);

    (void)unlink(branch);
    if (!t->admin)
        return;
    g_autofree char *index = g_strconcat(t->index, ".lock", NULL);
    g_autofree char *head = g_build_filename(t->admin, "HEAD.lock", NULL);
    (void)unlink(index);
    (void)unlink(head);
}

/* A program may have removed the file by which git finds its way, or made a repository
 * there. */
static bool
mend_link(const Tree *t, Workplace *place, GError **error)
{
    g_autofree char *want = g_strdup_printf("gitdir: %s", t->admin);
    g_autofree char *is = read_line(t->path, ".git");
    g_autofree char *line = g_strconcat(want, "\n", NULL);

    if (g_strcmp0(is, want) == 0)
        return true;
    auto_fd dir = dir_open(t->path, error);
    return dir >= 0 && workplace_move_aside(place, dir, ".git", error) &&
           file_replace(dir, ".git", line, strlen(line), 0644, error);
}

/* --- the worktree --- */

/* Clears the way for a new worktree: half of one in which nobody has worked goes, so does what
 * the repository remembers of a worktree that is gone. Files that the repository has forgotten
 * are kept, under another name. */
static bool
clear_way(Tree *t, Workplace *place, bool worked, GError **error)
{
    while (!worked && dir_remove(place->fd, TREE_FOLDER, NAMES_AT_ONCE) > 0)
        ;
    return (!g_file_test(t->path, G_FILE_TEST_EXISTS) ||
            workplace_move_aside(place, place->fd, TREE_FOLDER, error)) &&
           forget_worktree(t->repo, t->path, error);
}

static bool
is_taken(const GError *why)
{
    return strstr(why->message, "already checked out") ||
           strstr(why->message, "already used by worktree");
}

/* Without files yet: filling it is a matter of content. */
static bool
add_worktree(Tree *t, GError **error)
{
    const GitCall call = {.repo = t->repo};
    g_autoptr(GError) why = NULL;
    g_autofree char *at = NULL;
    const char *const *args =
        GIT_ARGS("worktree", "add", "-q", "--no-checkout", t->path, t->row->branch);

    if (git_run(&call, args, NULL, &why))
        return true;
    if (!is_taken(why))
        return err_pass(error, g_steal_pointer(&why));
    if (!tree_head(t->repo, t->row, &at, error) || !choose_name(t, error) ||
        !make_branch(t, at, error))
        return false;
    t->row->ours = true;
    return save(t, TXN_DURABLE, error) &&
           git_run(&call,
                   GIT_ARGS("worktree", "add", "-q", "--no-checkout", t->path, t->row->branch),
                   NULL, error);
}

static bool
fill(const Tree *t, GError **error)
{
    const GitCall call = {
        .repo = t->repo, .content = true, .work_tree = t->path, .index = t->index};
    g_autofree char *head = NULL;

    return tree_head(t->repo, t->row, &head, error) &&
           git_run(&call, GIT_ARGS("read-tree", "-m", "-u", head), NULL, error);
}

static bool
make_worktree(Tree *t, Workplace *place, GError **error)
{
    bool worked = t->row->state != TREE_BEGUN;

    t->row->state = TREE_BEGUN;
    if (worked && !save(t, TXN_DURABLE, error))
        return false;
    if (!clear_way(t, place, worked, error) || !add_worktree(t, error))
        return false;
    CRASH_POINT("tree-added");
    find_admin(t);
    if (!t->admin)
        return err_set(error, ERR_CONFIG, "'%s' does not know the worktree '%s'",
                       t->repo->common, t->path);
    if (!fill(t, error))
        return false;
    CRASH_POINT("tree-filled");
    t->row->state = TREE_MADE;
    return save(t, TXN_DURABLE, error);
}

static bool
ensure_worktree(Tree *t, Workplace *place, GError **error)
{
    find_admin(t);
    if (t->row->state != TREE_MADE || !t->admin || !g_file_test(t->path, G_FILE_TEST_IS_DIR))
        return make_worktree(t, place, error);
    tree_break_locks(t);
    return mend_link(t, place, error);
}

/* --- the row --- */

/* "refs/heads/postrider/12" or "-2" of it, as its HEAD says: the name of a branch of this
 * job. */
static const char *
own_branch(const Tree *t, const char *head)
{
    g_autofree char *own =
        g_strdup_printf("ref: " BRANCHES "postrider/%" G_GINT64_FORMAT, t->job.v);
    size_t len = strlen(own);

    if (!head || !g_str_has_prefix(head, own) || (head[len] != '\0' && head[len] != '-'))
        return NULL;
    return head + strlen("ref: " BRANCHES);
}

/* A worktree in this job's own folder that the store has lost. Its base is where it left
 * ours. */
static bool
adopt(Tree *t, const char *base, GError **error)
{
    const GitCall call = {.repo = t->repo, .content = true};
    g_autofree char *said = t->admin ? read_line(t->admin, "HEAD") : NULL;
    const char *branch = own_branch(t, said);
    g_autofree char *head = NULL, *common = NULL;
    g_autoptr(GError) why = NULL;

    if (!branch)
        return true;
    g_free(t->row->branch);
    t->row->branch = g_strdup(branch);
    if (!tree_head(t->repo, t->row, &head, error))
        return false;
    if (!head) {
        g_clear_pointer(&t->row->branch, g_free);
        return true;
    }
    if (git_line(&call, GIT_ARGS("merge-base", base, head), &common, &why)) {
        g_free(t->row->base);
        t->row->base = g_steal_pointer(&common);
    }
    t->row->ours = true;
    t->row->state = TREE_MADE;
    return save(t, TXN_DURABLE, error);
}

static bool
begin_row(Tree *t, const char *base, GError **error)
{
    t->row = g_new0(TreeRow, 1);
    t->row->repo = g_strdup(t->repo->common);
    t->row->prefix = g_strdup(t->repo->prefix);
    t->row->base = g_strdup(base);
    t->row->state = TREE_BEGUN;
    find_admin(t);
    if (!adopt(t, base, error))
        return false;
    return t->row->branch || choose_name(t, error);
}

/* The role works in another repository than when this job began: the worktree there goes,
 * with what is not committed in it kept aside, and its branch stays. A repository that was
 * moved is the same. */
static bool
change_repository(Tree *t, Workplace *place, const char *base, GError **error)
{
    g_autoptr(GitRepo) before = NULL;
    g_autoptr(GError) why = NULL;
    g_autofree char *head = NULL;

    if (!g_file_test(t->row->repo, G_FILE_TEST_EXISTS)) {
        if (!tree_head(t->repo, t->row, &head, error))
            return false;
        g_free(t->row->repo);
        t->row->repo = g_strdup(t->repo->common);
        if (head)
            return true;
    }
    if (g_file_test(t->path, G_FILE_TEST_EXISTS) &&
        !workplace_move_aside(place, place->fd, TREE_FOLDER, error))
        return false;
    if (!g_str_equal(t->row->repo, t->repo->common) &&
        (!git_open(t->engine->home, t->row->repo, &before, &why) ||
         !forget_worktree(before, t->path, &why)))
        log_event(LOG_WARN, "a worktree stays listed in its repository", "why", why->message,
                  NULL);
    g_clear_pointer(&t->row, tree_row_free);
    return begin_row(t, base, error);
}

static bool
load_row(Tree *t, Workplace *place, const char *base, GError **error)
{
    if (!tree_find(t->engine->db, t->job, &t->row, error))
        return false;
    if (!t->row)
        return begin_row(t, base, error);
    if (!g_str_equal(t->row->repo, t->repo->common) &&
        !change_repository(t, place, base, error))
        return false;
    if (!g_str_equal(t->row->prefix, t->repo->prefix)) {
        g_free(t->row->prefix);
        t->row->prefix = g_strdup(t->repo->prefix);
        return save(t, TXN_LAZY, error);
    }
    return true;
}

static char *
tree_path(const char *place)
{
    g_autofree char *real = realpath(place, NULL);
    return g_build_filename(real ? real : place, TREE_FOLDER, NULL);
}

static bool
open_in(Tree *t, const ConfRole *role, Workplace *place, bool *ret_in, GError **error)
{
    g_autofree char *base = NULL;

    if (!tree_base(t->repo, role, &base, error) || !has_folder(t->repo, base, ret_in, error))
        return false;
    if (!*ret_in && role->base && *role->base)
        return err_set(error, ERR_CONFIG, "role '%s': base '%s' has no folder '%s'", role->name,
                       role->base, t->repo->prefix);
    if (!*ret_in)
        return true;
    return load_row(t, place, base, error) && ensure_branch(t, base, error) &&
           ensure_worktree(t, place, error);
}

/* Except for a full disk, a person must see to it. */
static bool
for_a_person(const char *folder, GError *take_why, GError **error)
{
    g_autoptr(GError) why = take_why;

    if (!err_is(why, ERR_NEVER) && !err_is(why, ERR_LIMIT))
        return err_pass(error, g_steal_pointer(&why));
    return err_set(error, ERR_CONFIG, "no worktree of '%s': %s", folder, why->message);
}

bool
tree_open(Engine *engine,
          const Job *job,
          const ConfRole *role,
          Workplace *place,
          Tree **ret,
          GError **error)
{
    g_autoptr(Tree) t = g_new0(Tree, 1);
    GError *why = NULL;
    bool in = false;

    *ret = NULL;
    t->engine = engine;
    t->job = job->id;
    t->path = tree_path(place->path);
    if (!git_find(engine->home, place->cwd, &t->repo, error))
        return err_prefix(error, "role '%s'", role->name);
    if (!t->repo)
        return true;
    if (!open_in(t, role, place, &in, &why))
        return for_a_person(place->cwd, why, error);
    if (in)
        *ret = g_steal_pointer(&t);
    return true;
}

bool
tree_told(Tree *t, GError **error)
{
    g_auto(Txn) txn = {.db = t->engine->db, .flush = TXN_LAZY};

    if (!t->head || g_strcmp0(t->head, t->row->told) == 0)
        return true;
    while (txn_again(&txn, error))
        txn.ok = tree_set_told(&txn, t->job, t->head, error);
    return txn.done;
}

bool
tree_forget(Engine *engine, JobId job, const char *role, GError **error)
{
    g_autoptr(Tree) t = g_new0(Tree, 1);
    g_autofree char *home = realpath(engine->home->path, NULL);

    t->engine = engine;
    t->job = job;
    t->path = g_strdup_printf("%s/work/%s/%" G_GINT64_FORMAT "/" TREE_FOLDER,
                              home ? home : engine->home->path, role, job.v);
    if (!tree_find(engine->db, job, &t->row, error))
        return false;
    if (!t->row)
        return true;
    if (!git_open(engine->home, t->row->repo, &t->repo, error))
        return false;
    return g_file_test(t->path, G_FILE_TEST_EXISTS) || forget_worktree(t->repo, t->path, error);
}
