#pragma once

/* Releasing: mail that was held, ignored, or is history becomes work after all, because a
 * person says so. Each call has transactions of its own. ERR_NEVER: the mail is neither held
 * nor ignored, its file is gone, it has no sender, or only its headers are here. */
#include "engine/engine.h"
#include "store/mail/messages.h"

/* Releases one mail that the person has looked at, as if its sender were proved. ERR_NEVER also
 * where it says the same as a mail that has a job or is handled (store/mail/copies.h). */
bool release_one(Engine *engine, MsgId id, GError **error);
/* The same, also for mail of history that is filed as done: for a person who knows that its
 * work was not done. */
bool release_filed(Engine *engine, MsgId id, GError **error);
/* Releases mail of history in bulk, where nobody has looked at each mail: the mail is judged as
 * if it came now. What is no work then (a stranger's mail, an order of another time) is held or
 * ignored with that reason, and *ret_released is false. */
bool release_judged(Engine *engine, MsgId id, bool *ret_released, GError **error);
