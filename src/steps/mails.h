#pragma once

/*
 * The mails of an answer as proposals: recipients as bare addresses, files from notes, each
 * mail in the thread that it belongs to. Whether one may go is the policy's to say, and what the
 * owner hears of it is the commit's.
 */
#include "steps/turn.h"

/* Adds to the proposal's mails; what had to be passed over is said in the state's results, and an
 * empty mail keeps the step from being an end or a wait. */
bool mails_propose(Turn *t, GError **error);
