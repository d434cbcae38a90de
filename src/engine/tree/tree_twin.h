#pragma once

/*
 * A folder of the people who own a repository, and its twin in the worktree of a job: the same
 * folder as the program sees it. These calls read what the twin began with, so that others can
 * tell what the program has changed. Nothing is written, and the program may be at work. The
 * calls start git and wait for it, so they belong in no transaction.
 */
#include "engine/tree/tree.h"

typedef struct TreeTwin {
    GitRepo *repo;
    char *path;   /* absolute: the twin */
    char *commit; /* that the job began at */
    char *prefix; /* of the folder in the repository, with a slash behind; "": its root */
} TreeTwin;
void tree_twin_free(TreeTwin *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TreeTwin, tree_twin_free)

/* *ret NULL, with true: the job has no worktree, or the folder is not in the repository of that
 * worktree. Whether the twin is on the disk is not looked at. Caller frees. */
bool tree_twin_open(
    Engine *engine, const Job *job, const char *folder, TreeTwin **ret, GError **error);
/* The names of all files that lie there, but for those that a .gitignore there names; each with
 * a NUL behind it. Caller unrefs. */
bool tree_twin_names(const TreeTwin *t, GBytes **ret, GError **error);
/* The file as the job found it; path is relative to the folder. *ret NULL, with true: there was
 * none. An error too: path was a folder, or the file is larger than LIMIT_MESSAGE_BYTES. Caller
 * unrefs. */
bool tree_twin_before(const TreeTwin *t, const char *path, GBytes **ret, GError **error);
