#pragma once

/*
 * What a hook of a coding agent answers, for Claude Code and Codex. The client gives a JSON object on stdin and reads JSON or
 * text from stdout; exit status 2 with a line on stderr refuses a task. Whatever goes wrong with us, the agent may go on:
 * a hook fails open. The hook only holds an agent that wants to stop too early; that a plan is finished is the promise of
 * whoever starts the agents again.
 *
 * `pre-tool` keeps a session that owns the plan from writing its state by hand, and from changing checks in PLAN.md: complete
 * would mean nothing then. It looks at what the client's own tools would write, and at commands by their words, so that a
 * mistake is told before it happens; what gets by changes no check that was fixed, and is in the log.
 *
 * `user-prompt` carries out DONE and CONTINUE only where a person can have typed them (plan_was_typed()).
 *
 * Only a session that owns the plan (plan/file/plan_rules.h) is ever held.
 */
#include "plan/file/plan_mark.h"

typedef enum HookKind {
    HOOK_STOP,
    HOOK_SUBAGENT_STOP,
    HOOK_SESSION_START,
    HOOK_SESSION_END,
    HOOK_USER_PROMPT,
    HOOK_TASK,
    HOOK_PRE_TOOL,
} HookKind;

typedef struct HookAnswer {
    int status;   /* 0, or 2: refused */
    GString *out; /* for stdout */
    GString *err; /* for stderr */
} HookAnswer;

/* input: the object that the client gave. The site's taker is the session in it. */
bool hook_answer(
    PlanSite *site, HookKind kind, const json_t *input, HookAnswer *answer, GError **error);
