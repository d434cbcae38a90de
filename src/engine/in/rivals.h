#pragma once

/*
 * What becomes of a mail whose Message-ID another mail of the role has. A file of the same
 * identity that is proven no better is only one more file (store/mail/copies.h). All else is a
 * message of its own, judged for itself, and never takes the place of another:
 *
 *   it says the same as a mail that         this one is                the other
 *   has a job, or is handled                ignored(copy)              stays
 *   is held or ignored, and less proven     the work, if it is work    becomes ignored(copy)
 *   is held or ignored, and not so          what the judge says        stays
 *   (other words)                           what the judge says        stays
 *
 * It says the same if sender and Subject are the same, and so are its own words, one of which
 * may go on (mail/identity.h). A mail of somebody else is never a copy.
 */
#include "engine/engine.h"
#include "engine/in/judge.h"
#include "store/mail/messages.h"

typedef struct Rivals {
    /* Set by the caller. */
    MsgId self;     /* the mail's own row; {0}: it has none yet */
    MsgId same;     /* a row of the same identity; {0}: there is none */
    Trust trust;    /* what is proven of it */
    /* Set by rivals_compare(). */
    MsgId of;       /* the mail with a job, or handled, that says the same; {0}: there is none */
    GArray *others; /* of MsgId: other mails that say the same, and are proven less than this mail */
} Rivals;
void rivals_clear(Rivals *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rivals, rivals_clear)

/* Compares a mail that has come, or is to be released, with what has its id. */
bool
rivals_compare(Engine *engine, const char *role, const Message *m, Rivals *r, GError **error);
/* The mail says the same as `of`: it becomes ignored. It is not held, since a mail that is held
 * may be released, and would then be work. */
void rivals_put_aside(const Rivals *r, Judgement *j);
/* This mail is work: the others that say the same become ignored. */
bool rivals_retire(Txn *txn, const Rivals *r, MsgId work, GError **error);
