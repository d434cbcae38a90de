#pragma once

/*
 * What keeps two programs from mailing each other for ever, when neither says that it is one.
 *
 * Mail that leaves: at most `max-mails-per-round` for one round of a job, whoever gets them;
 * `max-mails-per-hour` and `max-mails-per-day` to one address outside, and `max-mails-all` a
 * day to everybody outside. What is above is held, and a person is asked.
 *
 * Mail that comes: the same words of the same sender once more, within seconds of our answer to
 * them or under a subject that responders use, are no person's (RFC 3834 asks for a header that
 * says so; not all write it).
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "store/job/jobs.h"

/* Why a mail that is to leave is above a limit; *ret_why NULL: the limits allow it. Caller
 * frees. n_before: mails of the same step that are not written yet. to: addresses, of char
 * *. */
bool breaker_out(Engine *engine,
                 const Job *job,
                 const GPtrArray *to,
                 unsigned n_before,
                 char **ret_why,
                 GError **error);
/* *ret_same: a mail that came is such a repetition. own: the digest of its own words
 * (quote_own_words()); NULL: it has too few words. */
bool breaker_in(
    Db *db, JobId job, const Message *m, const Digest *own, bool *ret_same, GError **error);
