#pragma once

/*
 * How far words are trusted that a mail quotes or forwards: as far as the mail from which they
 * come (mail/quoted.h). They are looked at once, at intake; the result is the floor of the new
 * mail's row.
 */
#include "engine/engine.h"
#include "mail/origin.h"
#include "store/mail/messages.h"

/* Lowers in->floor to that of what in->mail quotes or forwards, as far as it stands in mail of
 * the same thread of this role, or in what the job wrote ({0}: none); to TRUST_ANYONE where it
 * stands in none. Mail of roles is left as it is: its floor says what its writer had read. */
bool quotes_lower_floor(Engine *engine, MsgNew *in, JobId job, GError **error);
