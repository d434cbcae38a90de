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

/* The account's own e-mail address: its login name; NULL where that is not an address.
 * Borrowed. */
const char *outward_address(const ConfAccount *account);

/* The tags, without the address to which they belong; caller frees. */
char *outward_reply_tag(const Key *key, const ConfRole *role, JobId job);
char *outward_bounce_tag(const Key *key, uint64_t generation, OutId mail);
/* The address to which the copy of one try of a mail goes; NULL: no tag fits into our own
 * address. Caller frees. */
char *outward_copy_address(const Key *key, const char *own, OutId mail, int64_t try);
/* True when a mail that came is such a copy; then of which mail and which try. */
bool outward_is_copy(const Key *key, const Message *m, OutId *ret_mail, int64_t *ret_try);
/* The envelope sender of a mail; from: what it is where the account has no address of its own.
 * Caller frees. */
char *outward_envelope(const Home *home,
                       const ConfAccount *account,
                       uint64_t generation,
                       OutId mail,
                       const char *from);

/* Sets From and Reply-To of a mail of this role that goes outside and, where the server puts a
 * Message-ID of its own on the mail, has our id in References. There must be a way out for the
 * role (config_way_out()). */
bool
outward_dress(const Home *home, const ConfRole *role, JobId job, Compose *mail, GError **error);

/* The job to whose reply tag the mail was sent; {0}: to none. */
JobId outward_job_of(const Key *key, const ConfRole *role, const Message *m);
/* The mail of ours that a bounce tag names: the tag as text (an envelope id), or in an address
 * to which the bounce came. {0}: no mail of ours. */
OutId outward_bounced(const Key *key, uint64_t generation, const char *tag);
OutId outward_bounced_at(const Key *key, uint64_t generation, const Message *m);

/* True when this address means the role: the role's own address, or an account's with the
 * role's name or a tag of ours behind the plus. */
bool outward_means(const Config *config, const ConfRole *role, const char *spec);
/* True when one of these addresses means the role. */
bool outward_names(const Config *config, const ConfRole *role, const Addresses *list);
