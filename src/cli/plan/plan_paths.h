#pragma once

/* Where plans lie: .pilot/plan/pending, in_progress and done. Paths are relative to the project. */
#include "base/list.h"
#include "plan/file/project.h"

/* Moves a plan that lies below .pilot/plan to that folder, under another name where its own is taken; any other plan stays
 * where it is. *ret is where it lies now; caller frees. */
bool plan_path_move(
    const Project *project, const char *path, const char *folder, char **ret, GError **error);
/* The plan that `execute` without a name means: the only one in in_progress, else in pending. Caller frees; NULL: there is
 * none, or more than one, and the error says so. */
char *plan_path_only(const Project *project, GError **error);
/* Names of the plans in a folder ("pending"), sorted; the list owns them. */
GPtrArray *plan_path_list(const Project *project, const char *folder);
/* A path in a folder that nobody has: "pending/add-login.md", "pending/add-login-2.md". Caller frees. */
char *plan_path_free_name(const Project *project, const char *folder, const char *name);
/* "add-login" from "Add login!"; "plan" from what has no letters. Caller frees. */
char *plan_path_slug(const char *title);
