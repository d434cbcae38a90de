#pragma once

/*
 * The master: small, parses no mail, knows no secret. It starts and watches `account` (one per
 * account), `run` (up to `workers`), `deliver`, `submit` and the index follower; wakes by the hint
 * socket, pidfds, changed files of the home, one timerfd at db_next_deadline() and one sweep a
 * minute. Runs and accounts outlive a master that was killed: the next master adopts them by pid
 * and start time. A second master is refused (state/master.lock).
 *
 * SIGTERM, SIGINT: everybody is asked to end, and the master ends once all have; a second one
 * kills everybody at once. SIGHUP: read the settings again; bad ones are refused, the old ones
 * stay. The same when postrider.conf was changed and left alone for half a second.
 */
#include "base/home.h"
#include "store/db.h"

/* Which executable beside the front does a verb by these settings; NULL: the front itself. account:
 * the name of the account whose process it is; NULL: the verb is of no account. */
typedef const char *ServeProgram(const char *verb, const Config *config, const char *account);

/* Serves until a signal ends it, or damage; an error is said on stderr. Exit status. self is the
 * argv[0] path of the front program, used to start the parts.
 * max_iterations: steps per run; 0: each role's own. take_over: the mail folder and the imap
 * mailboxes become this home's, whoever had them (base/living.h). */
int serve_main(
    Home *home, const char *self, ServeProgram *program, int max_iterations, bool take_over);
