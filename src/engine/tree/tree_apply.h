#pragma once

/*
 * Taking the work of a job over: its branch is merged into what is checked out in the
 * repository. All or nothing: the merge is made as a tree first, beside everything, and
 * only one that has no conflicts touches index and files. Nothing of the repository is run
 * (engine/tree/git.h); so filters do not convert what is written, and who needs them merges
 * by hand.
 */
#include "engine/tree/tree.h"

typedef struct TreeApplied {
    char *into;           /* the branch that is checked out: "main" */
    char *before, *after; /* the newest commit of that branch before and after; the same where it had all the work already */
} TreeApplied;
void tree_applied_clear(TreeApplied *a);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TreeApplied, tree_applied_clear)

/* Merges the branch of a job (row). folder: the role's workdir. ERR_LATER: there are changes in
 * it that are not committed; ERR_NEVER: there are conflicts, or no branch is checked out.
 * Nothing has changed then. */
bool tree_apply(
    const Home *home, const char *folder, const TreeRow *row, TreeApplied *ret, GError **error);
