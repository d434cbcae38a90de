#pragma once

/* What tree.c and the tree_*.c share; nobody else includes it. */
#include "engine/tree/tree.h"

#define TREE_FOLDER "tree" /* of a workplace */

/* Nobody works in the tree now: what a git that was killed has left locked is free again. */
void tree_break_locks(const Tree *t);
/* Is somebody in the middle of a merge, a rebase or the like there? */
bool tree_is_unfinished(const char *git_dir);
/* Does `of` have all of the commit? */
bool tree_is_within(
    const GitRepo *repo, const char *commit, const char *of, bool *ret, GError **error);
/* A commit of the role's, on no branch; caller frees. */
bool tree_commit_object(const Tree *t,
                        const Job *job,
                        const ConfRole *role,
                        const char *tree,
                        const char *parent,
                        char **ret,
                        GError **error);
