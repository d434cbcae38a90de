#pragma once

/* The part of a message that stands in its header block. */
#include "mail/message.h"

/* Fills in what follows from m->headers: ids, addresses, subject, date, flags, and whether a
 * program sent it. A mail without an id gets one from the digest of its bytes. */
void message_head_read(Message *m, const void *raw, size_t len);
