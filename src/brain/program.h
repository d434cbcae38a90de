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
    /* Its options, behind the words of `command`; NULL: none. What is added is freed with argv. */
    void (*add_args)(const BrainAsk *ask, GPtrArray *argv);
    /* Why it is not to be started there: the folder would command it. NULL: it may be. Caller
     * frees. A member that is NULL has no such reason. */
    char *(*refuse)(const BrainAsk *ask);
    /* What its settings are by environment; returns env, maybe moved. NULL: nothing. */
    char **(*add_env)(const BrainAsk *ask, char **env);
} ProgramKind;

/* NULL: no program has this kind. */
const ProgramKind *program_kind(BrainKind kind);

/* All of ours and the additions of the ask, where a person's own command is started (users_env); else PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ and TMPDIR of ours, what pass-env and env of the
 * settings say, this brain's own key under the program's name for it, and the additions of the
 * ask. Caller frees with g_strfreev(). ERR_CONFIG: the key can't be read. */
bool program_env(const BrainAsk *ask, const ProgramKind *kind, char ***ret, GError **error);
/* Of ours what any program gets: the same list, with pass-env. Caller frees likewise. */
char **program_own_env(const ConfBrain *conf);
/* The path of the program that a brain's `command` begins with, looked up as it will be when it
 * is started; a relative name with a slash is beneath the home. NULL with the reason in
 * *ret_missing. Caller frees both. */
char *program_find(const ConfBrain *conf, const char *home, char **env, char **ret_missing);
/* What `PROGRAM --version` prints first, shortened; asks nobody and costs nothing. NULL: it does
 * not say. Caller frees. */
char *program_version(const char *path, char **env);
