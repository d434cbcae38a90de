#pragma once

/* What the commands of a coding agent would do to its plan; a part of plan/file/hook.h. */
#include "plan/file/plan_mark.h"

/* What an agent is told that would write the state of a plan without us. */
#define HOOK_BY_COMMAND                                                                        \
    "use postrider plan mark or postrider state write: the state of a plan is not written by " \
    "hand"

typedef struct HookFiles {
    const char *cwd;    /* where the command, or the patch, starts */
    const char *plan;   /* the plan's file, "": none */
    const char *folder; /* .pilot; these are whole paths */
    const char *state;  /* what is below it is the state */
} HookFiles;

/* Does the path mean the state, or one of the folders that it is in? */
bool hook_means_state(const HookFiles *files, const char *path);
/* Does the path mean the plan's file? */
bool hook_means_plan(const HookFiles *files, const char *path);
/* Why the command line may not be: one of its commands writes the plan's file or the state, or
 * says a prompt. A command of which nobody can tell what it writes may be. Caller frees; NULL:
 * nothing speaks against the command line. */
char *hook_command_refusal(const HookFiles *files, const char *text);
