#pragma once

/*
 * May a program agent make this tool call? One function decides it, from the call as the client
 * tells it, the folder that the agent works in, and the settings of its role:
 *
 *                           permissions = ask   edit   all
 *   read inside                           yes   yes    yes
 *   change a file inside                  ask   yes    yes
 *   a shell command of `allow`            yes   yes    yes
 *   another shell command                 ask   ask    yes
 *   the network                           ask   ask    yes
 *   mail, notes, todos of `postrider mcp` yes   yes    yes
 *   a todo is complete: its check runs    no    no     yes
 *   a file outside of the workplace       ask   ask    ask
 *   a tool that is not known here         ask   ask    ask
 *   what configures an agent or git       ask   ask    ask
 *
 * Paths are followed before they are judged: through .. and through links. A call that can't be
 * read is refused.
 */
#include "base/json.h"
#include "brain/brain.h"

typedef enum PermitAnswer { PERMIT_YES, PERMIT_ASK, PERMIT_NO } PermitAnswer;

/* What a role may do by itself. */
typedef struct PermitRules {
    BrainPermit level;
    const char *const *allow; /* prefixes of shell commands; NULL: none */
} PermitRules;

/* Where an agent works; absolute paths. */
typedef struct PermitPlace {
    const char *root;    /* its folder, and all that is below */
    const char *in;      /* files that came with the mail: may be read; NULL */
    const char *out;     /* files for the answer: may be written; NULL */
    const char *workdir; /* what root stands for in standing permissions; NULL: root itself */
} PermitPlace;

/* One tool call. Borrows all. */
typedef struct PermitCall {
    const char *tool;    /* by the client's own name */
    const json_t *input; /* an object */
    const char *cwd;     /* where the client stands; NULL: in the root */
    const char *session; /* of the client; "" */
    const char *id;      /* by which the client knows the call; "" */
} PermitCall;

typedef struct PermitVerdict {
    PermitAnswer answer;
    const char *why;  /* in words that end a sentence: "…, since it …"; static; NULL with a yes */
    bool each_time;   /* no standing permission covers it */
    bool is_question; /* the agent asks a person something (AskUserQuestion) */
} PermitVerdict;

PermitVerdict
permit_judge(const PermitRules *rules, const PermitPlace *place, const PermitCall *call);

/* Names of files and folders that configure an agent or git; ends with NULL. */
const char *const *permit_protected(void);

/* What a standing permission for this call is about, beside the tool: the command of a shell,
 * the file of a tool that has one (relative to the root where it lies below it), else the whole
 * input. Caller frees. */
char *permit_covers(const PermitPlace *place, const PermitCall *call);
/* "command", "file" or "input": which of them that is. Static. */
const char *permit_covers_what(const PermitCall *call);
/* The folder in which the call is made, as a standing permission names it: the root is the
 * workdir. Caller frees. */
char *permit_folder(const PermitPlace *place, const PermitCall *call);
/* The member of the input that holds the command of a shell; NULL: the tool is none.
 * Borrowed. */
const char *permit_command(const PermitCall *call);
