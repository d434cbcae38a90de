#pragma once

/* A mail that came in, read once: its text, and the checkpoint that it may hold. */
#include "engine/continuation.h"

typedef struct MailIn {
    Message *mail;         /* no part has content */
    ContinuationSeen seen; /* does it hold a checkpoint? */
    Continuation *checkpoint;
    GBytes *document; /* of an unsigned one */
} MailIn;

void mail_in_clear(MailIn *in);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MailIn, mail_in_clear)

void mail_in_parse(const Key *key, GBytes *raw, MailIn *ret);
