#pragma once

/*
 * Plain conversation, for programs, which run a loop of their own: mail is a question, what the
 * brain says is the answer, and it settles all mail that was shown.
 *
 * What the brain is shown, in this order: who it is, the role's instructions, and how to answer;
 * what the project's own files say to agents; what a person added with an order; the conversation
 * so far, the mail that is answered in full and the others in full while there is room, newest
 * first, then up to 15 as headers; each new mail in full.
 *
 * A session that is resumed is shown the role's instructions where they have changed, how to
 * answer, what a person added, what was said since its last turn, and each new mail; of open mail
 * that it has read before only the headers.
 *
 * An answer without any text is refused (ERR_NEVER).
 */
#include "engine/mode.h"

extern const ModeOps mode_letter; /* "program" */
