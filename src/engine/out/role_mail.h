#pragma once

/*
 * Mail that a role writes, as this project writes it: From with the role's name, Re: subjects,
 * the whole References, Auto-Submitted, and the closing line that tells a person where they are
 * and what they may say; mail to others has none. Nothing here touches the store.
 */
#include "engine/run/commit.h"
#include "mail/compose.h"
#include "mail/message.h"
#include "mail/msgid.h"

/* What a letter answers; borrowed. */
typedef struct RoleMailParent {
    const char *msgid, *subject, *in_reply_to;
    const GPtrArray *references; /* of the parent; may be NULL */
    const GPtrArray *too;        /* ids of what is answered beside; NULL: nothing */
    const GPtrArray *too_chains; /* for each the References of an answer to it alone */
} RoleMailParent;
/* As a parent: this mail; and the mail which began the round of a job. Both borrow. */
RoleMailParent role_mail_parent(const Message *m);
RoleMailParent role_mail_original(const Job *job);
/* References of an answer to it alone; caller unrefs. */
GPtrArray *role_mail_chain(const RoleMailParent *parent);

/* An agent's own mail. to: addr-specs. job NULL: no closing line. parent NULL: begins a thread.
 * Files that are notes are left to the caller: they are read in the commit. */
Compose *role_mail_answer(const Engine *engine,
                          const ConfRole *role,
                          const Job *job,
                          const ProposedMail *mail,
                          const GPtrArray *to,
                          const RoleMailParent *parent,
                          GError **error);
/* A notice: mail of the runtime itself, in the role's name (engine/people/notice.h). */
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
    const char *header, *value; /* one more of its headers; NULL: none */
} Notice;
/* Composes the notice; the caller frees it. NULL with error. */
Compose *role_mail_notice(const Engine *engine, const Notice *notice, GError **error);
