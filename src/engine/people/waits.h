#pragma once

/*
 * What falls due without a brain, by durable timers: the wait contract of parked jobs
 * (store/job/jobs.h), the word about long work (engine/people/progress.h), and what faces have
 * set (FaceOps.due). Which act is whose is a table. Each act is one transaction with the change
 * of its timer: the mail, the job's next wait, and a checkpoint mail that knows of it.
 *
 *   remind     one mail to those the job waits for, in their thread; it waits as long again
 *   escalate   one mail to the owner; it waits for mail or an order alone
 */
#include "engine/engine.h"

/* Does what is due; *ret_n: how many acts did something. Nothing happens while everything is
 * held. */
bool waits_act(Engine *engine, unsigned *ret_n, GError **error);
