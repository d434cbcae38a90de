#pragma once

/* A mail with its content as JSON: what `mail show` prints, and what the agent port answers. */
#include "base/home.h"
#include "mail/message.h"
#include <jansson.h>

/* True when a brain that can be shown these kinds of files (takes: CONTEXT_IMAGES, …) can read
 * the part. */
typedef bool MailReadable(const MsgPart *part, unsigned takes);

/* Adds to a mail (mail_json()) what only the message itself says: text, attachments,
 * recipients, a checkpoint. raw NULL: the message is gone, and these members are null or empty.
 * readable NULL: every part counts as readable, as for a program. */
void mail_add_content(
    json_t *mail, const Home *home, GBytes *raw, MailReadable *readable, unsigned takes);
