#pragma once

/*
 * The git worktree of a job: work/ROLE/JOB/tree, on a branch of its own, `postrider/JOB`,
 * which begins at the commit that the role's `base` names, or at what is checked out in its
 * workdir. So two jobs never share a tree, and nothing that a program does shows in the
 * folder of the people who own the repository until they merge it.
 *
 *   tree_open()     makes it, or finds it as an earlier run left it
 *   tree_commit()   commits what the program left uncommitted, as the role, unless the role's
 *                   `commit` is off
 *   tree_report()   says in a mail what has changed, and attaches the patch
 *   tree_told()     the mail is committed: the next one speaks of what is new
 *
 * (1) The row (store/job/trees.h) is there before the branch is, the branch before the
 *     worktree, and a worktree counts once its files are there. Whoever comes after a crash
 *     finishes it.
 * (2) A branch of that name that is not ours stays as it is: postrider/12-2 is taken then. So
 *     it is with one that somebody has checked out elsewhere: the second begins where that is.
 * (3) A worktree that somebody removed is made again from its branch; where the branch is gone
 *     too, the job begins again from the base.
 * (4) After a lost store a job that comes back with its number finds its worktree by the
 *     folder.
 * (5) Nothing of the repository is run: engine/tree/git.h.
 *
 * Most calls start git and wait for it, so they belong in no transaction; those that write to
 * the store use transactions of their own.
 */
#include "engine/run/commit.h"
#include "engine/tree/git.h"
#include "store/job/trees.h"

typedef struct Workplace Workplace;

typedef struct Tree {
    Engine *engine;
    JobId job;
    GitRepo *repo;
    TreeRow *row;
    char *path;  /* absolute: its root */
    char *admin; /* absolute: what the repository keeps about this worktree */
    char *index; /* absolute: its index, in admin */
    char *head;  /* id of its newest commit, as tree_commit() left it; NULL before */
    char *left;  /* why something is not committed, in words for a mail; NULL: all is */
} Tree;

/* The worktree of the job for the folder place->cwd; for a run that holds the job's claim. *ret
 * NULL, with true: that folder is in no repository, or in a part of one that it does not keep.
 * ERR_CONFIG: what a person must mend first. Caller frees. */
bool tree_open(Engine *engine,
               const Job *job,
               const ConfRole *role,
               Workplace *place,
               Tree **ret,
               GError **error);
void tree_free(Tree *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tree, tree_free)
/* Where the program works: the same folder of the tree as workdir is of the repository.
 * Caller frees. */
char *tree_cwd(const Tree *t);

/* The same folder of a job that may have no worktree, none yet, or one that was removed: *ret
 * NULL, with true, then. Makes nothing. Caller frees. */
bool tree_place(Engine *engine, const Job *job, char **ret, GError **error);

/* Once the program and all that it started have ended. It never fails: what is not committed
 * stays where it is, and t->left says why, so no answer is lost for that. Sets t->head. */
void tree_commit(Tree *t, const Job *job, const ConfRole *role);
/* After tree_commit(). Adds to the mail, whose body is set, what the branch has and the base
 * has not: diffstat, commits, how to take it over, and the patch, where that is at most 1 MB.
 * Adds nothing of this where there is nothing, or where it has been told. What is not
 * committed, or can't be shown, is said in the body: it never fails. */
void tree_report(Tree *t, const Job *job, const ConfRole *role, ProposedMail *mail);
/* To be called when the mail is committed: notes t->head, so the next report speaks of what is
 * new since. */
bool tree_told(Tree *t, GError **error);

/* The commit behind which the branch, whose newest commit is head, is new to people. base: the
 * commit that people have now; NULL: nobody knows. Caller frees. */
bool tree_from(const GitRepo *repo,
               const TreeRow *row,
               const char *base,
               const char *head,
               char **ret_from,
               GError **error);

/* --- for verbs and retention --- */

/* The commit that the branch of a job is at; NULL with true: the branch is gone. Caller
 * frees. */
bool tree_head(const GitRepo *repo, const TreeRow *row, char **ret, GError **error);
/* The commit that a new branch of this role would begin at. ERR_CONFIG: there is none. Caller
 * frees. */
bool tree_base(const GitRepo *repo, const ConfRole *role, char **ret, GError **error);
/* The repository forgets the worktree of a job whose folder is gone. Does nothing while the
 * folder is there, or where the job has no worktree. False: the repository can't be opened, for
 * instance because it is gone too. */
bool tree_forget(Engine *engine, JobId job, const char *role, GError **error);
