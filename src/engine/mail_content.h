#pragma once

/* A mail with its content as JSON: what `mail show` prints, and what the agent port answers. */
#include "base/home.h"
#include "mail/message.h"
#include <jansson.h>

/* Can the brain that has the mail read this part? */
typedef bool MailReadable(const MsgPart *part, unsigned takes);

/* Adds to a mail (view/mail_rows.h) what only the message itself says; raw may be NULL. readable
 * NULL: all of it, as for a program. */
void mail_add_content(
    json_t *mail, const Home *home, GBytes *raw, MailReadable *readable, unsigned takes);
