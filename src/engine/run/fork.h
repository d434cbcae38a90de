#pragma once

/*
 * A second job from an old step of a first one: same role, same request, the state as that step
 * left it. From there on they have nothing in common but the notes of the home.
 *
 *   taken over       phase, state and results of the step, the mail that began its round, which
 *                    notes were shown until then, the steps of the round up to there, what was
 *                    the least trusted thing that was read
 *   the fork's own   number, epoch, thread, checkpoint mails, money; its first mail says whose
 *                    fork it is, and a reply to that reaches the fork
 *   untouched        the first job, its mail, its epoch; mail on its thread never reaches the
 *                    fork
 */
#include "engine/engine.h"
#include "store/job/jobs.h"

/* Forks inside the caller's transaction; the new job is queued. step 0 or less: the newest one.
 * instruction: shown to the brain in the fork's first run; NULL: none. The first mail goes to
 * whoever asked the first job, in the same transaction. ERR_NEVER: there is no such job or
 * step, its state was pruned, or the job works as a program and leaves no state. */
bool fork_job(Engine *engine,
              Txn *txn,
              JobId job,
              int step,
              const char *instruction,
              JobId *ret_new,
              GError **error);
