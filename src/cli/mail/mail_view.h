#pragma once

/*
 * Mail as `mail list`, `show`, `thread` and `search` show it. Both sides, the store and the
 * agent port, hand out the same JSON (docs/formats.md); what people see is made from that, so
 * that a program inside a run and the owner outside read the same.
 */
#include "cli/cli.h"
#include "store/index/index.h"
#include "store/out/outbox.h"

json_t *mail_hits_json(const IndexHits *hits);

/* A list for people, or as JSON. */
void mail_print_list(Cli *cli, json_t *mails /* taken */);
/* The same of what the run answers, inside a program agent; takes request. Exit status. */
int mail_call_list(Cli *cli, json_t *request);
/* One mail with its text. */
void mail_print(Cli *cli, json_t *mail /* taken */);

/* What an ID on the command line names: a number of the list, or a Message-ID with or without
 * brackets, of mail that came in, else of mail that we sent (as a whole, without its bytes).
 * Exactly one of them is set. */
typedef struct MailFound {
    MsgRow *in;
    OutRow *out;
} MailFound;
void mail_found_clear(MailFound *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MailFound, mail_found_clear)
/* 0, or an exit status after the message was printed: 66 when there is no such mail. */
int mail_find(Cli *cli, Db *db, const char *text, MailFound *ret);
/* The bytes of the message, wherever it lies now. *ret_bytes NULL with true: it is gone. */
bool mail_read(Cli *cli, const MailFound *f, GBytes **ret_bytes, GError **error);

/* 0 where there is a state of this name, or name is NULL; else the exit status after a message
 * was printed. written: states of mail that roles wrote count too. */
int mail_check_state(const Cli *cli, const char *name, bool written);

/* How many a list shows unless it is told. */
#define MAIL_LIST_LIMIT 20

/* What `mail show` and `show` print of one mail: all of it, its bytes, or those of an attachment. Exit
 * status. */
int mail_show(Cli *cli, const char *id, bool raw, const char *attachment);
