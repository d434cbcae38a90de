#pragma once

/*
 * Sessions: what a program remembers of a job from turn to turn, by the name that the program
 * has for it. A job has one at most.
 *
 *   session_put()    under the claim, before the program can answer: where we choose the name when
 *                    it is chosen, else when the program says it
 *   session_began()  the program has named it: from now on it is resumed
 *   session_heard()  it has begun to work on the open mail that it was shown
 *   session_told()   in the commit of a step: it knows all that was said until then
 *   session_forget() its program does not know it any more
 *
 * A session is of one brain, one kind of program and one folder; whoever asks another, or
 * elsewhere, begins one. What happens to it is decided by engine/run/run_session.c.
 */
#include "store/db.h"
#include "view/job_rows.h"

/* The session of a job; NULL with true: the job has none. */
bool session_load(Db *db, JobId job, Session **ret, GError **error);
/* Writes the session of a job, in the place of the session that it had. */
bool session_put(Txn *txn, const Session *session, GError **error);
bool session_began(Txn *txn, JobId job, GError **error);
/* Numbers of open mail, as in the struct. */
bool session_heard(Txn *txn, JobId job, const char *heard, GError **error);
bool session_has_heard(const Session *session, MsgId mail);
/* From now on the session also knows the instructions of the turn's page. Does nothing for a
 * job without a session. */
bool session_told(Txn *txn, const Session *session, int step, GError **error);
/* The tokens of the struct, and its id, which the program may have changed. */
bool session_used(Txn *txn, const Session *session, GError **error);
bool session_forget(Txn *txn, JobId job, GError **error);
