#pragma once

/*
 * The git worktree of a job (engine/tree/tree.h): in which repository it is, on which
 * branch, from which commit it began, and which commit whoever asked was told of last. The
 * row is there before the branch is, and stays when the worktree goes.
 *
 *   begun --the worktree is filled--> made --[keep] moved its folder away--> over
 *     ^                                 |                                     |
 *     '-------- it is made again -------'-------------------------------------'
 */
#include "base/ids.h"
#include "store/db.h"

typedef enum TreeState {
    TREE_BEGUN, /* being made: nobody has worked in it */
    TREE_MADE,
    TREE_OVER, /* its branch stays */
} TreeState;

typedef struct TreeRow {
    char *repo;   /* absolute: the git folder of the repository */
    char *prefix; /* the folder of it that the job works in; "": its root */
    char *branch; /* "postrider/12" */
    char *base;   /* id of the commit */
    char *told;   /* likewise; NULL: nobody was told of any */
    bool ours; /* we have made the branch: what is there by this name is not somebody else's */
    TreeState state;
} TreeRow;
void tree_row_free(TreeRow *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TreeRow, tree_row_free)

/* NULL with true: the job has none. */
bool tree_find(Db *db, JobId job, TreeRow **ret, GError **error);
/* The row, whether there was one before or not. */
bool tree_save(Txn *txn, JobId job, const TreeRow *row, GError **error);
bool tree_set_told(Txn *txn, JobId job, const char *commit, GError **error);
bool tree_set_over(Txn *txn, JobId job, GError **error);
