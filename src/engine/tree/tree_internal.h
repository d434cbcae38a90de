#pragma once

/* The inside of engine/tree/tree.h, shared by tree.c and the tree_*.c; nobody else includes
 * it. */
#include "engine/tree/tree.h"

#define TREE_FOLDER "tree" /* of a workplace */

/* Removes locks that a killed git has left in the tree. To be called only while nobody works
 * there. */
void tree_break_locks(const Tree *t);
/* True when somebody is in the middle of a merge, a rebase or the like there. */
bool tree_is_unfinished(const char *git_dir);
/* *ret: `commit` is `of` itself, or one of its ancestors. */
bool tree_is_within(
    const GitRepo *repo, const char *commit, const char *of, bool *ret, GError **error);
/* Makes a commit of the role's, on no branch. *ret: its id; caller frees. */
bool tree_commit_object(const Tree *t,
                        const Job *job,
                        const ConfRole *role,
                        const char *tree,
                        const char *parent,
                        char **ret,
                        GError **error);
