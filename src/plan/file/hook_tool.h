#pragma once

/* What a tool of a coding agent would do to the plan that its session works on; a part of plan/file/hook.h. */
#include "plan/file/plan_mark.h"

/* Why the call in this input of a hook may not be, for the agent to read; NULL: nothing speaks against it. Caller frees. */
char *hook_tool_refusal(const Project *project, const Plan *plan, const json_t *input);
