#pragma once

/*
 * Schedules at work: a role is mailed, as the owner, each time that the clock says so.
 *
 *   due --one transaction: the mail is minted and queued, the moment moves on--> waits
 *
 * (1) An occurrence is one outbox row: a crash before the commit leaves it due, one after it
 *     leaves the mail to `deliver`.
 * (2) Of several that were missed (postrider was down, the store on hold) the latest is mailed,
 *     once.
 * (3) A role that is gone gets nothing; its schedule moves on and is a finding of `status` and
 *     `doctor`.
 * (4) A clock that ran ahead and was put back by more than SCHEDULE_AHEAD_US does not silence a
 *     schedule: it is planned anew.
 */
#include "engine/engine.h"
#include "store/job/schedules.h"

/* Mails what is due, each schedule in a transaction of its own; *ret_n: how many were mailed.
 * Nothing is mailed while the store is on hold. */
bool every_fire(Engine *engine, unsigned *ret_n, GError **error);
/* Mails a schedule now, whatever its plan says, in the caller's transaction. ERR_NEVER where
 * the role is gone. ret_msgid: caller frees; may be NULL. */
bool every_mail(Engine *engine, Txn *txn, const Schedule *s, char **ret_msgid, GError **error);
