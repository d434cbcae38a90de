#pragma once

/*
 * Bounces: what a server says about mail that we sent. The standard form is multipart/report
 * with a message/delivery-status (RFC 3464, RFC 6522); two others that say in so many words
 * whom they speak of are read too: X-Failed-Recipients (Exim) and qmail's text.
 *
 * Nothing here is proof. Anybody can write a bounce, so a caller believes one only as far as it
 * names something that nobody else knows: our token in the address that it came to, our
 * envelope id, or a Message-ID that we minted; and it changes only recipients that this very
 * mail had. `delayed` is no failure, whatever its status says.
 *
 * Pure functions. All strings are valid UTF-8 without control characters.
 */
#include "mail/message.h"

typedef enum DsnAction {
    DSN_UNKNOWN,
    DSN_FAILED,
    DSN_DELAYED,
    DSN_DELIVERED,
    DSN_RELAYED,
    DSN_EXPANDED,
    DSN_N_ACTIONS
} DsnAction;

typedef struct DsnRcpt {
    char
        *address; /* whom we wrote to (Original-Recipient), else where it ended; an addr-spec */
    char *final;  /* where it ended; NULL: not said or the same */
    DsnAction action; /* where it is not said, 5.x.x is failed and 4.x.x delayed */
    char *status;     /* "5.1.1"; NULL */
    char *diagnostic; /* "550 5.1.1 No such user", one line, shortened; NULL */
} DsnRcpt;

typedef struct Dsn {
    bool standard;         /* message/delivery-status; else one of the others */
    char *envid;           /* Original-Envelope-Id; NULL */
    char *reporter;        /* Reporting-MTA; NULL */
    GPtrArray *ids;        /* Message-IDs of the mail it speaks of, likeliest first */
    GPtrArray *recipients; /* of DsnRcpt, at least one, at most LIMIT_RECIPIENTS */
} Dsn;

/* m was parsed with MESSAGE_CONTENT. NULL: no bounce, or one that names nobody. */
Dsn *dsn_read(const Message *m);
void dsn_free(Dsn *dsn);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Dsn, dsn_free)
