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
 * A password or key comes by a hidden prompt only: never by an argument. It lies in
 * secrets/NAME.new (0600) while it is tried, and gets its name when the settings are written.
 *
 * At a terminal every question is asked, with what is set now as its default. Elsewhere flags
 * are the answers, and what has neither flag nor value is an error.
 */
#include "cli/cli.h"

typedef struct Setup {
    Cli *cli;
    bool ask;                  /* somebody is there to be asked */
    gboolean yes, no_test;     /* flags that all parts have */
    GPtrArray *changes;        /* of Change */
    char *secret, *new_secret; /* "secrets/mail", "secrets/mail.new"; NULL: no new one */
} Setup;

/* Reads the settings. 0, or an exit status after the message was printed. */
int setup_open(Setup *s, Cli *cli);
/* Removes a secret that was not kept. */
void setup_close(Setup *s);

/* --- what is said --- */

/* Prints at once. */
void setup_say(Setup *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* One line about a test: "login: ok, fmt…" */
void setup_ok(Setup *s, const char *step, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* "login: failed: WHY; do: REMEDY". Takes why; returns its exit status. */
int setup_failed(Setup *s, const char *step, GError *why, const char *remedy);

/* --- what is asked --- */

/* A line from the terminal; an empty one is fallback. NULL when there is no more input. Caller
 * frees. */
char *setup_ask(Setup *s, const char *question, const char *fallback);
/* The same without echo and without a default: "" is possible. Caller wipes. */
char *setup_ask_hidden(Setup *s, const char *question);
/* An empty line means `fallback`; so does no input. */
bool setup_ask_yes(Setup *s, const char *question, bool fallback);
/* 75 after "no answer; nothing was changed". */
int setup_no_answer(void);

/* --- what is set --- */

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
    const char *flag;      /* what the command line said; NULL: nothing */
    const char *flag_name; /* "--model" */
    bool needed;           /* empty will not do */
} SetupKey;
int setup_key(Setup *s, const SetupKey *key);

/* Keeps a secret for this run as secrets/NAME. */
bool setup_keep_secret(Setup *s, const char *name, const char *secret, GError **error);
/* The settings as they would be, with the new secret where it lies now. ERR_CONFIG. */
bool setup_trial(Setup *s, Config **ret, GError **error);

/* Shows the difference, asks, writes. Exit status. */
int setup_write(Setup *s);
/* Lines that differ, "- old" and "+ new" under their [section]; "" when there are none. Caller
 * frees. */
char *setup_diff(const char *old, const char *new_text);

/* --- the parts; exit status --- */

int setup_brain(Cli *cli, int argc, char **argv);
int setup_role(Cli *cli, int argc, char **argv);
int setup_limits(Cli *cli, int argc, char **argv);
int setup_mail(Cli *cli, int argc, char **argv);
int setup_service(Cli *cli, int argc, char **argv);
