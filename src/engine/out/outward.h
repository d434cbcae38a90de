#pragma once

/*
 * The addresses of our mail to people outside. One mailbox at a provider may serve many roles:
 * a mail leaves with the account's address and the role's name in From, and the address in its
 * Reply-To leads back to the role and to the very job. A tag behind the plus of an address says
 * to what a mail that comes back belongs:
 *
 *   role+JOB.TOKEN@…            an answer to mail of the job
 *   account+ROLE.JOB.TOKEN@…    the same, where the role has no mailbox on that server
 *   account+b.N.TOKEN@…         a bounce of mail N; with `envelope = verp`
 *   account+sent-N.TRY.TOKEN@…  our own copy of try TRY of mail N; with `in-doubt = probe` too
 *
 * A tag gives no rights: a person who answers must be one who may write to the job anyway. The
 * tag b.N.TOKEN is also the envelope id of the mail, where the server knows DSN. TOKEN is a MAC
 * under the home's key, so nobody can guess it and nothing is stored for it.
 */
#include "base/home.h"
#include "base/ids.h"
#include "mail/compose.h"
#include "mail/message.h"

/* The account's own e-mail address: its login name; NULL where that is not an address.
 * Borrowed. */
const char *outward_address(const ConfAccount *account);

/* The tag of answers to mail of the job, "JOB.TOKEN". Caller frees. */
char *outward_reply_tag(const Key *key, const ConfRole *role, JobId job);
/* The tag of bounces of the mail, "b.N.TOKEN". generation: that of the store (db_generation()),
 * so that a tag of a store that was put back names no mail of this one. Caller frees. */
char *outward_bounce_tag(const Key *key, uint64_t generation, OutId mail);
/* The address to which our own copy of one try of a mail goes: own with a tag. NULL: own has no
 * room for a tag. Caller frees. */
char *outward_copy_address(const Key *key, const char *own, OutId mail, int64_t try);
/* True when a mail that came is such a copy. *ret_mail, *ret_try: of which mail, and of which
 * of its tries. */
bool outward_is_copy(const Key *key, const Message *m, OutId *ret_mail, int64_t *ret_try);
/* The envelope sender of a mail: the account's address, with the tag of bounces if `envelope =
 * verp`. from is taken where the account has no address of its own. Caller frees. */
char *outward_envelope(const Home *home,
                       const ConfAccount *account,
                       uint64_t generation,
                       OutId mail,
                       const char *from);

/* Sets From and Reply-To of a mail of this role that goes outside. Where the server puts a
 * Message-ID of its own on mail (`message-id = server`), our id is put into References as well.
 * The role must have a way out (config_way_out()). */
bool
outward_dress(const Home *home, const ConfRole *role, JobId job, Compose *mail, GError **error);

/* The job whose reply tag is in an address to which the mail was sent; {0}: no such tag. */
JobId outward_job_of(const Key *key, const ConfRole *role, const Message *m);
/* The mail of ours that a bounce tag names, such as the envelope id that a bounce quotes; {0}:
 * the tag names no mail of ours. */
OutId outward_bounced(const Key *key, uint64_t generation, const char *tag);
/* The same for the tag in an address to which the bounce m came. */
OutId outward_bounced_at(const Key *key, uint64_t generation, const Message *m);

/* True when this address means the role: the role's own address, or an account's with the
 * role's name or a tag of ours behind the plus. */
bool outward_means(const Config *config, const ConfRole *role, const char *spec);
/* True when one of these addresses means the role. */
bool outward_names(const Config *config, const ConfRole *role, const Addresses *list);
