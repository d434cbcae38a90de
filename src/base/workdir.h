#pragma once

/* The folder that a role works in (`workdir`), and what kind of folder it is. */
#include "base/home.h"

/* "~/x", "x" beneath the home, or absolute; NULL: the role has none. Caller frees. */
char *workdir_path(const Home *home, const ConfRole *role);
/* What is wrong with it, as a sentence that names the role; NULL: nothing. Caller frees. */
char *workdir_wrong(const Home *home, const ConfRole *role);
/* Adds these sentences (char *) of all roles: for `status` and `doctor`. */
void workdir_check(const Home *home, GPtrArray *lines);
/* True when there is something in this folder, or above it, that git would take for a
 * repository. */
bool workdir_in_git(const char *folder);
