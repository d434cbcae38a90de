#pragma once

/*
 * `setup`: asks, tests what it was told, shows what it would change, and then writes
 * postrider.conf. It is a program of its own (libexec `postrider-setup`), since it talks to
 * mail servers and models.
 *
 * What is to change is kept as a list of keys and applied to the file at the very end, so an
 * editor that saved it meanwhile loses nothing. The file that was there stays as
 * postrider.conf.bak. Nothing is written before a person, or --yes, has said so.
 *
 * A password or key comes by a hidden prompt only: never by an argument. It is in memory alone
 * while it is tried, and becomes a file (0600) when the settings are written.
 *
 * At a terminal every question is asked, with what is set now as its default. Elsewhere flags
 * are the answers, and what has neither flag nor value is an error.
 */
#include "cli/cli.h"

typedef struct Setup {
    Cli *cli;
    bool ask;            /* somebody is there to be asked */
    const char *operand; /* NULL: none */
    GPtrArray *changes;  /* of Change */
    char *secret;        /* "secrets/mail.password"; NULL: no new one */
    char *trial_secret;  /* a path to it for now */
    int secret_fd;
    bool back;    /* '<' was the last answer, and no question was asked since */
    bool written; /* settings or a secret: whoever serves the home must know */
} Setup;

/* A part: `setup NAME`, a row of cli/verbs.def. */
typedef struct SetupPart {
    bool takes_name;       /* one operand */
    const char *homeless;  /* the flag that needs no home; or NULL */
    int (*work)(Setup *s); /* exit status, or SETUP_BACK from its first question */
} SetupPart;

/* The whole of a part: reads settings, works, and tells who serves the home. Exit status. */
int setup_run(const SetupPart *part, Cli *cli, int argc, char **argv);

/* cli_text() as a whole path; "credential:NAME" stays as it is. NULL: nothing. Caller frees. */
char *setup_flag_path(const Setup *s, const char *name);

/* --- what is said --- */

/* Prints at once. */
void setup_say(Setup *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* One line about a test: "login: ok, fmt…" */
void setup_ok(Setup *s, const char *step, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* "login: failed: WHY; do: REMEDY". Takes why; returns its exit status. */
int setup_failed(Setup *s, const char *step, GError *why, const char *remedy);

/* --- what is asked --- */

/* A line from the terminal; an empty one is fallback. NULL when there is no more input. Caller
 * frees. SETUP_BACK_WORD sets `back`, any other answer clears it. */
char *setup_ask(Setup *s, const char *question, const char *fallback);
/* The same without echo and without a default: "" is possible. Caller wipes. */
char *setup_ask_hidden(Setup *s, const char *question);
/* An empty line means `fallback`; no input is no, and so is SETUP_BACK_WORD, which sets `back`. */
bool setup_ask_yes(Setup *s, const char *question, bool fallback);
/* Behind a test: one that failed asks whether to go on. 0, SETUP_BACK, or the status. */
int setup_go_on(Setup *s, int status);
/* 75 after "no answer; nothing was changed"; SETUP_BACK where that was the answer. */
int setup_no_answer(const Setup *s);

/* The answer that goes back to the question before, and the status that does. */
#define SETUP_BACK_WORD "<"
#define SETUP_BACK (-2)

/* Steps in order, each with some questions or none; then setup_write(). Who goes back comes to the
 * last question before, over steps that ask nothing, and what the steps noted that were left is
 * forgotten. `back` is set while one goes back, until something is asked: a step that does more
 * than note changes does nothing then. Exit status, or SETUP_BACK: before the first question. */
typedef int (*SetupStep)(void *data);
int setup_talk(Setup *s, const SetupStep *steps, size_t n, void *data);

/* --- what is set --- */

void setup_begin(Setup *s); /* nothing is to change yet */
void setup_end(Setup *s);

/* How far it has come, and back to there. */
typedef struct SetupMark {
    guint n_changes;
    bool secret;
} SetupMark;
SetupMark setup_mark(const Setup *s);
void setup_forget(Setup *s, SetupMark since);

/* The value that counts: what is to change, else what is in force, else the default. Caller
 * frees. */
char *setup_value(const Setup *s, const char *section, const char *key);
bool setup_has_section(const Setup *s, const char *section);
/* Notes a change, unless that is so already. ERR_CONFIG for a value that can't be. */
bool
setup_set(Setup *s, const char *section, const char *key, const char *value, GError **error);
/* The way of most keys: flag, else asked, else as it is. question NULL: never asked. 0, or an
 * exit status after the message was printed; 64 for a bad or a missing flag. */
typedef struct SetupKey {
    const char *section, *key;
    const char *question;
    const char *flag; /* its name; NULL: as the key's */
    bool needed;      /* empty will not do */
    bool path;        /* the flag is a path: it is made whole */
} SetupKey;
/* Several in order; while one goes back, from the last on. SETUP_BACK: before the first. */
int setup_keys(Setup *s, const SetupKey *keys, size_t n);

/* Keeps a secret for this run as secrets/NAME, in place of one that was kept before. */
bool setup_keep_secret(Setup *s, const char *name, const char *secret, GError **error);
/* The settings as they would be, with the new secret where it is now. ERR_CONFIG. */
bool setup_preview(Setup *s, Config **ret, GError **error);

/* Shows the difference, asks, writes. Exit status, or SETUP_BACK. */
int setup_write(Setup *s);
/* Lines that differ, "- old" and "+ new" under their [section]; "" when there are none. Caller
 * frees. */
char *setup_diff(const char *old, const char *new_text);
