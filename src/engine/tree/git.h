#pragma once

/*
 * Calling git in a repository that others have written to, without anything of theirs being
 * run.
 *
 * A repository's settings name programs: hooks, filters, textconv, external diffs, merge
 * drivers, fsmonitor, gpg, ssh. Some of these names can't be known beforehand
 * (filter.NAME.clean), and an agent may write them into the settings while we look. So
 * there are two ways to call git:
 *
 *   refs      in the repository's own git folder, for commands that look at names and move them
 *             (rev-parse, update-ref, worktree add --no-checkout). Of the settings only hooks
 *             could run there, and core.hooksPath is /dev/null.
 *   content   in a git folder of ours without any settings (state/git), with the repository's
 *             objects and, where they are needed, an index and a work tree. For everything that
 *             reads or writes files and compares them. Commits are named by their ids there.
 *
 * Settings of the user and of the system are not read either, but for one question: may we
 * work in a repository that belongs to another user (safe.directory)? git_find() asks it.
 * Nothing is fetched: no protocol is allowed. A call has a time limit and an output limit,
 * and dies with us.
 */
#include "base/home.h"

#define GIT_OUTPUT_MAX (64u << 20) /* most that a caller may ask for */

typedef struct GitRepo {
    char *common; /* absolute: the git folder that all worktrees of the repository share */
    char *own;    /* absolute: that of the work tree that was looked at, whose HEAD counts */
    char *prefix; /* from the root of the work tree to the folder: "src/app"; "": the root */
    char *ours;   /* absolute: the git folder without settings */
    bool bare;
} GitRepo;
void git_repo_free(GitRepo *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GitRepo, git_repo_free)

/* The repository that a folder lies in. *ret NULL: in none. ERR_CONFIG: git is not
 * installed, the repository is damaged, belongs to another user, or the folder lies within
 * its git folder. */
bool git_find(const Home *home, const char *folder, GitRepo **ret, GError **error);
/* The repository with this git folder, as git_find() has named it. ERR_CONFIG: it is not
 * there. */
bool git_open(const Home *home, const char *common, GitRepo **ret, GError **error);

typedef struct GitCall {
    const GitRepo *repo;
    const char *git_dir; /* refs: NULL: the common one */
    /* content: both NULL where no files are needed. */
    bool content;
    const char *work_tree, *index;
    bool users;             /* reads the user's own settings: `config` alone may want that */
    GBytes *input;          /* NULL: none */
    const char *const *env; /* NAME=value, more of them; NULL: none */
    size_t max;             /* bytes of output; 0: 64 KB. More is ERR_LIMIT */
    int *ret_status; /* exit status 1 is an answer, too: stands here; NULL: it is a failure */
} GitCall;

/* Runs `git ARGS` (ends with NULL) and waits for its end. *ret_out: what it printed; ret_out
 * NULL: not wanted. ERR_LATER: the disk is full, or git took longer than ten minutes;
 * ERR_CONFIG: there is no git; ERR_NEVER: git failed, with git's own words. */
bool git_run(const GitCall *call, const char *const *args, GBytes **ret_out, GError **error);
/* The same for one line of output: caller frees. */
bool git_line(const GitCall *call, const char *const *args, char **ret, GError **error);

/* An index that git has split in two files, of which we would see one, is whole again.
 * git_dir: of the worktree. */
bool git_unsplit(const GitRepo *repo, const char *git_dir, GError **error);

/* Arguments in place. */
#define GIT_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
