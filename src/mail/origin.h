#pragma once

/*
 * Proof of origin. Every mail that postrider files locally carries
 *
 *     X-Postrider-Origin: v1 from=SPEC level=role floor=anyone space=NAME to=MAILBOX mac=HEX
 *
 * as its first header. The level says who sent it, and so whether it may start work. The floor
 * says what its writer had read when he wrote it, and so what its words may cause; it stands
 * there only where it is below the level. The space is the one that it was sent to
 * (store/spaces.h); most mail has none. The MAC is over the Message-ID, From, To, Cc, Subject,
 * all other X- headers in order, the body digest, level, floor and space, and the receiving
 * mailbox. So trust survives the store, and a copy into another mailbox proves nothing.
 * Anything else that carries the header is not believed, and nobody but intake looks at it.
 */
#include "base/digest.h"
#include "mail/message.h"

/* Ordered: more is more. */
typedef enum Trust {
    TRUST_ANYONE,
    TRUST_KNOWN,
    TRUST_ROLE,
    TRUST_PRINCIPAL,
    TRUST_OPERATOR,
    TRUST_N
} Trust;
extern const char *const trust_names[TRUST_N];
const char *trust_name(Trust t);
bool trust_parse(const char *name, Trust *ret);

/* What is claimed of a mail. */
typedef struct OriginClaim {
    Trust level, floor; /* floor is never above level */
    char *space;        /* NULL: it is of none */
} OriginClaim;
void origin_claim_clear(OriginClaim *o);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(OriginClaim, origin_claim_clear)

/* The header line with its newline, for these bytes in this mailbox; caller frees.
 * Deterministic. */
char *origin_line(
    const Key *key, const void *raw, size_t len, const OriginClaim *claim, const char *mailbox);
typedef enum OriginSeen { ORIGIN_NONE, ORIGIN_FORGED, ORIGIN_PROVED } OriginSeen;
/* m: parsed from the file as it lies there, the origin header included. *ret is written only
 * where it is proved. */
OriginSeen origin_check(const Key *key, const Message *m, const char *mailbox, OriginClaim *ret);
