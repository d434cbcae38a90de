#pragma once

/*
 * `setup`: asks, tests what it was told, shows what it would change, and then writes
 * postrider.conf. It is a program of its own (libexec `postrider-setup`), since it talks to
 * mail servers and models.
 *
 * What is to change is kept as a list of keys and applied to the file at the very end, so an
 * editor that saved it meanwhile loses nothing. The file that was there stays as
 * postrider.conf.bak. Neither postrider.conf nor a secret is written before a person, or --yes,
 * has said so. Tests may send test mails before that, and pairing notes in the store what the
 * server did with a forged field (setup_owner.c).
 *
 * A password or key comes by a hidden prompt only: never by an argument. It is in memory alone
 * while it is tried, and becomes a file (0600) when the settings are written.
 *
 * At a terminal every question is asked that no flag answers, with what is set now as its
 * default. Elsewhere, and with --yes, flags are the answers, and a needed setting that has
 * neither flag nor value is an error.
 */
#include "cli/cli.h"

typedef struct Setup {
    Cli *cli;
    bool ask;            /* stdin is a terminal, and --yes was not said */
    const char *operand; /* NULL: none */
    GPtrArray *changes;  /* of Change */
    char *secret;        /* "secrets/mail.password"; NULL: no new one */
    char *trial_secret;  /* a path to it for now */
    int secret_fd;       /* open while trial_secret is set */
    bool back;           /* '<' was the last answer, and no question was asked since */
    bool written;        /* settings or a secret: whoever serves the home must know */
} Setup;

/* A part: `setup NAME`, a row of cli/verbs.def. */
typedef struct SetupPart {
    bool takes_name;       /* one operand */
    const char *homeless;  /* the flag that needs no home; or NULL */
    int (*work)(Setup *s); /* exit status, or SETUP_BACK from its first question */
} SetupPart;

/* The whole of a part: opens the home, works, and tells the master of the home when something was
 * written. A part that returns SETUP_BACK is begun again. Exit status. */
int setup_run(const SetupPart *part, Cli *cli, int argc, char **argv);

/* The value of an option (cli_text()) as an absolute path; a relative one begins at the current
 * folder. "" and "credential:NAME" stay as they are. NULL: the option was not given. Caller
 * frees. */
char *setup_flag_path(const Setup *s, const char *name);

/* --- what is said --- */

/* Prints at once. */
void setup_say(Setup *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* One line about a test: "login: ok, fmt…" */
void setup_ok(Setup *s, const char *step, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* "login: failed: WHY; do: REMEDY". Takes why; returns its exit status. */
int setup_failed(Setup *s, const char *step, GError *why, const char *remedy);

/* --- what is asked --- */

/* Waits for a line from the terminal, without the spaces around it. An empty line means
 * fallback, or "" where fallback is NULL. NULL: there is no more input, or the line has 4,096
 * bytes or more. Caller frees. SETUP_BACK_WORD sets `back`; any other answer, and NULL, clears it. */
char *setup_ask(Setup *s, const char *question, const char *fallback);
/* The same without echo and without a default; spaces stay, and "" is possible. Ctrl-C and Ctrl-D
 * are the end of input, and give NULL. Caller frees with secret_free(), which wipes it. */
char *setup_ask_hidden(Setup *s, const char *question);
/* An empty line means `fallback`; no input is no, and so is SETUP_BACK_WORD, which sets `back`. */
bool setup_ask_yes(Setup *s, const char *question, bool fallback);
/* To be called with the status of a test: when the test failed, a person at the terminal is asked
 * whether to go on. 0: the test passed, or the answer is yes. Else SETUP_BACK, or the status. */
int setup_go_on(Setup *s, int status);
/* The status after a question that got no answer: SETUP_BACK where `back` is set, else 75 after
 * the message "no answer; nothing was changed". */
int setup_no_answer(const Setup *s);

/* The answer that goes back to the question before, and the status that does. */
#define SETUP_BACK_WORD "<"
#define SETUP_BACK (-2)

/* Calls the steps in order, each of which asks some questions or none; then setup_write(). An
 * answer of SETUP_BACK_WORD leads to the last question before, past steps that ask nothing, and
 * the changes that the steps on the way had noted are forgotten. `back` stays set on the way back
 * until something is asked; a step that does more than note changes must do nothing while `back`
 * is set. Exit status, or SETUP_BACK: the way back led to before the first question. */
typedef int (*SetupStep)(void *data);
int setup_talk(Setup *s, const SetupStep *steps, size_t n, void *data);

/* --- what is set --- */

void setup_begin(Setup *s); /* nothing is to change yet */
void setup_end(Setup *s);   /* forgets all changes, and the secret */

/* A place in the list of changes. setup_forget() drops the changes that were added since the mark,
 * and a secret where there was none at the mark. A change that was there at the mark keeps its
 * newest value, and a secret its newest text. */
typedef struct SetupMark {
    guint n_changes;
    bool secret;
} SetupMark;
SetupMark setup_mark(const Setup *s);
void setup_forget(Setup *s, SetupMark since);

/* The value that counts: what is to change, else what is in force, else the default. Where a
 * preset of the section is to change, keys that the file does not set have the new preset's
 * values. "" where there is no value, never NULL. Caller frees. */
char *setup_value(const Setup *s, const char *section, const char *key);
/* Is the section in the settings, or will it be by the changes? */
bool setup_has_section(const Setup *s, const char *section);
/* Notes a change, unless the value is the one that counts already. A section that is not there yet
 * is noted in any case. ERR_CONFIG: the value can't be, or is more than one line. */
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
/* Several in order. While `back` is set, it begins with the last one. 0, an exit status, or
 * SETUP_BACK: the way back led to before the first. */
int setup_keys(Setup *s, const SetupKey *keys, size_t n);

/* Keeps a secret in memory, in place of one that was kept before; setup_write() makes it the file
 * secrets/NAME. The caller notes the key that names that file. ERR_CONFIG: the secret is empty, or
 * more than one line. */
bool setup_keep_secret(Setup *s, const char *name, const char *secret, GError **error);
/* The settings as they would be; keys that name the new secret's file name the place in memory
 * instead, so a test can log in with it. ERR_CONFIG: they would not be sound. Caller frees. */
bool setup_preview(Setup *s, Config **ret, GError **error);

/* Shows the difference, asks (not with --yes), and writes. Where nothing is to change it says so,
 * asks nothing, and returns 0. 64: there is neither a terminal nor --yes. 75: the answer was no, or
 * somebody changed the file meanwhile, and nothing was written. Else an exit status, or
 * SETUP_BACK. */
int setup_write(Setup *s);
/* Lines that differ, "- old" and "+ new" under their [section]; empty lines are left out. "" where
 * no lines differ, and for a text of more than 4,000 lines. Caller frees. */
char *setup_diff(const char *old, const char *new_text);
