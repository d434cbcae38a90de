/*
 * A worktree and the repository that it belongs to:
 *
 *   CWD/.git                          a file that names the admin folder
 *   REPO/.git/worktrees/NAME          the admin folder: index, HEAD, state of a rebase; its file
 *                                     `commondir` names the repository, `gitdir` the worktree
 *   REPO/.git/{objects,refs,logs,…}   what all worktrees share
 *
 * Whoever may write into REPO/.git can make git run a program: by hooks, by settings, by a file
 * `commondir` that leads to other settings. So that folder is a fresh one, in which what is
 * shared is shown: objects and branches may be written to, all the rest may not. git can still
 * make its lock files there. packed-refs can't be replaced, so that no branch moves into a file
 * that goes with the program.
 *
 * A repository that the program works in without a worktree can be read, no more.
 *
 * The admin folder lies where a program may write, so what its files say is believed only if it
 * fits together: it is called by the worktree, lies in the repository, and names the worktree.
 */
#include "base/file.h"
#include "engine/wall/wall_internal.h"

#define POINTER_MAX 4096u /* bytes of a file that holds a path */

/* The path that a file holds, behind a prefix, resolved; NULL: none. Caller frees. */
static char *
read_pointer(const char *folder, const char *name, const char *prefix)
{
    auto_fd dir = dir_open(folder, NULL);
    g_autoptr(GBytes) bytes = NULL;
    if (dir < 0 || !file_read(dir, name, POINTER_MAX, &bytes, NULL) || !bytes)
        return NULL;
    g_autofree char *text = text_from_bytes(bytes);
    g_strchomp(text);
    if (!g_str_has_prefix(text, prefix))
        return NULL;
    g_autofree char *full = g_canonicalize_filename(text + strlen(prefix), folder);
    return realpath(full, NULL);
}

/* A file that stays as it is; one that is not there stays empty. */
static void
keep_file(Sandbox *s, const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (access(path, F_OK) == 0)
        sandbox_add_in(s, SANDBOX_READ, folder, name);
    else
        sandbox_put(s, SANDBOX_READ, "/dev/null", path);
}

static void
add_shared(Sandbox *s, const char *common)
{
    static const char *const written[] = {"objects", "refs", "logs", "reftable", "lfs", NULL};
    g_autoptr(GDir) entries = g_dir_open(common, 0, NULL);
    const char *name;
    sandbox_add(s, SANDBOX_SCRATCH, common);
    while (entries && (name = g_dir_read_name(entries))) {
        if (g_str_equal(name, "worktrees") || g_str_has_suffix(name, ".lock"))
            continue;
        sandbox_add_in(s, g_strv_contains(written, name) ? SANDBOX_WRITE : SANDBOX_READ, common,
                       name);
    }
    keep_file(s, common, "packed-refs");
}

/* A worktree whose files all name each other. */
static void
add_worktree(Sandbox *s, const char *root, const char *link)
{
    g_autofree char *admin = read_pointer(root, ".git", "gitdir: ");
    g_autofree char *common = admin ? read_pointer(admin, "commondir", "") : NULL;
    g_autofree char *back = admin ? read_pointer(admin, "gitdir", "") : NULL;
    if (!common || !back)
        return;
    g_autofree char *name = g_path_get_basename(admin);
    g_autofree char *want = g_build_filename(common, "worktrees", name, NULL);
    if (!g_str_equal(back, link) || !g_str_equal(want, admin))
        return;
    add_shared(s, common);
    sandbox_add(s, SANDBOX_WRITE, root); /* a place of its own can't be exchanged for another */
    sandbox_add(s, SANDBOX_WRITE, admin);
    sandbox_add_in(s, SANDBOX_READ, admin, "commondir");
    sandbox_add_in(s, SANDBOX_READ, admin, "gitdir");
    keep_file(s, admin, "config.worktree");
}

static bool
has_git(const char *folder)
{
    g_autofree char *link = g_build_filename(folder, ".git", NULL);
    return access(link, F_OK) == 0;
}

/* The root of the working tree that the program works in: cwd, or above it in the job's folder,
 * but no higher: a repository around the home is none of its business. NULL: none. Caller
 * frees. */
static char *
find_root(const char *work, const char *cwd)
{
    g_autofree char *top = realpath(work, NULL), *folder = realpath(cwd, NULL);
    while (top && folder) {
        if (has_git(folder))
            return g_steal_pointer(&folder);
        if (!g_str_has_prefix(folder, top) || strlen(folder) <= strlen(top))
            break;
        char *up = g_path_get_dirname(folder);
        g_free(folder);
        folder = up;
    }
    return NULL;
}

void
wall_add_git(Sandbox *s, const char *work, const char *cwd)
{
    g_autofree char *root = find_root(work, cwd);
    if (!root)
        return;
    g_autofree char *link = g_build_filename(root, ".git", NULL);
    sandbox_add_in(s, SANDBOX_READ, root, ".git");
    add_worktree(s, root, link);
}
