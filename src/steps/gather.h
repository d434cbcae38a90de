#pragma once

/*
 * What an answer asks to have gathered: notes by key, mails by Message-ID, searches,
 * attachments. All of it is reading, with the eyes of the job's role; what was found goes into
 * the state and is shown from the next step on, what was not is counted, and asked for a third
 * time it is not looked for any more.
 *
 * A step writes, renames and deletes first and gathers then: a note that it writes is there,
 * and one that it deletes or renames is not, although nothing of it is committed yet.
 */
#include "steps/turn.h"

#define GATHER_HITS_MAX 20u

/* Does all of it. False only where the store or the index can't be read; what was not found is
 * said in the state's results. */
bool gather(Turn *t, GError **error);
