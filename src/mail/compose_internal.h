#pragma once

/* The inside of a Compose, shared by compose.c, which fills it, and compose_format.c, which
 * writes it down. */
#include "mail/compose.h"

typedef struct Field {
    char *name, *value;
} Field;

typedef struct Attachment {
    char *filename;
    char *content_type;
    GBytes *content;
} Attachment;

struct Compose {
    Address *from;
    Addresses *to, *cc;
    char *subject;
    bool has_date;
    int64_t date_us;
    char *in_reply_to;
    GPtrArray *answered_too; /* ids behind the first in In-Reply-To */
    GPtrArray *references;  /* ids */
    bool to_self;           /* the mail's own is to be among them */
    char *msgid;            /* the mail's own; NULL: it is minted */
    char *event_role;       /* an event of the workflow, of whom; NULL: none */
    char *mark;             /* where its text has its id */
    GPtrArray *fields;      /* of Field */
    char *text;             /* valid, LF, ends with a newline unless empty */
    char *html;             /* the same as HTML; NULL: the mail has none */
    GPtrArray *attachments; /* of Attachment */
};
