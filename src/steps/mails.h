#pragma once

/*
 * The mails of a brain's answer as proposals: recipients as bare addresses, files from notes,
 * each mail in the thread that it belongs to. The policy says whether a mail may leave, and the
 * commit tells the owner of it.
 */
#include "steps/turn.h"

/* Adds to the proposal's mails; what had to be passed over is said in the state's results, and
 * an empty mail keeps the step from being an end or a wait. */
bool mails_propose(Turn *t, GError **error);
