#pragma once

/*
 * The outbox's way out to the world: each due mail goes to the submission server of its
 * account, or to the local sendmail, once for all its recipients that are due; several mails go
 * over one connection. One process at a time: the kernel holds state/submit.lock.
 *
 * Each recipient has its own end. What the server refuses for now, and whatever happens before
 * the last bytes of a mail, is tried again by the rules of every delivery (engine/out/attempt.h),
 * with the same bytes and Message-ID. What it refuses for good is told (engine/people/delivery_failure.h).
 * What was handed over without an answer, also by a process that died, is in doubt: `in-doubt =
 * hold` asks the owner, `resend` tries again. `probe` looks into Sent where the server files
 * what it accepts (`sent-copy = server`, remote/remote_probe.c); elsewhere it sends a copy to
 * ourselves whose arrival settles it (remote/remote_copy.c, where plus tags are known to work),
 * and asks when none has come for 30 minutes. A server that
 * refuses our login, or settings that lead nowhere, pause the account: nothing is lost, and no
 * try is counted. Who is asked to end while an answer is awaited waits for it no longer than
 * `drain`; the mail is in doubt then.
 *
 * Part of the program that links libcurl.
 */
#include "engine/engine.h"

typedef struct SubmitStats {
    unsigned sent, retried, failed, doubt; /* recipients */
} SubmitStats;

/* Sends what is due until nothing is, or until SIGTERM or SIGINT is pending in a caller that
 * blocks them. ERR_LATER when another process is at it. */
bool submit_pass(Engine *engine, int wait_ms, SubmitStats *ret, GError **error);
/* The program: the exit status. */
int submit_main(Engine *engine);
