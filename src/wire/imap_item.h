#pragma once

/* What one FETCH response says about a mail. Internal to src/wire/imap*. */
#include "wire/imap.h"
#include "wire/imap_response.h"

typedef struct ImapItem {
    ImapMail mail;
    GPtrArray *keywords;
    bool has_size, has_body; /* the response speaks of them */
    char *quoted; /* a body that came as a string, mail.body_bytes long, though mail.body is
                     IMAP_BODY_LARGE then too; else NULL */
} ImapItem;
void imap_item_clear(ImapItem *item);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImapItem, imap_item_clear)

/* Reads a FETCH response into a zeroed item. False when the response can't be read to its end;
 * what was read of it means nothing then. Of two bodies the first counts, and IMAP_BODY_LARGE
 * stands for a body whose bytes were dropped. */
bool imap_item_parse(const ImapResponse *response, ImapItem *item);
