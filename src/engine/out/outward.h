#pragma once

/*
 * How our mail looks to people outside. A mailbox of a provider may be that of many roles: mail
 * leaves with the account's address and the role's name in From, and Reply-To leads back to the
 * role and the very job, by a tag that nobody can guess:
 *
 *   role+JOB.TOKEN@…            answers
 *   account+ROLE.JOB.TOKEN@…    the same, where the role has no mailbox there
 *   account+b.N.TOKEN@…         bounces of mail N, where `envelope = verp`
 *   account+sent-N.TRY.TOKEN@…  copies of mail N to ourselves, where `in-doubt = probe` too
 *
 * Who answers must be somebody who may write to the job anyway. b.N.TOKEN is the envelope id
 * too, wherever the server knows DSN.
 *
 * Tokens are MACs under the home's key, so nothing about them is stored.
 */
#include "base/home.h"
#include "base/ids.h"
#include "mail/compose.h"
#include "mail/message.h"

/* The address that the account's server knows us by; NULL: its login is none. Borrowed. */
const char *outward_address(const ConfAccount *account);

/* Caller frees. */
char *outward_reply_tag(const Key *key, const ConfRole *role, JobId job);
char *outward_bounce_tag(const Key *key, uint64_t generation, OutId mail);
/* Where the copy of one try of a mail goes; NULL: no tag fits there. Caller frees. */
char *outward_copy_address(const Key *key, const char *own, OutId mail, int64_t try);
/* Is it such a copy? */
bool outward_is_copy(const Key *key, const Message *m, OutId *ret_mail, int64_t *ret_try);
/* Envelope sender of a mail; caller frees. */
char *outward_envelope(const Home *home,
                       const ConfAccount *account,
                       uint64_t generation,
                       OutId mail,
                       const char *from);

/* From and Reply-To of a mail of this role that goes outside; and, where the server puts a
 * Message-ID of its own on it, ours in References. */
bool
outward_dress(const Home *home, const ConfRole *role, JobId job, Compose *mail, GError **error);

/* The job whose reply tag the mail was sent to, {0}: none. */
JobId outward_job_of(const Key *key, const ConfRole *role, const Message *m);
/* The mail of ours that a bounce tag names: in text, an envelope id, or in an address that the bounce
 * came to; {0}: none. */
OutId outward_bounced(const Key *key, uint64_t generation, const char *tag);
OutId outward_bounced_at(const Key *key, uint64_t generation, const Message *m);

/* Is the role meant by this address: its own, or the account's with the role's name or a tag of
 * ours behind the plus? */
bool outward_means(const Config *config, const ConfRole *role, const char *spec);
/* Is it by one of these? */
bool outward_names(const Config *config, const ConfRole *role, const Addresses *list);
