#pragma once

/* Rights: what a sender may ask for, and whether a person may give orders to a job. */
#include "base/config/config.h"
#include "store/job/jobs.h"

/* What the sender of a mail may do (MAY_…), once the mail is believed to be of this address at
 * that level of trust. */
unsigned rights_of(const Config *config, const char *spec, Trust trust);
/* What a round that this mail asks for may have done (MAY_…): what the sender may. Mail of a
 * role has the rights of the round that wrote it, as far as that is known, and at least
 * MAY_ASK. Only Job.may is made from this: a role gives no orders. 0 where there is no such
 * mail. */
bool mail_rights(Db *db, MsgId mail, unsigned *ret, GError **error);

/* May this person, who may steer their own threads, steer the job? They asked, began it, were
 * named by somebody else in it, or were written to before they wrote themselves: a mail of
 * their own into somebody else's thread makes them no part of it. */
bool job_steered_by(Db *db, JobId job, const char *spec, bool *ret, GError **error);
