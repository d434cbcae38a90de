#pragma once

/*
 * A word of the runtime itself to a person, in the name of a role: an acknowledgement, a question,
 * what failed, what is waited for. Written and posted in one go; all such mail comes by here, but
 * for what says that an order was carried out (engine/in/order_mail.h).
 */
#include "engine/out/role_mail.h"
#include "mail/msgid.h"

typedef struct Notice {
    MailKind kind;        /* 0, which would be an answer: MAIL_NOTICE */
    const ConfRole *role; /* who speaks */
    const Job *job;       /* whose footer it bears, and whose mail it is; NULL: nobody's */
    bool apart;     /* not the job's own: STOP takes back a job's mail, but not this word */
    const char *to; /* NULL: the owner */
    const GPtrArray *others; /* more of them, char *; NULL: none */
    const char *subject;     /* NULL: that of what it answers */
    const char *text;
    const RoleMailParent
        *parent;        /* NULL: of a job what began its round; else it begins a thread */
    const Trust *floor; /* of the words of others in it; NULL: all are ours */
    int step;           /* that it is a mail of; 0: none */
} Notice;

/* Says these words (words.h), whatever text it has. */
bool notice_say(
    Engine *engine, Txn *txn, const Notice *notice, GError **error, const char *words, ...)
    G_GNUC_PRINTF(5, 6);
/* ret_msgid: without brackets; caller frees; may be NULL. */
bool
notice_post(Engine *engine, Txn *txn, const Notice *notice, char **ret_msgid, GError **error);
