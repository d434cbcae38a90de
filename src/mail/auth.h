#pragma once

/*
 * Who really sent a mail, as far as the server that received it says so. That server writes its
 * findings into Authentication-Results (RFC 8601); anybody else can write such a field too. So:
 *
 * (1) Only ids that the configuration names are believed, byte by byte: a server that strips
 *     forged fields of its own name may not know the same name in capitals. "*.example.net"
 *     stands for all names below example.net (providers number their servers); `outlook` for
 *     fields without any id on mail that Microsoft's servers took in. An empty list believes
 *     nobody.
 * (2) Only above the first foreign Received. A Received field is the server's own when its "by"
 *     is that of the topmost one, is related to a believed id, or is an inner name (an address,
 *     one label, .internal, .local, …). The own field that took the mail from outside is the
 *     border: some write their results above it (Fastmail, Microsoft, most milters), some right
 *     below (Google), so below it the block goes on until the next Received, whoever that
 *     names.
 * (3) Only the first unbroken row of such fields, and in it of each believed id the first field
 *     alone, also where that one can't be read: a second one may be anybody's, who has put it
 *     where the server's own comes to stand above it. In a field dkim may stand several times,
 *     once for each signature; any other method that stands twice does not count. Some servers
 *     write several fields (`authserv-fields = several`): then later fields of the row add
 *     methods that no field above has named, each from one field only. That DMARC failed counts
 *     in any field of the row: nobody forges that.
 * (4) Mail with two senders, or ambiguous otherwise, never passes, whatever is needed. Mail without
 *     any Received is never proved.
 *
 * What this can't see: a server that writes no such field for some mail and lets forged ones
 * through (RFC 8601 5 forbids that).
 *
 * A domain is aligned with that of From when they are equal or one is below the other. There is
 * no list of public suffixes here, so two siblings (a.example.org, b.example.org) are not
 * aligned, though DMARC's relaxed mode has them so: for these the server's own dmarc=pass
 * counts.
 *
 * Pure functions.
 */
#include "base/config/config_words.h"
#include "mail/message.h"

/*
 * What is needed (AuthNeed, the setting `require-auth`; unsaid: AUTH_DMARC):
 *   AUTH_DMARC   dmarc=pass for the domain of From; or, unless DMARC failed, an aligned dkim or spf, or a
 *                login (auth=pass) under the very address
 *   AUTH_DKIM    an aligned signature, whatever else passed
 *   AUTH_NONE    From alone is believed
 */

/* Whom to believe, and in what. */
typedef struct AuthTrust {
    const char *const *ids; /* NULL-terminated, may be NULL */
    AuthNeed need;
    bool several; /* `authserv-fields = several` */
} AuthTrust;

typedef struct AuthVerdict {
    bool pass;
    bool
        several; /* not proved, but `authserv-fields = several` would prove it; `why` says so */
    const char *method; /* dmarc, dkim, spf, auth, none; NULL: nothing passed. Static. */
    char *why;          /* one line for `mail trace`: "dmarc=pass for example.org by mx.x" */
} AuthVerdict;
void auth_verdict_clear(AuthVerdict *verdict);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AuthVerdict, auth_verdict_clear)

/* Judges the mail. Never fails: *ret says whether the sender is proved, and why. */
void auth_judge(const Message *m, const AuthTrust *trust, AuthVerdict *ret);

/* For pairing: the id of the server that judged this mail, by the same rules but with any name;
 * "outlook" where it has none. NULL: nobody did. Only worth something for a mail whose author
 * is known otherwise. Caller frees. */
char *auth_find_id(const Message *m);
/* For a trial: a field that the server of this id must take out of mail from outside, with a
 * word by which it is known. Value only; caller frees. */
char *auth_forge(const char *id, const char *word);
/* True if the mail still has a field with that word. */
bool auth_has_forged(const Message *m, const char *word);
