#pragma once

/*
 * The command line. `postrider` (front.c) answers most verbs itself; the parts of the service and
 * verbs that ask a brain live in libexec `postrider-mail` (mail_main.c), to which the front execs,
 * or in `postrider-net`, the same with libcurl, to which it execs where a brain may
 * have to be asked by HTTP. One table (verbs.def) has all that is known about a verb: the parser, help,
 * manual pages, completion and who starts which program read it.
 *
 * Messages are one line on stderr, `postrider: what: why`; exit codes are those of sysexits.h.
 * Answers are collected and written at the end, so that a closed or full stdout is noticed and
 * nothing waits for a pipe while the store is open.
 */
#include "base/home.h"
#include "store/db.h"
#include "store/mail/messages.h"
#include "store/mail/short_ids.h"
#include <jansson.h>
#include <sysexits.h>

typedef struct CliOption CliOption;
typedef struct Verb Verb;

typedef struct Cli {
    const char *verb;
    const Verb *row;    /* of the verb, or of its form */
    char **rest;        /* the words behind "--" of a row whose arguments end with [-- COMMAND]; NULL: none */
    GPtrArray *options; /* of the row, with what was said: CliOption */
    const char *self;   /* path of this program's executable, for starting others */
    char *home_option;  /* --home, or NULL */
    bool json, color;
    Home *home;    /* once cli_home() succeeded */
    Db *db;        /* once cli_db() succeeded */
    GError *error; /* why the verb fails: for cli_failed() */
    ShortIds *ids; /* cli_short_ids()'s */
    GString *out;  /* what goes to stdout at the end */
} Cli;

typedef enum VerbFlags {
    VERB_WORKS =
        1 << 0, /* logs as the service does, and may hold the key while an agent runs */
    VERB_FORMS = 1 << 1,  /* its first operand is one of its forms */
    VERB_RAW = 1 << 2,    /* reads its options by itself, as another program does */
    VERB_ASKS = 1 << 3,   /* needs postrider-net where a brain is asked by HTTP, */
    VERB_SENDS = 1 << 4,  /* where mail can leave, */
    VERB_VISITS = 1 << 5, /* where an account is on a server, */
    VERB_NET = 1 << 6,    /* always */
    VERB_BY_SETTINGS = VERB_ASKS | VERB_SENDS | VERB_VISITS | VERB_NET,
    VERB_SETUP = 1 << 7, /* lives in postrider-setup */
} VerbFlags;

/* A row of verbs.def, which says what its members are. */
struct Verb {
    const char *name;
    int (*run)(Cli *cli, int argc, char **argv); /* NULL: in another program */
    unsigned flags;                              /* of a form: those of its verb count */
    const char *args, *words;
    const char
        *group; /* "every day", "set up", "agents at work", "for programs"; NULL: a form */
    const char *summary, *help;
};
extern const Verb verbs[]; /* ends with a NULL name */
/* A verb, or its form. NULL: there is none. */
const Verb *verb_find(const char *verb, const char *form);
/* The form's name, if the row is one of this verb; NULL: it is not. */
const char *verb_form(const Verb *row, const char *verb);
/* All verbs, or the forms of one; ends with NULL. Caller unrefs. */
GPtrArray *verb_names(const char *verb);
/* "job log [-f|--follow] JOB". Caller frees. */
char *verb_usage(const Verb *row);
/* The executable that holds what the front does not, by these settings. account: the one that is meant;
 * NULL: any. */
const char *verb_program(const char *verb, const Config *config, const char *account);

/* The rest of main(). */
int cli_main(int argc, char **argv, bool front);

/* Is there a home, or was one named? For verbs that can do without. */
bool cli_has_home(const Cli *cli);
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
/* The same from cli->error, which it takes. */
int cli_failed(Cli *cli, int status);
/* Wrong usage: the message, and how the verb is called. Returns 64. */
int cli_usage(const Cli *cli, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

/* The same for a state that is none of these words, nor of others (NULL): the nearest, or all of them. */
int cli_no_state(const Cli *cli, const char *state, const Words *words, const Words *others);

void cli_print(Cli *cli, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Untrusted text with control characters escaped. */
void cli_print_vis(Cli *cli, const char *text, bool keep_lines);
/* One line, in which any text may be untrusted: control characters of all of it are escaped. */
void cli_print_line(Cli *cli, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* As they are; NULL: nothing. */
void cli_print_bytes(Cli *cli, GBytes *bytes);
void cli_print_json(Cli *cli, json_t *value); /* takes it */
/* Writes what was collected now; false when nobody reads any more. */
bool cli_flush(Cli *cli);

/* What the command line said to an option of the row (cli/options.h). NULL: nothing. Borrowed. */
bool cli_flag(const Cli *cli, const char *name);
const char *cli_text(const Cli *cli, const char *name);
char **cli_texts(const Cli *cli, const char *name);
int cli_number(const Cli *cli, const char *name, int fallback);
/* --max-iterations; 0: not said. Where the verb is to run nothing it says that this does nothing. 0, or
 * 64 after a message. */
int cli_iterations(const Cli *cli, bool runs, int *ret);
/* A job by its number; exit status 64, 66 after a message. */
int cli_job(Cli *cli, const char *text, JobId *ret);
/* A date that somebody said, or "today"; opens the home. Caller frees. */
int cli_date(Cli *cli, const char *text, char **ret);
/* "12", or "12@3", a step of it; *ret_step 0: the whole job. */
int cli_step(Cli *cli, const char *text, JobId *ret_job, int *ret_step);
/* The text with each <Message-ID> that the store knows cut to what is unique there, which every verb
 * that takes an ID accepts. Without a store all of it stays. Caller frees. */
char *cli_short_ids(Cli *cli, const char *text);
/* The id that was meant: a whole one, or its short form; NULL in *ret: there is none. 0, or an exit
 * status after a message that lists what it might be. Caller frees. */
int cli_msgid(Db *db, const char *text, char **ret);
/* The bytes of a file that the command line names, at most max; what is it: "", or "attaching " in front
 * of its name in messages. 0, or an exit status after a message: 66 when it can't be opened. */
int cli_read_file(Cli *cli, const char *what, const char *path, size_t max, GBytes **ret);
/* How the next command is called: with --home where it would not find this one by itself. Needs the
 * home; caller frees. */
char *cli_next_call(const Cli *cli);
/* Do we run inside a program agent? Then the run that started it is asked instead of the home. */
bool cli_in_agent(void);
/* Asks that run, by the agent port; takes request, which is NULL where it would be no text. *ret is
 * this member of the answer; caller unrefs. 0, or an exit status after the message was printed. */
int cli_call(Cli *cli, json_t *request, const char *member, json_t **ret);

/* A list of objects as JSON, or for people: `none` where it is empty (NULL: a table without rows), else
 * a table of these members, of which the last takes what is left of the line. */
typedef struct CliColumn {
    const char *heading, *member;
    unsigned width; /* characters at most; 0: any number */
} CliColumn;
/* What stands in a cell instead of its member; NULL: the member does. Caller frees. */
typedef char *CliCell(Cli *cli, const json_t *row, const char *member);
void cli_print_list(Cli *cli,
                    json_t *rows /* taken */,
                    const CliColumn *columns /* ends with an empty one */,
                    const char *none,
                    CliCell *cell /* NULL */);

/* A text among the members of an object; "" where it has none of that name. Borrowed. */
const char *cli_member(const json_t *object, const char *name);
/* "$1.20" from an amount in JSON, which is in dollars; null is nothing. Caller frees. */
char *cli_money(const json_t *dollars);
/* "12 min ago"; caller frees. */
char *cli_ago(Cli *cli, int64_t wall_us);
