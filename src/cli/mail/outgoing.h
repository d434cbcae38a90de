#pragma once

/*
 * A mail that a verb builds: who it is from, to whom, body and files; and where it goes:
 * through the outbox, or straight into a role's mailbox when the operator injects it.
 */
#include "cli/cli.h"
#include "engine/engine.h"

typedef struct Outgoing {
    const char *from; /* addr-spec */
    const char *from_name;
    char **to, **cc;                   /* addr-specs; NULL: none */
    const char *subject;
    const GPtrArray *parents; /* ids of what it answers; NULL: nothing */
    const char *body;
    char **files; /* paths; NULL: none */
} Outgoing;

/* An address of somebody in this home by name or address: "envoy", "bob", "a@b"; caller frees.
 * NULL after a message was printed, with *ret_status. */
char *outgoing_address(Cli *cli, const char *who, int *ret_status);

/* The address of a role or a person by name; NULL: nobody here is called so. Borrowed. */
const char *outgoing_known(const Config *config, const char *name);

/* What --in-reply-to says, once or several times: ids without brackets, each once. db NULL: inside a program agent, whose run
 * looks them up. here: each must be that of a mail of this home. Caller unrefs; 0, or an exit status after a message. */
int outgoing_parents(const Cli *cli, Db *db, bool here, GPtrArray **ret);
/* As the agent port takes them. */
void outgoing_put_parents(json_t *request, const GPtrArray *parents);

/* Calls post in a transaction, again where a face has to look at a file first (engine/face.h). */
typedef bool (*OutgoingPost)(void *data, Txn *txn, GError **error);
bool outgoing_post(Engine *engine, OutgoingPost post, void *data, GError **error);

/* Queues the mail in the outbox; prints nothing when that worked. 0, or an exit status after a
 * message. *ret_msgid: caller frees. */
int outgoing_send(Cli *cli, Engine *engine, const Outgoing *mail, char **ret_msgid);
/* Formats the mail with a fresh Message-ID, for filing it in a mailbox. 0, or an exit status
 * after a message. */
int outgoing_format(
    Cli *cli, Engine *engine, const Outgoing *mail, GBytes **ret_bytes, char **ret_msgid);

/* A Message-ID for mail that has no row in the outbox: random instead of numbered. kind: what
 * makes it ("inject"). Caller frees. */
char *outgoing_random_msgid(Home *home, const char *kind);
/* The mail with its Message-ID line in front. */
GBytes *outgoing_with_msgid(GBytes *rest, const char *msgid);

/* The first line as subject, as a person would write it; caller frees. */
char *outgoing_subject(const char *text);
/* All of standard input, at most max bytes; says what it waits for when that is a terminal. */
int outgoing_read_stdin(size_t max, const char *what, GBytes **ret);
/* The same as text, valid UTF-8. */
int outgoing_read_text(size_t max, const char *what, char **ret);
