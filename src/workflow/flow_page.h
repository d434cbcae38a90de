#pragma once

/* What a brain is shown of the workflow, whichever face leads its job: the artifact of each typed mail that it is to work on,
 * with its digest, and status-updates that wait to be read. */
#include "engine/face.h"

bool flow_page(
    Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
/* Of a mail that was shown: an approval, an answer or a status-update, which ask nothing of anybody. */
bool flow_tells(Engine *engine, const MsgRow *row, bool *ret, GError **error);
/* A status-update wakes nobody: it waits for the next mail of its role. */
bool flow_waits(Engine *engine, const MsgNew *in, bool *ret, GError **error);
