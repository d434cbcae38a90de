#pragma once

/*
 * Judging inbound mail: who sent a mail, whether that sender may ask, and what the mail is.
 * Every rule that needs no store is in one function, so that the table of cases in
 * tests/unit/engine/judge.c is the policy.
 */
#include "engine/engine.h"
#include "mail/message.h"
#include "mail/origin.h"
#include "store/mail/messages.h"

typedef struct Judgement {
    Trust trust;
    Trust floor;      /* of its words: trust, or what their writer had read */
    MsgClass class;   /* MSG_TASK until the store says that it continues a job */
    MsgState state;   /* stored: goes on; else held, ignored, dead with why */
    const char *why;  /* static */
    unsigned may;     /* MAY_…, of the sender */
    char space[CONF_SPACE_NAME_MAX + 1]; /* that it was sent to, as the origin line says; "": none */
    bool proved;      /* origin line holds: minted and filed by this home */
    bool forged;      /* it carries an origin line that does not hold */
    bool unproven;    /* from outside: claims to be somebody we work for, and can't prove it */
    bool several;     /* unproven, and `authserv-fields = several` would prove it */
    bool copy;        /* it says the same as a mail that has work (engine/in/rivals.h) */
    char copy_of[40]; /* the text to which why points then */
    char proof[200];  /* from outside: what the receiving server found; "" where nobody asked */
} Judgement;

/* routed: a mail server's mailbox gave it to this role (engine/in/fetch_name.h), which is how
 * mail comes that names neither role nor account: by an alias, or in Bcc. */
void
judge(const Home *home, const ConfRole *role, const Message *m, bool routed, Judgement *ret);
