#pragma once

/* An attachment as JSON: the one form of it, in what `mail show --json` prints and in answers
 * of the agent port, so that a program may read both alike. */
#include "mail/message.h"
#include <jansson.h>

/* readable: by whoever the mail is shown to. The caller owns the result. */
json_t *part_format_json(const MsgPart *part, bool readable);
