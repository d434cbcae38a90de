#pragma once

/* Mail that was held or is history becomes work after all, because a person says so. */
#include "engine/engine.h"
#include "store/mail/messages.h"

/* One mail that the person has looked at: as if its sender were proved. ERR_NEVER where it says the
 * same as a mail that has a job or is handled (store/mail/copies.h). */
bool release_one(Engine *engine, MsgId id, GError **error);
/* Mail of history, also where it is filed as done: for who knows that its work was not. ERR_NEVER as above. */
bool release_filed(Engine *engine, MsgId id, GError **error);
/* History in bulk, where nobody has looked at each: judged as if it came now. What is no work
 * then (a stranger's, an order of another time) is held or ignored with that reason. */
bool release_judged(Engine *engine, MsgId id, bool *ret_released, GError **error);
