#pragma once

/*
 * Who takes a todo. A claim belongs to a session of a coding agent, and to the process of the client that holds it where we
 * know that; without a session it belongs to the process that called us. A claim dies with its process or its session, never
 * by a clock: a test run may take an hour.
 *
 *   claim: {"session": ID, "since": TIME, "pid": N, "start": N, "boot": ID, "space": N}
 *
 * `start` and `boot` tell a process from a later one of the same number; `space` is the pid namespace, since a number of
 * another one (a container, a sandbox) says nothing here: such a claim counts as alive as long as the machine runs.
 */
#include "base/proc.h"
#include <jansson.h>

typedef struct Taker {
    char *session;     /* NULL: none */
    ProcIdent process; /* pid 0: not known */
    const char *boot;  /* borrowed for ever */
    int64_t space;
} Taker;

/* What `plan run` gives the agent that it starts: its own session, which has the claim, and its own process. */
#define TAKER_SESSION_ENV "POSTRIDER_PLAN_SESSION"
#define TAKER_RUN "run-" /* begins the session of `plan run` */
#define TAKER_PID_ENV "POSTRIDER_PLAN_PID"

/* The session that was named (NULL: the one that the environment names: that of `plan run`, CLAUDE_CODE_SESSION_ID or
 * CODEX_SESSION_ID), and the client's process; without a session our parent process. */
Taker taker_of_caller(const char *session);
void taker_clear(Taker *taker);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Taker, taker_clear)

/* The claim as JSON. Caller unrefs. */
json_t *taker_claim(const Taker *taker, const char *now);
/* True when the claim is this taker's. */
bool taker_has(const Taker *taker, const json_t *claim);
/* "plan run", "session 4f1c…", "process 123"; caller frees. */
char *claim_words(const json_t *claim);
/* True when whoever made the claim still lives, as far as processes tell. */
bool claim_is_alive(const json_t *claim);

/* True when this process is a descendant of the process that stands in this claim, or in this
 * entry of a session. */
bool taker_is_below(const json_t *claim);
/* True when that process itself has started this one, which is its hook for prompts: by TAKER_HOOK, at most through a shell
 * that does nothing else. A command of the agent has a shell with other words around it. */
bool taker_is_hook_of(const json_t *claim);
#define TAKER_HOOK "hook user-prompt"
