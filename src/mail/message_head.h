#pragma once

/* The part of a message that stands in its header block. */
#include "mail/message.h"

/* Fills in what follows from m->headers and m->raw: ids, addresses, subject, date, flags, and
 * whether a program sent it. */
void message_head_read(Message *m);
