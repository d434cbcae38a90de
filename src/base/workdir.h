#pragma once

/* The folder that a role works in (`workdir`), and what kind of folder it is. */
#include "base/home.h"

/* "~/x", "x" beneath the home, or absolute; NULL: the role has none. Caller frees. */
char *workdir_path(const Home *home, const ConfRole *role);
/* Is there something here, or above, that git would take for a repository? */
bool workdir_in_git(const char *folder);
