#pragma once

/* The inside of a Compose (a mail that we write), shared by compose.c, which fills it, and
 * compose_format.c, which writes it down. */
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
    bool to_self;           /* the mail's own id is to be among the references */
    char *msgid;            /* the mail's own id; NULL: an id is minted */
    char *event_role;       /* the role whose event of the workflow this mail is; NULL: no event */
    char *mark;             /* stands in the event's text where its id is to be written */
    GPtrArray *fields;      /* of Field */
    char *text;             /* valid, LF, ends with a newline unless empty */
    char *html;             /* the same as HTML; NULL: the mail has none */
    GPtrArray *attachments; /* of Attachment */
};
