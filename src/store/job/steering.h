#pragma once

/* Whose job it is, as far as orders go, and what those who ask may have done. */
#include "base/config/config.h"
#include "store/job/jobs.h"

/* What this address may do once it is believed at that level: MAY_…. */
unsigned rights_of(const Config *config, const char *spec, Trust trust);
/* What a round may that this mail asks for: the rights of its sender. The mail of a role has
 * those of the round that wrote it, as far as that is known, and at least MAY_ASK. Only Job.may
 * is made of it: a role gives no orders. 0 where there is no such mail. */
bool mail_rights(Db *db, MsgId mail, unsigned *ret, GError **error);

/* May this person, who may steer their own threads, steer the job? They asked, began it, were
 * named by somebody else in it, or were written to before they wrote themselves: a mail of
 * their own into somebody else's thread makes them no part of it. */
bool job_steered_by(Db *db, JobId job, const char *spec, bool *ret, GError **error);
