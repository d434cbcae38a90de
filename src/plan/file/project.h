#pragma once

/*
 * The project that a plan belongs to: a folder of somebody's source code, and no home of ours.
 * It is the nearest folder upward that has a `.pilot` in it, else git's top level. The search
 * ends at a work tree of git, so that a second work tree of one repository has plans of its
 * own, wherever it lies. It does not end at a submodule, which is a part of the work tree
 * around it.
 *
 * What lies there: .pilot/plan/{pending,in_progress,done}/NAME.md, .pilot/state/
 * (plan/file/plan_file.h) and .pilot/scripts/state_*.sh. Nothing here starts git: its files are
 * read.
 */

#define PROJECT_FOLDER ".pilot"
#define PROJECT_STATE PROJECT_FOLDER "/state"
#define PROJECT_PLANS PROJECT_FOLDER "/plan"
#define PROJECT_SCRIPTS PROJECT_FOLDER "/scripts"

typedef struct Project {
    char *path; /* absolute */
    int fd;     /* the folder */
    char *git;  /* git's folder for this work tree, absolute; NULL: no git here */
} Project;

/* From the folder `from` upward. *ret is NULL, with true, when there is neither `.pilot` nor git; with `make` the folder
 * `from` itself is the project then. */
bool project_find(const char *from, bool make, Project **ret, GError **error);
void project_free(Project *project);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Project, project_free)

/* True when the project is still where it was found; else ERR_CONFIG: it was moved, or is gone,
 * and the text says where it is now. */
bool project_check_place(const Project *project, GError **error);

/* The branch that is checked out; the commit where HEAD is detached; "" without git. Caller frees. */
char *project_branch(const Project *project);
/* True when a plan of the one branch may go on with the other checked out: they are the same, one of them is not known,
 * or both are commits, since work moves a detached HEAD. */
bool project_branch_fits(const char *of_plan, const char *now);

/* A path as it was typed, seen from the folder `from`, as a path below the project. ERR_NEVER for a path that leads out of
 * it, has ".." in it or is no text. Caller frees; NULL with error. */
char *project_path(const Project *project, const char *from, const char *typed, GError **error);

/* Makes what `plan new` and `plan execute` promise beside the plan: the folders of `.pilot`, the three scripts in
 * .pilot/scripts where there is no file of that name, and a line in git's info/exclude for .pilot/state/. Git's folder
 * may be closed to us (a sandbox): that is no error. */
bool project_prepare(const Project *project, GError **error);
