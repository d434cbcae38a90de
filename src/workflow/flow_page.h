#pragma once

/* What a brain is shown of the workflow, whichever face leads its job: the artifact of each typed mail that it is to work on,
 * with its digest, and status-updates that wait to be read. */
#include "engine/face.h"

/* Shows that in c (a part of FaceOps.page). What can't be read is said there, and is no
 * error. */
bool flow_page(
    Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error);
/* *ret: a mail that was shown is an approval, an answer or a status-update, which ask nothing of
 * anybody. */
bool flow_tells(Engine *engine, const MsgRow *row, bool *ret, GError **error);
/* *ret: flow_tells() holds for every mail that the step shows. */
bool flow_only_tells(Engine *engine, const StepInput *in, bool *ret, GError **error);
/* *ret: the mail is a status-update, which wakes nobody and waits for the next mail of its role
 * (FaceOps.waits). */
bool flow_waits(Engine *engine, const MsgNew *in, bool *ret, GError **error);
