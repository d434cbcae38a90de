#pragma once

/* The inside of engine/wall/wall.h, shared by wall.c and wall_git.c; nobody else includes
 * it. */
#include "base/sandbox.h"

/* What git needs where cwd lies in a worktree of a repository elsewhere. A repository that it
 * lies in itself is read-only. */
void wall_add_git(Sandbox *s, const char *work, const char *cwd);
