#pragma once

/* A mail that came in, read once: its text, and the checkpoint that it may hold. */
#include "engine/checkpoint/continuation.h"
#include "mail/maildir.h"

typedef struct MailIn {
    Message *mail;         /* no part has content */
    ContinuationSeen seen; /* does it hold a checkpoint? */
    Continuation *checkpoint;
    GBytes *document; /* of an unsigned one */
} MailIn;

void mail_in_clear(MailIn *in);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MailIn, mail_in_clear)

/* Parses a mail. Never fails; ret is to be cleared with mail_in_clear(). */
void mail_in_parse(const Key *key, GBytes *raw, MailIn *ret);

/* A mail that is larger than max-message is its headers, beneath a line that says how large it
 * is where it lies. Intake holds what begins like this. */
#define MAIL_LARGE_HEADER "X-Postrider-Left-On-Server"
/* Makes such a mail from the beginning of one that has size bytes; head may go on behind the
 * headers. Caller unrefs. */
GBytes *mail_in_large(GBytes *head, uint64_t size);
/* The same from a file; *ret_bytes NULL with true: the file is gone. */
bool mail_in_read_large(Maildir *md, const MaildirEntry *e, GBytes **ret_bytes, GError **error);
