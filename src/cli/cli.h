#pragma once

/*
 * The command line. `postrider` (front.c) links neither GMime nor libcurl and answers most
 * verbs itself; verbs that read or write mail live in libexec `postrider-mail` (mail_main.c),
 * to which the front execs, or to `postrider-net`, the same with libcurl, where a brain may
 * have to be asked by HTTP. One table (verbs.c) describes every verb for help, manual pages and
 * completion; each program has a table of the functions it holds.
 *
 * Messages are one line on stderr, `postrider: what: why`; exit codes are those of sysexits.h.
 * Answers are collected and written at the end, so that a closed or full stdout is noticed and
 * nothing waits for a pipe while the store is open.
 */
#include "base/home.h"
#include "store/db.h"
#include "store/mail/messages.h"
#include "store/mail/short_ids.h"
#include <glib.h>
#include <jansson.h>
#include <sysexits.h>

typedef struct Cli {
    const char *verb;
    const char *self;  /* path of this program's executable, for starting others */
    char *home_option; /* --home, or NULL */
    bool json, color;
    Home *home;    /* once cli_home() succeeded */
    Db *db;        /* once cli_db() succeeded */
    ShortIds *ids; /* cli_short_ids()'s */
    GString *out;  /* what goes to stdout at the end */
} Cli;

typedef int (*VerbFunc)(Cli *cli, int argc, char **argv); /* argv[0] is the verb */

typedef struct VerbRun {
    const char *name;
    VerbFunc run;
} VerbRun;

/* What every verb is; verbs.c. */
typedef struct Verb {
    const char *group; /* "every day", "set up", "agents at work", "for programs" */
    const char *name;
    const char *args;    /* "[--to ROLE] [TEXT]" */
    const char *summary; /* one line */
    const char *help;    /* paragraphs */
    bool in_mail;        /* lives in postrider-mail */
} Verb;
extern const Verb verbs[]; /* ends with a NULL name */
const Verb *verb_find(const char *name);
/* Names for completion and suggestions; NULL-terminated, static. */
const char *const *verb_names(void);

/* The rest of main() after the table is known. */
int cli_main(int argc, char **argv, const VerbRun *table, bool front);

/* Open what a verb needs, once. 0, or an exit status after the message was printed. */
int cli_home(Cli *cli);
int cli_db(Cli *cli, DbMode mode);
/* For verbs that read, and first take in what came meanwhile: DB_WRITE, or in a home that can't be
 * written DB_READ, after a word about it. */
int cli_db_to_read(Cli *cli);

/* Prints `postrider: …` and returns status. Control characters are escaped. */
int cli_fail(int status, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* The same from an error, with its own exit status (status 0) or the one given. Takes error. */
int cli_error(int status, GError *error);
/* Wrong usage: the message, and how the verb is called. Returns 64. */
int cli_usage(const char *verb, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

/* The same for a state that is none of the NULL-terminated names: the nearest, or all of them. */
int cli_no_state(const char *verb, const char *state, const char *const *names);

void cli_print(Cli *cli, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Untrusted text with control characters escaped. */
void cli_print_vis(Cli *cli, const char *text, bool keep_lines);
void cli_print_json(Cli *cli, json_t *value); /* takes it */
/* Writes what was collected now; false when nobody reads any more. */
bool cli_flush(Cli *cli);

/* Parses options with GOption; leaves operands in argv. 0, or 64 after a message. */
int cli_options(const char *verb, const GOptionEntry *entries, int *argc, char ***argv);
/* Runs the form that argv[1] names ("mail list") with argv from there on. forms ends with a NULL
 * name. 64 after a message when there is no such form. */
int cli_form(Cli *cli, const VerbRun *forms, int argc, char **argv);
/* A job by its number; exit status 64, 66 after a message. */
int cli_job(Cli *cli, const char *text, JobId *ret);
/* The text with each <Message-ID> that the store knows cut to what is unique there, which every verb
 * that takes an ID accepts. Without a store all of it stays. Caller frees. */
char *cli_short_ids(Cli *cli, const char *text);
/* The id that was meant: a whole one, or its short form; NULL in *ret: there is none. 0, or an exit
 * status after a message that lists what it might be. Caller frees. */
int cli_msgid(Db *db, const char *text, char **ret);
/* How the next command is called: with --home where it would not find this one by itself. Needs the
 * home; caller frees. */
char *cli_next_call(const Cli *cli);
/* Opens the agent port's client instead of the home, when we run inside a program agent. */
bool cli_in_agent(void);

/* A table for people: cells in rows of n_columns, the last column takes what is left of the
 * line. */
typedef struct CliTable CliTable;
CliTable *cli_table_new(const char *const *headings);
void cli_table_add(CliTable *t, ...) G_GNUC_NULL_TERMINATED; /* one const char * per column */
void cli_table_print(Cli *cli, CliTable *t);                 /* frees it */

/* "12 min ago"; caller frees. */
char *cli_ago(Cli *cli, int64_t wall_us);
json_t *cli_json_time(int64_t wall_us); /* ISO string, null for 0 and never */
