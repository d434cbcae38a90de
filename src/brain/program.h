#pragma once

/*
 * Programs as brains. One runner (program.c) starts a program, feeds it and reads its stream
 * (brain/stream.h); one table (program_kinds.c) says how the kinds differ:
 *
 *   kind       session         asks before a tool call by   is stopped by          costs
 *   claude     id is ours      a hook, which may defer      interrupt, then TERM   as it says
 *   codex      first line      a hook, which may deny       TERM                   by price table
 *   opencode   first line      its rules                    TERM                   as it says
 *   command    none            -                            TERM                   nothing
 *
 * The program is found before it is started, so that one which is missing is the brain's fault
 * and never looks like a failed job. Nothing of our environment reaches it but what program_env()
 * lists.
 */
#include "brain/brain.h"
#include "brain/stream.h"

typedef struct ProgramKind {
    BrainKind kind;
    ConfParser parser;        /* of its stream; unsaid: the setting `parser` says it */
    const char *key_env;      /* the variable that it reads its API key from; NULL: none */
    bool keeps_session;
    bool two_way;             /* its stdin stays open: it takes lines as JSON while it works, and
                                 is interrupted there */
    bool has_budget;          /* it ends by itself at budget_micro */
    bool priced;              /* its stream says tokens alone */
    const char *const *env;   /* "NAME=VALUE" that it always gets; NULL: none */
    /* Adds the program's options behind the words of `command`; what is added is freed with
     * argv. NULL: it has no options. */
    void (*add_args)(const BrainAsk *ask, GPtrArray *argv);
    /* Why the program must not be started in its folder, which could command it by its
     * settings. A result of NULL: it may be started. Caller frees. The member is NULL where
     * nothing needs to be looked at. */
    char *(*refuse)(const BrainAsk *ask);
    /* Adds settings that the program takes from its environment; returns env, maybe moved.
     * NULL: it takes none. */
    char **(*add_env)(const BrainAsk *ask, char **env);
} ProgramKind;

/* NULL: no program has this kind. */
const ProgramKind *program_kind(BrainKind kind);

/* The environment that the program gets. Where a person's own command is started (users_env):
 * all of ours, and the additions of the ask. Else of ours only PATH, HOME, USER, LOGNAME, LANG,
 * LC_*, TZ and TMPDIR; then what pass-env and env of the settings say, this brain's own key
 * under the program's name for it, and the additions of the ask. Caller frees with
 * g_strfreev(). ERR_CONFIG: the key can't be read. */
bool program_env(const BrainAsk *ask, const ProgramKind *kind, char ***ret, GError **error);
/* The part of our environment that any program of this brain gets: the variables listed above,
 * and those of pass-env. Caller frees with g_strfreev(). */
char **program_own_env(const ConfBrain *conf);
/* The path of the program that a brain's `command` begins with, looked up as it will be when it
 * is started; a relative name with a slash is beneath the home. NULL with the reason in
 * *ret_missing. Caller frees both. */
char *program_find(const ConfBrain *conf, const char *home, char **env, char **ret_missing);
/* What `PROGRAM --version` prints first, shortened; asks nobody and costs nothing. NULL: it does
 * not say. Caller frees. */
char *program_version(const char *path, char **env);
